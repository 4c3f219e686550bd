//! Kernels that take a closure as it is.

use offload::{DeviceCopy, DisjointSlice, kernel, thread};

#[kernel]
fn map<T: DeviceCopy, F: Fn(T) -> T + Copy>(f: F, mut values: DisjointSlice<T>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value = f(*value);
    }
}

#[kernel]
fn map_where<F>(f: F, mut values: DisjointSlice<f32>)
where
    F: Copy + FnMut(&mut f32),
{
    let mut f = f;
    values.get_mut(thread::index_1d()).into_iter().for_each(|value| f(value));
}

#[kernel]
fn map_impl(f: impl Fn(f32) -> f32 + Copy, mut values: DisjointSlice<f32>) {
    values.get_mut(thread::index_1d()).into_iter().for_each(|value| *value = f(*value));
}

fn main() {}
