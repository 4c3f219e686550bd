//! `DeviceCopy` for a struct with a reference in it.

use offload::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
struct Table {
    scale: f32,
    rows: &'static [f32],
}

fn main() {
    let _ = Table { scale: 1.0, rows: &[] };
}
