//! The Mandelbrot set: the number of iterations of each pixel.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, kernel, prelude::*, thread};

use crate::numbers::unequal;
use crate::run::Run;
use crate::twins::Argument;

#[kernel]
fn mandelbrot(left: f32, top: f32, step: f32, limit: u32, mut out: DisjointRows<u32>) {
    let at = thread::index_2d();
    if let Some(out) = out.get_mut(at) {
        *out = iterations(left + at.x() as u32 as f32 * step, top + at.y() as u32 as f32 * step, limit);
    }
}

fn iterations(re: f32, im: f32, limit: u32) -> u32 {
    let (mut a, mut b, mut count) = (0f32, 0f32, 0);
    while count < limit && a * a + b * b < 4.0 {
        (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
        count += 1;
    }
    count
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let (width, height, step, limit) = run.size((75, 50, 0.04, 100), (6144, 4096, 0.000_488_281_25, 100));
    let mut out = DeviceBuffer::<u32>::zeroed(run.stream(), width * height)?;
    let grid = Grid::for_rows(width, height, (16, 16));
    let arguments =
        &[width.bits(), height.bits(), (-2.0_f32).bits(), (-1.0_f32).bits(), step.bits(), limit.bits(), out.bits()];
    if !run
        .launch(grid, arguments, || mandelbrot.launch(run.stream(), grid, (-2.0, -1.0, step, limit, out.rows(width))))?
    {
        return Ok((0.0, 0.0));
    }
    let at = |i: usize| iterations((i % width) as f32 * step - 2.0, (i / width) as f32 * step - 1.0, limit);
    let wanted: Vec<u32> = (0..width * height).map(at).collect();
    Ok((unequal(&out.to_host_vec(run.stream())?, &wanted), 0.0))
}
