//! `fixed`: arithmetic, conversion and text of fixed-point numbers.

use corpus::{mixed, Numbers};
use fixed::types::{I16F16, I32F32, I64F64, U0F64, U8F8};

fn arithmetic(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (a, b) = (I32F32::from_bits(numbers.next() as i64 >> 20), I16F16::from_num(numbers.double(100.0)));
    let narrow = I32F32::from(b);
    let values = [
        a.wrapping_mul(narrow),
        a.checked_div(narrow).unwrap_or_default(),
        a.saturating_add(I32F32::MAX / 2),
        a.rem_euclid(I32F32::from_num(3)),
        a.round(),
        a.frac(),
        a.unsigned_abs().sqrt().to_num(),
        a.mean(narrow),
    ];
    mixed(values.map(|value| value.to_bits() as u64)) ^ u64::from(a.overflowing_mul(a).1)
}

fn wide(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (a, b) = (I64F64::from_num(numbers.double(1e6)), I64F64::from_num(numbers.double(10.0)));
    let values = [a * b, a / b, a - b, a % b, a.abs().sqrt()].map(I64F64::to_bits);
    let fraction = U0F64::from_bits(numbers.next());
    let split = values.iter().flat_map(|bits| [*bits as u64, (bits >> 64) as u64]);
    mixed(split) ^ (fraction * fraction).to_bits() ^ u64::from(a.abs().checked_int_log2().unwrap_or(7).unsigned_abs())
}

fn converted(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let a = I16F16::saturating_from_num(numbers.float(40_000.0));
    let b = U8F8::wrapping_from_num(numbers.double(300.0));
    let floats = a.to_num::<f64>().to_bits() ^ u64::from(b.to_num::<f32>().to_bits());
    floats ^ a.to_num::<i32>() as u64 ^ b.to_be().to_bits() as u64 ^ a.overflowing_to_num::<U8F8>().0.to_bits() as u64
}

fn parsed(i: u32) -> u64 {
    let text = ["1.5", "-3.25", "12345.678", "0.1", "-", "abc", "1e3", "99999999999"][i as usize % 8];
    let narrow = text.parse::<I16F16>().map_or(1, |number| number.to_bits() as u32);
    mixed([narrow, text.parse::<U8F8>().map_or(1, |number| u32::from(number.to_bits()))])
}

corpus::parts![arithmetic, wide, converted, parsed];
