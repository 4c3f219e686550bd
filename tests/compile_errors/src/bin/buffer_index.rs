//! Brackets for a part of a buffer, and for an element of shared memory.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, shared, thread};

#[kernel]
fn turn(x: &[f32], mut y: DisjointSlice<f32>) {
    shared! { static TILE: [f32; 64]; }
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()] + TILE[63 - i.get()];
    }
}

fn main() -> offload::Result<()> {
    let stream = Device::new()?.default_stream();
    let x = DeviceBuffer::from_host(&stream, &[1.0, 2.0, 3.0])?;
    let mut y = [0.0; 2];
    turn.launch(&stream, Grid::for_len(2, 64), (&x[1..], &mut y))
}
