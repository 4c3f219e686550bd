//! A kernel that calls a function whose body is in C, on the host and on each device.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};

unsafe extern "C" {
    /// Reads `x[index]`.
    fn scaled(x: *const f32, index: u32) -> f32;
}

#[kernel]
fn scale(x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        assert!(i.get() < x.len());
        *y = unsafe { scaled(x.as_ptr(), i.get() as u32) };
    }
}

fn main() -> offload::Result<()> {
    let stream = Device::new()?.default_stream();
    let x = DeviceBuffer::from_host(&stream, &[1.0, 2.0, 3.0, 4.0, 5.0])?;
    let mut y = DeviceBuffer::from_host(&stream, &[0.0; 5])?;
    scale.launch(&stream, Grid::for_len(5, 32), (&x, &mut y))?;
    println!("{:?}", y.to_host_vec(&stream)?);
    Ok(())
}
