//! A closure as a parameter with the closure's own type, with a reference to the host's memory in it.

use offload::{Device, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn fill<F: Fn(usize) -> u32>(f: F, mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = f(i.get());
    }
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let table: &'static [u32] = Box::leak(vec![1; 100].into_boxed_slice());
    fill.launch(&stream, Grid::for_len(100, 32), (move |i| table[i], &mut [0; 100]))
}
