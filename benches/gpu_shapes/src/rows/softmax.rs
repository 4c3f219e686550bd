//! The softmax of each row of a matrix: one block for each row, with block reductions.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, block, kernel, prelude::*, thread};
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

openmp! {
    fn openmp_softmax(rows: usize, columns: usize, from: *const f32, to: *mut f32);
}

pub(crate) struct Softmax {
    from: Vec<f32>,
    device_from: DeviceBuffer<f32>,
    to: Results<f32>,
}

impl Row for Softmax {
    const NAME: &str = "softmax, 2048 rows of 1024";
    const TOLERANCE: f64 = 1e-6;

    fn new(stream: &Stream) -> Result<Self> {
        let from: Vec<f32> = floats(20, ROWS * COLUMNS).into_iter().map(|x| 8.0 * x - 4.0).collect();
        let device_from = DeviceBuffer::from_host(stream, &from)?;
        Ok(Softmax { from, device_from, to: Results::new(stream, ROWS * COLUMNS)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_len(ROWS * 256, 256);
        softmax.launch(stream, grid, (COLUMNS, &self.device_from, &mut self.to.kernel))
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
