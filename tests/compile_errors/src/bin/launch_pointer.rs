//! A function's address as a kernel.

use offload::{Device, Grid, Result, prelude::*};

fn small(limit: u32) {
    assert!(limit < 100);
}

fn main() -> Result<()> {
    let chosen: fn(u32) = small;
    chosen.launch(&Device::new()?.default_stream(), Grid::for_len(1, 1), (1,))
}
