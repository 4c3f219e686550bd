//! A kernel that takes `&mut [T]`.

use offload::kernel;

#[kernel]
fn clear(values: &mut [f32]) {
    values.fill(0.0);
}

fn main() {
    clear(&mut []);
}
