//! An `async` kernel.

use offload::kernel;

#[kernel]
async fn first(values: &[f32]) {
    let _ = values;
}

fn main() {}
