//! The Mandelbrot set as a PNG: `mandelbrot [FILE]`. A thread for each pixel of a two-dimensional grid gives it the
//! mean colour of four points, each coloured by how soon it escapes.

use std::{env, error::Error, fs::File, io::BufWriter, path::PathBuf};

use offload::{Device, DeviceBuffer, DeviceCopy, DisjointRows, Grid, kernel, prelude::*, thread};

/// The part of the plane in the picture: its middle, and the width of a pixel.
#[derive(Clone, Copy, DeviceCopy)]
struct View {
    x: f32,
    y: f32,
    pixel: f32,
}

/// How often z = z² + c can be taken until z is far away, with a fraction; none for a point that stays.
fn escape_time(cx: f32, cy: f32) -> Option<f32> {
    let (mut x, mut y) = (0.0, 0.0);
    for turn in 0..500 {
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        let distance = x * x + y * y;
        if distance > 1e4 {
            return Some(turn as f32 - (distance.log2() / 13.3).log2());
        }
    }
    None
}

/// A colour from a palette without end: each component is a separate wave.
fn colour(time: f32) -> [f32; 3] {
    let turn = (time + 1.0).ln() * 0.55;
    [0.80, 0.90, 1.05].map(|start| 0.5 - 0.5 * (core::f32::consts::TAU * (turn - start)).cos())
}

#[kernel]
fn mandelbrot(view: View, mut image: DisjointRows<[u8; 3]>) {
    let at = thread::index_2d();
    let (columns, rows) = (image.columns() as f32, image.rows() as f32);
    let Some(pixel) = image.get_mut(at) else { return };
    let mut sum = [0.0; 3];
    for point in 0..4 {
        let (dx, dy) = ((point % 2) as f32 / 2.0, (point / 2) as f32 / 2.0);
        let cx = view.x + (at.x() as f32 + dx - columns / 2.0) * view.pixel;
        let cy = view.y + (at.y() as f32 + dy - rows / 2.0) * view.pixel;
        let colour = escape_time(cx, cy).map_or([0.0; 3], colour);
        sum = core::array::from_fn(|i| sum[i] + colour[i]);
    }
    *pixel = sum.map(|part| (part / 4.0 * 255.0) as u8);
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).map_or(env::current_exe()?.with_extension("png"), PathBuf::from);
    let (width, height) = (1200, 800);
    let view = View { x: -0.7436, y: 0.1318, pixel: 6e-6 };

    let device = Device::new()?;
    let stream = device.default_stream();
    let mut image = DeviceBuffer::<[u8; 3]>::zeroed(&stream, width * height)?;
    mandelbrot.launch(&stream, Grid::for_rows(width, height, (16, 16)), (view, image.rows(width)))?;
    let image = image.to_host_vec(&stream)?;

    let mut png = png::Encoder::new(BufWriter::new(File::create(&path)?), width as u32, height as u32);
    png.set_color(png::ColorType::Rgb);
    png.write_header()?.write_image_data(image.as_flattened())?;
    println!("mandelbrot: {} on {}", path.display(), device.name());
    Ok(())
}
