//! A radix sort with 4 bits at a time. Each block counts the digits of its 256 keys, a scan makes places of the counts,
//! and each block sorts its keys by the digit in shared memory and scatters them.

use offload::atomic::AtomicOrdering::Relaxed;
use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use super::scan::Levels;
use crate::numbers::words;
use crate::row::{Results, Row};

const LEN: usize = 1 << 18;
const BLOCK: usize = 256;
const BLOCKS: usize = LEN / BLOCK;
const BITS: u32 = 4;
const DIGITS: usize = 1 << BITS;

fn digit(key: u32, shift: u32) -> usize {
    (key >> shift) as usize % DIGITS
}

/// The counts are ordered by digit first, so that their running sums are places.
#[kernel(block_size(256, 1, 1))]
fn count_digits(shift: u32, keys: &[u32], mut counts: DisjointSlice<u32>) {
    shared! { static COUNTS: [u32; DIGITS]; }
    let thread = thread::id::x() as usize;
    // SAFETY: one thread sets each count; from the first barrier on, all use atomics.
    unsafe {
        if thread < DIGITS {
            COUNTS.set(thread, 0);
        }
        thread::sync_threads();
        COUNTS.atomic(digit(keys[thread::index_1d().get()], shift)).fetch_add(1, Relaxed);
        thread::sync_threads();
        if thread < DIGITS {
            let place = thread * thread::grid_dim::x() as usize + thread::block_id::x() as usize;
            *counts.get_unchecked_mut(place) = COUNTS.get(thread);
        }
    }
}

#[kernel(block_size(256, 1, 1))]
fn scatter(shift: u32, keys: &[u32], counts: &[u32], sums: &[u32], mut sorted: DisjointSlice<u32>) {
    shared! {
        static KEYS: [u32; BLOCK];
        static ZEROES: [u32; BLOCK];
        static STARTS: [u32; DIGITS];
    }
    let thread = thread::id::x() as usize;
    let mut key = keys[thread::index_1d().get()];
    // SAFETY: each thread sets its own elements; barriers separate the writes from the reads.
    unsafe {
        // Keys whose bit is 0 move to the front, in their order, and the others to the back.
        for bit in shift..shift + BITS {
            let zero = 1 - (key >> bit & 1);
            let mut before = zero;
            ZEROES.set(thread, before);
            thread::sync_threads();
            let mut distance = 1;
            while distance < BLOCK {
                let other = if thread >= distance { ZEROES.get(thread - distance) } else { 0 };
                thread::sync_threads();
                before += other;
                ZEROES.set(thread, before);
                thread::sync_threads();
                distance *= 2;
            }
            let zeroes = ZEROES.get(BLOCK - 1) as usize;
            let place = if zero == 1 { before as usize - 1 } else { zeroes + thread - before as usize };
            KEYS.set(place, key);
            thread::sync_threads();
            key = KEYS.get(thread);
            thread::sync_threads();
        }
        let own = digit(key, shift);
        if thread == 0 || digit(KEYS.get(thread - 1), shift) != own {
            STARTS.set(own, thread as u32);
        }
        thread::sync_threads();
        let count = own * thread::grid_dim::x() as usize + thread::block_id::x() as usize;
        let place = sums[count] - counts[count] + thread as u32 - STARTS.get(own);
        *sorted.get_unchecked_mut(place as usize) = key;
    }
}

openmp! {
    fn openmp_radix_sort(len: usize, keys: *const u32, spare: *mut u32, sorted: *mut u32);
}

pub(crate) struct RadixSort {
    keys: Vec<u32>,
    spare: Vec<u32>,
    device_keys: DeviceBuffer<u32>,
    device_spare: DeviceBuffer<u32>,
    counts: DeviceBuffer<u32>,
    sums: DeviceBuffer<u32>,
    levels: Levels,
    sorted: Results<u32>,
}

impl Row for RadixSort {
    const NAME: &str = "radix sort, 256 Ki u32; rayon par_sort_unstable";

    fn new(stream: &Stream) -> Result<Self> {
        let keys = words(34, LEN);
        Ok(RadixSort {
            spare: vec![0; LEN],
            device_keys: DeviceBuffer::from_host(stream, &keys)?,
            device_spare: DeviceBuffer::zeroed(stream, LEN)?,
            counts: DeviceBuffer::zeroed(stream, DIGITS * BLOCKS)?,
            sums: DeviceBuffer::zeroed(stream, DIGITS * BLOCKS)?,
            levels: Levels::new(stream, DIGITS * BLOCKS)?,
            sorted: Results::new(stream, LEN)?,
            keys,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_len(LEN, BLOCK as u32);
        self.sorted.kernel.copy_from(stream, &self.device_keys)?;
        for shift in (0..u32::BITS).step_by(BITS as usize) {
            let from = &self.sorted.kernel;
            count_digits.launch(stream, grid, (shift, from, &mut self.counts))?;
            self.levels.scan(stream, &self.counts, &mut self.sums)?;
            scatter.launch(stream, grid, (shift, from, &self.counts, &self.sums, &mut self.device_spare))?;
            std::mem::swap(&mut self.sorted.kernel, &mut self.device_spare);
        }
        Ok(())
    }

    fn rayon(&mut self) {
        self.sorted.rayon.copy_from_slice(&self.keys);
        self.sorted.rayon.par_sort_unstable();
    }

    fn openmp(&mut self) {
        let (keys, spare, sorted) = (self.keys.as_ptr(), self.spare.as_mut_ptr(), self.sorted.openmp.as_mut_ptr());
        // SAFETY: the arrays have this length.
        unsafe { openmp_radix_sort(LEN, keys, spare, sorted) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.sorted.difference(stream)
    }
}
