//! The sums of 32 values each: one warp for each sum.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread, warp};
use rayon::prelude::*;

use crate::numbers::whole;
use crate::row::{Results, Row};

const LEN: usize = 1 << 22;

#[kernel(block_size(256, 1, 1))]
fn warp_sums(values: &[f32], mut sums: DisjointSlice<f32>) {
    let i = thread::index_1d().get();
    let sum = warp::reduce_sum(values.get(i).copied().unwrap_or(0.0));
    if warp::lane_id() == 0 && i / 32 < sums.len() {
        // SAFETY: the element exists, and only this thread of the warp stores it.
        unsafe { *sums.get_unchecked_mut(i / 32) = sum };
    }
}

openmp! {
    fn openmp_warp_sums(len: usize, values: *const f32, sums: *mut f32);
}

pub(crate) struct WarpSum {
    values: Vec<f32>,
    device_values: DeviceBuffer<f32>,
    sums: Results<f32>,
}

impl Row for WarpSum {
    const NAME: &str = "sums over warps, 4 Mi f32, warp::reduce_sum";

    fn new(stream: &Stream) -> Result<Self> {
        // The sums are exact, so their order does not matter.
        let values = whole(31, LEN);
        let device_values = DeviceBuffer::from_host(stream, &values)?;
        Ok(WarpSum { values, device_values, sums: Results::new(stream, LEN / 32)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        warp_sums.launch(stream, Grid::for_len(LEN, 256), (&self.device_values, &mut self.sums.kernel))
    }

    fn rayon(&mut self) {
        let sums = self.sums.rayon.par_iter_mut().zip(self.values.par_chunks_exact(32));
        sums.with_min_len(1024).for_each(|(sum, values)| {
            let mut parts = [0.0; 8];
            for eight in values.chunks_exact(8) {
                parts.iter_mut().zip(eight).for_each(|(part, value)| *part += value);
            }
            *sum = parts.iter().sum();
        });
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length, and a 32nd of it.
        unsafe { openmp_warp_sums(LEN, self.values.as_ptr(), self.sums.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.sums.difference(stream)
    }
}
