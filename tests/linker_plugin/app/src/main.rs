//! A program with the crate `offload`.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};

#[kernel]
fn double(mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y *= 2.0;
    }
}

fn main() -> offload::Result<()> {
    let device = Device::open("cpu")?;
    let stream = device.default_stream();
    let mut y = DeviceBuffer::from_host(&stream, &[1.0, 2.0, 3.0])?;
    double.launch(&stream, Grid::for_len(3, 64), (&mut y,))?;
    println!("{:?}", y.to_host_vec(&stream)?);
    Ok(())
}
