//! Kernels as README.md and the manual write them, each beside the same kernel without bounds checks. A test counts
//! the cost of the checks.

use offload::{Device, DeviceBuffer, DisjointRows, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

/// The rows, and the columns, which are the threads of a block.
const SHAPE: (usize, usize) = (4, 64);

/// Two kernels that differ in how they read slices.
macro_rules! both {
    ($checked:ident, $unchecked:ident, $at:ident, ($($parameter:tt)*), $body:block) => {
        #[kernel]
        fn $checked($($parameter)*) {
            macro_rules! $at {
                ($slice:ident, $index:expr) => {
                    $slice[$index]
                };
            }
            $body
        }
        #[kernel]
        fn $unchecked($($parameter)*) {
            macro_rules! $at {
                ($slice:ident, $index:expr) => {
                    // SAFETY: all launches are in bounds.
                    unsafe { *$slice.get_unchecked($index) }
                };
            }
            $body
        }
    };
}

both!(saxpy, saxpy_unchecked, at, (a: f32, x: &[f32], mut y: DisjointSlice<f32>), {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y += a * at!(x, i.get());
    }
});

both!(sum, sum_unchecked, at, (x: &[f32], y: &[f32], mut z: DisjointSlice<f32>), {
    let i = thread::index_1d();
    if let Some(z) = z.get_mut(i) {
        *z = at!(x, i.get()) + at!(y, i.get());
    }
});

both!(neighbours, neighbours_unchecked, at, (x: &[f32], mut z: DisjointSlice<f32>), {
    let i = thread::index_1d();
    if let Some(z) = z.get_mut(i) {
        *z = at!(x, i.get()) + at!(x, i.get() + 1);
    }
});

both!(gather, gather_unchecked, at, (places: &[u32], x: &[f32], mut z: DisjointSlice<f32>), {
    let i = thread::index_1d();
    if let Some(z) = z.get_mut(i) {
        let place = at!(places, i.get()) as usize;
        *z = at!(x, place);
    }
});

both!(rows, rows_unchecked, at, (width: usize, x: &[f32], mut z: DisjointRows<f32>), {
    let place = thread::index_2d();
    if let Some(z) = z.get_mut(place) {
        *z = at!(x, place.y() * width + place.x());
    }
});

both!(turned, turned_unchecked, at, (height: usize, x: &[f32], mut z: DisjointRows<f32>), {
    let place = thread::index_2d();
    if let Some(z) = z.get_mut(place) {
        *z = at!(x, place.x() * height + place.y());
    }
});

/// Launches all kernels. No thread is out of bounds.
pub fn launch_all(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let (height, width) = SHAPE;
    let count = height * width;
    let x = DeviceBuffer::from_host(&stream, &vec![1.0; count + 1])?;
    let places = DeviceBuffer::from_host(&stream, &vec![1; count])?;
    let mut z = DeviceBuffer::from_host(&stream, &vec![2.0; count])?;
    let (line, plane) = (Grid::for_len(count, width as u32), Grid::for_rows(width, height, (width as u32, 1)));
    saxpy.launch(&stream, line, (3.0, &x, &mut z))?;
    saxpy_unchecked.launch(&stream, line, (3.0, &x, &mut z))?;
    sum.launch(&stream, line, (&x, &x, &mut z))?;
    sum_unchecked.launch(&stream, line, (&x, &x, &mut z))?;
    neighbours.launch(&stream, line, (&x, &mut z))?;
    neighbours_unchecked.launch(&stream, line, (&x, &mut z))?;
    gather.launch(&stream, line, (&places, &x, &mut z))?;
    gather_unchecked.launch(&stream, line, (&places, &x, &mut z))?;
    rows.launch(&stream, plane, (width, &x, z.rows(width)))?;
    rows_unchecked.launch(&stream, plane, (width, &x, z.rows(width)))?;
    turned.launch(&stream, plane, (height, &x, z.rows(width)))?;
    turned_unchecked.launch(&stream, plane, (height, &x, z.rows(width)))?;
    stream.synchronize()
}
