//! `DeviceCopy` for a union.

use offload::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
union Bits {
    float: f32,
    word: u32,
}

fn main() {
    let _ = Bits { word: 0 };
}
