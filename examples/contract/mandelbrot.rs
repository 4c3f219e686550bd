//! The Mandelbrot set, one thread per pixel on a two-dimensional grid, written as a PNG.
//!
//! Usage: `mandelbrot [WIDTH [HEIGHT [FILE]]]`; without FILE the image goes to the folder for
//! temporary files.

#[path = "common/offload.rs"]
mod offload;
#[path = "common/png.rs"]
mod png;

use offload::{argument, Device, Shape};

const LIMIT: u32 = 255;

/// How many turns z = z² + c stays small, at most `LIMIT`.
#[inline(always)]
fn escape_time(column: u32, row: u32, width: u32, height: u32) -> u8 {
    let (cx, cy) = (column as f32 / width as f32 * 3.0 - 2.0, row as f32 / height as f32 * 2.0 - 1.0);
    let (mut x, mut y, mut turns) = (0.0f32, 0.0f32, 0);
    while turns < LIMIT && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        turns += 1;
    }
    turns as u8
}

extern "C" fn mandelbrot(width: u32, height: u32, pixels: *mut u8) {
    let (column, row) = (offload::global_id_x(), offload::global_id_y());
    if column < width && row < height {
        let pixel = row as usize * width as usize + column as usize;
        unsafe { *pixels.add(pixel) = escape_time(column, row, width, height) }
    }
}

fn main() {
    let width = offload::number_argument(1, 600);
    let height = offload::number_argument(2, 400);
    let path = std::env::args_os()
        .nth(3)
        .map_or_else(|| std::env::temp_dir().join("mandelbrot.png"), std::path::PathBuf::from);

    let device = Device::open();
    let device_pixels = device.allocate::<u8>(width as usize * height as usize);
    device.launch(
        kernel!(mandelbrot),
        Shape { grid: [width.div_ceil(16), height.div_ceil(16), 1], block: [16, 16, 1], shared_bytes: 0 },
        &[argument(&width), argument(&height), argument(&device_pixels.as_mut_ptr())],
    );
    let pixels = device_pixels.read();

    // A device may fuse multiply and add, which moves single pixels of the border; one in 200 may differ.
    let differ = (0..height)
        .flat_map(|row| (0..width).map(move |column| (column, row)))
        .zip(&pixels)
        .filter(|((column, row), pixel)| escape_time(*column, *row, width, height) != **pixel)
        .count();
    if let Err(error) = std::fs::write(&path, png::encode_gray(width, height, &pixels)) {
        eprintln!("error: cannot write `{}`: {error}", path.display());
        std::process::exit(1);
    }
    let wrong = if differ * 200 > pixels.len() { differ } else { 0 };
    offload::verdict("mandelbrot", &format!("{width} x {height} pixels in {}", path.display()), wrong);
}
