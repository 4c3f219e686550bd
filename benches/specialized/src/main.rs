//! Kernels that are compiled again for the sizes in their launches. `benches/specialized.rs` runs this program with and
//! without variants.
//!
//! `specialized KERNEL LAUNCHES` launches a kernel so often after its first launch, and prints the median of the times
//! in milliseconds. The results are compared with those of the host.

use std::time::Instant;

use offload::{Device, DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};

/// The mean of the elements in a window around each element that is not at the border.
#[kernel(specialize(width, height, reach))]
fn smooth(width: u32, height: u32, reach: u32, from: &[f32], mut to: DisjointSlice<f32>) {
    let i = thread::index_1d();
    let Some(to) = to.get_mut(i) else { return };
    *to = smooth_one(width as usize, height as usize, reach as usize, from, i.get());
}

#[inline]
fn smooth_one(width: usize, height: usize, reach: usize, from: &[f32], i: usize) -> f32 {
    let (x, y) = (i % width, i / width);
    if x < reach || x + reach >= width || y < reach || y + reach >= height {
        return from[i];
    }
    let side = 2 * reach + 1;
    let mut sum = 0.0;
    for row in y - reach..=y + reach {
        for value in &from[row * width + x - reach..][..side] {
            sum += value;
        }
    }
    sum / (side * side) as f32
}

/// The heat that flows to each element from its four neighbours.
#[kernel(specialize(width, height))]
fn diffuse(width: u32, height: u32, from: &[f32], mut to: DisjointSlice<f32>) {
    let i = thread::index_1d();
    let Some(to) = to.get_mut(i) else { return };
    *to = diffuse_one(width as usize, height as usize, from, i.get());
}

#[inline]
fn diffuse_one(width: usize, height: usize, from: &[f32], i: usize) -> f32 {
    let (from, x, y) = (&from[..width * height], i % width, i / width);
    let inside = x > 0 && y > 0 && x + 1 < width && y + 1 < height;
    if inside { 0.2 * (from[i] + from[i - 1] + from[i + 1] + from[i - width] + from[i + width]) } else { from[i] }
}

/// Products of pairs of small matrices: each thread computes an element.
#[kernel(specialize(rows, inner, columns))]
fn multiply(rows: u32, inner: u32, columns: u32, a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    let i = thread::index_1d();
    let Some(c) = c.get_mut(i) else { return };
    *c = multiply_one([rows as usize, inner as usize, columns as usize], a, b, i.get());
}

#[inline]
fn multiply_one([rows, inner, columns]: [usize; 3], a: &[f32], b: &[f32], i: usize) -> f32 {
    let (pair, at) = (i / (rows * columns), i % (rows * columns));
    let (row, column) = (at / columns, at % columns);
    let a = &a[pair * rows * inner..][row * inner..][..inner];
    let b = &b[pair * inner * columns..][..inner * columns];
    (0..inner).map(|k| a[k] * b[k * columns + column]).sum()
}

const WIDTH: u32 = 640;
const HEIGHT: u32 = 240;
const REACH: u32 = 2;

fn floats(len: u32) -> Vec<f32> {
    (0..len).map(|i| (i * 31 % 1009) as f32 / 1009.0).collect()
}

/// Launches so often after a first time. Prints the median of the times.
fn measure(stream: &Stream, launches: usize, mut launch: impl FnMut() -> Result<()>) -> Result<()> {
    let mut times = Vec::new();
    for _ in 0..=launches {
        let start = Instant::now();
        launch()?;
        stream.synchronize()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    if let Some(median) = times.get(launches / 2) {
        println!("{median:.4}");
    }
    Ok(())
}

fn check(stream: &Stream, got: &DeviceBuffer<f32>, expected: impl Fn(usize) -> f32) -> Result<()> {
    let is_near = |(i, got): (usize, &f32)| (got - expected(i)).abs() < 1e-3;
    assert!(got.to_host_vec(stream)?.iter().enumerate().all(is_near), "the results are those of the host");
    Ok(())
}

fn stencil(stream: &Stream, launches: usize, is_window: bool) -> Result<()> {
    let (len, width, height) = ((WIDTH * HEIGHT) as usize, WIDTH as usize, HEIGHT as usize);
    let from_host = floats(WIDTH * HEIGHT);
    let (from, mut to) = (DeviceBuffer::from_host(stream, &from_host)?, DeviceBuffer::<f32>::zeroed(stream, len)?);
    let grid = Grid::for_len(len, 64);
    if is_window {
        measure(stream, launches, || smooth.launch(stream, grid, (WIDTH, HEIGHT, REACH, &from, &mut to)))?;
        return check(stream, &to, |i| smooth_one(width, height, REACH as usize, &from_host, i));
    }
    measure(stream, launches, || diffuse.launch(stream, grid, (WIDTH, HEIGHT, &from, &mut to)))?;
    check(stream, &to, |i| diffuse_one(width, height, &from_host, i))
}

/// So many products of matrices with these sides.
fn product(stream: &Stream, launches: usize, side: u32, pairs: u32) -> Result<()> {
    let len = side * side * pairs;
    let (a, b) = (floats(len), floats(len + 7).split_off(7));
    let (a_there, b_there) = (DeviceBuffer::from_host(stream, &a)?, DeviceBuffer::from_host(stream, &b)?);
    let mut c = DeviceBuffer::<f32>::zeroed(stream, len as usize)?;
    let grid = Grid::for_len(len as usize, 64);
    measure(stream, launches, || multiply.launch(stream, grid, (side, side, side, &a_there, &b_there, &mut c)))?;
    check(stream, &c, |i| multiply_one([side as usize; 3], &a, &b, i))
}

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let kernel = words.next().unwrap_or_default();
    let launches = words.next().and_then(|word| word.parse().ok()).unwrap_or(25);
    let stream = Device::new()?.default_stream();
    match kernel.as_str() {
        "window" => stencil(&stream, launches, true),
        "stencil" => stencil(&stream, launches, false),
        "large" => product(&stream, launches, 192, 1),
        _ => product(&stream, launches, 16, 256),
    }
}
