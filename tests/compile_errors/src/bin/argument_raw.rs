//! A buffer for a parameter that takes raw memory.

use offload::{Device, DeviceBuffer, Grid, RawSlice, Result, kernel, prelude::*};

#[kernel]
fn clear(y: RawSlice<u32>) {
    // SAFETY: the launch has one thread.
    unsafe { y.set(0, 0) }
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let mut values = DeviceBuffer::<u32>::zeroed(&stream, 4)?;
    clear.launch(&stream, Grid::for_len(1, 1), (&mut values,))
}
