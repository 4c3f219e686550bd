//! A kernel of another calling convention.

use offload::kernel;

#[kernel]
extern "C" fn first(values: &[f32]) {
    let _ = values;
}

fn main() {}
