//! Lengths of shared memory that are computed: from constants, which is right, and from a parameter of the kernel.

use offload::{DeviceCopy, DisjointSlice, kernel, shared, thread};

const SIDE: usize = 8;

#[kernel]
fn right<T: DeviceCopy, const N: usize>(values: DisjointSlice<T>) {
    shared! { let tile: [T; SIDE * SIDE]; let rows: [[T; N]; SIDE + 1]; let flat: [T; N]; }
    thread::sync_threads();
    let _ = (tile.len(), rows.len(), flat.len(), values.len());
}

#[kernel]
fn wrong<T: DeviceCopy, const N: usize>(values: DisjointSlice<T>) {
    shared! { let tile: [T; N * N]; }
    thread::sync_threads();
    let _ = (tile.len(), values.len());
}

fn main() {}
