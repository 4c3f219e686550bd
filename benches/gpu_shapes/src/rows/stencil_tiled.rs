//! A stencil of 5 points: a block fetches its tile of 16 x 16 points and the points around it into shared memory.

use offload::{DisjointRows, Grid, Result, Stream, kernel, prelude::*, shared, thread};

use super::stencil::{HEIGHT, Points, WIDTH};
use crate::opencl::{Prepared, Twin};
use crate::row::Row;

const TILE: usize = 16;
/// The length of a tile's row, with a point on each side.
const ROW: usize = TILE + 2;

#[kernel(block_size(16, 16, 1))]
fn stencil_tiled(width: usize, height: usize, from: &[f32], mut to: DisjointRows<f32>) {
    shared! { static POINTS: [f32; ROW * ROW]; }
    let at = thread::index_2d();
    let (x, y) = (thread::id::x() as usize, thread::id::y() as usize);
    let here = (y + 1) * ROW + x + 1;
    let exists = at.x() < width && at.y() < height;
    let i = at.y() * width + at.x();
    // SAFETY: each thread sets its own elements, and a barrier separates the writes from the reads.
    unsafe {
        if exists {
            POINTS.set(here, from[i]);
            if x == 0 && at.x() > 0 {
                POINTS.set(here - 1, from[i - 1]);
            }
            if x == TILE - 1 && at.x() + 1 < width {
                POINTS.set(here + 1, from[i + 1]);
            }
            if y == 0 && at.y() > 0 {
                POINTS.set(here - ROW, from[i - width]);
            }
            if y == TILE - 1 && at.y() + 1 < height {
                POINTS.set(here + ROW, from[i + width]);
            }
        }
        thread::sync_threads();
        if let Some(to) = to.get_mut(at) {
            let inside = at.x() > 0 && at.y() > 0 && at.x() + 1 < width && at.y() + 1 < height;
            let point = POINTS.get(here);
            *to = if inside {
                let (left, right) = (POINTS.get(here - 1), POINTS.get(here + 1));
                0.2 * (point + left + right + POINTS.get(here - ROW) + POINTS.get(here + ROW))
            } else {
                point
            };
        }
    }
}

pub(crate) struct Tiled(Points);

impl Row for Tiled {
    const NAME: &str = "stencil, tiles in shared memory";

    fn new(stream: &Stream) -> Result<Self> {
        Points::new(stream).map(Tiled)
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_rows(WIDTH, HEIGHT, (TILE as u32, TILE as u32));
        stencil_tiled.launch(stream, grid, (WIDTH, HEIGHT, &self.0.device_from, self.0.to.kernel.rows(WIDTH)))
    }

    fn rayon(&mut self) {
        self.0.rayon();
    }

    fn openmp(&mut self) {
        self.0.openmp();
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.0.to.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        Some(Twin::rows("stencil_tiled", [WIDTH, HEIGHT], (16, 16), self.0.arguments()))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.0.to.twin_difference(twin)
    }
}
