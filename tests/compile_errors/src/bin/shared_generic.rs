//! Shared memory of a type or a length that depends on the parameters of a generic kernel.

use offload::{DeviceCopy, DisjointSlice, kernel, shared, thread};

#[kernel]
fn of_type<T: DeviceCopy>(values: DisjointSlice<T>) {
    shared! { static TILE: [T; 64]; }
    thread::sync_threads();
    let _ = (TILE.len(), values.len());
}

#[kernel]
fn of_length<const N: usize>(values: DisjointSlice<u32>) {
    shared! { static TILE: [u32; N]; }
    thread::sync_threads();
    let _ = (TILE.len(), values.len());
}

fn main() {}
