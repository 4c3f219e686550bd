//! Safe Rust that tries to cause undefined behaviour where plain cargo has built the kernels: threads of a block share
//! a thread of the system there, and kernels have all of `std`. Each attempt names the promise that it attacks, and
//! whether the promise was broken once.

#![forbid(unsafe_code)]

#[path = "../calls.rs"]
mod calls;
mod ends;
mod meetings;
#[path = "../sizes.rs"]
mod sizes;
mod tokens;

use offload::{Device, Result};

fn main() -> Result<()> {
    let device = Device::open("cpu")?;
    let stream = device.default_stream();
    match std::env::args().nth(1).as_deref() {
        Some("overflow") => return ends::overflow(&stream),
        Some("call") => return calls::overflow(&stream),
        _ => {}
    }
    sizes::check(&stream)?;
    calls::check(&device, &stream)?;
    tokens::check(&stream)?;
    meetings::check(&stream)?;
    ends::check(&stream)?;
    println!("no attempt came through in plain cargo");
    Ok(())
}
