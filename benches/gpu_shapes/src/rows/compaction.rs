//! Each warp moves the values that it keeps to the front: a ballot tells each lane how many are before its own.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread, warp};
use rayon::prelude::*;

use crate::numbers::words;
use crate::row::{Results, Row};

const LEN: usize = 1 << 22;

fn is_kept(value: u32) -> bool {
    !value.is_multiple_of(4)
}

#[kernel(block_size(256, 1, 1))]
fn compact(values: &[u32], mut kept: DisjointSlice<u32>, mut counts: DisjointSlice<u32>) {
    let (i, lane) = (thread::index_1d().get(), warp::lane_id());
    let value = values.get(i).copied().unwrap_or(0);
    let there = warp::ballot(is_kept(value));
    let place = i - lane as usize + (there & ((1 << lane) - 1)).count_ones() as usize;
    if is_kept(value) && place < kept.len() {
        // SAFETY: the element exists, and each lane of the warp has a different place.
        unsafe { *kept.get_unchecked_mut(place) = value };
    }
    if lane == 0 && i / 32 < counts.len() {
        // SAFETY: as above; one lane of the warp stores it.
        unsafe { *counts.get_unchecked_mut(i / 32) = there.count_ones() };
    }
}

openmp! {
    fn openmp_compact(len: usize, values: *const u32, kept: *mut u32, counts: *mut u32);
}

pub(crate) struct Compaction {
    values: Vec<u32>,
    device_values: DeviceBuffer<u32>,
    kept: Results<u32>,
    counts: Results<u32>,
}

impl Row for Compaction {
    const NAME: &str = "compaction by ballot, 4 Mi u32";

    fn new(stream: &Stream) -> Result<Self> {
        let values = words(32, LEN);
        let device_values = DeviceBuffer::from_host(stream, &values)?;
        let (kept, counts) = (Results::new(stream, LEN)?, Results::new(stream, LEN / 32)?);
        Ok(Compaction { values, device_values, kept, counts })
    }

    fn kernel(&mut self, stream: &Stream) -> Result<()> {
        let arguments = (&self.device_values, &mut self.kept.kernel, &mut self.counts.kernel);
        compact.launch(stream, Grid::for_len(LEN, 256), arguments)
    }

    fn rayon(&mut self) {
        let places = self.kept.rayon.par_chunks_exact_mut(32).zip(&mut self.counts.rayon);
        let parts = places.zip(self.values.par_chunks_exact(32)).with_min_len(1024);
        parts.for_each(|((kept, count), values)| {
            let mut next = 0;
            for value in values.iter().filter(|value| is_kept(**value)) {
                kept[next] = *value;
                next += 1;
            }
            *count = next as u32;
        });
    }

    fn openmp(&mut self) {
        // SAFETY: the arrays have this length, and a 32nd of it.
        unsafe {
            let (kept, counts) = (self.kept.openmp.as_mut_ptr(), self.counts.openmp.as_mut_ptr());
            openmp_compact(LEN, self.values.as_ptr(), kept, counts);
        }
    }

    fn difference(&self, stream: &Stream) -> Result<f64> {
        Ok(self.kept.difference(stream)?.max(self.counts.difference(stream)?))
    }
}
