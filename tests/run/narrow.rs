//! Narrow numbers in wider types, at their extremes: divisions, products, guarded shifts, shifts into the sign, and
//! products that may overflow. Back ends compute them in other ways than numbers of an unknown size. Then numbers that
//! are put together: bytes, unions, switches over 64 bits, reversed bits, and more values at once than there are
//! registers; and indices with a sign that wrap before they are extended.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const RESULTS: usize = 128;

/// The quotient and the remainder of two numbers in one.
macro_rules! divided {
    ($x:expr, $y:expr) => {{
        let (x, y) = ($x, $y);
        let y = if y == 0 { 1 } else { y };
        (x / y) as u64 ^ ((x % y) as u64).rotate_left(21)
    }};
}

/// The same of numbers of the first type in the second one.
macro_rules! widened {
    ($put:ident, $a:ident, $b:ident: $($narrow:ty => $wide:ty),*) => {
        $($put(divided!($a as $narrow as $wide, $b as $narrow as $wide));)*
    };
}

/// Sums, differences and products that may overflow, of numbers that are truncated from `$a` and `$b`.
macro_rules! overflowing {
    ($put:ident, $a:expr, $b:expr, $($ty:ty),*) => {$({
        let (x, y) = ($a as $ty, $b as $ty);
        $put(x.checked_mul(y).map_or(0x1234, |v| v as u64) ^ (x.saturating_mul(y) as u64) << 20);
        $put(x.checked_add(y).map_or(0x1234, |v| v as u64) ^ (x.saturating_add(y) as u64) << 20);
        $put(x.checked_sub(y).map_or(0x1234, |v| v as u64) ^ (x.saturating_sub(y) as u64) << 20);
        $put(u64::from(x.overflowing_mul(y).1) | u64::from(x.overflowing_add(y).1) << 1
            | u64::from(x.overflowing_sub(y).1) << 2);
        $put(((x & 7) * (y & 7)) as u64 ^ (x.wrapping_mul(y) as u64).rotate_left(9));
    })*};
}

fn divide(a: u64, b: u64, put: &mut impl FnMut(u64)) {
    widened!(put, a, b: i8 => i16, i8 => i32, i8 => i64, i16 => i32, i16 => i64, i32 => i64);
    widened!(put, a, b: u8 => u32, u16 => u32, u16 => u64, u32 => u64, i8 => u32, i16 => u32, i16 => u64, i32 => u64);
    put(divided!(i64::from(a as i32), i64::from(b as i8)));
    put(divided!(i32::from(a as i16), i32::from(b as i8)));
    put(divided!(a as i16, (b as i16 | 1 << 9) & 0x7fff));
    put(divided!(a as u16, b as u8 as u16));
    // Other widths, by masks and by shifts.
    for bits in [22, 23, 24, 25] {
        put(divided!(a as u32 & ((1 << bits) - 1), b as u32 & ((1 << bits) - 1)));
    }
    put(divided!(a & 0x7f_ffff, b & 0x7f_ffff));
    put(divided!(a & 0xff_ffff, b & 0xff_ffff));
    put(divided!((a as i32) << 8 >> 8, (b as i32) << 8 >> 8));
    put(divided!((a as i32) << 9 >> 9, (b as i32) << 9 >> 9));
    put(divided!((a as i64) << 40 >> 40, (b as i64) << 40 >> 40));
    put(divided!((a as i64) << 33 >> 33, (b as i64) << 33 >> 33));
    // Numbers of one bit with a sign, as floats.
    put((i32::from(a as i8 > b as i8).wrapping_neg() as f32).to_bits().into());
    put((i64::from(a > b).wrapping_neg() as f64).to_bits());
    put((i32::from((a as i8).checked_add(b as i8).is_none()).wrapping_neg() as f32).to_bits().into());
    // By a constant, and by a power of two.
    put(divided!(a & 0xff_ffff, 1001) ^ u64::from(divided!(a as u32 & 0xff_ffff, 1001) as u32));
    put(u64::from(a as i8 as u32 / 1001) ^ (i32::from(a as i8) / 7) as u64);
    put((i32::from(a as i16) / (1 << (b & 7))) as u64);
    // Several at once.
    let (x, y) = (a.to_le_bytes().map(|v| v as i8), b.to_le_bytes().map(|v| v as i8));
    let mut all = [0i32; 8];
    for at in 0..8 {
        let by = if y[at] == 0 { 1 } else { y[at] };
        all[at] = i32::from(x[at]) / i32::from(by);
    }
    put(all.iter().fold(0, |sum: u64, v| sum.wrapping_mul(31).wrapping_add(*v as u64)));
    let pairs = [a as i16, (a >> 16) as i16].map(i32::from);
    let by = [b as i16, (b >> 16) as i16].map(|v| if v == 0 { 1 } else { i32::from(v) });
    put((pairs[0] / by[0]) as u64 ^ ((pairs[1] / by[1]) as u64) << 32);
}

