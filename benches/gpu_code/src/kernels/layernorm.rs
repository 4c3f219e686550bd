//! The layer norm of each row of a matrix: a block for each row.

use offload::{DeviceBuffer, Grid, RawSlice, Result, kernel, prelude::*, shared, thread};

use crate::numbers::{difference, floats};
use crate::run::Run;
use crate::twins::Argument;

const THREADS: usize = 128;
const EPSILON: f32 = 1e-5;

#[kernel(block_size(128, 1, 1), unsafe(restrict))]
fn layernorm(columns: usize, from: &[f32], scales: &[f32], shifts: &[f32], to: RawSlice<f32>) {
    shared! { static PARTS: [f32; THREADS]; }
    let (thread, row) = (thread::id::x() as usize, thread::block_id::x() as usize);
    let first = row * columns;
    let row = &from[first..][..columns];
    let sum_of_block = |own: f32| {
        // SAFETY: each thread sets its own element, and barriers separate that from the accesses of others.
        unsafe {
            PARTS.set(thread, own);
            thread::sync_threads();
            let mut half = THREADS / 2;
            while half > 0 {
                if thread < half {
                    PARTS.set(thread, PARTS.get(thread) + PARTS.get(thread + half));
                }
                thread::sync_threads();
                half /= 2;
            }
            let all = PARTS.get(0);
            thread::sync_threads();
            all
        }
    };
    let mut sum = 0.0;
    for i in (thread..columns).step_by(THREADS) {
        sum += row[i];
    }
    let mean = sum_of_block(sum) / columns as u32 as f32;
    let mut squares = 0.0;
    for i in (thread..columns).step_by(THREADS) {
        squares += (row[i] - mean) * (row[i] - mean);
    }
    let factor = 1.0 / (sum_of_block(squares) / columns as u32 as f32 + EPSILON).sqrt();
    for i in (thread..columns).step_by(THREADS) {
        // SAFETY: the element is in this block's row, and no other thread writes it.
        unsafe { to.set(first + i, (row[i] - mean) * factor * scales[i] + shifts[i]) };
    }
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let (rows, columns) = run.size((5, 300), (32_768, 1024));
    let (from, scales, shifts) = (floats(9, rows * columns), floats(10, columns), floats(11, columns));
    let [a, b, c] = [&from, &scales, &shifts].map(|values| DeviceBuffer::from_host(run.stream(), values));
    let to = DeviceBuffer::<f32>::zeroed(run.stream(), from.len())?;
    let (a, b, c) = (a?, b?, c?);
    let grid = Grid::for_len(rows * THREADS, THREADS as u32);
    let arguments = &[columns.bits(), a.bits(), b.bits(), c.bits(), to.bits()];
    if !run.launch(grid, arguments, || layernorm.launch(run.stream(), grid, (columns, &a, &b, &c, to.as_raw())))? {
        return Ok((0.0, 0.0));
    }
    let of_row = |row: &[f32]| {
        let mean = row.iter().sum::<f32>() / columns as f32;
        let squares: f32 = row.iter().map(|x| (x - mean) * (x - mean)).sum();
        let factor = 1.0 / (squares / columns as f32 + EPSILON).sqrt();
        let terms = row.iter().zip(&scales).zip(&shifts);
        terms.map(|((x, scale), shift)| (x - mean) * factor * scale + shift).collect::<Vec<_>>()
    };
    let wanted: Vec<f32> = from.chunks(columns).flat_map(of_row).collect();
    Ok((difference(&to.to_host_vec(run.stream())?, &wanted), 1e-4))
}
