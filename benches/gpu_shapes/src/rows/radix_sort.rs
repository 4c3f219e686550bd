//! A radix sort with 4 bits at a time, as the libraries of GPUs do it. Each block counts the digits of a tile of keys,
//! one block makes places of the counts, and each block ranks the keys of its tile with counters of its threads and
//! scatters them.

use offload::atomic::AtomicOrdering::Relaxed;
use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, block, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::words;
use crate::row::{Results, Row};

const LEN: usize = 1 << 18;
const THREADS: usize = 128;
/// The number of keys of a thread.
const ITEMS: usize = 32;
const TILE: usize = THREADS * ITEMS;
const TILES: usize = LEN / TILE;
const BITS: u32 = 4;
const DIGITS: usize = 1 << BITS;
const COUNTERS: usize = DIGITS * THREADS;

fn digit(key: u32, shift: u32) -> usize {
    (key >> shift) as usize % DIGITS
}

/// The counts are ordered by digit first, so that their running sums are places.
#[kernel(block_size(128, 1, 1))]
fn count_digits(shift: u32, keys: &[u32], mut counts: DisjointSlice<u32>) {
    shared! { static COUNTS: [u32; DIGITS]; }
    let (thread, tile) = (thread::id::x() as usize, thread::block_id::x() as usize);
    // SAFETY: one thread sets each count; from the first barrier on, all use atomics. Each count belongs to one block.
    unsafe {
        if thread < DIGITS {
            COUNTS.set(thread, 0);
        }
        thread::sync_threads();
        let keys = &keys[tile * TILE..][..TILE];
        for item in 0..ITEMS {
            COUNTS.atomic(digit(keys[item * THREADS + thread], shift)).fetch_add(1, Relaxed);
        }
        thread::sync_threads();
        if thread < DIGITS {
            let place = thread * thread::grid_dim::x() as usize + tile;
            *counts.get_unchecked_mut(place) = COUNTS.get(thread);
        }
    }
}

/// One block replaces each count by the sum of those before it.
#[kernel(block_size(128, 1, 1))]
fn sum_counts(mut counts: DisjointSlice<u32>) {
    const OWN: usize = DIGITS * TILES / THREADS;
    let first = thread::id::x() as usize * OWN;
    // SAFETY: each count belongs to one thread.
    unsafe {
        let mut sum = 0u32;
        for place in first..first + OWN {
            sum = sum.wrapping_add(*counts.get_unchecked_mut(place));
        }
        let mut before = block::exclusive_scan(sum, 0, u32::wrapping_add);
        for place in first..first + OWN {
            let count = counts.get_unchecked_mut(place);
            (*count, before) = (before, before.wrapping_add(*count));
        }
    }
}

/// Each thread counts the digits of consecutive keys with its own counters. Their running sums, by digit first, are the
/// ranks of the keys in the tile.
#[kernel(block_size(128, 1, 1))]
fn scatter(shift: u32, keys: &[u32], places: &[u32], mut sorted: DisjointSlice<u32>) {
    shared! {
        static RANKS: [u32; COUNTERS];
        static FIRST: [u32; DIGITS];
    }
    let (thread, tile) = (thread::id::x() as usize, thread::block_id::x() as usize);
    let keys = &keys[tile * TILE + thread * ITEMS..][..ITEMS];
    let own = |key: u32| digit(key, shift) * THREADS + thread;
    // SAFETY: a thread has its own counters before the first barrier and after the last one, and the same number of
    // consecutive ones between them. Each key has a different place.
    unsafe {
        for digit in 0..DIGITS {
            RANKS.set(digit * THREADS + thread, 0);
        }
        for key in keys {
            RANKS.set(own(*key), RANKS.get(own(*key)) + 1);
        }
        thread::sync_threads();
        let mut sum = 0u32;
        for place in thread * DIGITS..(thread + 1) * DIGITS {
            sum = sum.wrapping_add(RANKS.get(place));
        }
        let mut before = block::exclusive_scan(sum, 0, u32::wrapping_add);
        for place in thread * DIGITS..(thread + 1) * DIGITS {
            let count = RANKS.get(place);
            RANKS.set(place, before);
            before = before.wrapping_add(count);
        }
        thread::sync_threads();
        if thread < DIGITS {
            let place = places[thread * thread::grid_dim::x() as usize + tile];
            FIRST.set(thread, place.wrapping_sub(RANKS.get(thread * THREADS)));
        }
        thread::sync_threads();
        for key in keys {
            let rank = RANKS.get(own(*key));
            RANKS.set(own(*key), rank + 1);
            let place = FIRST.get(digit(*key, shift)).wrapping_add(rank);
            *sorted.get_unchecked_mut(place as usize) = *key;
        }
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
            counts: DeviceBuffer::zeroed(stream, DIGITS * TILES)?,
            sorted: Results::new(stream, LEN)?,
            keys,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_len(TILES * THREADS, THREADS as u32);
        self.sorted.kernel.copy_from(stream, &self.device_keys)?;
        for shift in (0..u32::BITS).step_by(BITS as usize) {
            let from = &self.sorted.kernel;
            count_digits.launch(stream, grid, (shift, from, &mut self.counts))?;
            sum_counts.launch(stream, Grid::for_len(THREADS, THREADS as u32), (&mut self.counts,))?;
            scatter.launch(stream, grid, (shift, from, &self.counts, &mut self.device_spare))?;
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
