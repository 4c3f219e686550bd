//! Integers of every width: the results in a kernel are those on the host.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const RESULTS: usize = 48;
const OPERANDS: usize = 256;

/// `a` and `b` in every operation, each result as 128 bits. No operation panics.
#[inline(always)]
fn compute(a: u128, b: u128, results: &mut [u128; RESULTS]) {
    let (sa, sb) = (a as i128, b as i128);
    let (nonzero, by) = (b | 1, (b & 127) as u32);
    let safe = if sb == 0 || sb == -1 { 3 } else { sb };
    let mut next = 0;
    let mut put = |value: u128| {
        results[next] = value;
        next += 1;
    };
    put(a.wrapping_add(b));
    put(a.wrapping_sub(b));
    put(a.wrapping_mul(b));
    put(a / nonzero);
    put(a % nonzero);
    put((sa / safe) as u128);
    put((sa % safe) as u128);
    put(a << by);
    put(a >> by);
    put((sa >> by) as u128);
    put(a.rotate_left(by));
    put(a & b | !a ^ b);
    put(u128::from(a.leading_zeros()) << 32 | u128::from(a.trailing_zeros()) << 16 | u128::from(a.count_ones()));
    put(u128::from((b >> by).leading_zeros()) << 16 | u128::from((b << by).trailing_zeros()));
    put(a.swap_bytes());
    put(a.reverse_bits());
    put(u128::from(a < b) | u128::from(sa < sb) << 1 | u128::from(a == b) << 2 | u128::from(sa >= sb) << 3);
    put(a.saturating_add(b));
    put(a.saturating_sub(b));
    put(sa.saturating_add(sb) as u128);
    put(sa.saturating_sub(sb) as u128);
    put(a.checked_add(b).unwrap_or(7));
    put(sa.checked_sub(sb).unwrap_or(7) as u128);
    put(a.checked_mul(b).unwrap_or(7));
    put(sa.wrapping_abs() as u128);
    put(sa.wrapping_neg() as u128);
    put(a.max(b) ^ sa.min(sb) as u128);
    put(a.abs_diff(b));
    // Through shorter ones, with and without a sign.
    put(u128::from(a as u64).wrapping_mul(u128::from(b as u64)));
    put(i128::from(a as i64).wrapping_mul(i128::from(b as i64)) as u128);
    put(a as i8 as u128 ^ b as i16 as u128 ^ a as i32 as u128);
    put(u128::from((a as u8).wrapping_mul(b as u8)) << 64 | u128::from((a as i16).wrapping_sub(b as i16) as u16));
    put(u128::from((a as u8).rotate_left(by)) << 32 | u128::from((a as u16).leading_zeros()));
    put(u128::from((a as u16) / (b as u16 | 1)) | u128::from((a as u8) % (b as u8 | 1)) << 32);
    put(u128::from((a as i8).saturating_mul(b as i8) as u8)
        | u128::from((a as i16).saturating_add(b as i16) as u16) << 8);
    // 24, 40 and 56 bits, as code for packed data has them.
    put((a & 0xff_ffff).wrapping_mul(b & 0xff_ffff) & 0xff_ffff);
    put(((a as i64) << 24 >> 24) as u128 ^ ((b as i64) << 8 >> 8) as u128);
    let bytes = a.to_le_bytes();
    put(u128::from(u64::from_le_bytes([bytes[3], bytes[2], bytes[1], bytes[9], bytes[4], bytes[11], 0, 0])));
    put(u128::from(u32::from_be_bytes([0, bytes[5], bytes[14], bytes[7]])));
    put(match a & 15 {
        3 => b,
        5 => !b,
        9 | 10 => b << 64,
        _ => u128::MAX / 3,
    });
    let mut power: u128 = 1;
    for _ in 0..by {
        power = power.wrapping_mul(nonzero);
    }
    put(power);
    put(a.isqrt());
}

extern "C" fn integers(operands: *const u128, results: *mut [u128; RESULTS], count: usize) {
    let index = offload::global_id_x() as usize;
    if index < count {
        unsafe { compute(*operands.add(2 * index), *operands.add(2 * index + 1), &mut *results.add(index)) }
    }
}

/// Numbers that are small, large, near a power of two, or anything.
fn operands() -> Vec<u128> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut number = || {
        let any = u128::from(random()) << 64 | u128::from(random());
        match random() % 5 {
            0 => any,
            1 => any >> (random() % 128),
            2 => (1u128 << (random() % 128)).wrapping_sub(u128::from(random() % 3)),
            3 => !(any >> (64 + random() % 64)),
            _ => u128::from(random() % 4),
        }
    };
    (0..2 * OPERANDS).map(|_| number()).collect()
}

fn main() {
    let operands = operands();
    let device = Device::open();
    let input = device.upload(&operands);
    let output = device.upload(&vec![0u128; RESULTS * OPERANDS]);
    let arguments = (input.as_ptr(), output.as_mut_ptr().cast::<[u128; RESULTS]>(), OPERANDS);
    let arguments = [argument(&arguments.0), argument(&arguments.1), argument(&arguments.2)];
    device.launch(kernel!(integers), Shape::linear(OPERANDS as u32, 64), &arguments);
    let mut wrong = 0;
    for (pair, found) in operands.chunks(2).zip(output.read().chunks(RESULTS)) {
        let mut expected = [0; RESULTS];
        compute(pair[0], pair[1], &mut expected);
        for operation in (0..RESULTS).filter(|i| found[*i] != expected[*i]) {
            wrong += 1;
            if wrong < 10 {
                let (found, expected) = (found[operation], expected[operation]);
                println!("operation {operation} of {:#x} and {:#x}: {found:#x}, not {expected:#x}", pair[0], pair[1]);
            }
        }
    }
    offload::verdict("integers", &format!("{OPERANDS} pairs"), wrong);
}
