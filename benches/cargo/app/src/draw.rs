//! The Mandelbrot set, by a kernel or by a loop of the host. `make bench-cargo` changes this file.

/// The steps until a point leaves the circle.
fn steps(re: f32, im: f32, most: u32) -> u32 {
    let (mut x, mut y) = (0.0f32, 0.0f32);
    for step in 0..most {
        if x * x + y * y > 4.0 {
            return step;
        }
        (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
    }
    most
}

fn point(pixel: u32, width: u32, height: u32) -> (f32, f32) {
    let (column, row) = ((pixel % width) as f32, (pixel / width) as f32);
    (column / width as f32 * 3.0 - 2.0, row / height as f32 * 2.0 - 1.0)
}

#[cfg(feature = "kernels")]
mod kernel {
    use offload::{DisjointSlice, kernel, thread};

    #[kernel]
    pub fn picture(width: u32, height: u32, most: u32, mut out: DisjointSlice<u32>) {
        let i = thread::index_1d();
        if let Some(out) = out.get_mut(i) {
            let (re, im) = super::point(i.get() as u32, width, height);
            *out = super::steps(re, im, most);
        }
    }
}

/// The steps of all pixels.
#[cfg(feature = "kernels")]
pub fn draw(width: u32, height: u32, most: u32) -> offload::Result<Vec<u32>> {
    use offload::{Device, Grid, prelude::*};

    let stream = Device::new()?.default_stream();
    let mut out = vec![0; (width * height) as usize];
    let grid = Grid::for_len(out.len(), 256);
    kernel::picture.launch(&stream, grid, (width, height, most, &mut out[..]))?;
    Ok(out)
}

/// The steps of all pixels.
#[cfg(not(feature = "kernels"))]
pub fn draw(width: u32, height: u32, most: u32) -> Result<Vec<u32>, std::convert::Infallible> {
    use rayon::prelude::*;

    let of = |pixel: u32| {
        let (re, im) = point(pixel, width, height);
        steps(re, im, most)
    };
    Ok((0..width * height).into_par_iter().map(of).collect())
}
