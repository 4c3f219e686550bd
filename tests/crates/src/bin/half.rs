//! `half`: conversion, arithmetic and comparison of both 16-bit floats.

use corpus::{mixed, Numbers};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

fn sixteen(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (a, b) = (f16::from_f32(numbers.float(300.0)), f16::from_f64(numbers.double(3.0)));
    let values =
        [a + b, a - b, a * b, a / b, a % b, -a, a.max(b), a.min(b), a.clamp(-b.max(-b), b.max(-b)), a.signum()];
    let wide = a.to_f64().to_bits() ^ u64::from(b.to_f32().to_bits()) ^ (a < b) as u64 ^ a.total_cmp(&b) as u64;
    mixed(values.map(f16::to_bits)) ^ wide
}

fn brain(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (mut a, b) = (bf16::from_f32(numbers.float(1e30)), bf16::from_f64(numbers.double(1e-9)));
    a += b;
    let values = [a, a * b, a / b, a - b, bf16::EPSILON + a.min(b), a.copysign(b), [a, b].into_iter().sum()];
    mixed(values.map(bf16::to_bits)) ^ a.classify() as u64 ^ a.to_f64().to_bits()
}

fn patterns(i: u32) -> u64 {
    let halves: [f16; 16] = core::array::from_fn(|k| f16::from_bits((i * 509 + k as u32 * 4099) as u16));
    let mut floats = [0f32; 16];
    halves.convert_to_f32_slice(&mut floats);
    let mut back = [f16::ZERO; 16];
    back.convert_from_f32_slice(&floats);
    let numbers = floats.map(|float| if float.is_nan() { 1 } else { float.to_bits() });
    mixed(numbers) ^ mixed(back.map(|half| if half.is_nan() { 1 } else { half.to_bits() }))
}

corpus::parts![sixteen, brain, patterns];
