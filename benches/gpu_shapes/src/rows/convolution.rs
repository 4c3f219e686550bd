//! A convolution with 5 x 5 weights: a block fetches its tile and the points around it into shared memory together.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, Stream, block, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

const WIDTH: usize = 2048;
const HEIGHT: usize = 1024;
const RADIUS: usize = 2;
const SIZE: usize = 2 * RADIUS + 1;
const TILE: usize = 16;
/// The length of a tile's row, with the points around it.
const ROW: usize = TILE + 2 * RADIUS;

/// The coordinate at a distance of `step - RADIUS`; points outside have the values of the edge.
#[inline]
fn near(at: usize, step: usize, end: usize) -> usize {
    (at + step).saturating_sub(RADIUS).min(end - 1)
}

#[kernel(block_size(16, 16, 1))]
fn convolution(width: usize, height: usize, weights: &[f32], from: &[f32], mut to: DisjointRows<f32>) {
    shared! { static POINTS: [f32; ROW * ROW]; }
    let (left, top) = (thread::block_id::x() as usize * TILE, thread::block_id::y() as usize * TILE);
    // SAFETY: each thread sets its own elements, and a barrier separates the writes from the reads.
    let points = unsafe { POINTS.cells() };
    for i in (block::thread_rank() as usize..ROW * ROW).step_by(TILE * TILE) {
        points[i].set(from[near(top, i / ROW, height) * width + near(left, i % ROW, width)]);
    }
    thread::sync_threads();
    if let Some(to) = to.get_mut(thread::index_2d()) {
        let (x, y) = (thread::id::x() as usize, thread::id::y() as usize);
        let mut sum = 0.0;
        for dy in 0..SIZE {
            for dx in 0..SIZE {
                sum += weights[dy * SIZE + dx] * points[(y + dy) * ROW + x + dx].get();
            }
        }
        *to = sum;
    }
}

openmp! {
    fn openmp_convolution(width: usize, height: usize, weights: *const f32, from: *const f32, to: *mut f32);
}

pub(crate) struct Convolution {
    weights: Vec<f32>,
    from: Vec<f32>,
    device_weights: DeviceBuffer<f32>,
    device_from: DeviceBuffer<f32>,
    to: Results<f32>,
}

impl Row for Convolution {
    const NAME: &str = "convolution 5 x 5, tiles in shared memory";

    fn new(stream: &Stream) -> Result<Self> {
        let (weights, from) = (floats(18, SIZE * SIZE), floats(19, WIDTH * HEIGHT));
        Ok(Convolution {
            device_weights: DeviceBuffer::from_host(stream, &weights)?,
            device_from: DeviceBuffer::from_host(stream, &from)?,
            to: Results::new(stream, WIDTH * HEIGHT)?,
            weights,
            from,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_rows(WIDTH, HEIGHT, (TILE as u32, TILE as u32));
        let to = self.to.kernel.rows(WIDTH);
        convolution.launch(stream, grid, (WIDTH, HEIGHT, &self.device_weights, &self.device_from, to))
    }

    fn rayon(&mut self) {
        let weights: &[f32; SIZE * SIZE] = self.weights.as_slice().try_into().expect("5 x 5 weights");
        let from = &self.from[..];
        self.to.rayon.par_chunks_mut(WIDTH).enumerate().for_each(|(y, to)| {
            let rows: [&[f32]; SIZE] = std::array::from_fn(|dy| &from[near(y, dy, HEIGHT) * WIDTH..][..WIDTH]);
            let sum_at = |column: &dyn Fn(usize) -> usize| {
                let mut sum = 0.0;
                for (weights, row) in weights.chunks(SIZE).zip(rows) {
                    for (dx, weight) in weights.iter().enumerate() {
                        sum += weight * row[column(dx)];
                    }
                }
                sum
            };
            for x in (0..RADIUS).chain(WIDTH - RADIUS..WIDTH) {
                to[x] = sum_at(&|dx| near(x, dx, WIDTH));
            }
            for (x, to) in to[RADIUS..WIDTH - RADIUS].iter_mut().enumerate() {
                let mut sum = 0.0;
                for dy in 0..SIZE {
                    for dx in 0..SIZE {
                        sum += weights[dy * SIZE + dx] * rows[dy][x + dx];
                    }
                }
                *to = sum;
            }
        });
    }

    fn openmp(&mut self) {
        let (weights, from, to) = (self.weights.as_ptr(), self.from.as_ptr(), self.to.openmp.as_mut_ptr());
        // SAFETY: the arrays have these sizes.
        unsafe { openmp_convolution(WIDTH, HEIGHT, weights, from, to) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.to.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let arguments = vec![
            Argument::value(&WIDTH),
            Argument::value(&HEIGHT),
            Argument::input(&self.weights),
            Argument::input(&self.from),
            Argument::output::<f32>(WIDTH * HEIGHT),
        ];
        Some(Twin::rows("convolution", [WIDTH, HEIGHT], (16, 16), arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.to.twin_difference(twin)
    }
}
