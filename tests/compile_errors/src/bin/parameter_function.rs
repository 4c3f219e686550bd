//! A kernel with a function pointer as a parameter.

use offload::{DisjointSlice, kernel};

#[kernel]
fn map(f: fn(f32) -> f32, mut values: DisjointSlice<f32>) {
    values.get_mut_indexed().into_iter().for_each(|(value, _)| *value = f(*value));
}

fn main() {}
