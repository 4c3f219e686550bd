//! Kernels for programs with a launcher of their own.

use std::ops::{Add, Mul};

use offload::{kernel, shared, thread};

/// The threads of a block in `block_sums`.
pub const BLOCK: usize = 64;

/// `y[i] += a * x[i]`.
///
/// # Safety
///
/// `x` and `y` have `n` elements.
#[kernel(export = "axpy_f32", launch_bounds(256))]
pub unsafe fn axpy(n: usize, a: f32, x: *const f32, y: *mut f32) {
    let i = thread::index_1d().get();
    if i < n {
        unsafe { *y.add(i) += a * *x.add(i) }
    }
}

/// `x[i] = a * x[i] + a`.
///
/// # Safety
///
/// `x` has `n` elements.
#[kernel(export(<f32> = "scale_f32", <i64> = "scale_i64"))]
pub unsafe fn scale<T: Copy + Mul<Output = T> + Add<Output = T>>(n: usize, a: T, x: *mut T) {
    let i = thread::index_1d().get();
    if i < n {
        unsafe { *x.add(i) = a * *x.add(i) + a }
    }
}

/// The sum of the elements of each block, by shared memory.
///
/// # Safety
///
/// `x` has an element for each thread, and `sums` one for each block of 64 threads.
#[kernel(export = "block_sums", block_size(64, 1, 1))]
pub unsafe fn block_sums(x: *const u32, sums: *mut u32) {
    shared! { static WORDS: [u32; BLOCK]; }
    let (i, lane) = (thread::index_1d().get(), thread::id::x() as usize);
    unsafe { WORDS.set(lane, *x.add(i)) };
    thread::sync_threads();
    if lane == 0 {
        let sum = (0..BLOCK).map(|at| unsafe { WORDS.get(at) }).sum();
        unsafe { *sums.add(i / BLOCK) = sum };
    }
}

/// `y[i] = x[indices[i]]`, with a check of the index.
///
/// # Safety
///
/// `x` has `n` elements, and `indices` and `y` one for each thread.
#[kernel(export = "pick_u32")]
pub unsafe fn pick(n: usize, x: *const u32, indices: *const u32, y: *mut u32) {
    let i = thread::index_1d().get();
    let x = unsafe { std::slice::from_raw_parts(x, n) };
    unsafe { *y.add(i) = x[*indices.add(i) as usize] }
}
