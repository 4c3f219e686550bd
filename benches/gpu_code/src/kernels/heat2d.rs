//! One step of the heat equation in two dimensions. The edge does not change.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, Stream, kernel, prelude::*, thread};

use crate::numbers::{difference, floats};
use crate::twins;

#[kernel]
fn heat2d(width: usize, height: usize, rate: f32, from: &[f32], mut to: DisjointRows<f32>) {
    let at = thread::index_2d();
    let (x, y) = (at.x(), at.y());
    let Some(to) = to.get_mut(at) else { return };
    let i = y * width + x;
    if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
        *to = from[i];
        return;
    }
    let here = from[i];
    *to = here + rate * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] - 4.0 * here);
}

pub(crate) fn check(stream: &Stream) -> Result<(f32, f32)> {
    let (width, height, rate) = (70, 50, 0.1);
    let from = floats(5, width * height);
    let device = DeviceBuffer::from_host(stream, &from)?;
    let mut to = DeviceBuffer::<f32>::zeroed(stream, from.len())?;
    let grid = Grid::for_rows(width, height, (32, 8));
    if !twins::launch(stream, "heat2d", grid, &[&width, &height, &rate, &device, &to]) {
        heat2d.launch(stream, grid, (width, height, rate, &device, to.rows(width)))?;
    }
    let mut wanted = from.clone();
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let (i, at) = (y * width + x, |i: usize| from[i]);
            wanted[i] = at(i) + rate * (at(i - 1) + at(i + 1) + at(i - width) + at(i + width) - 4.0 * at(i));
        }
    }
    Ok((difference(&to.to_host_vec(stream)?, &wanted), 0.0))
}
