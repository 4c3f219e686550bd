//! An address differs between launches, so no code is compiled for one.

use offload::{Device, Grid, Specialized, kernel, prelude::*};

#[kernel]
fn address(_at: Specialized<*const u32>) {}

fn main() {
    let stream = Device::new().unwrap().default_stream();
    address.launch(&stream, Grid::for_len(1, 1), (std::ptr::null(),)).unwrap();
}
