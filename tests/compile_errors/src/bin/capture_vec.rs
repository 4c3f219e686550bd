//! A closure that takes a `Vec` along.

use offload::{Device, Result};

fn main() -> Result<()> {
    let device = Device::new()?;
    let values = vec![1; 100];
    device.for_each(100, move |i| assert_eq!(values[i.get()], 1))
}
