//! A matrix product in tiles: the threads of a block fetch a tile of each matrix into shared memory together, and read
//! each element there sixteen times.

use offload::{Device, DeviceBuffer, DisjointRows, Grid, kernel, prelude::*, shared, thread};

const TILE: usize = 16;

#[kernel(block_size(16, 16, 1))]
fn matmul(n: usize, a: &[f32], b: &[f32], mut c: DisjointRows<f32>) {
    shared! {
        static A: [f32; TILE * TILE];
        static B: [f32; TILE * TILE];
    }
    let at = thread::index_2d();
    let (x, y) = (thread::id::x() as usize, thread::id::y() as usize);
    let mut sum = 0.0;
    for first in (0..n).step_by(TILE) {
        let (column, row) = (first + x, first + y);
        // SAFETY: each thread sets a different element; barriers stand between the writes and the reads.
        unsafe {
            A.set(y * TILE + x, if at.y() < n && column < n { a[at.y() * n + column] } else { 0.0 });
            B.set(y * TILE + x, if row < n && at.x() < n { b[row * n + at.x()] } else { 0.0 });
            thread::sync_threads();
            for k in 0..TILE {
                sum += A.get(y * TILE + k) * B.get(k * TILE + x);
            }
            thread::sync_threads();
        }
    }
    if let Some(c) = c.get_mut(at) {
        *c = sum;
    }
}

fn main() -> offload::Result<()> {
    let n = std::env::args().nth(1).map_or(500, |n| n.parse().expect("the size is a number"));
    let matrix = |seed: usize| -> Vec<f32> { (0..n * n).map(|i| (i * seed % 101 % 8) as f32).collect() };
    let (host_a, host_b) = (matrix(7), matrix(13));

    let device = Device::new()?;
    let stream = device.default_stream();
    let a = DeviceBuffer::from_host(&stream, &host_a)?;
    let b = DeviceBuffer::from_host(&stream, &host_b)?;
    let mut c = DeviceBuffer::zeroed(&stream, n * n)?;
    matmul.launch(&stream, Grid::for_rows(n, n, (16, 16)), (n, &a, &b, c.rows(n)))?;
    let c = c.to_host_vec(&stream)?;

    // A·(B·v) = C·v takes n² steps to check, and all of these numbers are exact.
    let times = |m: &[f32], v: &[f64]| -> Vec<f64> {
        m.chunks(n).map(|row| row.iter().zip(v).map(|(m, v)| f64::from(*m) * v).sum()).collect()
    };
    let v: Vec<f64> = (0..n).map(|i| (i * i % 17) as f64).collect();
    assert_eq!(times(&c, &v), times(&host_a, &times(&host_b, &v)));
    println!("matmul: {n} x {n} on {}", device.name());
    Ok(())
}
