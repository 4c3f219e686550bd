//! An integer for a parameter that is a float.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn fill(value: f32, mut to: DisjointSlice<f32>) {
    if let Some(to) = to.get_mut(thread::index_1d()) {
        *to = value;
    }
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let mut to = DeviceBuffer::<f32>::zeroed(&stream, 4)?;
    fill.launch(&stream, Grid::for_len(4, 4), (2, &mut to))?;
    fill.run_on_host(Grid::for_len(4, 4), (2, &mut [0.0; 4]));
    Ok(())
}
