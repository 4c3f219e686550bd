//! A stencil of 5 points: one thread for each point, in blocks of two shapes.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

pub(super) const WIDTH: usize = 4096;
pub(super) const HEIGHT: usize = 2048;

#[kernel]
fn stencil(width: usize, height: usize, from: &[f32], mut to: DisjointRows<f32>) {
    let at = thread::index_2d();
    if let Some(to) = to.get_mut(at) {
        let i = at.y() * width + at.x();
        let inside = at.x() > 0 && at.y() > 0 && at.x() + 1 < width && at.y() + 1 < height;
        *to = if inside {
            0.2 * (from[i] + from[i - 1] + from[i + 1] + from[i - width] + from[i + width])
        } else {
            from[i]
        };
    }
}

openmp! {
    fn openmp_stencil(width: usize, height: usize, from: *const f32, to: *mut f32);
}

/// The points, and the host's ways, which `stencil_tiled` has too.
pub(super) struct Points {
    from: Vec<f32>,
    pub(super) device_from: DeviceBuffer<f32>,
    pub(super) to: Results<f32>,
}

impl Points {
    pub(super) fn new(stream: &Stream) -> Result<Self> {
        let from = floats(10, WIDTH * HEIGHT);
        let device_from = DeviceBuffer::from_host(stream, &from)?;
        Ok(Points { from, device_from, to: Results::new(stream, WIDTH * HEIGHT)? })
    }

    /// The arguments of the twins.
    pub(super) fn arguments(&self) -> Vec<Argument<'_>> {
        let output = Argument::output::<f32>(WIDTH * HEIGHT);
        vec![Argument::value(&WIDTH), Argument::value(&HEIGHT), Argument::input(&self.from), output]
    }

    pub(super) fn rayon(&mut self) {
        let from = &self.from[..];
        self.to.rayon.par_chunks_mut(WIDTH).enumerate().for_each(|(y, to)| {
            let row = |y: usize| &from[y * WIDTH..][..WIDTH];
            let here = row(y);
            if y == 0 || y == HEIGHT - 1 {
                to.copy_from_slice(here);
                return;
            }
            let (above, below) = (row(y - 1), row(y + 1));
            (to[0], to[WIDTH - 1]) = (here[0], here[WIDTH - 1]);
            for x in 1..WIDTH - 1 {
                to[x] = 0.2 * (here[x] + here[x - 1] + here[x + 1] + above[x] + below[x]);
            }
        });
    }

    pub(super) fn openmp(&mut self) {
        // SAFETY: the arrays have this many points.
        unsafe { openmp_stencil(WIDTH, HEIGHT, self.from.as_ptr(), self.to.openmp.as_mut_ptr()) };
    }
}

/// In blocks of `X` times `Y` threads.
pub(crate) struct Stencil<const X: u32, const Y: u32>(Points);

impl<const X: u32, const Y: u32> Row for Stencil<X, Y> {
    const NAME: &str = if Y == 1 { "stencil, blocks 256 x 1" } else { "stencil, blocks 16 x 16" };

    fn new(stream: &Stream) -> Result<Self> {
        Points::new(stream).map(Stencil)
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_rows(WIDTH, HEIGHT, (X, Y));
        stencil.launch(stream, grid, (WIDTH, HEIGHT, &self.0.device_from, self.0.to.kernel.rows(WIDTH)))
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
        Some(Twin::rows("stencil", [WIDTH, HEIGHT], (X, Y), self.0.arguments()))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.0.to.twin_difference(twin)
    }
}
