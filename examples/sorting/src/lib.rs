//! A library of kernels for any type: it sorts buffers where they are, on the device. Which types those are is the
//! business of the program that calls it; its kernels are compiled for each when that program is linked.

use offload::{DeviceBuffer, DeviceCopy, Grid, RawSlice, Result, Stream, kernel, prelude::*, thread};

/// One step of a bitonic sort: each thread puts two values in order. The first step of a run meets its two halves in
/// the middle (`flip`), so that every step sorts upwards and any length will do.
#[kernel]
fn exchange<T: DeviceCopy + Ord>(values: RawSlice<T>, distance: usize, flip: bool) {
    let i = thread::index_1d().get();
    let low = i / distance * 2 * distance + i % distance;
    let high = if flip { low + 2 * (distance - i % distance) - 1 } else { low + distance };
    if high < values.len() {
        // SAFETY: every value belongs to one pair, a pair to one thread, and the launch holds the buffer.
        unsafe {
            let (a, b) = (values.get(low), values.get(high));
            if b < a {
                values.set(low, b);
                values.set(high, a);
            }
        }
    }
}

/// Sorts a buffer, in the order of its values.
///
/// # Errors
///
/// Errors of launches.
pub fn sort<T: DeviceCopy + Ord>(stream: &Stream, values: &mut DeviceBuffer<T>) -> Result<()> {
    let (raw, size) = (values.as_raw(), values.len().next_power_of_two());
    let step = |distance, flip| exchange::<T>.launch(stream, Grid::for_len(size / 2, 128), (raw, distance, flip));
    let halves = |from: usize| std::iter::successors(Some(from / 2), |d| Some(d / 2)).take_while(|d| *d > 0);
    for distance in std::iter::successors(Some(1), |d| Some(d * 2)).take_while(|d| *d < size) {
        step(distance, true)?;
        halves(distance).try_for_each(|distance| step(distance, false))?;
    }
    Ok(())
}
