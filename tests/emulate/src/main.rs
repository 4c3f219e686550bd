//! Launches a kernel on the default device, and on each device that an argument names. With `faults` as the first
//! argument, the kernels with errors run on the other devices, each in a separate process.

use std::process::Command;

use offload::{Device, Result};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().split_first() {
        Some((&"fault", names)) => emulate::faults::launch(names[0], &Device::open(names[1])?),
        Some((&"faults", devices)) => {
            for (device, name) in devices.iter().flat_map(|device| emulate::faults::ALL.map(|name| (device, name))) {
                let program = std::env::current_exe().expect("this is a program");
                let ended = Command::new(program).args(["fault", name, device]).status();
                assert!(!ended.expect("it can be started again").success());
            }
            Ok(())
        }
        _ => sums(&arguments),
    }
}

fn sums(names: &[String]) -> Result<()> {
    let named = names.iter().map(|name| Device::open(name));
    for device in std::iter::once(Device::new()).chain(named) {
        let device = device?;
        let capability = device.compute_capability();
        println!("{} {capability:?} {:?}", device.name(), emulate::sums(&device)?);
    }
    Ok(())
}
