//! A kernel that takes a `Vec`.

use offload::kernel;

#[kernel]
fn sum(values: Vec<f32>) {
    let _ = values;
}

fn main() {
    sum(Vec::new());
}
