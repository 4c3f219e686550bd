//! A thread that takes any element of a `DisjointSlice`.

use offload::{DisjointSlice, kernel, thread};

#[kernel]
fn add(x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d().get();
    y[i] += x[i];
}

fn main() {
    add(&[], DisjointSlice::from(&mut [][..]));
}
