//! Bitonic sorts of 1024 numbers each: one block for each, in shared memory, with a barrier after each step.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::words;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

const N: usize = 1024;
const COUNT: usize = 1024;

#[kernel(block_size(512, 1, 1))]
fn bitonic(from: &[u32], mut to: DisjointSlice<u32>) {
    shared! { static KEYS: [u32; N]; }
    let (first, thread) = (thread::block_id::x() as usize * N, thread::id::x() as usize);
    // SAFETY: each pair of keys belongs to one thread in a step, and barriers separate the steps.
    unsafe {
        for i in [thread, thread + N / 2] {
            KEYS.set(i, from[first + i]);
        }
        thread::sync_threads();
        let mut size = 2;
        while size <= N {
            let mut distance = size / 2;
            while distance > 0 {
                let low = 2 * thread - thread % distance;
                let (a, b) = (KEYS.get(low), KEYS.get(low + distance));
                if (a > b) == (low & size == 0) {
                    KEYS.set(low, b);
                    KEYS.set(low + distance, a);
                }
                thread::sync_threads();
                distance /= 2;
            }
            size *= 2;
        }
        for i in [thread, thread + N / 2] {
            *to.get_unchecked_mut(first + i) = KEYS.get(i);
        }
    }
}

openmp! {
    fn openmp_bitonic(count: usize, n: usize, from: *const u32, to: *mut u32);
}

pub(crate) struct Bitonic {
    from: Vec<u32>,
    device_from: DeviceBuffer<u32>,
    to: Results<u32>,
}

impl Row for Bitonic {
    const NAME: &str = "bitonic sort, 1024 of 1024; rayon sort_unstable";

    fn new(stream: &Stream) -> Result<Self> {
        let from = words(28, COUNT * N);
        let device_from = DeviceBuffer::from_host(stream, &from)?;
        Ok(Bitonic { from, device_from, to: Results::new(stream, COUNT * N)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_len(COUNT * N / 2, N as u32 / 2);
        bitonic.launch(stream, grid, (&self.device_from, &mut self.to.kernel))
    }

    fn rayon(&mut self) {
        self.to.rayon.par_chunks_mut(N).zip(self.from.par_chunks(N)).for_each(|(to, from)| {
            to.copy_from_slice(from);
            to.sort_unstable();
        });
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length.
        unsafe { openmp_bitonic(COUNT, N, self.from.as_ptr(), self.to.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.to.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let arguments = vec![Argument::input(&self.from), Argument::output::<u32>(COUNT * N)];
        Some(Twin::rows("bitonic", [COUNT * N / 2, 1], (N as u32 / 2, 1), arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.to.twin_difference(twin)
    }
}
