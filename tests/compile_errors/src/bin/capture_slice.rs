//! Closures that capture a slice which the host has borrowed.

use offload::{Closure, Device, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn fill<F: Fn(usize) -> u32 + Copy + 'static>(f: Closure<F>, mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = f(i.get());
    }
}

fn main() -> Result<()> {
    let device = Device::new()?;
    let stream = device.default_stream();
    let [first, second, third] = [1; 3].map(|value| vec![value; 100]);
    let slice = &first[..];
    device.for_each(100, move |i| assert_eq!(slice[i.get()], 1))?;
    let slice = &second[..];
    let closure = move |mut out: DisjointSlice<u32>| *out.get_mut(thread::index_1d()).unwrap() = slice[0];
    closure.launch(&stream, Grid::for_len(1, 1), (&mut [0],))?;
    let slice = &third[..];
    fill.launch(&stream, Grid::for_len(100, 32), (Closure::new(move |i| slice[i]), &mut [0; 100]))
}
