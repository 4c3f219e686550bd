//! The softmax of each row of a matrix: a block for each row.

use offload::{DeviceBuffer, Grid, RawSlice, Result, fast, kernel, prelude::*, shared, thread};

use crate::numbers::{difference, floats};
use crate::run::Run;
use crate::twins::Argument;

const THREADS: usize = 128;

#[kernel(block_size(128, 1, 1), unsafe(restrict))]
fn softmax(columns: usize, from: &[f32], to: RawSlice<f32>) {
    shared! { static PARTS: [f32; THREADS]; }
    let (thread, row) = (thread::id::x() as usize, thread::block_id::x() as usize);
    let row = &from[row * columns..][..columns];
    let mut largest = f32::NEG_INFINITY;
    for i in (thread..columns).step_by(THREADS) {
        largest = if row[i] > largest { row[i] } else { largest };
    }
    let reduce = |own: f32, combine: fn(f32, f32) -> f32| {
        // SAFETY: each thread sets its own element, and barriers separate that from the accesses of others.
        unsafe {
            PARTS.set(thread, own);
            thread::sync_threads();
            let mut half = THREADS / 2;
            while half > 0 {
                if thread < half {
                    PARTS.set(thread, combine(PARTS.get(thread), PARTS.get(thread + half)));
                }
                thread::sync_threads();
                half /= 2;
            }
            let all = PARTS.get(0);
            thread::sync_threads();
            all
        }
    };
    let largest = reduce(largest, |a, b| if b > a { b } else { a });
    let mut sum = 0.0;
    for i in (thread..columns).step_by(THREADS) {
        sum += fast::exp(row[i] - largest);
    }
    let factor = 1.0 / reduce(sum, |a, b| a + b);
    let first = thread::block_id::x() as usize * columns;
    for i in (thread..columns).step_by(THREADS) {
        // SAFETY: the element is in this block's row, and no other thread writes it.
        unsafe { to.set(first + i, fast::exp(row[i] - largest) * factor) };
    }
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let (rows, columns) = run.size((5, 300), (32_768, 1024));
    let from = floats(8, rows * columns);
    let device = DeviceBuffer::from_host(run.stream(), &from)?;
    let to = DeviceBuffer::<f32>::zeroed(run.stream(), from.len())?;
    let grid = Grid::for_len(rows * THREADS, THREADS as u32);
    let arguments = &[columns.bits(), device.bits(), to.bits()];
    if !run.launch(grid, arguments, || softmax.launch(run.stream(), grid, (columns, &device, to.as_raw())))? {
        return Ok((0.0, 0.0));
    }
    let of_row = |row: &[f32]| {
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = row.iter().map(|x| (x - largest).exp()).sum();
        row.iter().map(|x| (x - largest).exp() / sum).collect::<Vec<_>>()
    };
    let wanted: Vec<f32> = from.chunks(columns).flat_map(of_row).collect();
    Ok((difference(&to.to_host_vec(run.stream())?, &wanted), 1e-6))
}
