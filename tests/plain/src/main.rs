//! The results of kernels on the processor, printed: `tests/projects/plain.rs` compares those of plain cargo and of
//! offloadc.

mod faults;
mod rule;

use std::sync::atomic::Ordering::Relaxed;

use offload::atomic::scope;
use offload::{
    Device, DeviceBuffer, DisjointSlice, Grid, RawSlice, Result, Stream, block, device_static, kernel, prelude::*,
    shared, thread,
};

device_static! {
    static WEIGHTS: [u32; 4] = [1, 10, 100, 1000];
}

/// Blocks that run at the same time have separate shared memory; a launch has 64 blocks.
#[kernel]
fn reverse(mut values: DisjointSlice<u32>) {
    shared! { static TILE: [u32; 128]; }
    let (here, i) = (thread::id::x() as usize, thread::index_1d());
    // SAFETY: each thread sets one element, and a barrier is between the writes and the reads.
    unsafe {
        let sums = shared::dynamic::<u32>(1);
        if here == 0 {
            sums.set(0, 0);
        }
        thread::sync_threads();
        let _ = sums.atomic::<scope::Block>(0).fetch_add(WEIGHTS.get(here % 4), Relaxed);
        TILE.set(here, i.get() as u32);
        thread::sync_threads();
        if let Some(value) = values.get_mut(i) {
            *value = TILE.get(127 - here) + sums.get(0);
        }
    }
}

/// Barriers in a loop, and sums whose order of additions is that of the device.
#[kernel]
fn rounds(counts: RawSlice<u32>, mut sums: DisjointSlice<f32>) {
    let i = thread::index_1d();
    let mut sum = 0.0;
    for round in 0..3 {
        // SAFETY: the count is only changed atomically.
        let _ = unsafe { counts.atomic::<scope::Device>(round) }.fetch_add(1, Relaxed);
        sum += block::reduce_sum(i.get() as f32 * 0.1);
    }
    if let Some(place) = sums.get_mut(i) {
        *place = sum;
    }
}

/// Each thread has its place in three dimensions.
#[kernel]
fn places(to: RawSlice<[u32; 3]>) {
    let (id, dim) = ([thread::id::x(), thread::id::y(), thread::id::z()], thread::block_dim::x());
    let rank = block::thread_rank() + block::num_threads() * thread::block_id::y();
    // SAFETY: each thread has its own rank.
    unsafe { to.set(rank as usize, [id[0] + dim * id[1], id[2], thread::grid_dim::y()]) }
}

/// The values of the threads before this one, and those of all.
#[kernel]
fn before(mut sums: DisjointSlice<[u32; 3]>) {
    let i = thread::index_1d();
    let own = i.get() as u32 % 7;
    let sum = [block::exclusive_scan(own, 100, |a, b| a + b), block::reduce_max(own), block::reduce(1, |a, b| a + b)];
    if let Some(place) = sums.get_mut(i) {
        *place = sum;
    }
}

fn check(stream: &Stream) -> Result<()> {
    // SAFETY: nothing runs.
    unsafe { WEIGHTS.copy_from_host(stream, &[2, 20, 200, 2000])? };
    println!("weights: {:?} here, {:?} there", WEIGHTS.load(), WEIGHTS.to_host(stream)?);
    let mut values = DeviceBuffer::<u32>::zeroed(stream, 64 * 128)?;
    reverse.launch(stream, Grid::for_len(64 * 128, 128).with_shared_bytes(4), (&mut values,))?;
    let values = values.to_host_vec(stream)?;
    println!("reversed: {:?} {}", &values[126..130], values.iter().map(|value| u64::from(*value)).sum::<u64>());
    let (counts, mut sums) = (DeviceBuffer::<u32>::zeroed(stream, 3)?, DeviceBuffer::<f32>::zeroed(stream, 192)?);
    rounds.launch(stream, Grid::for_len(192, 96), (counts.as_raw(), &mut sums))?;
    println!("rounds: {:?} {:?}", counts.to_host_vec(stream)?, &sums.to_host_vec(stream)?[94..98]);
    let mut sums = DeviceBuffer::<[u32; 3]>::zeroed(stream, 80)?;
    before.launch(stream, Grid::for_len(80, 40), (&mut sums,))?;
    println!("before: {:?}", sums.to_host_vec(stream)?);
    let to = DeviceBuffer::<[u32; 3]>::zeroed(stream, 48)?;
    let grid = Grid { grid_dim: (1, 2, 1), block_dim: (4, 3, 2), ..Grid::for_len(1, 1) };
    places.launch(stream, grid, (to.as_raw(),))?;
    println!("places: {:?}", to.to_host_vec(stream)?);
    Ok(())
}

fn main() -> Result<()> {
    let device = Device::new()?;
    let stream = device.default_stream();
    if std::env::args().len() > 1 {
        return faults::undecided(&stream);
    }
    check(&stream)?;
    rule::check(&stream)?;
    faults::check(&stream)?;
    let limits = device.limits()?;
    println!("{} {} {:?} {:?}", device.name(), device.product(), limits.block_dim, limits.warp_lanes);
    Ok(())
}
