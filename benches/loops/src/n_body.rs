//! The acceleration of each body by all others: arithmetic alone.

use offload::{DeviceBuffer, DeviceCopy, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

const LEN: usize = 4096;

#[derive(Clone, Copy, DeviceCopy)]
pub(crate) struct Body {
    place: [f32; 3],
    mass: f32,
}

/// The same function on both sides.
#[inline]
fn acceleration(at: [f32; 3], bodies: &[Body]) -> [f32; 3] {
    let mut sum = [0.0; 3];
    for body in bodies {
        let way = [body.place[0] - at[0], body.place[1] - at[1], body.place[2] - at[2]];
        let square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + 1e-3;
        let pull = body.mass / (square * square.sqrt());
        for axis in 0..3 {
            sum[axis] += way[axis] * pull;
        }
    }
    sum
}

#[kernel]
fn accelerate(bodies: &[Body], mut out: DisjointSlice<[f32; 3]>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = acceleration(bodies[i.get()].place, bodies);
    }
}

pub(crate) struct Bodies {
    bodies: Vec<Body>,
    out: Vec<[f32; 3]>,
    device_bodies: DeviceBuffer<Body>,
    device_out: DeviceBuffer<[f32; 3]>,
}

impl super::Loop for Bodies {
    const NAME: &str = "n-body, 4096 bodies";

    fn new(stream: &Stream) -> Result<Self> {
        let at = |i: usize, factor: usize| (i * factor % 1009) as f32 / 1009.0;
        let bodies: Vec<Body> =
            (0..LEN).map(|i| Body { place: [at(i, 7), at(i, 31), at(i, 101)], mass: 1.0 + at(i, 13) }).collect();
        let out = vec![[0.0; 3]; LEN];
        let (device_bodies, device_out) =
            (DeviceBuffer::from_host(stream, &bodies)?, DeviceBuffer::from_host(stream, &out)?);
        Ok(Bodies { bodies, out, device_bodies, device_out })
    }

    fn offload(&mut self, stream: &Stream) -> Result<()> {
        accelerate.launch(stream, Grid::for_len(LEN, 64), (&self.device_bodies, &mut self.device_out))?;
        stream.synchronize()
    }

    fn rayon(&mut self) {
        let bodies = &self.bodies[..];
        let each = |(out, body): (&mut [f32; 3], &Body)| *out = acceleration(body.place, bodies);
        self.out.par_iter_mut().zip(bodies).for_each(each);
    }

    fn same(&self, stream: &Stream) -> Result<bool> {
        Ok(self.device_out.to_host_vec(stream)? == self.out)
    }
}
