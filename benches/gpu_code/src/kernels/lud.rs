//! LU decomposition of a tile of 16 x 16 in shared memory, by 16 threads: the diagonal step of a blocked decomposition.

use offload::{DeviceBuffer, Grid, RawSlice, Result, kernel, prelude::*, shared, thread};

use crate::numbers::{difference, floats};
use crate::run::Run;
use crate::twins::Argument;

const SIDE: usize = 16;

#[kernel(block_size(16, 1, 1))]
fn lud(width: usize, matrix: RawSlice<f32>) {
    shared! { static TILE: [f32; SIDE * SIDE]; }
    let (thread, first) = (thread::id::x() as usize, thread::block_id::x() as usize * SIDE);
    // SAFETY: each thread sets the elements of its row or column, and barriers separate the steps; the tiles of two
    // blocks have no element in common.
    unsafe {
        for row in 0..SIDE {
            TILE.set(row * SIDE + thread, matrix.get((first + row) * width + first + thread));
        }
        thread::sync_threads();
        for step in 0..SIDE - 1 {
            if thread > step {
                let mut value = TILE.get(thread * SIDE + step);
                for k in 0..step {
                    value -= TILE.get(thread * SIDE + k) * TILE.get(k * SIDE + step);
                }
                TILE.set(thread * SIDE + step, value / TILE.get(step * SIDE + step));
            }
            thread::sync_threads();
            if thread > step {
                let mut value = TILE.get((step + 1) * SIDE + thread);
                for k in 0..step + 1 {
                    value -= TILE.get((step + 1) * SIDE + k) * TILE.get(k * SIDE + thread);
                }
                TILE.set((step + 1) * SIDE + thread, value);
            }
            thread::sync_threads();
        }
        for row in 0..SIDE {
            matrix.set((first + row) * width + first + thread, TILE.get(row * SIDE + thread));
        }
    }
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let width = run.size(2, 512) * SIDE;
    let mut matrix = floats(15, width * width);
    (0..width).for_each(|i| matrix[i * width + i] += 20.0);
    let device = DeviceBuffer::from_host(run.stream(), &matrix)?;
    let grid = Grid::for_len(width, SIDE as u32);
    let arguments = &[width.bits(), device.bits()];
    if !run.launch(grid, arguments, || lud.launch(run.stream(), grid, (width, device.as_raw())))? {
        return Ok((0.0, 0.0));
    }
    for first in [0, SIDE] {
        let at = |y: usize, x: usize| (first + y) * width + first + x;
        for step in 0..SIDE {
            for y in step + 1..SIDE {
                matrix[at(y, step)] /= matrix[at(step, step)];
                for x in step + 1..SIDE {
                    matrix[at(y, x)] -= matrix[at(y, step)] * matrix[at(step, x)];
                }
            }
        }
    }
    Ok((difference(&device.to_host_vec(run.stream())?, &matrix), 1e-4))
}
