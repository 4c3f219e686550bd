//! Kernels whose accesses to memory are known. A comment `// count: NAME` is at each line that a test looks at.

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, shared, thread};

/// The threads of a block, and of a launch.
const THREADS: usize = 64;
const LENGTH: usize = 4 * THREADS;
/// The iterations of the loop.
const ITERATIONS: usize = 10;

/// Each thread reads one element. There are `stride` elements from that of a thread to that of the next one.
#[kernel]
fn strided(stride: usize, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: `x` has an element for each thread.
        let read = unsafe { *x.get_unchecked(i.get() * stride) }; // count: load
        *y = read + 1.0; // count: store
    }
}

/// Only each second thread stores.
#[kernel]
fn halves(mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    let is_even = i.get().is_multiple_of(2);
    if let (Some(y), true) = (y.get_mut(i), is_even) {
        *y = 1.0; // count: half
    }
}

/// Each thread adds one element of each part of the input.
#[kernel]
fn sums(x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        let mut sum = 0.0;
        for part in 0..ITERATIONS {
            // SAFETY: `x` has so many parts.
            sum += unsafe { *x.get_unchecked(i.get() + part * LENGTH) }; // count: loop
        }
        *y = sum;
    }
}

/// The threads of a block exchange values. Two threads of each 32 access the same bank.
#[kernel]
fn exchanged(mut y: DisjointSlice<u32>) {
    shared! {
        static VALUES: [u32; 2 * THREADS];
    }
    let (i, thread) = (thread::index_1d(), thread::thread_id::x() as usize);
    // SAFETY: each thread has a different place, and no other one stores there.
    unsafe { VALUES.set(2 * thread, thread as u32) }; // count: set
    thread::sync_threads();
    // SAFETY: the barrier is between the stores and the loads.
    let other = unsafe { VALUES.get(2 * (THREADS - 1 - thread)) }; // count: get
    // The load stays where it is.
    thread::sync_threads();
    if let Some(y) = y.get_mut(i) {
        *y = other;
    }
}

fn launch(stream: &Stream, stride: usize) -> Result<()> {
    let x = DeviceBuffer::from_host(stream, &vec![1.0; LENGTH * stride])?;
    let mut y = DeviceBuffer::from_host(stream, &[0.0; LENGTH])?;
    strided.launch(stream, Grid::for_len(LENGTH, THREADS as u32), (stride, &x, &mut y))?;
    assert_eq!(y.to_host_vec(stream)?, [2.0; LENGTH]);
    Ok(())
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let grid = || Grid::for_len(LENGTH, THREADS as u32);
    [1, 2, 32].into_iter().try_for_each(|stride| launch(&stream, stride))?;
    let x = DeviceBuffer::from_host(&stream, &[1.0; ITERATIONS * LENGTH])?;
    let mut y = DeviceBuffer::from_host(&stream, &[0.0; LENGTH])?;
    halves.launch(&stream, grid(), (&mut y,))?;
    assert_eq!(y.to_host_vec(&stream)?[..2], [1.0, 0.0]);
    sums.launch(&stream, grid(), (&x, &mut y))?;
    assert_eq!(y.to_host_vec(&stream)?, [ITERATIONS as f32; LENGTH]);
    let mut numbers = DeviceBuffer::from_host(&stream, &[0; LENGTH])?;
    exchanged.launch(&stream, grid(), (&mut numbers,))?;
    assert_eq!(numbers.to_host_vec(&stream)?[..2], [THREADS as u32 - 1, THREADS as u32 - 2]);
    Ok(())
}
