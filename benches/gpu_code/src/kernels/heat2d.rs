//! One step of the heat equation in two dimensions. The edge does not change.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, kernel, prelude::*, thread};

use crate::numbers::{difference, floats};
use crate::run::Run;
use crate::twins::Argument;

#[kernel]
fn heat2d(rate: f32, from: &[f32], mut to: DisjointRows<f32>) {
    let at = thread::index_2d();
    let (x, y, width, height) = (at.x(), at.y(), to.columns(), to.rows());
    let Some(to) = to.get_mut(at) else { return };
    let i = y * width + x;
    if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
        *to = from[i];
        return;
    }
    let here = from[i];
    *to = here + rate * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width] - 4.0 * here);
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let rate = 0.1;
    let (width, height) = run.size((70, 50), (8192, 8192));
    let from = floats(5, width * height);
    let device = DeviceBuffer::from_host(run.stream(), &from)?;
    let mut to = DeviceBuffer::<f32>::zeroed(run.stream(), from.len())?;
    let grid = Grid::for_rows(width, height, (32, 8));
    let arguments = &[width.bits(), height.bits(), rate.bits(), device.bits(), to.bits()];
    if !run.launch(grid, arguments, || heat2d.launch(run.stream(), grid, (rate, &device, to.rows(width))))? {
        return Ok((0.0, 0.0));
    }
    let mut wanted = from.clone();
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let (i, at) = (y * width + x, |i: usize| from[i]);
            wanted[i] = at(i) + rate * (at(i - 1) + at(i + 1) + at(i - width) + at(i + width) - 4.0 * at(i));
        }
    }
    Ok((difference(&to.to_host_vec(run.stream())?, &wanted), 0.0))
}
