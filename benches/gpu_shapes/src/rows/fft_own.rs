//! Fourier transforms of 8, 16 and 64 complex numbers: one thread for each, in a private array.

use std::f64::consts::TAU;

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::row::{Results, Row};

/// The number of all points.
const POINTS: usize = 1 << 20;
const BLOCK: usize = 128;

type Complex = [f32; 2];

/// The transform, by the roots of unity; the same function on both sides.
#[inline]
fn transformed<const N: usize>(from: &[Complex; N], roots: &[Complex]) -> [Complex; N] {
    let mut points = [[0.0; 2]; N];
    for i in 0..N {
        points[i] = from[(i as u32).reverse_bits() as usize >> (32 - N.ilog2())];
    }
    let mut half = 1;
    while half < N {
        for i in 0..N / 2 {
            let place = i % half;
            let low = 2 * i - place;
            let (a, b, w) = (points[low], points[low + half], roots[place * (N / 2 / half)]);
            let turned = [b[0] * w[0] - b[1] * w[1], b[0] * w[1] + b[1] * w[0]];
            points[low] = [a[0] + turned[0], a[1] + turned[1]];
            points[low + half] = [a[0] - turned[0], a[1] - turned[1]];
        }
        half *= 2;
    }
    points
}

pub(crate) struct Own<const N: usize> {
    from: Vec<Complex>,
    roots: Vec<Complex>,
    device_from: DeviceBuffer<Complex>,
    device_roots: DeviceBuffer<Complex>,
    to: Results<Complex>,
}

impl<const N: usize> Own<N> {
    fn new(stream: &Stream) -> Result<Self> {
        let from: Vec<Complex> = floats(37, 2 * POINTS).as_chunks().0.to_vec();
        let angle = |i: usize| -TAU * i as f64 / N as f64;
        let roots: Vec<Complex> = (0..N / 2).map(|i| [angle(i).cos() as f32, angle(i).sin() as f32]).collect();
        Ok(Own {
            device_from: DeviceBuffer::from_host(stream, &from)?,
            device_roots: DeviceBuffer::from_host(stream, &roots)?,
            to: Results::new(stream, POINTS)?,
            from,
            roots,
        })
    }

    fn rayon(&mut self) {
        let roots = &self.roots[..];
        let from = self.from.as_chunks::<N>().0;
        self.to.rayon.as_chunks_mut::<N>().0.par_iter_mut().zip(from).for_each(|(to, from)| {
            *to = transformed(from, roots);
        });
    }
}

macro_rules! rows {
    ($($n:literal $kernel:ident $openmp:ident $name:literal;)*) => { $(
        #[kernel(block_size(128, 1, 1))]
        fn $kernel(from: &[Complex], roots: &[Complex], mut to: DisjointSlice<Complex>) {
            let first = (thread::block_id::x() as usize * BLOCK + thread::id::x() as usize) * $n;
            let points = transformed::<$n>(from[first..][..$n].as_chunks().0.first().expect("all points"), roots);
            for (i, point) in points.into_iter().enumerate() {
                // SAFETY: the grid has a thread for each transform, which sets its own points.
                unsafe { *to.get_unchecked_mut(first + i) = point };
            }
        }

        openmp! {
            fn $openmp(count: usize, from: *const Complex, roots: *const Complex, to: *mut Complex);
        }

        impl Row for Own<$n> {
            const NAME: &str = $name;

            fn new(stream: &Stream) -> Result<Self> {
                Own::new(stream)
            }

            fn kernel(&mut self, stream: &Stream) -> Result<()> {
                let grid = Grid::for_len(POINTS / $n, BLOCK as u32);
                $kernel.launch(stream, grid, (&self.device_from, &self.device_roots, &mut self.to.kernel))
            }

            fn rayon(&mut self) {
                self.rayon();
            }

            fn openmp(&mut self) {
                let (from, roots, to) = (self.from.as_ptr(), self.roots.as_ptr(), self.to.openmp.as_mut_ptr());
                // SAFETY: these numbers are the lengths of the arrays.
                unsafe { $openmp(POINTS / $n, from, roots, to) };
            }

            fn difference(&self, stream: &Stream) -> Result<f64> {
                self.to.difference(stream)
            }
        }
    )* };
}
rows! {
    8 fft_8 openmp_fft_8 "FFT of 8 for each thread, 128 Ki";
    16 fft_16 openmp_fft_16 "FFT of 16 for each thread, 64 Ki";
    64 fft_64 openmp_fft_64 "FFT of 64 for each thread, 16 Ki";
}
