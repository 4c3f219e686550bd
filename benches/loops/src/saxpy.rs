//! `y += a * x`: the bandwidth of memory, and nothing else.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

const LEN: usize = 1 << 24;
const A: f32 = 0.5;

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

pub(crate) struct Saxpy {
    x: Vec<f32>,
    y: Vec<f32>,
    device_x: DeviceBuffer<f32>,
    device_y: DeviceBuffer<f32>,
}

impl super::Loop for Saxpy {
    const NAME: &str = "saxpy, 16 Mi elements";

    fn new(stream: &Stream) -> Result<Self> {
        let x: Vec<f32> = (0..LEN).map(|i| i as f32).collect();
        let y = vec![1.0; LEN];
        let (device_x, device_y) = (DeviceBuffer::from_host(stream, &x)?, DeviceBuffer::from_host(stream, &y)?);
        Ok(Saxpy { x, y, device_x, device_y })
    }

    fn offload(&mut self, stream: &Stream) -> Result<()> {
        saxpy.launch(stream, Grid::for_len(LEN, 256), (A, &self.device_x, &mut self.device_y))?;
        stream.synchronize()
    }

    fn rayon(&mut self) {
        self.y.par_iter_mut().zip(&self.x).for_each(|(y, x)| *y += A * x);
    }

    fn same(&self, stream: &Stream) -> Result<bool> {
        Ok(self.device_y.to_host_vec(stream)? == self.y)
    }
}
