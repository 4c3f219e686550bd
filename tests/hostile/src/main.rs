//! Safe Rust that tries to cause undefined behaviour on the CPU, whose kernels run in the host's process: each
//! attempt ends in an error of its launch, or behaves as Rust specifies.

#![forbid(unsafe_code)]
// An address of the host is hidden in an `Option`, which no check of a launch's arguments looks into.
#![allow(clippy::unnecessary_literal_unwrap)]

mod calls;
mod host_code;
mod kept;
mod sizes;

use offload::{Device, Result};

fn main() -> Result<()> {
    let device = Device::new()?;
    if std::env::args().nth(1).is_some_and(|word| word == "overflow") {
        return calls::overflow(&device.default_stream());
    }
    host_code::check(&device.default_stream())?;
    kept::check(&device.default_stream())?;
    sizes::check(&device.default_stream())?;
    calls::check(&device, &device.default_stream())?;
    println!("no attempt came through on {}", device.name());
    Ok(())
}
