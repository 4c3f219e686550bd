//! Recursive functions: formatting into text of a fixed capacity, sorting in place, and `frexp`.

use arrayvec::{ArrayString, ArrayVec};
use core::fmt::Write;
use corpus::{mixed, Numbers};
use fixed::types::I16F16;

fn aligned(i: u32) -> u64 {
    let mut line = ArrayString::<20>::new();
    let fits = write!(&mut line, "<{:>5}|{:+}>", i, i as i8 - 64).is_ok();
    mixed(line.bytes()) ^ u64::from(fits)
}

fn hexadecimal(i: u32) -> u64 {
    let mut line: heapless::String<24> = heapless::String::new();
    let fits = write!(line, "{i} of {:04x}; {:?}", i * 99, Some(i)).is_ok();
    mixed(line.bytes()) ^ u64::from(fits)
}

fn fractions(i: u32) -> u64 {
    let mut line = ArrayString::<40>::new();
    let number = I16F16::from_num(Numbers::new(i).double(1000.0));
    let fits = write!(&mut line, "{number:.3} {}", half::f16::from_f32(i as f32 / 8.0)).is_ok();
    mixed(line.bytes()) ^ u64::from(fits)
}

fn sorted(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut vector: ArrayVec<u32, 64> = (0..i % 64).map(|_| numbers.next() as u32).collect();
    vector.sort_unstable_by_key(|number| core::cmp::Reverse(*number));
    let mut other: heapless::Vec<u32, 64> = vector.iter().map(|number| number % 100).collect();
    other.sort_unstable();
    mixed(vector) ^ mixed(other)
}

fn fraction_and_exponent(i: u32) -> u64 {
    let (fraction, exponent) = libm::frexp(Numbers::new(i).double(1e-300) * 1e-9);
    mixed([fraction.to_bits(), exponent as u64])
}

corpus::parts![aligned, hexadecimal, fractions, sorted, fraction_and_exponent];
