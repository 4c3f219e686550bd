//! The layer norm of each row of a matrix: one block for each row, with block reductions.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, block, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::row::{Results, Row};

const ROWS: usize = 4096;
const COLUMNS: usize = 1024;
const EPSILON: f32 = 1e-5;

#[kernel(launch_bounds(256))]
fn layer_norm(columns: usize, from: &[f32], scales: &[f32], shifts: &[f32], mut to: DisjointSlice<f32>) {
    let first = thread::block_id::x() as usize * columns;
    let own = || (thread::id::x() as usize..columns).step_by(thread::block_dim::x() as usize);
    let mut sum = 0.0;
    for i in own() {
        sum += from[first + i];
    }
    let mean = block::reduce_sum(sum) / columns as f32;
    let mut squares = 0.0;
    for i in own() {
        squares += (from[first + i] - mean) * (from[first + i] - mean);
    }
    let factor = 1.0 / (block::reduce_sum(squares) / columns as f32 + EPSILON).sqrt();
    for i in own() {
        let value = (from[first + i] - mean) * factor * scales[i] + shifts[i];
        // SAFETY: the element exists, and belongs to this thread.
        unsafe { *to.get_unchecked_mut(first + i) = value };
    }
}

openmp! {
    fn openmp_layer_norm(
        rows: usize,
        columns: usize,
        from: *const f32,
        scales: *const f32,
        shifts: *const f32,
        to: *mut f32,
    );
}

pub(crate) struct LayerNorm {
    from: Vec<f32>,
    scales: Vec<f32>,
    shifts: Vec<f32>,
    device_from: DeviceBuffer<f32>,
    device_scales: DeviceBuffer<f32>,
    device_shifts: DeviceBuffer<f32>,
    to: Results<f32>,
}

impl Row for LayerNorm {
    const NAME: &str = "layer norm, 4096 rows of 1024";
    const TOLERANCE: f64 = 1e-4;

    fn new(stream: &Stream) -> Result<Self> {
        let (from, scales, shifts) = (floats(21, ROWS * COLUMNS), floats(22, COLUMNS), floats(23, COLUMNS));
        Ok(LayerNorm {
            device_from: DeviceBuffer::from_host(stream, &from)?,
            device_scales: DeviceBuffer::from_host(stream, &scales)?,
            device_shifts: DeviceBuffer::from_host(stream, &shifts)?,
            to: Results::new(stream, ROWS * COLUMNS)?,
            from,
            scales,
            shifts,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let (scales, shifts) = (&self.device_scales, &self.device_shifts);
        let arguments = (COLUMNS, &self.device_from, scales, shifts, &mut self.to.kernel);
        layer_norm.launch(stream, Grid::for_len(ROWS * 256, 256), arguments)
    }

    fn rayon(&mut self) {
        let (scales, shifts) = (&self.scales[..], &self.shifts[..]);
        self.to.rayon.par_chunks_mut(COLUMNS).zip(self.from.par_chunks(COLUMNS)).for_each(|(to, from)| {
            let mean = from.iter().sum::<f32>() / COLUMNS as f32;
            let squares: f32 = from.iter().map(|x| (x - mean) * (x - mean)).sum();
            let factor = 1.0 / (squares / COLUMNS as f32 + EPSILON).sqrt();
            for (((to, from), scale), shift) in to.iter_mut().zip(from).zip(scales).zip(shifts) {
                *to = (from - mean) * factor * scale + shift;
            }
        });
    }

    fn openmp(&mut self) {
        let (from, scales, shifts) = (self.from.as_ptr(), self.scales.as_ptr(), self.shifts.as_ptr());
        // SAFETY: the matrices have this size.
        unsafe { openmp_layer_norm(ROWS, COLUMNS, from, scales, shifts, self.to.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.to.difference(stream)
    }
}
