//! Kernels that are slow for one reason each. A comment at the line of the cause has an arch and the cause. With
//! `--cfg mended`, the line below it, which follows the remark, takes its place.

#![crate_type = "lib"]
#![allow(clippy::missing_safety_doc, unused)]

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

extern "C" {
    fn __offload_block_dim_x() -> u32;
    fn __offload_block_id_x() -> u32;
    fn __offload_thread_id_x() -> u32;
    fn __offload_sync_threads();
}

#[inline(always)]
unsafe fn index() -> usize {
    (__offload_block_id_x() * __offload_block_dim_x() + __offload_thread_id_x()) as usize
}

/// The data has the place to load from.
#[no_mangle]
pub unsafe extern "C" fn load(x: *const u32, table: *const f32, y: *mut f32, n: usize) {
    let (i, mut least) = (index(), f32::MAX);
    for k in 0..n {
        let place = *x.add(k * 64 + i) as usize;
        #[cfg(not(mended))]
        let value = *table.add(place); //~ cpu load
        #[cfg(mended)]
        let value = *table.add(k * 64 + i) + place as f32;
        least = if value < least { value } else { least };
    }
    *y.add(i) = least;
}

/// Results are stored to a place that depends on the data.
#[no_mangle]
pub unsafe extern "C" fn store(x: *const u32, y: *mut u32, n: usize) {
    let i = index();
    for k in 0..n {
        let value = *x.add(k * 64 + i);
        #[cfg(not(mended))]
        y.add(value as usize).write(k as u32); //~ cpu store
        #[cfg(mended)]
        y.add(k * 64 + i).write(value);
    }
}

#[cfg_attr(mended, inline(always))]
#[cfg_attr(not(mended), inline(never))]
fn step(x: f32) -> f32 {
    0.5 * (x + 2.0 / x)
}

/// A function that is called.
#[no_mangle]
pub unsafe extern "C" fn call(y: *mut f32, n: usize) {
    let i = index();
    let mut value = *y.add(i);
    for _ in 0..n {
        value = step(value); //~ cpu call
    }
    *y.add(i) = value;
}

/// The number of a thread's iterations depends on its data.
#[no_mangle]
pub unsafe extern "C" fn branch(x: *const u32, y: *mut u32) {
    let i = index();
    let (mut value, mut steps) = (*x.add(i), 0u32);
    #[cfg(not(mended))]
    while value > 1 { //~ cpu branch
        value = if value & 1 == 0 { value / 2 } else { value * 3 + 1 };
        steps += 1;
    }
    #[cfg(mended)]
    for _ in 0..64 {
        steps += (value > 1) as u32;
        value = if value & 1 == 0 { value / 2 } else { value * 3 + 1 };
    }
    *y.add(i) = steps;
}

/// A lock.
#[no_mangle]
pub unsafe extern "C" fn waits(lock: &AtomicU32, x: *const f32, y: *mut f32, n: usize) {
    let (i, mut sum) = (index(), 0.0);
    for k in 0..n {
        sum += *x.add(k * 64 + i);
        #[cfg(not(mended))]
        while lock.swap(1, Relaxed) != 0 {} //~ cpu waits
        #[cfg(mended)]
        lock.fetch_add(1, Relaxed);
    }
    *y.add(i) = sum;
}

/// More barriers than have vectors.
#[no_mangle]
pub unsafe extern "C" fn regions(y: *mut f32, n: usize) {
    let i = index();
    macro_rules! part {
        () => {
            for k in 0..n { //~ cpu many-regions
                *y.add(k * 64 + i) += 1.0;
            }
            #[cfg(not(mended))]
            __offload_sync_threads();
        };
    }
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
    part!();
}

type Function = unsafe extern "C" fn(f32) -> f32;

extern "C" fn half(x: f32) -> f32 {
    x * 0.5
}

extern "C" fn third(x: f32) -> f32 {
    x / 3.0
}

// LLVM 23 makes a switch of a table of at most ten functions.
static FUNCTIONS: [Function; 16] =
    [half, third, half, third, half, third, half, third, third, half, third, half, third, half, third, half];

/// A function pointer.
#[no_mangle]
pub unsafe extern "C" fn pointer(x: *const u32, y: *mut f32, n: usize) {
    let (i, mut value) = (index(), 1.0);
    for k in 0..n {
        let chosen = *x.add(k);
        #[cfg(not(mended))]
        let next = FUNCTIONS[chosen as usize & 15](value); //~ cpu call-through-pointer
        #[cfg(mended)]
        let next = if chosen & 1 == 0 { half(value) } else { third(value) };
        value = next;
    }
    *y.add(i) = value;
}

/// A row for each thread of a warp.
#[no_mangle]
pub unsafe extern "C" fn strided(x: *const f32, y: *mut f32) {
    let i = index();
    #[cfg(not(mended))]
    let value = *x.add(i * 16); //~ sm_80 strided
    #[cfg(mended)]
    let value = *x.add(i);
    *y.add(i) = value;
}

/// A place that depends on the data.
#[no_mangle]
pub unsafe extern "C" fn scattered(x: *const u32, table: *const f32, y: *mut f32) {
    let i = index();
    #[cfg(not(mended))]
    let value = *table.add(*x.add(i) as usize); //~ sm_80 scattered
    #[cfg(mended)]
    let value = *table.add(i) + *x.add(i) as f32;
    *y.add(i) = value;
}

/// Warps run as often as their slowest thread.
#[no_mangle]
pub unsafe extern "C" fn divided(x: *const u32, y: *mut u32) {
    let i = index();
    let (mut value, mut bits) = (*x.add(i), 0);
    #[cfg(not(mended))]
    while value & 1 == 0 { //~ sm_80 divided
        value = value.rotate_right(3) ^ 5;
        bits += 1;
    }
    #[cfg(mended)]
    for _ in 0..32 {
        bits += 1 - (value & 1);
        value = value.rotate_right(3) ^ 5;
    }
    *y.add(i) = bits;
}

/// A check in each iteration.
#[no_mangle]
pub unsafe extern "C" fn checks(x: *const u32, y: *mut f32, n: usize) {
    let (i, mut sum) = (index(), 0.0);
    let table = [1.0f32, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0];
    for k in 0..n {
        let place = *x.add(k * 64 + i) as usize;
        #[cfg(not(mended))]
        let value = table[place]; //~ sm_80 check-in-loop
        #[cfg(mended)]
        let value = table[place & 7];
        sum = sum * 0.5 + value;
    }
    *y.add(i) = sum;
}

static mut TABLE: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

/// A pointer to one of two kinds of memory.
#[no_mangle]
pub unsafe extern "C" fn generic(x: *const f32, y: *mut f32, n: usize) {
    let i = index();
    let mut own = [0.0f32; 4];
    for k in 0..n {
        own[k & 3] += 1.0;
    }
    let _ = black_box(&raw const TABLE);
    #[cfg(not(mended))]
    let from = if n > 4 { x } else { own.as_ptr() };
    #[cfg(mended)]
    let from = x;
    *y.add(i) = *from.add(n & 3); //~ sm_80 generic
}
