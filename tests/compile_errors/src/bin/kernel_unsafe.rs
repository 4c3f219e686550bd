//! An `unsafe` kernel.

use offload::kernel;

#[kernel]
unsafe fn first(values: &[f32]) {
    let _ = values;
}

fn main() {}
