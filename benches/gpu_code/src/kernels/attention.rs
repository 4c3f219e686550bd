//! Attention for one query in each block, whose scores are in shared memory.

use offload::{DeviceBuffer, Grid, RawSlice, Result, fast, kernel, prelude::*, shared, thread};

use crate::numbers::{difference, floats};
use crate::run::Run;
use crate::twins::Argument;

/// The numbers of a query, a key and a value, and the threads of a block.
const WIDTH: usize = 64;
const MOST_KEYS: usize = 512;
const SCALE: f32 = 0.125;

#[kernel(block_size(64, 1, 1), unsafe(restrict))]
fn attention(len: usize, queries: &[f32], keys: &[f32], values: &[f32], out: RawSlice<f32>) {
    shared! {
        static QUERY: [f32; WIDTH];
        static SCORES: [f32; MOST_KEYS];
        static PARTS: [f32; WIDTH];
    }
    let (thread, block) = (thread::id::x() as usize, thread::block_id::x() as usize);
    // SAFETY: each thread sets its own elements, and barriers separate that from the accesses of others.
    unsafe {
        QUERY.set(thread, queries[block * WIDTH + thread]);
        thread::sync_threads();
        let mut sum = 0.0;
        for key in (thread..len).step_by(WIDTH) {
            let row = &keys[key * WIDTH..][..WIDTH];
            let mut score = 0.0;
            for (k, value) in row.iter().enumerate() {
                score += QUERY.get(k) * value;
            }
            let power = fast::exp(score * SCALE);
            SCORES.set(key, power);
            sum += power;
        }
        PARTS.set(thread, sum);
        thread::sync_threads();
        let mut half = WIDTH / 2;
        while half > 0 {
            if thread < half {
                PARTS.set(thread, PARTS.get(thread) + PARTS.get(thread + half));
            }
            thread::sync_threads();
            half /= 2;
        }
        let mut result = 0.0;
        for key in 0..len {
            result += SCORES.get(key) * values[key * WIDTH + thread];
        }
        out.set(block * WIDTH + thread, result / PARTS.get(0));
    }
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let (len, count) = run.size((100, 4), (256, 65_536));
    let (queries, keys, values) = (floats(12, count * WIDTH), floats(13, len * WIDTH), floats(14, len * WIDTH));
    let [a, b, c] = [&queries, &keys, &values].map(|values| DeviceBuffer::from_host(run.stream(), values));
    let out = DeviceBuffer::<f32>::zeroed(run.stream(), queries.len())?;
    let (a, b, c) = (a?, b?, c?);
    let grid = Grid::for_len(count * WIDTH, WIDTH as u32);
    let arguments = &[len.bits(), a.bits(), b.bits(), c.bits(), out.bits()];
    if !run.launch(grid, arguments, || attention.launch(run.stream(), grid, (len, &a, &b, &c, out.as_raw())))? {
        return Ok((0.0, 0.0));
    }
    let of_query = |query: &[f32]| {
        let product = |key: &[f32]| query.iter().zip(key).map(|(a, b)| a * b).sum::<f32>();
        let powers: Vec<f32> = keys.chunks(WIDTH).map(|key| (product(key) * SCALE).exp()).collect();
        let sum: f32 = powers.iter().sum();
        let column = |k: usize| powers.iter().enumerate().map(|(i, p)| p * values[i * WIDTH + k]).sum::<f32>() / sum;
        (0..WIDTH).map(column).collect::<Vec<_>>()
    };
    let wanted: Vec<f32> = queries.chunks(WIDTH).flat_map(of_query).collect();
    Ok((difference(&out.to_host_vec(run.stream())?, &wanted), 1e-4))
}
