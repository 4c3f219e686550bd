//! A kernel that takes a struct which may not cross.

use offload::{DisjointSlice, kernel};

#[derive(Clone, Copy)]
struct Scale {
    factor: f32,
}

#[kernel]
fn scale(by: Scale, to: DisjointSlice<f32>) {
    let _ = (by.factor, to.len());
}

fn main() {
    scale(Scale { factor: 1.0 }, DisjointSlice::from(&mut [][..]));
}
