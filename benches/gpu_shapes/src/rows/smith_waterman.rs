//! Scores of local alignments (Smith-Waterman): one block for each pair of sequences, one thread for each letter of the
//! first. The block goes over the anti-diagonals, with a barrier after each.

use offload::{DeviceBuffer, DisjointBlocks, Grid, Result, Stream, block, kernel, prelude::*, shared, thread};
use rayon::prelude::*;

use crate::numbers::Numbers;
use crate::row::{Results, Row};

const COUNT: usize = 256;
const FIRST: usize = 128;
const SECOND: usize = 256;
const SAME: i32 = 3;
const OTHER: i32 = -2;
const GAP: i32 = 2;

#[kernel(block_size(128, 1, 1))]
fn smith_waterman(first: &[u8], second: &[u8], mut scores: DisjointBlocks<i32>) {
    // The last column of each thread, of this anti-diagonal and of the previous one.
    shared! { static COLUMN: [i32; 2 * FIRST]; }
    let (thread, pair) = (thread::id::x() as usize, thread::block_id::x() as usize);
    let letter = first[pair * FIRST + thread];
    let other = &second[pair * SECOND..][..SECOND];
    let (mut left, mut corner, mut best) = (0, 0, 0);
    for diagonal in 0..FIRST + SECOND - 1 {
        let (now, before) = (diagonal % 2 * FIRST, (diagonal + 1) % 2 * FIRST);
        // SAFETY: each thread sets its own element of one half, and reads the other half, which the previous
        // anti-diagonal set before the barrier.
        unsafe {
            if thread <= diagonal && diagonal - thread < SECOND {
                let above = if thread > 0 { COLUMN.get(before + thread - 1) } else { 0 };
                let step = if letter == other[diagonal - thread] { SAME } else { OTHER };
                let score = (corner + step).max(above - GAP).max(left - GAP).max(0);
                COLUMN.set(now + thread, score);
                (left, corner) = (score, above);
                best = best.max(score);
            }
        }
        thread::sync_threads();
    }
    let best = block::reduce_max(best);
    if let Some(score) = block::leader().and_then(|leader| scores.get_mut(leader)) {
        *score = best;
    }
}

openmp! {
    fn openmp_smith_waterman(
        count: usize,
        first_len: usize,
        second_len: usize,
        first: *const u8,
        second: *const u8,
        scores: *mut i32,
    );
}

pub(crate) struct SmithWaterman {
    first: Vec<u8>,
    second: Vec<u8>,
    device_first: DeviceBuffer<u8>,
    device_second: DeviceBuffer<u8>,
    scores: Results<i32>,
}

impl Row for SmithWaterman {
    const NAME: &str = "Smith-Waterman, 256 pairs of 128 and 256";

    fn new(stream: &Stream) -> Result<Self> {
        let mut numbers = Numbers::new(33);
        let mut letters = |len: usize| -> Vec<u8> { (0..len).map(|_| b"ACGT"[numbers.below(4) as usize]).collect() };
        let (first, second) = (letters(COUNT * FIRST), letters(COUNT * SECOND));
        Ok(SmithWaterman {
            device_first: DeviceBuffer::from_host(stream, &first)?,
            device_second: DeviceBuffer::from_host(stream, &second)?,
            scores: Results::new(stream, COUNT)?,
            first,
            second,
        })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let grid = Grid::for_len(COUNT * FIRST, FIRST as u32);
        smith_waterman.launch(stream, grid, (&self.device_first, &self.device_second, &mut self.scores.kernel))
    }

    fn rayon(&mut self) {
        let pairs = self.first.par_chunks(FIRST).zip(self.second.par_chunks(SECOND));
        self.scores.rayon.par_iter_mut().zip(pairs).for_each(|(place, (first, second))| {
            let (mut row, mut best) = ([0; SECOND], 0);
            for letter in first {
                let (mut left, mut corner) = (0, 0);
                for (above, other) in row.iter_mut().zip(second) {
                    let step = if letter == other { SAME } else { OTHER };
                    let score = (corner + step).max(*above - GAP).max(left - GAP).max(0);
                    corner = std::mem::replace(above, score);
                    left = score;
                    best = best.max(score);
                }
            }
            *place = best;
        });
    }

    fn openmp(&mut self) {
        let (first, second, scores) = (self.first.as_ptr(), self.second.as_ptr(), self.scores.openmp.as_mut_ptr());
        // SAFETY: the arrays have these lengths.
        unsafe { openmp_smith_waterman(COUNT, FIRST, SECOND, first, second, scores) };
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        self.scores.difference(stream)
    }
}
