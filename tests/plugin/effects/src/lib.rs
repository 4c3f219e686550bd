//! A shared library for Rust programs that are linked with it. It exports the instances of generic functions that it
//! contains, also of Rust's own library, and rustc makes none of them again in a program without optimisation.

use std::sync::atomic::{AtomicU32, Ordering};

use offload::{DeviceFn, DisjointSlice, Grid, Result, Stream, device_fn, kernel, prelude::*, shared, thread};

pub type Function = DeviceFn<fn(f32) -> f32>;

const TABLE: [f32; 4] = [1.0, 10.0, 100.0, 1000.0];
static CALLS: AtomicU32 = AtomicU32::new(0);

fn half(x: f32) -> f32 {
    assert!(x >= 0.0, "less than nothing");
    plain(x) + 0.5
}

/// A function that kernels of a program call by its name.
#[inline(never)]
pub fn plain(x: f32) -> f32 {
    0.5 * x + TABLE[x as usize % 4]
}

/// Each image has its own copy of this static, so kernels of a program cannot call the function.
#[inline(never)]
pub fn counted(x: f32) -> f32 {
    x + CALLS.fetch_add(1, Ordering::Relaxed) as f32
}

/// The number of the next thread of the block, through memory that each launch has, also one of another image.
#[inline(never)]
pub fn of_next(x: f32) -> f32 {
    shared! { static NUMBERS: [f32; 4]; }
    let here = thread::id::x() as usize;
    // SAFETY: each of the four threads sets its own element, and all are set before one is read.
    unsafe {
        NUMBERS.set(here, x);
        thread::sync_threads();
        NUMBERS.get((here + 1) % 4)
    }
}

#[inline(never)]
pub fn function() -> Function {
    device_fn!(half)
}

/// A function of the program that calls it.
#[inline]
pub fn of_the_caller() -> Function {
    device_fn!(|x: f32| x + 0.25)
}

#[kernel]
fn apply(f: Function, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = f.call(*y);
    }
}

/// Calls the function in a kernel of the library.
pub fn run(stream: &Stream, f: Function, y: &mut [f32]) -> Result<()> {
    apply.launch(stream, Grid::for_len(y.len(), 4), (f, y))
}
