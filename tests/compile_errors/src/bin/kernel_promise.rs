//! A promise that `#[kernel]` does not have.

use offload::kernel;

#[kernel(launch_bound(64))]
fn nothing() {}

fn main() {}
