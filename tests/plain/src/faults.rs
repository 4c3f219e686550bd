//! Kernels that panic, and launches that are refused. The texts of the panics are the same on every device.

use offload::{DeviceBuffer, DisjointSlice, Error, Grid, Result, Stream, kernel, prelude::*, thread, warp};

#[kernel]
fn divides(by: u32, mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = 100 / (by - i.get() as u32 % 64);
    }
}

#[kernel]
fn says(limit: usize) {
    let i = thread::index_1d().get();
    // The other threads wait when one panics.
    if i == limit {
        panic!("the limit");
    }
    thread::sync_threads();
}

/// Lanes of a mask that have returned, or for which the block has no thread, are not waited for.
#[kernel]
fn returned(count: usize, mut out: DisjointSlice<[u64; 3]>) {
    let (i, lane) = (thread::index_1d(), warp::lane_id());
    if i.get() >= count || lane == 5 {
        return;
    }
    let votes = warp::ballot_sync(warp::ALL_LANES, true);
    let all = warp::all_sync(warp::ALL_LANES, lane != 5);
    let other = warp::shuffle_xor_sync(warp::ALL_LANES, 100 + u64::from(lane), 1);
    if let Some(out) = out.get_mut(i) {
        *out = [votes, all.into(), other];
    }
}

#[kernel]
fn not_in_mask(_: u32) {
    let _ = warp::ballot_sync(0xff, true);
}

#[kernel(launch_bounds(64))]
fn bounded(_: u32) {}

fn show(result: Result<()>) {
    match result {
        Ok(()) => println!("it ran"),
        Err(Error::Panicked(text)) => println!("panicked: {text}"),
        Err(Error::Invalid(text)) => println!("invalid: {text}"),
        Err(other) => println!("another error: {other}"),
    }
}

pub fn check(stream: &Stream) -> Result<()> {
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 128)?;
    let all = |threads: u32| Grid::for_len(threads as usize, threads);
    show(divides.launch(stream, all(128), (7, &mut out)).and_then(|()| stream.synchronize()));
    // The memory can still be read. The writes of the neighbours of the thread that panicked are not determined.
    println!("{}", out.to_host_vec(stream)?.len());
    show(says.launch(stream, Grid::for_len(256, 64), (130,)).and_then(|()| stream.synchronize()));
    let mut lanes = DeviceBuffer::<[u64; 3]>::zeroed(stream, 45)?;
    show(returned.launch(stream, all(45), (40, &mut lanes)).and_then(|()| stream.synchronize()));
    println!("{:?}", lanes.to_host_vec(stream)?);
    show(not_in_mask.launch(stream, all(32), (0,)).and_then(|()| stream.synchronize()));
    show(bounded.launch(stream, all(65), (0,)));
    show(bounded.launch(stream, all(64), (0,)));
    show(bounded.launch(stream, Grid { block_dim: (2048, 1, 1), ..all(1) }, (0,)));
    show(bounded.launch(stream, Grid { grid_dim: (1, 0, 1), ..all(1) }, (0,)));
    Ok(())
}

/// Who takes part here is only known to offloadc.
fn votes() -> u64 {
    warp::ballot(true)
}

#[kernel]
fn in_a_function(mut out: DisjointSlice<u64>) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = votes();
    }
}

#[kernel]
fn in_a_closure(mut out: DisjointSlice<u64>) {
    let vote = || warp::ballot(true);
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = vote();
    }
}

/// Its operation has the place of its call.
#[track_caller]
fn votes_at_the_call() -> u64 {
    warp::ballot(true)
}

#[kernel]
fn by_its_caller(mut out: DisjointSlice<u64>) {
    let here = warp::ballot(true);
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = votes_at_the_call() + here;
    }
}

pub fn undecided(stream: &Stream) -> Result<()> {
    let mut out = DeviceBuffer::<u64>::zeroed(stream, 32)?;
    show(in_a_function.launch(stream, Grid::for_len(32, 32), (&mut out,)));
    show(in_a_closure.launch(stream, Grid::for_len(32, 32), (&mut out,)));
    show(by_its_caller.launch(stream, Grid::for_len(32, 32), (&mut out,)));
    // One lane is alone.
    show(in_a_function.launch(stream, Grid::for_len(1, 1), (&mut out,)));
    println!("{:?}", &out.to_host_vec(stream)?[..2]);
    Ok(())
}
