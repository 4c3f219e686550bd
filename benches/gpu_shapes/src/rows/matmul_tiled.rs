//! A matrix product in tiles of 16 x 16 in shared memory, as in `examples/`.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, Stream, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

const N: usize = 512;
const TILE: usize = 16;

#[kernel(block_size(16, 16, 1))]
fn matmul_tiled(n: usize, a: &[f32], b: &[f32], mut c: DisjointRows<f32>) {
    shared! {
        static A: [f32; TILE * TILE];
        static B: [f32; TILE * TILE];
    }
    let at = thread::index_2d();
    let (x, y) = (thread::id::x() as usize, thread::id::y() as usize);
    let mut sum = 0.0;
    for first in (0..n).step_by(TILE) {
        let (column, row) = (first + x, first + y);
        // SAFETY: each thread sets its own element; barriers separate the writes from the reads.
        unsafe {
            A.set(y * TILE + x, if at.y() < n && column < n { a[at.y() * n + column] } else { 0.0 });
            B.set(y * TILE + x, if row < n && at.x() < n { b[row * n + at.x()] } else { 0.0 });
            thread::sync_threads();
            for k in 0..TILE {
                sum += A.get(y * TILE + k) * B.get(k * TILE + x);
            }
            thread::sync_threads();
        }
    }
    if let Some(c) = c.get_mut(at) {
        *c = sum;
    }
}

openmp! {
    fn openmp_matmul_ikj(n: usize, a: *const f32, b: *const f32, c: *mut f32);
    fn openmp_matmul_tiled(n: usize, a: *const f32, b: *const f32, c: *mut f32);
}

/// The host has tiles as well, or the loops over i, k, j.
pub(crate) struct Tiled<const HOST_TILES: bool> {
    a: Vec<f32>,
    b: Vec<f32>,
    device_a: DeviceBuffer<f32>,
    device_b: DeviceBuffer<f32>,
    c: Results<f32>,
}

/// Adds a row of `a`, from column `first` on, times the rows of `b`.
fn add_rows(c: &mut [f32], a: &[f32], b: &[f32]) {
    for (a, b) in a.iter().zip(b.chunks(N)) {
        for (c, b) in c.iter_mut().zip(b) {
            *c += a * b;
        }
    }
}

impl<const HOST_TILES: bool> Row for Tiled<HOST_TILES> {
    const NAME: &str = if HOST_TILES { "matmul, tiles, 512; host in tiles" } else { "matmul, tiles, 512; host i-k-j" };

    fn new(stream: &Stream) -> Result<Self> {
        let (a, b) = (floats(8, N * N), floats(9, N * N));
        let (device_a, device_b) = (DeviceBuffer::from_host(stream, &a)?, DeviceBuffer::from_host(stream, &b)?);
        Ok(Tiled { a, b, device_a, device_b, c: Results::new(stream, N * N)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_rows(N, N, (TILE as u32, TILE as u32));
        matmul_tiled.launch(stream, grid, (N, &self.device_a, &self.device_b, self.c.kernel.rows(N)))
    }

    fn rayon(&mut self) {
        const BAND: usize = 16;
        const DEPTH: usize = 64;
        let b = &self.b[..];
        if !HOST_TILES {
            self.c.rayon.par_chunks_mut(N).zip(self.a.par_chunks(N)).for_each(|(c, a)| {
                c.fill(0.0);
                add_rows(c, a, b);
            });
            return;
        }
        self.c.rayon.par_chunks_mut(BAND * N).zip(self.a.par_chunks(BAND * N)).for_each(|(c, a)| {
            c.fill(0.0);
            for (tile, b) in b.chunks(DEPTH * N).enumerate() {
                for (c, a) in c.chunks_mut(N).zip(a.chunks(N)) {
                    add_rows(c, &a[tile * DEPTH..][..DEPTH], b);
                }
            }
        });
    }

    fn openmp(&mut self) {
        let (a, b, c) = (self.a.as_ptr(), self.b.as_ptr(), self.c.openmp.as_mut_ptr());
        // SAFETY: the matrices have this size, which is a multiple of the tiles' sizes.
        unsafe { if HOST_TILES { openmp_matmul_tiled(N, a, b, c) } else { openmp_matmul_ikj(N, a, b, c) } };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.c.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let arguments = vec![
            Argument::value(&N),
            Argument::input(&self.a),
            Argument::input(&self.b),
            Argument::output::<f32>(N * N),
        ];
        (!HOST_TILES).then(|| Twin::rows("matmul_tiled", [N, N], (16, 16), arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.c.twin_difference(twin)
    }
}
