//! `libm`: functions that select an implementation for the host's processor in the first call.

use corpus::{mixed, Numbers};

fn doubles(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (x, y) = (numbers.double(20.0), numbers.double(3.0));
    mixed([libm::fma(x, y, -x), libm::cbrt(x), libm::fma(1e300 * x, 1e200, y)].map(f64::to_bits))
}

fn floats(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let (x, y) = (numbers.float(20.0), numbers.float(3.0));
    mixed([libm::fmaf(x, y, -x), libm::fmaf(x, 1e-40, y), libm::cbrtf(x)].map(f32::to_bits))
}

corpus::parts![doubles, floats];
