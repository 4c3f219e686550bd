//! Iterations of each point until it leaves the circle: loops that end at different times.

use offload::{DeviceBuffer, DisjointRows, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

const WIDTH: usize = 1024;
const HEIGHT: usize = 768;
const MOST: u32 = 256;

/// The same function on both sides.
#[inline]
fn iterations(x: usize, y: usize) -> u32 {
    let (re, im) = (x as f32 * (3.0 / WIDTH as f32) - 2.25, y as f32 * (2.25 / HEIGHT as f32) - 1.125);
    let (mut a, mut b, mut count) = (0.0f32, 0.0f32, 0);
    while count < MOST && a * a + b * b <= 4.0 {
        (a, b) = (a * a - b * b + re, 2.0 * a * b + im);
        count += 1;
    }
    count
}

#[kernel]
fn mandelbrot(mut image: DisjointRows<u32>) {
    let at = thread::index_2d();
    if let Some(pixel) = image.get_mut(at) {
        *pixel = iterations(at.x(), at.y());
    }
}

pub(crate) struct Mandelbrot {
    image: Vec<u32>,
    device_image: DeviceBuffer<u32>,
}

impl super::Loop for Mandelbrot {
    const NAME: &str = "Mandelbrot, 1024 x 768";

    fn new(stream: &Stream) -> Result<Self> {
        let image = vec![0; WIDTH * HEIGHT];
        let device_image = DeviceBuffer::from_host(stream, &image)?;
        Ok(Mandelbrot { image, device_image })
    }

    fn offload(&mut self, stream: &Stream) -> Result<()> {
        mandelbrot.launch(stream, Grid::for_rows(WIDTH, HEIGHT, (64, 4)), (self.device_image.rows(WIDTH),))?;
        stream.synchronize()
    }

    fn rayon(&mut self) {
        let each = |(y, row): (usize, &mut [u32])| {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = iterations(x, y);
            }
        };
        self.image.par_chunks_mut(WIDTH).enumerate().for_each(each);
    }

    fn same(&self, stream: &Stream) -> Result<bool> {
        Ok(self.device_image.to_host_vec(stream)? == self.image)
    }
}
