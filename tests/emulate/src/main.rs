//! Launches a kernel on the default device, and on each device that an argument names.

use offload::{Device, Result};

fn main() -> Result<()> {
    let named = std::env::args().skip(1).map(|name| Device::open(&name));
    for device in std::iter::once(Device::new()).chain(named) {
        let device = device?;
        let capability = device.compute_capability();
        println!("{} {capability:?} {:?}", device.name(), emulate::sums(&device)?);
    }
    Ok(())
}
