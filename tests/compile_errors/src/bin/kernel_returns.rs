//! A kernel that returns a value.

use offload::kernel;

#[kernel]
fn first(values: &[f32]) -> f32 {
    values[0]
}

fn main() {}
