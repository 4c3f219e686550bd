//! Twelve kernels whose code is compared with that of other compilers: `make bench-gpu-code`. This program runs them on
//! a device, and compares the results with loops of the host.

mod kernels;
mod numbers;
mod twins;

use offload::{Device, Result, Stream};

/// It returns the largest difference and the largest allowed one.
type Check = fn(&Stream) -> Result<(f32, f32)>;

/// The checks, by the names of the kernels.
const CHECKS: [(&str, Check); 12] = [
    ("aobench", kernels::aobench::check),
    ("mandelbrot", kernels::mandelbrot::check),
    ("murmurhash3", kernels::murmurhash3::check),
    ("chacha20", kernels::chacha20::check),
    ("nbody", kernels::nbody::check),
    ("nqueen", kernels::nqueen::check),
    ("heat2d", kernels::heat2d::check),
    ("jacobi", kernels::jacobi::check),
    ("softmax", kernels::softmax::check),
    ("layernorm", kernels::layernorm::check),
    ("attention", kernels::attention::check),
    ("lud", kernels::lud::check),
];

fn main() -> Result<()> {
    let device = Device::new()?;
    let stream = device.default_stream();
    for (name, check) in CHECKS {
        let (difference, allowed) = check(&stream)?;
        assert!(difference <= allowed, "{name}: the difference is {difference}, and {allowed} is allowed");
    }
    println!("{} kernels are right on {}", CHECKS.len(), device.name());
    Ok(())
}
