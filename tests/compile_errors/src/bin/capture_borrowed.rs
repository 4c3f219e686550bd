//! A closure that borrows from the host.

use offload::{Device, Result};

fn main() -> Result<()> {
    let device = Device::new()?;
    let values = [1; 100];
    device.for_each(100, |i| assert_eq!(values[i.get()], 1))
}
