//! A dot product: each thread adds up its part in a grid-stride loop, and each block reduces.

use offload::{DeviceBuffer, DisjointBlocks, Grid, Result, Stream, block, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::whole;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::Row;

const LEN: usize = 1 << 24;
const BLOCKS: usize = 256;

#[kernel(launch_bounds(256))]
fn dot(a: &[f32], b: &[f32], mut sums: DisjointBlocks<f32>) {
    let mut own = 0.0;
    for i in thread::indices_1d(a.len()) {
        own += a[i.get()] * b[i.get()];
    }
    let sum = block::reduce_sum(own);
    if let Some(place) = block::leader().and_then(|leader| sums.get_mut(leader)) {
        *place = sum;
    }
}

openmp! {
    fn openmp_dot(len: usize, a: *const f32, b: *const f32, sum: *mut f32);
}

pub(crate) struct Dot {
    a: Vec<f32>,
    b: Vec<f32>,
    device_a: DeviceBuffer<f32>,
    device_b: DeviceBuffer<f32>,
    sums: DeviceBuffer<f32>,
    rayon: f32,
    openmp: f32,
    kernel: f32,
}

impl Row for Dot {
    const NAME: &str = "dot product, 16 Mi f32, block::reduce_sum";

    fn new(stream: &Stream) -> Result<Self> {
        // The sums are exact, so their order does not matter.
        let (a, b) = (whole(15, LEN), whole(16, LEN));
        Ok(Dot {
            device_a: DeviceBuffer::from_host(stream, &a)?,
            device_b: DeviceBuffer::from_host(stream, &b)?,
            sums: DeviceBuffer::zeroed(stream, BLOCKS)?,
            a,
            b,
            rayon: 0.0,
            openmp: 0.0,
            kernel: 0.0,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_len(BLOCKS * 256, 256);
        dot.launch(stream, grid, (&self.device_a, &self.device_b, &mut self.sums))?;
        self.kernel = self.sums.to_host_vec(stream)?.iter().sum();
        Ok(())
    }

    fn rayon(&mut self) {
        self.rayon = self.a.par_iter().zip(&self.b).map(|(a, b)| a * b).sum();
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length.
        unsafe { openmp_dot(LEN, self.a.as_ptr(), self.b.as_ptr(), &mut self.openmp) };
    }

    fn difference(&self, _: &Stream) -> Result<f64> {
        let same = self.kernel == self.rayon && (!cfg!(openmp) || self.openmp == self.rayon);
        Ok(if same { 0.0 } else { f64::INFINITY })
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let arguments = vec![
            Argument::value(&LEN),
            Argument::input(&self.a),
            Argument::input(&self.b),
            Argument::output::<f32>(BLOCKS),
        ];
        Some(Twin::linear("dot_product", BLOCKS * 256, arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        let same = twin.result::<f32>().iter().sum::<f32>() == self.rayon;
        if same { 0.0 } else { f64::INFINITY }
    }
}