/// Products of narrow numbers, also as a part of a sum.
fn multiply(a: u64, b: u64, put: &mut impl FnMut(u64)) {
    for bits in [16, 20, 23, 24, 25, 32] {
        let [x, y] = [a, b].map(|v| u64::from(v as u32) & ((1 << bits) - 1));
        put((x * y).wrapping_add(a) ^ (x * x).wrapping_sub(b).rotate_left(9));
        put((x * 0x12_3457).wrapping_add(b << 7) ^ (x * 12 + (a >> 3)).rotate_left(31));
    }
    let [x, y] = [a, b].map(|v| i64::from((v as i32) << 8 >> 8));
    put((x * y + a as i64 / 2) as u64 ^ ((x * -0x12_3457) - (b as i64 >> 2)) as u64);
    let [x, y] = [a, b].map(|v| v as u32 & 0xff_ffff);
    put(u64::from(x.wrapping_mul(y).wrapping_add(a as u32)) ^ u64::from(x) * (b & 0xff_ffff) % 0xffff_fffb);
    let [x, y] = [x, y].map(|v| u64::from(v.swap_bytes() & 0xff_ffff));
    let [s, t] = [a, b].map(|v| u64::from((v as u32).reverse_bits() & 0xff_ffff));
    put((x * y + (a >> 1)) ^ (s * t + (b >> 1)).rotate_left(3));
    let [x, y] = [a, b].map(|v| v as u32 & 0xff_ffff);
    put((0..5).fold(a, |sum, i| sum.wrapping_add(u64::from(x) * u64::from(y.rotate_left(i) & 0xff_ffff))));
}

fn shift(a: u64, b: u64, put: &mut impl FnMut(u64)) {
    put(if b < 64 { a << b } else { 0 });
    put(if b > 63 { 0 } else { a >> b });
    put(if b >= 64 { 0 } else { ((a as i64) >> b) as u64 });
    put(u64::from(if b < 32 { (a as u32) << b } else { 0 }) | u64::from(if b > 31 { 0 } else { (a as u32) >> b }) << 32);
    put(u64::from(if b < 16 { (a as u16) << b } else { 0 }) | u64::from(if b > 7 { 0 } else { (a as u8) >> b }) << 32);
    let (wide, amount) = (u128::from(a) << 60 | u128::from(b), u128::from(b) << 1);
    let shifted = if amount < 128 { wide << amount } else { 0 };
    put(shifted as u64 ^ (shifted >> 64) as u64);
    let shifted = if b < 128 { wide >> b } else { 0 };
    put(shifted as u64 ^ (shifted >> 64) as u64);
    put(a.checked_shl(b as u32).unwrap_or(0) ^ a.checked_shr(b as u32).unwrap_or(0));
    // The last bit is the sign.
    let (s, t) = (if a as i32 == -1 { -1i32 } else { 0 }, if b as i16 == -1 { -1i16 } else { 0 });
    put((s << 31) as i64 as u64);
    put(s.wrapping_mul(i32::MIN) as i64 as u64);
    put(((s << 31) as i64).wrapping_add(b as i64) as u64);
    put((t << 15) as i32 as u64 ^ (i64::from(t) << 63) as i128 as u64);
    put((-i64::from(a & 1 == 1) << 31) as u64 ^ ((-i32::from(b & 1 == 1)) << 31) as i64 as u64);
}

/// The same bytes as two numbers, as halves and alone.
#[repr(C)]
union Bytes {
    words: [u32; 2],
    halves: [u16; 4],
    bytes: [u8; 8],
}

#[derive(Clone, Copy)]
struct Parts {
    low: u8,
    high: (u16, u32),
}

