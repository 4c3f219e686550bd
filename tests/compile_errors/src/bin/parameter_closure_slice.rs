//! A closure that captures a slice which the host has borrowed, as a parameter with the closure's own type.

use offload::{Device, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn map(f: impl Fn(usize) -> u32, mut values: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(value) = values.get_mut(i) {
        *value = f(i.get());
    }
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let table = vec![1, 2, 3];
    let table = &table[..];
    map.launch(&stream, Grid::for_len(3, 32), (move |i| table[i], &mut [0; 3]))
}
