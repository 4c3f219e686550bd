//! Shared memory that is declared like a static of Rust, or like a variable of CUDA.

use offload::{kernel, shared};

#[kernel]
fn sum() {
    shared! { static mut TILE: [f32; 64]; }
    shared! { static TOTAL: f32; }
}

fn main() {
    sum();
}
