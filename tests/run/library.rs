//! Functions of `core` that are not generic, in kernels: parsing, text, characters, wide and checked arithmetic.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use kernels::{compare, mix};

const WORDS: [&str; 16] = [
    "1.5",
    "-0.1e-7",
    "3.4028235e38",
    "1e-45",
    "0.1234567891234567",
    "inf",
    "nan",
    "1e400",
    "179",
    "-2147483648",
    "4294967296",
    "+17",
    "x",
    "",
    "1_0",
    "16777217",
];

const TEXT: &str = "Straße 7: ΑΒΓ ǅ 東京 🦀 é\u{301}\t_";

fn parsed(i: u32) -> u64 {
    let word = WORDS[i as usize % WORDS.len()];
    let float = word.parse::<f32>().map_or(1, |v| u64::from(v.to_bits()));
    let double = word.parse::<f64>().map_or(2, f64::to_bits);
    let signed = word.parse::<i32>().map_or(3, |v| v as u64);
    let wide = word.parse::<u128>().map_or(4, |v| v as u64);
    [float, double, signed, wide].into_iter().fold(u64::from(i), mix)
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

/// Both ways between floats and 128 bits, at and around values that round to even, overflow, or are NaN.
fn converted(i: u32) -> u64 {
    let bits = [24u32, 25, 53, 54, 63, 64, 65, 103, 104, 127][i as usize % 10];
    let around = (1u128 << bits) + (1u128 << bits.saturating_sub(24)) + (1 << bits.saturating_sub(53));
    let rounded = |v: u128| {
        let signed = mix(u64::from((v as i128 as f32).to_bits()), (v as i128 as f64).to_bits());
        mix(signed, mix(u64::from((v as f32).to_bits()), (v as f64).to_bits()))
    };
    let near = mix(rounded(around - 1), mix(rounded(around), rounded(around + 1)));
    let far = mix(rounded(!around), mix(rounded(u128::MAX << (i % 128)), rounded(u128::from(i))));
    let half = |v: u128| mix(v as u64, (v >> 64) as u64);
    let cut = |v: f64| {
        let double = mix(half(v as u128), half(v as i128 as u128));
        mix(double, mix(half(v as f32 as u128), half(v as f32 as i128 as u128)))
    };
    let exponent = u64::from(i % 16) * 9;
    let double = f64::from_bits((1023 - 2 + exponent) << 52 | 0xf_edcb_a987_6543);
    let highest = f64::from_bits((1023 + 125 + u64::from(i % 4)) << 52);
    let special = [f64::NAN, f64::INFINITY, -f64::INFINITY, -0.9][i as usize % 4];
    mix(mix(near, far), mix(mix(cut(double), cut(-double)), mix(cut(highest), cut(special))))
}

fn checked(i: u32) -> u64 {
    let pause = core::time::Duration::from_millis(u64::from(i) * 999 + 1) * 3 / 7;
    let later = pause.checked_add(core::time::Duration::new(4, 999_999_999)).map_or(0, |d| d.as_micros() as u64);
    let root = u64::from(i).isqrt() + u64::from((i + 1).ilog10());
    let power = i.checked_pow(3).map_or(9, u64::from) ^ i.saturating_mul(i << 8) as u64;
    [later, root, power, u64::from(pause.subsec_nanos())].into_iter().fold(0, mix)
}

kernels! {
    parse: parsed,
    text: characters,
    u128s: wide,
    conversions: converted,
    arithmetic: checked,
}

fn main() {
    compare("library", offload::number_argument(1, 128), handles(), FUNCTIONS);
}
