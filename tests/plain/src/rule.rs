//! The examples of `docs/contract.md` for who takes part in operations of a warp, in kernels.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread, warp};

fn bits(mask: u64) -> u32 {
    mask.count_ones()
}

/// Examples 1 to 6.
#[kernel]
fn branches(mut out: DisjointSlice<[u32; 6]>) {
    let lane = warp::lane_id();
    let Some(out) = out.get_mut(thread::index_1d()) else { return };
    out[0] = warp::ballot(lane.is_multiple_of(2)) as u32;
    if lane < 8 {
        out[1] = warp::ballot(true) as u32;
    }
    let first = if lane < 8 { warp::any(lane == 7) as u32 } else { 0 };
    out[2] = first + bits(warp::ballot(true));
    if lane < 16 && lane.is_multiple_of(2) {
        out[3] = warp::ballot(true) as u32;
    }
    out[4] = if lane < 4 { warp::ballot(true) as u32 } else { warp::any(lane == 3) as u32 };
    if lane >= 10 {
        return;
    }
    let last = warp::ballot(true);
    out[5] = last as u32;
}

/// Examples 7 to 10.
#[kernel]
fn loops(rounds: u32, mut out: DisjointSlice<[u32; 4]>) {
    let lane = warp::lane_id();
    let Some(out) = out.get_mut(thread::index_1d()) else { return };
    let mut round = 0;
    while round < lane % 4 {
        let count = bits(warp::ballot(true));
        out[0] += count;
        round += 1;
    }
    for round in 0..rounds {
        if lane % 4 != round {
            let count = bits(warp::ballot(true));
            out[1] += count;
        }
    }
    for round in 0..rounds {
        let there = bits(warp::ballot(true));
        out[2] = there;
        if lane % 4 == round {
            break;
        }
    }
    let (mut round, mut product) = (0, 1);
    while round < lane % 4 && warp::any(product < 9) {
        product *= 3;
        round += 1;
    }
    let after = warp::ballot(product > 0);
    out[3] = after as u32;
}

/// Example 11, with labels, a `loop`, and loops in a loop that lanes leave at different times.
#[kernel]
fn nested(rounds: u32, mut out: DisjointSlice<[u32; 2]>) {
    let lane = warp::lane_id();
    let Some(out) = out.get_mut(thread::index_1d()) else { return };
    for _ in 0..rounds / 2 {
        let mut inner = 0;
        while inner < lane % 2 + 1 {
            let count = bits(warp::ballot(true));
            out[0] += count;
            inner += 1;
        }
    }
    let mut round = 0;
    'outer: loop {
        round += 1;
        for inner in 0..3 {
            if (lane + inner) % 5 == round {
                continue 'outer;
            }
            let sum = warp::reduce_sync(warp::active_mask(), lane, |a, b| a + b);
            out[1] = out[1].wrapping_mul(31).wrapping_add(sum);
        }
        if round > lane % 3 {
            break 'outer;
        }
    }
}

/// Examples 13 to 16: operations with a mask, which functions may contain.
#[kernel]
fn masks(rounds: u32, mut out: DisjointSlice<[u32; 4]>) {
    fn an_iteration_later(lane: u32, rounds: u32) -> u32 {
        let mut sum = 0;
        for round in 0..rounds + 1 {
            if round.wrapping_sub(lane / 16) < rounds {
                sum += warp::shuffle_sync(0xffff_ffff, round, lane ^ 16);
            }
        }
        sum
    }
    let lane = warp::lane_id();
    let Some(out) = out.get_mut(thread::index_1d()) else { return };
    let row = 0xff << (lane & 24);
    out[0] = warp::ballot_sync(row, lane.is_multiple_of(2)) as u32;
    out[1] =
        if lane < 4 { warp::ballot_sync(0xf, true) } else { warp::ballot_sync(0xffff_fff0, lane.is_multiple_of(2)) }
            as u32;
    out[2] = warp::shuffle_sync(row, 100 + lane, 8);
    out[3] = an_iteration_later(lane, rounds);
}

fn show<const N: usize>(name: &str, stream: &Stream, values: &DeviceBuffer<[u32; N]>) -> Result<()> {
    for (lane, value) in values.to_host_vec(stream)?.iter().enumerate() {
        println!("{name} {lane}: {value:x?}");
    }
    Ok(())
}

pub fn check(stream: &Stream) -> Result<()> {
    // The last warp has 8 lanes, as in example 12.
    let grid = Grid::for_len(40, 40);
    let mut out = DeviceBuffer::zeroed(stream, 40)?;
    branches.launch(stream, grid, (&mut out,))?;
    show("branches", stream, &out)?;
    let mut out = DeviceBuffer::zeroed(stream, 40)?;
    loops.launch(stream, grid, (4, &mut out))?;
    show("loops", stream, &out)?;
    let mut out = DeviceBuffer::zeroed(stream, 40)?;
    nested.launch(stream, grid, (4, &mut out))?;
    show("nested", stream, &out)?;
    let mut out = DeviceBuffer::zeroed(stream, 32)?;
    masks.launch(stream, Grid::for_len(32, 32), (4, &mut out))?;
    show("masks", stream, &out)
}
