//! Closures that take a `Vec` along.

use offload::{Device, DisjointSlice, Grid, Result, prelude::*, thread};

fn main() -> Result<()> {
    let device = Device::new()?;
    let values = vec![1; 100];
    device.for_each(100, move |i| assert_eq!(values[i.get()], 1))?;
    let table = vec![1; 100];
    let kernel = move |mut out: DisjointSlice<u32>| {
        let i = thread::index_1d();
        out[i] = table[i];
    };
    kernel.launch(&device.default_stream(), Grid::for_len(100, 32), (&mut [0; 100],))
}
