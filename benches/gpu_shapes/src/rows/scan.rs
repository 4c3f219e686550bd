//! Running sums: blocks of 256 in shared memory, then the blocks' sums in the same way, which are added at the end.

use offload::{DeviceBuffer, DisjointBlocks, DisjointSlice, Grid, Result, Stream};
use offload::{block, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::words;
use crate::row::{Results, Row};

const LEN: usize = 1 << 22;
const BLOCK: usize = 256;

#[kernel(block_size(256, 1, 1))]
fn scan_blocks(values: &[u32], mut sums: DisjointSlice<u32>, mut totals: DisjointBlocks<u32>) {
    shared! { static SUMS: [u32; BLOCK]; }
    let (i, thread) = (thread::index_1d(), thread::id::x() as usize);
    let mut own = values.get(i.get()).copied().unwrap_or(0);
    // SAFETY: each thread sets its own element; barriers separate the writes from the reads.
    unsafe {
        SUMS.set(thread, own);
        thread::sync_threads();
        let mut distance = 1;
        while distance < BLOCK {
            let other = if thread >= distance { SUMS.get(thread - distance) } else { 0 };
            thread::sync_threads();
            own = own.wrapping_add(other);
            SUMS.set(thread, own);
            thread::sync_threads();
            distance *= 2;
        }
        if let Some(sum) = sums.get_mut(i) {
            *sum = own;
        }
        if let Some(total) = block::leader().and_then(|leader| totals.get_mut(leader)) {
            *total = SUMS.get(BLOCK - 1);
        }
    }
}

#[kernel(block_size(256, 1, 1))]
fn add_totals(totals: &[u32], mut sums: DisjointSlice<u32>) {
    let block = thread::block_id::x() as usize;
    if block > 0
        && let Some((sum, _)) = sums.get_mut_indexed()
    {
        *sum = sum.wrapping_add(totals[block - 1]);
    }
}

/// The sums of blocks, and the sums of blocks of these, until there is one block.
struct Levels(Vec<[DeviceBuffer<u32>; 2]>);

impl Levels {
    fn new(stream: &Stream, mut len: usize) -> Result<Self> {
        let mut levels = Vec::new();
        while len > BLOCK {
            len = len.div_ceil(BLOCK);
            levels.push([DeviceBuffer::zeroed(stream, len)?, DeviceBuffer::zeroed(stream, len)?]);
        }
        levels.push([DeviceBuffer::zeroed(stream, 1)?, DeviceBuffer::zeroed(stream, 1)?]);
        Ok(Levels(levels))
    }

    /// Sets each of `sums` to the sum of the values up to it.
    fn scan(&mut self, stream: &Stream, values: &DeviceBuffer<u32>, sums: &mut DeviceBuffer<u32>) -> Result<()> {
        scan_level(stream, values, sums, &mut self.0)
    }
}

fn scan_level(
    stream: &Stream,
    values: &DeviceBuffer<u32>,
    sums: &mut DeviceBuffer<u32>,
    levels: &mut [[DeviceBuffer<u32>; 2]],
) -> Result<()> {
    let grid = Grid::for_len(values.len(), BLOCK as u32);
    let ([totals, total_sums], rest) = levels.split_first_mut().expect("a level for each number of blocks");
    scan_blocks.launch(stream, grid, (values, &mut *sums, &mut *totals))?;
    if rest.is_empty() {
        return Ok(());
    }
    scan_level(stream, totals, total_sums, rest)?;
    add_totals.launch(stream, grid, (&*total_sums, sums))
}

openmp! {
    fn openmp_scan(len: usize, values: *const u32, sums: *mut u32);
}

pub(crate) struct Scan {
    values: Vec<u32>,
    device_values: DeviceBuffer<u32>,
    levels: Levels,
    sums: Results<u32>,
}

impl Row for Scan {
    const NAME: &str = "scan, 4 Mi u32, blocks in shared memory";

    fn new(stream: &Stream) -> Result<Self> {
        let values = words(27, LEN);
        let device_values = DeviceBuffer::from_host(stream, &values)?;
        Ok(Scan { values, device_values, levels: Levels::new(stream, LEN)?, sums: Results::new(stream, LEN)? })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        self.levels.scan(stream, &self.device_values, &mut self.sums.kernel)
    }

    fn rayon(&mut self) {
        const CHUNK: usize = 1 << 16;
        let sum = |values: &[u32]| values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
        let mut starts: Vec<u32> = self.values.par_chunks(CHUNK).map(sum).collect();
        let mut before = 0u32;
        for start in &mut starts {
            (*start, before) = (before, before.wrapping_add(*start));
        }
        let chunks = self.sums.rayon.par_chunks_mut(CHUNK).zip(self.values.par_chunks(CHUNK)).zip(starts);
        chunks.for_each(|((sums, values), mut own)| {
            for (sum, value) in sums.iter_mut().zip(values) {
                own = own.wrapping_add(*value);
                *sum = own;
            }
        });
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length.
        unsafe { openmp_scan(LEN, self.values.as_ptr(), self.sums.openmp.as_mut_ptr()) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.sums.difference(stream)
    }
}
