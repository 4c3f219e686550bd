//! Attributes below a derive, which change the type that the derive has read.

use attributes::{add_field, add_variant, refer};
use offload::warp::WarpValue;
use offload::{DeviceCopy, Zeroable};

#[derive(Clone, Copy, DeviceCopy)]
#[add_field]
struct Copied {
    number: u32,
}

#[derive(Clone, Copy, Zeroable)]
#[add_field]
struct Zero {
    number: u32,
}

// SAFETY: a number, as far as one sees.
unsafe impl DeviceCopy for Zero {}

#[derive(Clone, Copy, WarpValue)]
#[add_field]
struct OfWarp {
    number: u32,
}

// SAFETY: as above.
unsafe impl DeviceCopy for OfWarp {}

#[derive(Clone, Copy, DeviceCopy)]
#[refer]
struct Referred {
    number: u32,
}

#[derive(Clone, Copy, Zeroable)]
#[refer]
struct Tuple(u32, u32);

// SAFETY: as above.
unsafe impl DeviceCopy for Tuple {}

#[derive(Clone, Copy, DeviceCopy)]
#[add_variant]
enum Either {
    Number(u32),
}

fn main() {}
