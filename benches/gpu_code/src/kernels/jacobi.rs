//! One step of Jacobi's method for a Poisson equation, with a tile and its border in shared memory, and the largest
//! change of each block.

use offload::{DeviceBuffer, Grid, RawSlice, Result, kernel, prelude::*, shared, thread};

use crate::numbers::{difference, floats};
use crate::run::Run;
use crate::twins::Argument;

const SIDE: usize = 16;

#[kernel(block_size(16, 16, 1), unsafe(restrict))]
fn jacobi(width: usize, from: &[f32], source: &[f32], to: RawSlice<f32>, changes: RawSlice<f32>) {
    shared! {
        static TILE: [f32; (SIDE + 2) * (SIDE + 2)];
        static LARGEST: [f32; SIDE * SIDE];
    }
    let (tx, ty) = (thread::id::x() as usize, thread::id::y() as usize);
    let (bx, by) = (thread::block_id::x() as usize, thread::block_id::y() as usize);
    let i = (by * SIDE + ty + 1) * width + bx * SIDE + tx + 1;
    // SAFETY: each thread sets its own elements, and barriers separate that from the accesses of others.
    let set = |y: usize, x: usize, value: f32| unsafe { TILE.set(y * (SIDE + 2) + x, value) };
    // SAFETY: as above.
    let tile = |y: usize, x: usize| unsafe { TILE.get(y * (SIDE + 2) + x) };
    set(ty + 1, tx + 1, from[i]);
    if tx == 0 {
        set(ty + 1, 0, from[i - 1]);
    }
    if tx == SIDE - 1 {
        set(ty + 1, SIDE + 1, from[i + 1]);
    }
    if ty == 0 {
        set(0, tx + 1, from[i - width]);
    }
    if ty == SIDE - 1 {
        set(SIDE + 1, tx + 1, from[i + width]);
    }
    thread::sync_threads();
    let sum = tile(ty + 1, tx) + tile(ty + 1, tx + 2) + tile(ty, tx + 1) + tile(ty + 2, tx + 1);
    let value = 0.25 * (sum - source[i]);
    // SAFETY: only this thread accesses the element, and that of `LARGEST`.
    unsafe { to.set(i, value) };
    let thread = ty * SIDE + tx;
    // SAFETY: as above.
    unsafe { LARGEST.set(thread, (value - tile(ty + 1, tx + 1)).abs()) };
    thread::sync_threads();
    let mut half = SIDE * SIDE / 2;
    while half > 0 {
        if thread < half {
            // SAFETY: the upper half is only read in this step.
            unsafe {
                let (own, other) = (LARGEST.get(thread), LARGEST.get(thread + half));
                LARGEST.set(thread, if other > own { other } else { own });
            }
        }
        thread::sync_threads();
        half /= 2;
    }
    if thread == 0 {
        // SAFETY: one thread of each block writes its element.
        unsafe { changes.set(by * (width - 2) / SIDE + bx, LARGEST.get(0)) };
    }
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let (columns, rows) = run.size((2, 3), (512, 512));
    let (width, height) = (columns * SIDE + 2, rows * SIDE + 2);
    let (from, source) = (floats(6, width * height), floats(7, width * height));
    let [a, b] = [&from, &source].map(|values| DeviceBuffer::from_host(run.stream(), values));
    let to = DeviceBuffer::from_host(run.stream(), &from)?;
    let changes = DeviceBuffer::<f32>::zeroed(run.stream(), columns * rows)?;
    let grid = Grid::for_rows(columns * SIDE, rows * SIDE, (16, 16));
    // SAFETY: the threads write different elements, and the buffers outlive the launch.
    let (a, b) = (a?, b?);
    let arguments = &[width.bits(), a.bits(), b.bits(), to.bits(), changes.bits()];
    if !run
        .launch(grid, arguments, || jacobi.launch(run.stream(), grid, (width, &a, &b, to.as_raw(), changes.as_raw())))?
    {
        return Ok((0.0, 0.0));
    }
    let (mut wanted, mut largest) = (from.clone(), [0f32; 6]);
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let i = y * width + x;
            wanted[i] = 0.25 * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] - source[i]);
            let block = (y - 1) / SIDE * 2 + (x - 1) / SIDE;
            largest[block] = largest[block].max((wanted[i] - from[i]).abs());
        }
    }
    let of_values = difference(&to.to_host_vec(run.stream())?, &wanted);
    Ok((of_values.max(difference(&changes.to_host_vec(run.stream())?, &largest)), 0.0))
}
