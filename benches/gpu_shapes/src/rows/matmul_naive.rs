//! A matrix product without tiles: one thread for each element of the result.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

const N: usize = 256;

#[kernel]
fn matmul_naive(n: usize, a: &[f32], b: &[f32], mut c: DisjointRows<f32>) {
    let at = thread::index_2d();
    if let Some(c) = c.get_mut(at) {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[at.y() * n + k] * b[k * n + at.x()];
        }
        *c = sum;
    }
}

openmp! {
    fn openmp_matmul_naive(n: usize, a: *const f32, b: *const f32, c: *mut f32);
}

pub(crate) struct Naive {
    a: Vec<f32>,
    b: Vec<f32>,
    device_a: DeviceBuffer<f32>,
    device_b: DeviceBuffer<f32>,
    c: Results<f32>,
}

impl Row for Naive {
    const NAME: &str = "matmul, naive, 256";

    fn new(stream: &Stream) -> Result<Self> {
        let (a, b) = (floats(6, N * N), floats(7, N * N));
        let (device_a, device_b) = (DeviceBuffer::from_host(stream, &a)?, DeviceBuffer::from_host(stream, &b)?);
        Ok(Naive { a, b, device_a, device_b, c: Results::new(stream, N * N)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_rows(N, N, (16, 16));
        matmul_naive.launch(stream, grid, (N, &self.device_a, &self.device_b, self.c.kernel.rows(N)))
    }

    fn rayon(&mut self) {
        let b = &self.b[..];
        self.c.rayon.par_chunks_mut(N).zip(self.a.par_chunks(N)).for_each(|(c, a)| {
            for (j, c) in c.iter_mut().enumerate() {
                let mut sum = 0.0;
                for (k, a) in a.iter().enumerate() {
                    sum += a * b[k * N + j];
                }
                *c = sum;
            }
        });
    }

    fn openmp(&mut self) {
        // SAFETY: the matrices have this size.
        unsafe { openmp_matmul_naive(N, self.a.as_ptr(), self.b.as_ptr(), self.c.openmp.as_mut_ptr()) };
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
        Some(Twin::rows("matmul_naive", [N, N], (16, 16), arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.c.twin_difference(twin)
    }
}
