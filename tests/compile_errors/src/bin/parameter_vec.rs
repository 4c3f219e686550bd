//! Kernels that take a `Vec` and a text.

use offload::kernel;

#[kernel]
fn sum(values: Vec<f32>) {
    let _ = values;
}

#[kernel]
fn length(text: &str) {
    let _ = text;
}

fn main() {
    sum(Vec::new());
    length("");
}
