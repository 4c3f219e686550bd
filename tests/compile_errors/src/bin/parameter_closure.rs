//! Closures that a kernel cannot take: they capture a `String`, a `Vec` and a slice of the host.

use offload::{Device, DeviceCopy, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[kernel]
fn map<T: DeviceCopy, F: Fn(T) -> T>(f: F, mut values: DisjointSlice<T>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value = f(*value);
    }
}

#[kernel]
fn map_numbers(f: impl Fn(usize) -> usize, mut values: DisjointSlice<usize>) {
    values.get_mut(thread::index_1d()).into_iter().for_each(|value| *value = f(*value));
}

fn named() -> Result<()> {
    let text = String::from("2");
    let stream = Device::new()?.default_stream();
    map.launch(&stream, Grid::for_len(1, 32), (move |x: usize| x * text.len(), &mut [1]))
}

fn unnamed() -> Result<()> {
    let table = vec![1, 2];
    let stream = Device::new()?.default_stream();
    map_numbers.launch(&stream, Grid::for_len(1, 32), (move |x| table[x], &mut [1]))
}

fn main() -> Result<()> {
    named()?;
    unnamed()
}
