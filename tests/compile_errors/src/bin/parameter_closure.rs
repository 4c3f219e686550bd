//! Closures as parameters that a kernel cannot take.

use offload::{Device, DeviceCopy, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn map<T: DeviceCopy, F: Fn(T) -> T>(f: F, mut values: DisjointSlice<T>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value = f(*value);
    }
}

#[kernel]
fn map_impl(f: impl Fn(f32) -> f32 + Copy, mut values: DisjointSlice<f32>) {
    values.get_mut(thread::index_1d()).into_iter().for_each(|value| *value = f(*value));
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let text = String::from("2");
    map.launch(&stream, Grid::for_len(1, 32), (move |x: usize| x * text.len(), &mut [1]))
}
