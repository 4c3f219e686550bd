//! A parallel reduction, for any type and operation: each block folds its part, and further launches fold the results
//! of the blocks until one value is left.

use offload::warp::WarpValue;
use offload::{Device, DeviceBuffer, DisjointBlocks, Grid, Stream, Zeroable, block, kernel, prelude::*, thread};

/// An operation on two values, in no particular order.
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
fn fold_blocks<T: WarpValue, O: Operation<T>>(values: &[T], mut folded: DisjointBlocks<T>) {
    let own = values.get(thread::index_1d().get()).copied().unwrap_or(O::START);
    let all = block::reduce(own, O::combine);
    if let Some(folded) = block::leader().and_then(|leader| folded.get_mut(leader)) {
        *folded = all;
    }
}

fn fold<T: WarpValue + Zeroable, O: Operation<T>>(stream: &Stream, mut values: DeviceBuffer<T>) -> offload::Result<T> {
    while values.len() > 1 {
        let grid = Grid::for_len(values.len(), 256);
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
