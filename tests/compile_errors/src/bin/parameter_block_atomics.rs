//! Atomics of a block, in a buffer that all blocks reach.

use offload::{atomic::BlockAtomicU32, kernel};

#[kernel]
fn count(bins: &[BlockAtomicU32]) {
    let _ = bins;
}

fn main() {
    count(&[]);
}
