//! A parallel reduction, for any type and operation: each block folds its part in halves, in shared memory, and further
//! launches fold what the blocks gave until one value is left.

use offload::{
    Device, DeviceBuffer, DeviceCopy, DisjointSlice, Grid, Stream, Zeroable, kernel, prelude::*, shared, thread,
};

const BLOCK: usize = 256;

/// What is done with two values, in no particular order.
trait Operation<T>: 'static {
    const START: T;
    fn combine(a: T, b: T) -> T;
}

struct Sum;
impl Operation<u64> for Sum {
    const START: u64 = 0;
    fn combine(a: u64, b: u64) -> u64 {
        a + b
    }
}

struct Largest;
impl Operation<f32> for Largest {
    const START: f32 = f32::NEG_INFINITY;
    fn combine(a: f32, b: f32) -> f32 {
        a.max(b)
    }
}

#[kernel(launch_bounds(256))]
fn fold_blocks<T: DeviceCopy, O: Operation<T>>(values: &[T], mut folded: DisjointSlice<T>) {
    let (i, here) = (thread::index_1d().get(), thread::id::x() as usize);
    // SAFETY: the launch gives a place for each thread and an element of `folded` for each block, which its first thread
    // writes; a barrier stands between what is set and what another thread reads.
    unsafe {
        let tile = shared::dynamic::<T>(BLOCK);
        tile.set(here, values.get(i).copied().unwrap_or(O::START));
        let mut half = BLOCK / 2;
        while half > 0 {
            thread::sync_threads();
            if here < half {
                tile.set(here, O::combine(tile.get(here), tile.get(here + half)));
            }
            half /= 2;
        }
        if here == 0 {
            *folded.get_unchecked_mut(thread::block_id::x() as usize) = tile.get(0);
        }
    }
}

fn fold<T: Zeroable, O: Operation<T>>(stream: &Stream, mut values: DeviceBuffer<T>) -> offload::Result<T> {
    while values.len() > 1 {
        let grid = Grid::for_len(values.len(), BLOCK as u32).with_shared_bytes((BLOCK * size_of::<T>()) as u32);
        let mut folded = DeviceBuffer::zeroed(stream, grid.grid_dim.0 as usize)?;
        fold_blocks::<T, O>.launch(stream, grid, (&values, &mut folded))?;
        values = folded;
    }
    Ok(values.to_host_vec(stream)?.first().copied().unwrap_or(O::START))
}

fn main() -> offload::Result<()> {
    let numbers: Vec<u64> = (0..1_000_000).map(|i| i * i % 1009).collect();
    let waves: Vec<f32> = numbers.iter().map(|n| (*n as f32).sin()).collect();

    let device = Device::new()?;
    let stream = device.default_stream();
    let sum = fold::<u64, Sum>(&stream, DeviceBuffer::from_host(&stream, &numbers)?)?;
    let largest = fold::<f32, Largest>(&stream, DeviceBuffer::from_host(&stream, &waves)?)?;

    assert_eq!(sum, numbers.iter().sum());
    assert_eq!(largest, waves.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    println!("reduction: the sum is {sum}, the largest {largest} on {}", device.name());
    Ok(())
}
