//! The softmax of each row of a matrix: one block for each row, with block reductions; or one warp.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, block, kernel, prelude::*, thread, warp};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::row::{Results, Row};

const ROWS: usize = 2048;
const COLUMNS: usize = 1024;

#[kernel(launch_bounds(256))]
fn softmax(columns: usize, from: &[f32], mut to: DisjointSlice<f32>) {
    let first = thread::block_id::x() as usize * columns;
    let own = || (first + thread::id::x() as usize..first + columns).step_by(thread::block_dim::x() as usize);
    let mut largest = f32::NEG_INFINITY;
    for i in own() {
        largest = largest.max(from[i]);
    }
    let largest = block::reduce_max(largest);
    let mut sum = 0.0;
    for i in own() {
        let power = (from[i] - largest).exp();
        // SAFETY: the element exists, and belongs to this thread.
        unsafe { *to.get_unchecked_mut(i) = power };
        sum += power;
    }
    let factor = 1.0 / block::reduce_sum(sum);
    for i in own() {
        // SAFETY: as above.
        unsafe { *to.get_unchecked_mut(i) *= factor };
    }
}

#[kernel(block_size(256, 1, 1))]
fn softmax_by_warps(columns: usize, from: &[f32], mut to: DisjointSlice<f32>) {
    let (thread, lane) = (thread::index_1d().get(), warp::lane_id() as usize);
    let first = thread / 32 * columns;
    let own = || (first + lane..first + columns).step_by(32);
    let mut largest = f32::NEG_INFINITY;
    for i in own() {
        largest = largest.max(from[i]);
    }
    let largest = warp::reduce_max(largest);
    let mut sum = 0.0;
    for i in own() {
        let power = (from[i] - largest).exp();
        // SAFETY: the element exists, and belongs to this thread.
        unsafe { *to.get_unchecked_mut(i) = power };
        sum += power;
    }
    let factor = 1.0 / warp::reduce_sum(sum);
    for i in own() {
        // SAFETY: as above.
        unsafe { *to.get_unchecked_mut(i) *= factor };
    }
}

openmp! {
    fn openmp_softmax(rows: usize, columns: usize, from: *const f32, to: *mut f32);
}

pub(crate) struct Softmax<const BY_WARPS: bool> {
    from: Vec<f32>,
    device_from: DeviceBuffer<f32>,
    to: Results<f32>,
}

impl<const BY_WARPS: bool> Row for Softmax<BY_WARPS> {
    const NAME: &str =
        if BY_WARPS { "softmax, 2048 rows of 1024, a warp for each" } else { "softmax, 2048 rows of 1024" };
    const TOLERANCE: f64 = 1e-6;

    fn new(stream: &Stream) -> Result<Self> {
        let from: Vec<f32> = floats(20, ROWS * COLUMNS).into_iter().map(|x| 8.0 * x - 4.0).collect();
        let device_from = DeviceBuffer::from_host(stream, &from)?;
        Ok(Softmax { from, device_from, to: Results::new(stream, ROWS * COLUMNS)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let arguments = (COLUMNS, &self.device_from, &mut self.to.kernel);
        if BY_WARPS {
            return softmax_by_warps.launch(stream, Grid::for_len(ROWS * 32, 256), arguments);
        }
        softmax.launch(stream, Grid::for_len(ROWS * 256, 256), arguments)
    }

    fn rayon(&mut self) {
        self.to.rayon.par_chunks_mut(COLUMNS).zip(self.from.par_chunks(COLUMNS)).for_each(|(to, from)| {
            let largest = from.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let mut sum = 0.0;
            for (to, from) in to.iter_mut().zip(from) {
                *to = (from - largest).exp();
                sum += *to;
            }
            let factor = 1.0 / sum;
            to.iter_mut().for_each(|to| *to *= factor);
        });
    }

    fn openmp(&mut self) {
        // SAFETY: the matrices have this size.
        unsafe { openmp_softmax(ROWS, COLUMNS, self.from.as_ptr(), self.to.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.to.difference(stream)
    }
}
