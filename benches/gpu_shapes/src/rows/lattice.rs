//! A step of the lattice Boltzmann method, D2Q9: one thread for each cell, nine arrays of numbers.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::row::{Results, Row};

const WIDTH: usize = 1024;
const HEIGHT: usize = 512;
const RATE: f32 = 0.6;

/// The new numbers of a cell. The directions are: rest, east, north, west, south, and the diagonals from north-east on.
#[inline]
fn collide(f: [f32; 9]) -> [f32; 9] {
    let density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
    let x = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density;
    let y = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density;
    let square = 1.5 * (x * x + y * y);
    let relax = |f: f32, weight: f32, along: f32| {
        let equal = weight * density * (1.0 + 3.0 * along + 4.5 * along * along - square);
        f + RATE * (equal - f)
    };
    [
        relax(f[0], 4.0 / 9.0, 0.0),
        relax(f[1], 1.0 / 9.0, x),
        relax(f[2], 1.0 / 9.0, y),
        relax(f[3], 1.0 / 9.0, -x),
        relax(f[4], 1.0 / 9.0, -y),
        relax(f[5], 1.0 / 36.0, x + y),
        relax(f[6], 1.0 / 36.0, y - x),
        relax(f[7], 1.0 / 36.0, -x - y),
        relax(f[8], 1.0 / 36.0, x - y),
    ]
}

/// The numbers that reach the cell from its neighbours; the edges of the field meet.
#[inline]
fn arriving(width: usize, height: usize, x: usize, y: usize, from: impl Fn(usize, usize) -> f32) -> [f32; 9] {
    let west = if x == 0 { width - 1 } else { x - 1 };
    let east = if x + 1 == width { 0 } else { x + 1 };
    let south = if y == 0 { height - 1 } else { y - 1 } * width;
    let north = if y + 1 == height { 0 } else { y + 1 } * width;
    let here = y * width;
    [
        from(0, here + x),
        from(1, here + west),
        from(2, south + x),
        from(3, here + east),
        from(4, north + x),
        from(5, south + west),
        from(6, south + east),
        from(7, north + east),
        from(8, north + west),
    ]
}

#[kernel]
fn lattice(width: usize, height: usize, from: &[f32], mut to: DisjointSlice<f32>) {
    let at = thread::index_2d();
    if at.x() >= width || at.y() >= height {
        return;
    }
    let cells = width * height;
    let new = collide(arriving(width, height, at.x(), at.y(), |way, cell| from[way * cells + cell]));
    for (way, new) in new.into_iter().enumerate() {
        // SAFETY: the nine arrays have this cell, which belongs to this thread.
        unsafe { *to.get_unchecked_mut(way * cells + at.y() * width + at.x()) = new };
    }
}

openmp! {
    fn openmp_lattice(width: usize, height: usize, from: *const f32, to: *mut f32);
}

pub(crate) struct Lattice {
    from: Vec<f32>,
    device_from: DeviceBuffer<f32>,
    to: Results<f32>,
}

impl Row for Lattice {
    const NAME: &str = "LBM D2Q9, 1024 x 512";

    fn new(stream: &Stream) -> Result<Self> {
        let from: Vec<f32> = floats(30, 9 * WIDTH * HEIGHT).into_iter().map(|x| 0.1 + 0.01 * x).collect();
        let device_from = DeviceBuffer::from_host(stream, &from)?;
        Ok(Lattice { from, device_from, to: Results::new(stream, 9 * WIDTH * HEIGHT)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_rows(WIDTH, HEIGHT, (64, 4));
        lattice.launch(stream, grid, (WIDTH, HEIGHT, &self.device_from, &mut self.to.kernel))
    }

    fn rayon(&mut self) {
        let from: [&[f32]; 9] = std::array::from_fn(|way| &self.from[way * WIDTH * HEIGHT..][..WIDTH * HEIGHT]);
        let mut arrays = self.to.rayon.chunks_mut(WIDTH * HEIGHT).map(|array| array.par_chunks_mut(WIDTH));
        let mut next = || arrays.next().expect("nine arrays");
        let rows = (next(), next(), next(), next(), next(), next(), next(), next(), next());
        rows.into_par_iter().enumerate().for_each(|(y, (a, b, c, d, e, f, g, h, i))| {
            let mut to = [a, b, c, d, e, f, g, h, i];
            for x in 0..WIDTH {
                let new = collide(arriving(WIDTH, HEIGHT, x, y, |way, cell| from[way][cell]));
                to.iter_mut().zip(new).for_each(|(to, new)| to[x] = new);
            }
        });
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have these sizes.
        unsafe { openmp_lattice(WIDTH, HEIGHT, self.from.as_ptr(), self.to.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.to.difference(stream)
    }
}
