//! Twelve kernels whose code is compared with that of other compilers: `make bench-gpu-code`. This program runs them on
//! a device, and compares the results with loops of the host. If `GPU_CODE_TWINS` names a folder, it launches the
//! kernels' twins there instead. With folders as arguments, it prints the times of the kernels and of their twins in
//! these folders.

mod kernels;
mod numbers;
mod run;
mod twins;

use std::cell::RefCell;
use std::path::PathBuf;

use offload::{Device, Result};

use crate::run::Run;

/// It returns the largest difference and the largest allowed one.
type Check = fn(&Run) -> Result<(f32, f32)>;

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
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let instead = std::env::var_os("GPU_CODE_TWINS").map(PathBuf::from);
    for (kernel, check) in CHECKS {
        let timed = (!folders.is_empty()).then_some(&*folders);
        let run = Run { kernel, stream: &stream, instead: instead.clone(), timed, times: RefCell::default() };
        let (difference, allowed) = check(&run)?;
        assert!(difference <= allowed, "{kernel}: the difference is {difference}, and {allowed} is allowed");
        let times = run.times.into_inner();
        if !times.is_empty() {
            let times: Vec<_> = times.iter().map(|time| format!("{:.2}", 1e6 * time.as_secs_f64())).collect();
            println!("{kernel} {}", times.join(" "));
        }
    }
    if folders.is_empty() {
        println!("{} kernels are right on {}", CHECKS.len(), device.name());
    }
    Ok(())
}
