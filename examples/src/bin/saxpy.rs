//! y += a * x: one thread for each element.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i];
    }
}

fn main() -> offload::Result<()> {
    let host_x: Vec<f32> = (0..1_000_000).map(|i| i as f32).collect();

    let device = Device::new()?;
    let stream = device.default_stream();
    let x = DeviceBuffer::from_host(&stream, &host_x)?;
    let mut y = DeviceBuffer::from_host(&stream, &vec![1.0; host_x.len()])?;
    saxpy.launch(&stream, Grid::for_len(y.len(), 256), (2.0, &x, &mut y))?;

    let y = y.to_host_vec(&stream)?;
    assert!(y.iter().zip(&host_x).all(|(y, x)| *y == 1.0 + 2.0 * x));
    println!("saxpy: {} elements on {}", y.len(), device.name());
    Ok(())
}
