//! A kernel that is refused, with the checker and without it: half of the threads reach the barrier.

use offload::{Device, Grid, kernel, prelude::*, thread};

#[kernel]
fn half() {
    if thread::id::x() % 2 == 0 {
        thread::sync_threads(); //~ OFC0012
    }
}

fn main() -> offload::Result<()> {
    half.launch(&Device::new()?.default_stream(), Grid::for_len(32, 32), ())
}
