//! Safe Rust that tries to reach undefined behaviour on the processor, whose kernels run in the host's process: each
//! attempt ends in an error of its launch, or does what Rust says it does.

#![forbid(unsafe_code)]

mod host_code;
mod kept;

use offload::{Device, Result};

fn main() -> Result<()> {
    let device = Device::new()?;
    host_code::check(&device.default_stream())?;
    kept::check(&device.default_stream())?;
    println!("no attempt came through on {}", device.name());
    Ok(())
}
