//! What `core` has no generic code for, in kernels: parsing, sorting, text, characters, wide and checked arithmetic.

#[path = "../../examples/common/offload.rs"]
mod offload;

use core::fmt::Write;
use offload::{argument, Device, Shape};

const WORDS: [&str; 16] = [
    "1.5", "-0.1e-7", "3.4028235e38", "1e-45", "0.1234567891234567", "inf", "nan", "1e400", "179", "-2147483648",
    "4294967296", "+17", "x", "", "1_0", "16777217",
];

const TEXT: &str = "Straße 7: ΑΒΓ ǅ 東京 🦀 é\u{301}\t_";

/// A place to write text into.
struct Line {
    bytes: [u8; 48],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let free = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(core::fmt::Error)?;
        free.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

fn mix(sum: u64, value: u64) -> u64 {
    (sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

fn parsed(i: u32) -> u64 {
    let word = WORDS[i as usize % WORDS.len()];
    let float = word.parse::<f32>().map_or(1, |v| u64::from(v.to_bits()));
    let double = word.parse::<f64>().map_or(2, f64::to_bits);
    let signed = word.parse::<i32>().map_or(3, |v| v as u64);
    let wide = word.parse::<u128>().map_or(4, |v| v as u64);
    [float, double, signed, wide].into_iter().fold(u64::from(i), mix)
}

fn sorted(i: u32) -> u64 {
    let mut numbers = [0u32; 40];
    let mut state = i.wrapping_mul(2_654_435_761) | 1;
    for number in &mut numbers {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        *number = state % 1000;
    }
    let mut stable = numbers.map(|n| (n % 7) as u8);
    numbers.sort_unstable();
    stable.sort_unstable_by(|a, b| b.cmp(a));
    let pairs = numbers.chunks(3).map(|chunk| chunk.iter().map(|n| u64::from(*n)).sum::<u64>());
    let found = numbers.binary_search(&500).unwrap_or_else(|at| at);
    pairs.chain(stable.chunks_exact(8).map(|c| u64::from(c[7]))).fold(found as u64, mix)
}

fn characters(i: u32) -> u64 {
    let skipped = TEXT.chars().cycle().skip(i as usize % 20).take(8);
    let classes = skipped.map(|c| {
        let class = u64::from(c.is_alphabetic()) | u64::from(c.is_numeric()) << 1 | u64::from(c.is_whitespace()) << 2;
        let case = c.to_lowercase().chain(c.to_uppercase()).fold(0, |sum, c| mix(sum, u64::from(u32::from(c))));
        mix(class | u64::from(c.is_uppercase()) << 3, case) ^ c.len_utf8() as u64
    });
    let at = TEXT.find("東").unwrap_or(0) + TEXT.rfind(char::is_whitespace).unwrap_or(0);
    let split = TEXT.split_whitespace().map(|word| word.chars().count() as u64);
    let utf8 = core::str::from_utf8(&TEXT.as_bytes()[..i as usize % TEXT.len()]).map_or(1, |s| s.len() as u64);
    classes.chain(split).fold(mix(at as u64, utf8), mix)
}

fn wide(i: u32) -> u64 {
    let a = (u128::from(i) + 3) << 70 | 0x1234_5678_9abc_def0;
    let b = u128::from(i % 13) << 66 | u128::from(i) | 1;
    let (quotient, rest) = (a / b, a % b);
    let signed = (a as i128).wrapping_neg() / (b as i128 + 5);
    let float = (a as f64 / 3.0) as u128 ^ (b as f32) as u128;
    let halves = [quotient, rest, signed as u128, float, u128::from(quotient.leading_zeros())];
    halves.into_iter().fold(0, |sum, v| mix(mix(sum, v as u64), (v >> 64) as u64))
}

fn checked(i: u32) -> u64 {
    let pause = core::time::Duration::from_millis(u64::from(i) * 999 + 1) * 3 / 7;
    let later = pause.checked_add(core::time::Duration::new(4, 999_999_999)).map_or(0, |d| d.as_micros() as u64);
    let root = u64::from(i).isqrt() + u64::from((i + 1).ilog10());
    let power = i.checked_pow(3).map_or(9, u64::from) ^ i.saturating_mul(i << 8) as u64;
    [later, root, power, u64::from(pause.subsec_nanos())].into_iter().fold(0, mix)
}

fn written(i: u32) -> u64 {
    let mut line = Line { bytes: [0; 48], length: 0 };
    let value = i as i32 - 40;
    let done = write!(line, "{value:+05} {:#x} {:?} {:>6.2}|{:e}", i * 77, Some(i as u8), value as f32 / 8.0, 1.5e9f64);
    let bytes = line.bytes[..line.length].iter().map(|byte| u64::from(*byte));
    bytes.fold(u64::from(done.is_ok()), mix)
}

const PARTS: [fn(u32) -> u64; 6] = [parsed, sorted, characters, wide, checked, written];

macro_rules! kernels {
    ($($kernel:ident: $part:ident,)*) => {
        $(extern "C" fn $kernel(out: *mut u64) {
            let i = offload::global_id_x();
            unsafe { *out.add(i as usize) = $part(i) }
        })*

        fn handles() -> [*const offload::Kernel; PARTS.len()] {
            unsafe { [$(offload::__offload_kernel($kernel as *const ())),*] }
        }
    };
}

kernels! {
    parse: parsed,
    sort: sorted,
    text: characters,
    u128s: wide,
    arithmetic: checked,
    format: written,
}

fn main() {
    let count = offload::number_argument(1, 128);
    let device = Device::open();
    let out = device.allocate::<u64>(count as usize);
    let mut wrong = 0;
    for (handle, part) in handles().into_iter().zip(PARTS) {
        device.launch(handle, Shape::linear(count, 64), &[argument(&out.as_mut_ptr())]);
        let there = out.read();
        wrong += (0..count).filter(|&i| there[i as usize] != part(i)).count();
    }
    offload::verdict("library", &format!("{count} threads, {} kernels", PARTS.len()), wrong);
}
