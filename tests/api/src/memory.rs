//! What a device allows, and launches that ask for more.

use offload::{Device, DeviceBuffer, DisjointSlice, Error, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn count(mut values: DisjointSlice<u32>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value += 1;
    }
}

/// Everything in this file, on the device.
pub fn check(device: &Device) -> Result<()> {
    limits(device)
}

fn limits(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let limits = device.limits()?;
    let most = limits.threads_per_block;
    assert!(most >= 256 && limits.shared_mem_bytes >= 16 << 10 && limits.compute_units > 0, "{limits:?}");

    let mut values = DeviceBuffer::<u32>::zeroed(&stream, 10)?;
    let beyond = count.launch(&stream, Grid::for_len(10, most + 1), (&mut values,));
    let Err(Error::Invalid(text)) = beyond else { panic!("{beyond:?}") };
    let numbers = [format!("{} x 1 x 1", most + 1), format!("`{}`", device.name()), format!("allows {most}")];
    assert!(numbers.iter().all(|number| text.contains(number)), "{text}");
    if limits.shared_mem_bytes < u32::MAX {
        let beyond =
            count.launch(&stream, Grid::for_len(10, 32).with_shared_bytes(limits.shared_mem_bytes + 1), (&mut values,));
        assert!(matches!(beyond, Err(Error::Invalid(_))), "{beyond:?}");
    }
    count.launch(&stream, Grid::for_len(10, 32), (&mut values,))?;
    assert_eq!(values.to_host_vec(&stream)?, [1; 10]);
    Ok(())
}