fn put_together(a: u64, b: u64, put: &mut impl FnMut(u64)) {
    let (x, y) = (a.to_le_bytes(), b.to_le_bytes());
    put(u64::from(u32::from_le_bytes([x[3], y[0], x[1], y[2]])));
    put(u64::from(u32::from_le_bytes([y[3], 0, y[3], 0xff])));
    put(u64::from(u32::from_le_bytes([x[7], x[5], y[6], x[5] & y[4]])));
    put(u64::from(u16::from_le_bytes([x[1] | 3, y[1]])) | u64::from(u16::from_be_bytes([x[2], y[3] >> 1])) << 32);
    put(a.swap_bytes() ^ u64::from((b as u32).swap_bytes()) ^ u64::from((b as u16).swap_bytes()) << 40);
    put(u64::from_le_bytes([x[0], y[1], x[2], y[3], x[4], y[5], x[6], y[7]]));
    put(u64::from((a as u32 & 0xff00_ff00) >> 8 | (b as u32 & 0xff00_ff00)));
    // Unions and structs, of which a condition chooses one.
    let mut bytes = Bytes { words: [a as u32, b as u32] };
    unsafe {
        bytes.bytes[(b & 7) as usize] ^= a as u8;
        put(u64::from(bytes.words[0]) << 32 | u64::from(bytes.words[1]));
        bytes.halves[(a & 3) as usize] = bytes.halves[(b & 3) as usize].wrapping_add(bytes.bytes[5].into());
        put(u64::from(bytes.words[1]) << 32 | u64::from(bytes.words[0]));
    }
    let (one, other) = (Parts { low: x[0], high: (a as u16, 7) }, Parts { low: y[0], high: (9, b as u32) });
    let chosen = if a > b { one } else { other };
    put(u64::from(chosen.low) ^ u64::from(chosen.high.0) << 8 ^ u64::from(chosen.high.1) << 24);
    let mut both = [one, other];
    both[(b & 1) as usize].high = both[(a & 1) as usize].high;
    put(u64::from(both[0].high.1) ^ u64::from(both[1].high.1) << 16 ^ u64::from(both[0].high.0) << 48);
    // The upper halves of the cases differ.
    put(match a {
        0 => 11,
        0xffff_ffff => 12,
        0x1_0000_0001 => 13 ^ b,
        0x1_0000_0003 => 14,
        0x2_0000_0028 => 15 ^ b,
        0xffff_ffff_ffff_ffff => 16,
        _ => b,
    });
    put(match (a as i64, b as i8) {
        (-2, _) => 21,
        (i64::MIN, 0) => 22,
        (1..=5, 1..=3) => 23,
        (_, -1) => 24,
        _ => a,
    });
    put(u64::from((a as u8).reverse_bits()) | u64::from((b as u16).reverse_bits()) << 16);
    put((a as u32).reverse_bits() as u64 ^ b.reverse_bits());
    put(u64::from((a as i8).rotate_left(b as u32) as u8) ^ u64::from((a as u16).rotate_right(b as u32)) << 8);
    put(u64::from((a as u8).leading_zeros() + 16 * (b as u16).trailing_zeros() + 512 * (a as i8).count_ones()));
    many(a, b, put);
}

/// All numbers of an array are needed at the end of each round, and some threads leave the rounds early.
fn many(a: u64, b: u64, put: &mut impl FnMut(u64)) {
    let mut values = [0_u64; 80];
    for (at, value) in (0..).zip(&mut values) {
        *value = a.wrapping_mul(2 * at + 1).rotate_left(at as u32) ^ b;
    }
    let mut rounds = a % 3;
    loop {
        let first = values[0];
        for at in 0..79 {
            values[at] = values[at + 1].wrapping_mul(0x9e37_79b9) ^ values[at] >> 3;
        }
        values[79] ^= first;
        if rounds == 0 || values[17] & 63 == 5 {
            break;
        }
        rounds -= 1;
    }
    for part in values.chunks_exact(16) {
        put(part.iter().fold(0, |sum: u64, value| sum.rotate_left(7) ^ value));
    }
}

/// Squares of all indices of 8 bits with a sign; 0 is in the middle.
static SQUARES: [u16; 256] = {
    let mut squares = [0; 256];
    let mut at = 0;
    while at < 256 {
        squares[at] = ((at as i32 - 128) * (at as i32 - 127)) as u16;
        at += 1;
    }
    squares
};

