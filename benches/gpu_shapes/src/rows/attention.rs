//! Attention: one block for each query, whose scores are in shared memory.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, block, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::row::{Results, Row};

const HEADS: usize = 2;
const LEN: usize = 512;
/// The numbers of a query, a key and a value, and the threads of a block.
const WIDTH: usize = 64;
const SCALE: f32 = 0.125;

#[kernel(block_size(64, 1, 1))]
fn attention(queries: &[f32], keys: &[f32], values: &[f32], mut out: DisjointSlice<f32>) {
    shared! { static SCORES: [f32; LEN]; }
    let (thread, query) = (thread::id::x() as usize, thread::block_id::x() as usize);
    let first = query / LEN * LEN;
    let query_row = &queries[query * WIDTH..][..WIDTH];
    // SAFETY: each thread sets its own scores, and block reductions contain barriers before the reads of the others.
    let scores = unsafe { SCORES.cells() };
    let mut largest = f32::NEG_INFINITY;
    for i in (thread..LEN).step_by(WIDTH) {
        let key = &keys[(first + i) * WIDTH..][..WIDTH];
        let mut product = 0.0;
        for k in 0..WIDTH {
            product += query_row[k] * key[k];
        }
        scores[i].set(product * SCALE);
        largest = largest.max(product * SCALE);
    }
    let largest = block::reduce_max(largest);
    let mut sum = 0.0;
    for i in (thread..LEN).step_by(WIDTH) {
        let power = (scores[i].get() - largest).exp();
        scores[i].set(power);
        sum += power;
    }
    let sum = block::reduce_sum(sum);
    let mut value = 0.0;
    for i in 0..LEN {
        value += scores[i].get() * values[(first + i) * WIDTH + thread];
    }
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = value / sum;
    }
}

openmp! {
    fn openmp_attention(
        heads: usize,
        len: usize,
        queries: *const f32,
        keys: *const f32,
        values: *const f32,
        out: *mut f32,
    );
}

pub(crate) struct Attention {
    queries: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    device: [DeviceBuffer<f32>; 3],
    out: Results<f32>,
}

impl Row for Attention {
    const NAME: &str = "attention, 2 heads, 512 of 64";
    const TOLERANCE: f64 = 1e-5;

    fn new(stream: &Stream) -> Result<Self> {
        let matrix =
            |seed: u64| -> Vec<f32> { floats(seed, HEADS * LEN * WIDTH).into_iter().map(|x| 2.0 * x - 1.0).collect() };
        let (queries, keys, values) = (matrix(24), matrix(25), matrix(26));
        let copy = |matrix: &[f32]| DeviceBuffer::from_host(stream, matrix);
        let device = [copy(&queries)?, copy(&keys)?, copy(&values)?];
        Ok(Attention { queries, keys, values, device, out: Results::new(stream, HEADS * LEN * WIDTH)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let [queries, keys, values] = &self.device;
        let grid = Grid::for_len(HEADS * LEN * WIDTH, WIDTH as u32);
        attention.launch(stream, grid, (queries, keys, values, &mut self.out.kernel))
    }

    fn rayon(&mut self) {
        let (keys, values) = (&self.keys[..], &self.values[..]);
        let rows = self.out.rayon.par_chunks_mut(WIDTH).zip(self.queries.par_chunks(WIDTH)).enumerate();
        rows.for_each(|(row, (out, query))| {
            let head = row / LEN * LEN * WIDTH..(row / LEN + 1) * LEN * WIDTH;
            let mut scores = [0.0f32; LEN];
            for (score, key) in scores.iter_mut().zip(keys[head.clone()].chunks(WIDTH)) {
                *score = query.iter().zip(key).map(|(a, b)| a * b).sum::<f32>() * SCALE;
            }
            let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
            let sum: f32 = scores.iter().sum();
            out.fill(0.0);
            for (score, value) in scores.iter().zip(values[head].chunks(WIDTH)) {
                out.iter_mut().zip(value).for_each(|(out, value)| *out += score * value);
            }
            out.iter_mut().for_each(|out| *out /= sum);
        });
    }

    fn openmp(&mut self) {
        let (queries, keys, values) = (self.queries.as_ptr(), self.keys.as_ptr(), self.values.as_ptr());
        // SAFETY: the matrices have this size.
        unsafe { openmp_attention(HEADS, LEN, queries, keys, values, self.out.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.out.difference(stream)
    }
}
