//! What the lanes of a warp give each other, of every type.

use std::ops::Add;

use offload::warp::{self, WarpNumber, WarpValue};
use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};

/// Sum, least and greatest over the lanes of `start + lane * step`; then that of the next lane, and of lane 1 or 0.
#[kernel]
fn lanes<T: WarpNumber + Add<Output = T> + PartialEq>(start: T, step: T, mut same: DisjointSlice<[bool; 5]>) {
    let (lane, count) = (warp::lane_id(), warp::lane_count());
    let of = |lane: u32| (0..lane).fold(start, |value, _| value + step);
    let (own, last) = (of(lane), of(count - 1));
    let expected = (1..count).fold(start, |sum, lane| sum + of(lane));
    let all = [
        warp::reduce_sum(own) == expected,
        warp::reduce_min(own) == start,
        warp::reduce_max(own) == last,
        warp::shuffle_down(own, 1) == of((lane + 1).min(count - 1)),
        warp::shuffle(own, 1 % count) == of(1 % count),
    ];
    if let Some(same) = same.get_mut(thread::index_1d()) {
        *same = all;
    }
}

/// A value goes up to the next lane and down again, and there and back across the warp.
#[kernel]
fn there_and_back<T: WarpValue + PartialEq>(even: T, odd: T, mut same: DisjointSlice<bool>) {
    let (lane, count) = (warp::lane_id(), warp::lane_count());
    let own = if lane % 2 == 0 { even } else { odd };
    let from_below = warp::shuffle_up(own, 1);
    let across = warp::shuffle_xor(own, count / 2);
    let expected = if lane == 0 || lane % 2 == 1 { even } else { odd };
    let right = from_below == expected && (across == own || count == 2);
    if let Some(same) = same.get_mut(thread::index_1d()) {
        *same = right && warp::popc(lane % 2 == 0) == count.div_ceil(2);
    }
}

/// Launches both with every type.
pub fn check(stream: &Stream) -> Result<()> {
    numbers::<i32>(stream, -40, 3)?;
    numbers::<u64>(stream, 1 << 40, (1 << 33) + 1)?;
    numbers::<i64>(stream, -(1 << 40), (1 << 33) + 1)?;
    numbers::<f32>(stream, -8.5, 0.25)?;
    numbers::<f64>(stream, -1e12, 0.125)?;
    values(stream, true, false)?;
    values(stream, 'ö', '\u{1f600}')?;
    values(stream, i16::MIN, i16::MAX)
}

fn numbers<T: WarpNumber + Add<Output = T> + PartialEq>(stream: &Stream, start: T, step: T) -> Result<()> {
    let mut same = DeviceBuffer::from_host(stream, &[[false; 5]; 64])?;
    lanes::<T>.launch(stream, Grid::for_len(64, 64), (start, step, &mut same))?;
    let same = same.to_host_vec(stream)?;
    assert!(same.iter().all(|all| *all == [true; 5]), "{}: {same:?}", std::any::type_name::<T>());
    Ok(())
}

fn values<T: WarpValue + PartialEq>(stream: &Stream, even: T, odd: T) -> Result<()> {
    let mut same = DeviceBuffer::from_host(stream, &[false; 64])?;
    there_and_back::<T>.launch(stream, Grid::for_len(64, 64), (even, odd, &mut same))?;
    assert_eq!(same.to_host_vec(stream)?, [true; 64], "{}", std::any::type_name::<T>());
    Ok(())
}
