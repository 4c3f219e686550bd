//! A struct that lanes cannot exchange, because it lacks a derive.

use offload::{DeviceCopy, block, kernel};

#[derive(Clone, Copy, DeviceCopy)]
struct Hit {
    distance: f32,
}

#[kernel]
fn nearest(hits: &[Hit]) {
    let found = block::reduce(hits[0], |a, b| if a.distance < b.distance { a } else { b });
    assert!(found.distance >= 0.0);
}

fn main() {
    nearest(&[Hit { distance: 1.0 }]);
}
