//! A function that returns a value, as a kernel.

use offload::{Device, Grid, Result, prelude::*};

fn double(value: u32) -> u32 {
    2 * value
}

fn main() -> Result<()> {
    double.launch(&Device::new()?.default_stream(), Grid::for_len(1, 1), (1,))
}
