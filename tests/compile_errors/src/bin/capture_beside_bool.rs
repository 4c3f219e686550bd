//! The same, in a struct, beside a value that has more unused bits.

use offload::{Device, Result};

#[derive(Clone, Copy)]
struct Names {
    count: usize,
    first: &'static str,
}

fn main() -> Result<()> {
    let device = Device::new()?;
    let names = (true, Names { count: 2, first: "one" });
    device.for_each(100, move |i| assert!(names.0 && names.1.count + names.1.first.len() > i.get()))
}
