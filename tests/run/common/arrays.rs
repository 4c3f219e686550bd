//! Kernels whose threads have private arrays, which all of them access at the same places.

use crate::kernel;
use crate::offload::{self, argument, Device, Shape};

type Pair = [f32; 2];

/// Pairs that are copied as numbers of 64 bits, whole arrays that are copied, bytes, and elements that some threads
/// change alone. All bits of the numbers are moved, those of NaNs too.
fn mixed(i: usize, pairs: &[Pair], rounds: usize) -> [Pair; 4] {
    let (mut points, mut bytes) = ([[0f32; 2]; 4], [0x5au8; 16]);
    for k in 0..4 {
        points[k] = pairs[4 * i + (k ^ 3)];
    }
    let mut others = points;
    for round in 0..rounds {
        let (a, b) = (round & 3, (round * 3 + 1) & 3);
        let bits = points[a][0].to_bits();
        if bits % 5 == 0 {
            let mut left = bits % 7;
            while left > 0 {
                others[b][left as usize & 1] = f32::from_bits(others[b][1].to_bits().rotate_left(left) ^ left);
                bytes[(left as usize + b) % 16] ^= 3;
                left -= 1;
            }
        }
        let before = points[a];
        points[a] = others[b];
        others[b] = [before[1], before[0]];
        bytes[round * 5 % 16] ^= points[b][1].to_bits() as u8;
        if round % 4 == 2 {
            std::mem::swap(&mut points, &mut others);
        }
    }
    // SAFETY: the pair has 64 bits.
    let whole = unsafe { points.as_ptr().add(rounds & 3).cast::<u64>().read_unaligned() };
    let last = u32::from(bytes[rounds % 16]) << 8 | u32::from(bytes[i % 16]);
    others[0] = [f32::from_bits((whole >> 32) as u32 ^ last), f32::from_bits(whole as u32)];
    others[3] = points[3];
    others
}

extern "C" fn arrays(n: u32, rounds: u32, pairs: *const Pair, out: *mut [Pair; 4]) {
    let i = offload::global_id_x() as usize;
    if i < n as usize {
        let pairs = unsafe { std::slice::from_raw_parts(pairs, 4 * n as usize) };
        unsafe { *out.add(i) = mixed(i, pairs, rounds as usize) };
    }
}

/// A longer array, which one thread accesses at other places at the end.
fn sums(i: usize, x: &[u32], rounds: usize) -> [u64; 3] {
    let mut own = [0u64; 40];
    for k in 0..40 {
        own[k] = u64::from(x[i]).wrapping_mul(k as u64 | 1);
    }
    for round in 0..rounds {
        let other = own[(round * 3 + 1) % 40].rotate_right(round as u32);
        own[round * 7 % 40] ^= other.wrapping_add(u64::from(x[round % x.len()]));
    }
    [own[rounds % 40], own[x[i] as usize % 40], own.iter().fold(0, |sum, own| sum ^ own)]
}

extern "C" fn array_sums(n: u32, rounds: u32, x: *const u32, out: *mut [u64; 3]) {
    let i = offload::global_id_x() as usize;
    if i < n as usize {
        unsafe { *out.add(i) = sums(i, std::slice::from_raw_parts(x, n as usize), rounds as usize) };
    }
}

const CONSTANTS: [u64; 3] = [0x8000_0000_8000_000a, 0x8081, 0x8000_0000_0000_8003];

/// Elements of circles of five, in short loops that are unrolled.
fn circles(i: usize, x: &[u32], rounds: usize) -> [u64; 10] {
    let mut own = [0u64; 10];
    for k in 0..10 {
        own[k] = u64::from(x[i]).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ k as u64);
    }
    for round in 0..rounds {
        let mut turned = [0; 10];
        for y in 0..2 {
            for k in 0..5 {
                let sum = own[(k + 2) % 5 + 5 * y] ^ own[(k + 4) % 5 + 5 * y].rotate_left(1);
                turned[2 * k + y] = sum.rotate_right((7 * k + 30 * y) as u32);
            }
        }
        for y in 0..2 {
            for k in 0..5 {
                own[k + 5 * y] = turned[(k + 1) % 5 + 5 * y] ^ (!turned[k + 5 * y] & turned[(k + 3) % 5 + 5 * y]);
            }
        }
        own[round % 5] ^= CONSTANTS[round % 3];
    }
    own
}

extern "C" fn array_circles(n: u32, rounds: u32, x: *const u32, out: *mut [u64; 10]) {
    let i = offload::global_id_x() as usize;
    if i < n as usize {
        unsafe { *out.add(i) = circles(i, std::slice::from_raw_parts(x, n as usize), rounds as usize) };
    }
}

/// The number of threads with wrong results, for numbers `x` in blocks of this size.
pub fn wrong(device: &Device, x: &[u32], block: u32) -> usize {
    let (n, rounds) = (x.len() as u32, x.len() as u32 % 11 + 3);
    let bits = |i: usize| f32::from_bits(x[i % x.len()].wrapping_mul(i as u32 | 0x0101_0001));
    let pairs: Vec<Pair> = (0..4 * x.len()).map(|i| [bits(i), bits(i + 5)]).collect();
    let (on_pairs, out) = (device.upload(&pairs), device.upload(&vec![[[0f32; 2]; 4]; x.len()]));
    let (from, to) = (on_pairs.as_ptr(), out.as_mut_ptr());
    let arguments = [argument(&n), argument(&rounds), argument(&from), argument(&to)];
    device.launch(kernel!(arrays), Shape::linear(n, block), &arguments);
    let all_bits = |numbers: [Pair; 4]| numbers.map(|pair| pair.map(f32::to_bits));
    let expected = |i: usize| all_bits(mixed(i, &pairs, rounds as usize));
    let wrong = out.read().into_iter().enumerate().filter(|(i, got)| all_bits(*got) != expected(*i)).count();
    let (on_x, out) = (device.upload(x), device.upload(&vec![[0u64; 3]; x.len()]));
    let (from, to) = (on_x.as_ptr(), out.as_mut_ptr());
    let arguments = [argument(&n), argument(&rounds), argument(&from), argument(&to)];
    device.launch(kernel!(array_sums), Shape::linear(n, block), &arguments);
    let wrong_sums = out.read().into_iter().enumerate().filter(|(i, got)| *got != sums(*i, x, rounds as usize)).count();
    let out = device.upload(&vec![[0u64; 10]; x.len()]);
    let to = out.as_mut_ptr();
    let arguments = [argument(&n), argument(&rounds), argument(&from), argument(&to)];
    device.launch(kernel!(array_circles), Shape::linear(n, block), &arguments);
    let is_wrong = |(i, got): &(usize, [u64; 10])| *got != circles(*i, x, rounds as usize);
    wrong + wrong_sums + out.read().into_iter().enumerate().filter(is_wrong).count()
}
