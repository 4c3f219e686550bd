//! Sizes and numbers that overflow. Each attempt names the promise that it attacks, and whether it was broken once.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::ops::{Bound, RangeBounds};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

use offload::{
    DeviceBuffer, DisjointChunks, DisjointLayers, DisjointRows, DisjointSlice, Grid, Result, Stream, kernel,
    prelude::*, thread,
};

/// Bounds that are others each time that they are asked for.
struct Liar(Cell<usize>, [usize; 4]);

impl Liar {
    fn next(&self) -> &usize {
        let asked = self.0.replace(self.0.get() + 1);
        &self.1[asked.min(3)]
    }
}

impl RangeBounds<usize> for Liar {
    fn start_bound(&self) -> Bound<&usize> {
        Bound::Included(self.next())
    }

    fn end_bound(&self) -> Bound<&usize> {
        Bound::Excluded(self.next())
    }
}

#[kernel]
fn of_rows(mut rows: DisjointRows<u32>) {
    if let Some((element, _)) = rows.get_mut_indexed() {
        *element += 1;
    }
}

#[kernel]
fn of_layers(mut layers: DisjointLayers<u32>) {
    if let Some((element, _)) = layers.get_mut_indexed() {
        *element += 1;
    }
}

#[kernel]
fn of_chunks<const N: usize>(mut chunks: DisjointChunks<u32, N>) {
    if let Some((chunk, _)) = chunks.get_mut_indexed() {
        chunk.iter_mut().for_each(|element| *element += 1);
    }
}

#[kernel]
fn count_units(mut units: DisjointSlice<()>, mut counts: DisjointSlice<u32>) {
    let own = units.get_mut(thread::index_1d()).is_some();
    if let Some(count) = counts.get_mut(thread::index_1d()) {
        *count = own.into();
    }
}

#[kernel]
fn last_ones(bytes: &[AtomicU8], halves: &[AtomicU16]) {
    bytes[bytes.len() - 1].fetch_add(1, Ordering::Relaxed);
    halves[halves.len() - 1].fetch_add(1, Ordering::Relaxed);
}

#[kernel]
fn successors(numbers: &[Option<NonZeroU32>], mut out: DisjointSlice<Option<NonZeroU32>>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = numbers[i].map_or(NonZeroU32::new(1), |number| number.checked_add(1));
    }
}

/// Whether a call panics, which it does without a message.
fn panics<R>(call: impl FnOnce() -> R) -> bool {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(call));
    std::panic::set_hook(hook);
    result.is_err()
}

const HUGE: [usize; 6] = [1 << 31, 1 << 32, (1 << 33) + 1, 1 << 62, 1 << 63, usize::MAX];

/// All of it.
pub fn check(stream: &Stream) -> Result<()> {
    // Promise: each element of a slice has a thread. It broke: the number of blocks saturated.
    let grid = Grid::for_len(1 << 32, 1);
    let mut out = [0; 4];
    assert!(count_units.launch(stream, grid, (&mut DeviceBuffer::zeroed(stream, 1 << 32)?, &mut out)).is_err());
    assert!(panics(|| thread_count(grid)));

    // Promise: no two threads have the same element of rows and layers, however long these are.
    let grid = Grid::new((2, 2, 2), (4, 4, 4));
    for columns in HUGE {
        let mut values = DeviceBuffer::<u32>::zeroed(stream, 100)?;
        of_rows.launch(stream, grid, (values.rows(columns),))?;
        for rows in HUGE.into_iter().chain([1, 3]) {
            of_layers.launch(stream, grid, (values.layers(columns, rows),))?;
            of_layers.launch(stream, grid, (values.layers(rows, columns),))?;
        }
        assert_eq!(values.to_host_vec(stream)?, [0; 100]);
    }

    // Promise: chunks lie in their slice: of more elements than it has, and of none.
    let mut values = DeviceBuffer::<u32>::zeroed(stream, 100)?;
    of_chunks::<{ 1 << 40 }>.launch(stream, Grid::for_len(64, 64), (&mut values,))?;
    let _ = of_chunks::<0>.launch(stream, Grid::for_len(64, 64), (&mut values,));
    assert_eq!(values.to_host_vec(stream)?, [0; 100]);

    // Promise: a part lies in its buffer, even if its bounds are others the second time.
    assert!(values.part(Liar(Cell::new(0), [0, 10, 1000, 1000])).len() <= 100);
    assert!(panics(|| values.part_mut(Liar(Cell::new(0), [5, 3, 0, 1000])).len()));
    assert!(panics(|| values.part(0..=usize::MAX).len()));
    assert!(panics(|| values.part((Bound::Excluded(usize::MAX), Bound::Unbounded)).len()));
    assert!(panics(|| values.split_at_mut(usize::MAX).0.len()));

    // Promise: a length in other elements is as long as the memory.
    let units = DeviceBuffer::<()>::zeroed(stream, usize::MAX)?;
    assert!(units.into_arrays::<2>().is_err());
    let arrays = DeviceBuffer::<[(); 1 << 40]>::zeroed(stream, 1 << 40)?;
    assert!(panics(|| arrays.into_flattened().len()));
    for len in [1 << 62, usize::MAX / 4 + 2, usize::MAX] {
        assert!(DeviceBuffer::<u32>::zeroed(stream, len).is_err());
    }

    // Promise: a safe atomic stays in its memory. It broke on GPUs: an atomic of 8 or 16 bits changes 32 bits.
    for len in [1, 3, 5, 7] {
        let (mut bytes, mut halves) = (DeviceBuffer::zeroed(stream, len)?, DeviceBuffer::zeroed(stream, len)?);
        last_ones.launch(stream, Grid::for_len(64, 64), (&mut bytes, &mut halves))?;
        assert_eq!((bytes.to_host_vec(stream)?[len - 1], halves.to_host_vec(stream)?[len - 1]), (64, 64));
    }

    // Promise: no number that cannot be 0 is 0: zeros are `None`, and a device makes none.
    let none = DeviceBuffer::<Option<NonZeroU32>>::zeroed(stream, 3)?;
    let mut out = [NonZeroU32::new(u32::MAX); 3];
    successors.launch(stream, Grid::for_len(3, 32), (&none, &mut out))?;
    assert_eq!(out, [NonZeroU32::new(1); 3]);
    let most = [NonZeroU32::new(u32::MAX); 3];
    successors.launch(stream, Grid::for_len(3, 32), (&most, &mut out))?;
    assert_eq!(out, [None; 3]);
    Ok(())
}

/// The threads of a launch on the host.
fn thread_count(grid: Grid) -> u32 {
    let count = std::sync::atomic::AtomicU32::new(0);
    offload::run_on_host(grid, || {
        let _ = count.fetch_add(1, Ordering::Relaxed);
    });
    count.into_inner()
}
