//! Code that rustc's LLVM vectorises at `-O` for the host's registers: loops over arrays, bytes, masks, reductions.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const N: usize = 64;

fn bytes(input: &[u8; N]) -> u32 {
    let sum: u32 = input.iter().map(|b| u32::from(*b)).sum();
    let high = input.iter().filter(|b| **b > 127).count() as u32;
    let most = *input.iter().max().unwrap() as u32;
    let bits: u32 = input.iter().map(|b| b.count_ones()).sum();
    let upper = input.iter().map(|b| b.to_ascii_uppercase()).fold(0u8, |a, b| a ^ b);
    sum.wrapping_mul(31) ^ high << 8 ^ most << 16 ^ bits.rotate_left(20) ^ u32::from(upper)
}

fn floats(input: &[f32; N]) -> [f32; N] {
    let mut out = [0.0; N];
    for (i, (o, x)) in out.iter_mut().zip(input).enumerate() {
        *o = if *x > 0.5 { x * 2.0 - 1.0 } else { x.sqrt() + i as f32 };
    }
    for pair in out.chunks_exact_mut(2) {
        pair.swap(0, 1);
    }
    out
}

fn doubles(input: &[f32; N]) -> [f64; N] {
    std::array::from_fn(|i| f64::from(input[i]) / (f64::from(input[N - 1 - i]) + 1.0) + f64::from(i as u32))
}

fn integers(input: &[u8; N]) -> [i64; N] {
    let mut out = [0i64; N];
    for i in 0..N {
        let wide = i64::from(input[i] as i8);
        out[i] = (wide * wide - 7).abs().min(9000) << (i % 5) ^ (wide >> 3);
    }
    out
}

fn matrix(m: &[[f32; 4]; 4], v: &[f32; 4]) -> [f32; 4] {
    std::array::from_fn(|r| m[r].iter().zip(v).map(|(a, b)| a * b).sum())
}

/// Code that becomes comparisons of many bytes whose results are one number, and integers as wide as a vector.
fn masks(input: &[u8; N], other: &[u8; N]) -> u32 {
    let place = input.iter().position(|b| *b == other[3]).unwrap_or(N) as u32;
    let flags = input.iter().enumerate().fold(0u64, |bits, (i, b)| bits | u64::from(*b > 99) << i);
    let same = input[..33] == other[..33] || input == other;
    let odd: [u8; 37] = std::array::from_fn(|i| input[i].saturating_add(other[i]) ^ input[i].saturating_sub(other[i]));
    let odd = odd.iter().fold(0u32, |sum, b| sum.rotate_left(3) ^ u32::from(*b));
    let ascii = input[..48].is_ascii() || other.iter().any(|b| *b == 7);
    place ^ (flags as u32) ^ (flags >> 32) as u32 ^ u32::from(same) << 9 ^ odd ^ u32::from(ascii) << 5
}

fn all(seed: u32) -> u64 {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let input: [u8; N] = std::array::from_fn(|_| next() as u8);
    let reals: [f32; N] = std::array::from_fn(|i| f32::from(input[i]) / 256.0);
    let mut sum = u64::from(bytes(&input));
    let mut add = |bits: u64| sum = sum.rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ bits;
    floats(&reals).iter().for_each(|f| add(u64::from(f.to_bits())));
    doubles(&reals).iter().for_each(|f| add(f.to_bits()));
    integers(&input).iter().for_each(|n| add(*n as u64));
    let m: [[f32; 4]; 4] = std::array::from_fn(|r| std::array::from_fn(|c| f32::from(input[r * 4 + c])));
    let v = matrix(&m, &[1.0, 2.0, 3.0, f32::from(input[40])]);
    v.iter().for_each(|f| add(u64::from(f.to_bits())));
    let other: [u8; N] = std::array::from_fn(|_| next() as u8);
    add(u64::from(masks(&input, &other)) << 8 ^ u64::from(masks(&input, &input)));
    sum
}

extern "C" fn simd(count: u32, out: *mut u64) {
    let index = offload::global_id_x();
    if index < count {
        unsafe { *out.add(index as usize) = all(index) }
    }
}

fn main() {
    let count = offload::number_argument(1, 500);
    let device = Device::open();
    let out = device.upload(&vec![0u64; count as usize]);
    device.launch(kernel!(simd), Shape::linear(count, 64), &[argument(&count), argument(&out.as_mut_ptr())]);
    let wrong = out.read().iter().enumerate().filter(|(index, value)| **value != all(*index as u32)).count();
    offload::verdict("simd", &format!("{count} threads"), wrong);
}
