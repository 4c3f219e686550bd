//! A histogram: each block counts into its own bins in shared memory with atomics, and adds them to the result.

use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
use offload::{DeviceBuffer, Grid, Result, Stream, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::Numbers;
use crate::opencl::{Argument, Prepared, Twin};
use crate::row::{Results, Row};

const LEN: usize = 1 << 23;
const BINS: usize = 256;
const BLOCKS: usize = 128;

#[kernel(block_size(256, 1, 1))]
fn histogram(bytes: &[u8], bins: &[DeviceAtomicU32]) {
    shared! { static COUNTS: [u32; BINS]; }
    let here = thread::id::x() as usize;
    // SAFETY: each thread sets its own bin; from the first barrier on, all threads use atomics.
    unsafe { COUNTS.set(here, 0) };
    let count = |bin| unsafe { COUNTS.atomic(bin) };
    thread::sync_threads();
    for i in thread::indices_1d(bytes.len()) {
        count(usize::from(bytes[i.get()])).fetch_add(1, Relaxed);
    }
    thread::sync_threads();
    bins[here].fetch_add(count(here).load(Relaxed), Relaxed);
}

openmp! {
    fn openmp_histogram(len: usize, bytes: *const u8, bins: *mut u32);
}

pub(crate) struct Histogram {
    bytes: Vec<u8>,
    device_bytes: DeviceBuffer<u8>,
    bins: Results<u32>,
}

impl Row for Histogram {
    const NAME: &str = "histogram, 8 Mi bytes, shared bins";

    fn new(stream: &Stream) -> Result<Self> {
        // Means of four numbers, most of which are near the middle.
        let mut numbers = Numbers::new(17);
        let bytes: Vec<u8> = (0..LEN).map(|_| ((0..4).map(|_| numbers.below(256)).sum::<u32>() / 4) as u8).collect();
        let device_bytes = DeviceBuffer::from_host(stream, &bytes)?;
        Ok(Histogram { bytes, device_bytes, bins: Results::new(stream, BINS)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        self.bins.kernel.set_zero(stream)?;
        let grid = Grid::for_len(BLOCKS * BINS, BINS as u32);
        histogram.launch(stream, grid, (&self.device_bytes, &mut self.bins.kernel))
    }

    fn rayon(&mut self) {
        let counts = self.bytes.par_chunks(1 << 16).map(|bytes| {
            let mut counts = [0; BINS];
            bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
            counts
        });
        let sum = |a: [u32; BINS], b: [u32; BINS]| std::array::from_fn(|bin| a[bin] + b[bin]);
        self.bins.rayon = counts.reduce(|| [0; BINS], sum).to_vec();
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have the length and 256 elements.
        unsafe { openmp_histogram(LEN, self.bytes.as_ptr(), self.bins.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.bins.difference(stream)
    }

    fn twin(&self) -> Option<Twin<'_>> {
        let arguments = vec![Argument::value(&LEN), Argument::input(&self.bytes), Argument::zeroed::<u32>(BINS)];
        Some(Twin::linear("histogram", BLOCKS * BINS, arguments))
    }

    fn twin_difference(&self, twin: &Prepared) -> f64 {
        self.bins.twin_difference(twin)
    }
}