/// Several elements from one pointer, at indices of which one is the other one and a constant, but for the extension.
fn indexed(a: u64, b: u64, put: &mut impl FnMut(u64)) {
    let values = [a, b, a ^ b, a.wrapping_add(b), b.rotate_left(9)];
    let middle = unsafe { values.as_ptr().add(2) };
    let (less, zero) = (a < b, SQUARES.as_ptr().wrapping_add(128));
    let (narrow, other) = (a as i8, b as i8);
    let mut square = |at: i8| put(u64::from(unsafe { *zero.offset(at as isize) }));
    square(narrow.wrapping_add(100));
    square(narrow.wrapping_add(7));
    square(narrow);
    square(a.wrapping_sub(77) as i8);
    square(narrow.wrapping_add(other));
    square(narrow.wrapping_mul(3));
    square(narrow.wrapping_mul(3).wrapping_sub(90));
    square(if less { narrow } else { other }.wrapping_add(50));
    square(if less { narrow } else { other });
    // 0 or -1, as merges step back in one of two runs.
    put(unsafe { *middle.offset(-isize::from(less)) });
    put(unsafe { *middle.offset(-isize::from(!less)) });
}

/// Each result for `a` and `b`.
#[inline(always)]
fn compute(a: u64, b: u64, results: &mut [u64; RESULTS]) {
    let mut next = 0;
    let mut put = |value: u64| {
        results[next] = value;
        next += 1;
    };
    divide(a, b, &mut put);
    multiply(a, b, &mut put);
    shift(a, b, &mut put);
    overflowing!(put, a, b, u8, u16, i8, i16);
    overflowing!(put, a as u32, b as u32, u8, i16);
    put_together(a, b, &mut put);
    indexed(a, b, &mut put);
}

extern "C" fn narrow(operands: *const [u64; 2], results: *mut [u64; RESULTS], count: usize) {
    let index = offload::global_id_x() as usize;
    if index < count {
        let [a, b] = unsafe { *operands.add(index) };
        compute(a, b, unsafe { &mut *results.add(index) })
    }
}

/// Each number with each other one, and pairs whose quotient is just below an integer.
fn operands() -> Vec<[u64; 2]> {
    let mut numbers = vec![0, 1, 2, 3, 5, 100, 1 << 32 | 1, 1 << 32 | 3, 1 << 33 | 40, 1 << 40 | 0xffff, u64::MAX];
    for bits in [7, 8, 15, 16, 22, 23, 24, 31, 32, 63] {
        let power = 1_u64 << bits;
        numbers.extend([power, power - 1, power.wrapping_neg()]);
    }
    numbers.extend([63, 64, 65, -2_i64 as u64, 0xc32, 0xe3_170d, 0xbf_2758, 0xbf_2759]);
    let mut pairs: Vec<_> = numbers.iter().flat_map(|a| numbers.iter().map(|b| [*a, *b])).collect();
    for divisor in [1, 3, 7, 0xc32, 0x7ff, 0x1001, 0x2f_ffff] {
        for bits in [22, 23, 24] {
            let most = ((1_u64 << bits) - 1) / divisor;
            pairs.extend([most * divisor, most * divisor - 1].map(|number| [number, divisor]));
        }
    }
    pairs
}

fn main() {
    let operands = operands();
    let count = operands.len();
    let device = Device::open();
    let input = device.upload(&operands);
    let output = device.upload(&vec![0u64; RESULTS * count]);
    let arguments = (input.as_ptr(), output.as_mut_ptr().cast::<[u64; RESULTS]>(), count);
    let arguments = [argument(&arguments.0), argument(&arguments.1), argument(&arguments.2)];
    device.launch(kernel!(narrow), Shape::linear(count as u32, 64), &arguments);
    let mut wrong = 0;
    for ([a, b], found) in operands.iter().zip(output.read().chunks(RESULTS)) {
        let mut expected = [0; RESULTS];
        compute(*a, *b, &mut expected);
        for operation in (0..RESULTS).filter(|i| found[*i] != expected[*i]) {
            wrong += 1;
            if wrong < 10 {
                let (found, expected) = (found[operation], expected[operation]);
                println!("operation {operation} of {a:#x} and {b:#x}: {found:#x}, not {expected:#x}");
            }
        }
    }
    offload::verdict("narrow", &format!("{count} pairs"), wrong);
}
