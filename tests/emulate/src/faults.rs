//! Kernels with errors in code of libraries, which is inlined. Reports name the user's line, and the functions from the
//! error to the kernel: those at the lines with the kernel's name in a comment.

use offload::atomic::{Atomic, AtomicOrdering};
use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

/// The kernels by name.
pub const ALL: [&str; 4] = ["in_core", "in_the_crate", "in_a_closure", "in_a_call"];

/// The last thread reads outside the slice, in `core`.
#[kernel]
pub fn in_core(input: &[u32], mut output: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(sum) = output.get_mut(i) {
        *sum = right_of(input, i.get()); // in_core 2
    }
}

fn right_of(input: &[u32], i: usize) -> u32 {
    // SAFETY: wrong on purpose: the last element has no right neighbour.
    unsafe { input.as_ptr().add(i + 1).read_volatile() } // in_core 1
}

/// The last thread changes memory outside the slice, in the crate `offload`.
#[kernel]
pub fn in_the_crate(counters: &[Atomic<u32>], mut output: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(before) = output.get_mut(i) {
        // SAFETY: wrong on purpose, as above.
        let counter = unsafe { counters.get_unchecked(i.get() + 1) };
        *before = counter.fetch_add(1, AtomicOrdering::Relaxed); // in_the_crate 1
    }
}

/// The last thread reads outside the slice, in a closure that `core` calls.
#[kernel]
pub fn in_a_closure(input: &[u32], mut output: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(sum) = output.get_mut(i) {
        *sum = (0..2)
            .map(|k| {
                // SAFETY: wrong on purpose, as above.
                unsafe { *input.as_ptr().add(i.get() + k) } // in_a_closure 1
            })
            .fold(0, u32::wrapping_add); // in_a_closure 2
    }
}

/// The last thread reads outside the slice, in a function that is called.
#[kernel]
pub fn in_a_call(input: &[u32], mut output: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(sum) = output.get_mut(i) {
        *sum = called(input, i.get()); // in_a_call 2
    }
}

#[inline(never)]
fn called(input: &[u32], i: usize) -> u32 {
    // SAFETY: wrong on purpose, as above.
    let right = unsafe { input.as_ptr().add(i + 1).read_volatile() }; // in_a_call 1
    right.wrapping_mul(3) ^ input[0]
}

/// Launches one of the kernels.
pub fn launch(name: &str, device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let input = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    let mut counters = DeviceBuffer::from_host(&stream, &[0; 4])?;
    let mut output = DeviceBuffer::from_host(&stream, &[0; 4])?;
    let grid = Grid::for_len(4, 32);
    match name {
        "in_core" => in_core.launch(&stream, grid, (&input, &mut output))?,
        "in_the_crate" => in_the_crate.launch(&stream, grid, (&mut counters, &mut output))?,
        "in_a_closure" => in_a_closure.launch(&stream, grid, (&input, &mut output))?,
        _ => in_a_call.launch(&stream, grid, (&input, &mut output))?,
    }
    stream.synchronize()
}
