//! Fourier transforms of 512 complex numbers: one block for each, in shared memory, with a barrier after each stage.

use std::f64::consts::TAU;

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::floats;
use crate::row::{Results, Row};

const N: usize = 512;
const STAGES: u32 = N.ilog2();
const COUNT: usize = 2048;

type Complex = [f32; 2];

/// The sum, and the difference, of `a` and `b` times the root `w`.
#[inline]
fn butterfly(a: Complex, b: Complex, w: Complex) -> (Complex, Complex) {
    let turned = [b[0] * w[0] - b[1] * w[1], b[0] * w[1] + b[1] * w[0]];
    ([a[0] + turned[0], a[1] + turned[1]], [a[0] - turned[0], a[1] - turned[1]])
}

/// `i` with its bits in reverse order.
#[inline]
fn reversed(i: usize) -> usize {
    (i as u32).reverse_bits() as usize >> (32 - STAGES)
}

#[kernel(block_size(256, 1, 1))]
fn fft(from: &[Complex], roots: &[Complex], mut to: DisjointSlice<Complex>) {
    shared! { static POINTS: [Complex; N]; }
    let (first, thread) = (thread::block_id::x() as usize * N, thread::id::x() as usize);
    // SAFETY: each thread sets its own elements in each stage, and a barrier separates the stages.
    unsafe {
        for i in [thread, thread + N / 2] {
            POINTS.set(i, from[first + reversed(i)]);
        }
        thread::sync_threads();
        for stage in 0..STAGES {
            let half = 1 << stage;
            let place = thread % half;
            let i = (thread - place) * 2 + place;
            let root = roots[place * (N / 2 / half)];
            let (a, b) = butterfly(POINTS.get(i), POINTS.get(i + half), root);
            POINTS.set(i, a);
            POINTS.set(i + half, b);
            thread::sync_threads();
        }
        for i in [thread, thread + N / 2] {
            *to.get_unchecked_mut(first + i) = POINTS.get(i);
        }
    }
}

openmp! {
    fn openmp_fft(count: usize, n: usize, from: *const Complex, roots: *const Complex, to: *mut Complex);
}

pub(crate) struct Fft {
    from: Vec<Complex>,
    roots: Vec<Complex>,
    device_from: DeviceBuffer<Complex>,
    device_roots: DeviceBuffer<Complex>,
    to: Results<Complex>,
}

impl Row for Fft {
    const NAME: &str = "FFT in shared memory, 2048 of 512";

    fn new(stream: &Stream) -> Result<Self> {
        let from: Vec<Complex> = floats(11, 2 * COUNT * N).as_chunks().0.to_vec();
        let angle = |i: usize| -TAU * i as f64 / N as f64;
        let roots: Vec<Complex> = (0..N / 2).map(|i| [angle(i).cos() as f32, angle(i).sin() as f32]).collect();
        Ok(Fft {
            device_from: DeviceBuffer::from_host(stream, &from)?,
            device_roots: DeviceBuffer::from_host(stream, &roots)?,
            to: Results::new(stream, COUNT * N)?,
            from,
            roots,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_len(COUNT * N / 2, N as u32 / 2);
        fft.launch(stream, grid, (&self.device_from, &self.device_roots, &mut self.to.kernel))
    }

    fn rayon(&mut self) {
        let roots = &self.roots[..];
        self.to.rayon.par_chunks_mut(N).zip(self.from.par_chunks(N)).for_each(|(to, from)| {
            for (i, to) in to.iter_mut().enumerate() {
                *to = from[reversed(i)];
            }
            for stage in 0..STAGES {
                let half = 1 << stage;
                for group in to.chunks_mut(2 * half) {
                    let (low, high) = group.split_at_mut(half);
                    let roots = roots.iter().step_by(N / 2 / half);
                    for ((a, b), root) in low.iter_mut().zip(high).zip(roots) {
                        (*a, *b) = butterfly(*a, *b, *root);
                    }
                }
            }
        });
    }

    fn openmp(&mut self) {
        let (from, roots, to) = (self.from.as_ptr(), self.roots.as_ptr(), self.to.openmp.as_mut_ptr());
        // SAFETY: these numbers are the lengths of the arrays.
        unsafe { openmp_fft(COUNT, N, from, roots, to) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.to.difference(stream)
    }
}
