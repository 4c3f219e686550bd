//! A `Vec` where a buffer belongs.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn scale(factor: f32, from: &[f32], mut to: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(to) = to.get_mut(i) {
        *to = factor * from[i.get()];
    }
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let from = DeviceBuffer::from_host(&stream, &[1.0f32; 100])?;
    let mut to = DeviceBuffer::from_host(&stream, &[0.0f32; 100])?;
    let values = vec![1.0f32; 100];
    scale.launch(&stream, Grid::for_len(100, 64), (2.0, values, &mut to))
}
