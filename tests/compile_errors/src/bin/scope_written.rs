//! Memory that a scope has borrowed is written by a launch and by the host; a slice is written.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn fill(mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = 1;
    }
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let (mut x, mut y) = ([1, 2, 3], DeviceBuffer::from_host(&stream, &[1, 2, 3])?);
    stream.scope((&x, &y), |_, _| {
        x[0] = 2;
        fill.launch(&stream, Grid::for_len(3, 3), (&mut y,))
    })?;
    stream.scope((&y,), |scope, (y,)| scope.launch(Grid::for_len(3, 3), (), move || y[0] = 2))
}
