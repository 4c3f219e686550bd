//! A closure that captures a function's address.

use offload::{Device, Result};

fn small(i: usize) {
    assert!(i < 100);
}

fn main() -> Result<()> {
    let device = Device::new()?;
    let check: fn(usize) = if device.name() == "cpu" { small } else { |_| () };
    device.for_each(100, move |i| check(i.get()))
}
