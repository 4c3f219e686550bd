//! Cross-lane operations on all types.

use std::ops::Add;

use offload::warp::{self, WarpNumber, WarpValue};
use offload::{DeviceBuffer, DeviceCopy, DisjointSlice, Grid, Result, Stream, block, kernel, prelude::*, thread};

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

/// The same for each half of a warp with a separate mask, and which of its lanes has the same value.
#[kernel]
fn halves<T: WarpNumber + Add<Output = T> + PartialEq>(start: T, step: T, mut same: DisjointSlice<[bool; 7]>) {
    let (lane, width) = (warp::lane_id(), (warp::lane_count() / 2).max(1));
    let (first, last) = (lane / width * width, lane / width * width + width - 1);
    let mask = (warp::ALL_LANES >> (64 - width)) << first;
    let of = |lane: u32| (0..lane).fold(start, |value, _| value + step);
    let own = of(lane);
    let expected = (first + 1..=last).fold(of(first), |sum, lane| sum + of(lane));
    warp::sync_warp(mask);
    let all = [
        warp::reduce_sum_sync(mask, own) == expected,
        warp::reduce_min_sync(mask, own) == of(first),
        warp::reduce_max_sync(mask, own) == of(last),
        warp::shuffle_down_sync(mask, own, 1) == of((lane + 1).min(last)),
        warp::shuffle_up_sync(mask, own, 1) == of(lane.saturating_sub(1).max(first)),
        warp::match_any_sync(mask, own) == 1 << lane,
        warp::any_sync(mask, lane == last) && warp::all_sync(mask, lane >= first),
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

/// A warp's sum, the block's, which takes barriers, and the warp's again; and how many lanes there are.
#[kernel]
fn warp_and_block(values: &[u32], mut sums: DisjointSlice<[u32; 4]>) {
    let i = thread::index_1d();
    let own = values[i.get()];
    let of_warp = warp::reduce_sum(own);
    let of_block = block::reduce_sum(own);
    let again = warp::reduce_sum(own ^ 1);
    if let Some(sums) = sums.get_mut(i) {
        *sums = [of_warp, of_block, again, warp::lane_count()];
    }
}

fn sums(stream: &Stream) -> Result<()> {
    const BLOCK: usize = 128;
    let values: Vec<u32> = (0..3 * BLOCK as u32).map(|i| i * 7 % 101).collect();
    let device_values = DeviceBuffer::from_host(stream, &values)?;
    let mut sums = DeviceBuffer::from_host(stream, &vec![[0; 4]; values.len()])?;
    let grid = Grid::for_len(values.len(), BLOCK as u32);
    warp_and_block.launch(stream, grid, (&device_values, &mut sums))?;
    let sums = sums.to_host_vec(stream)?;
    let lanes = sums[0][3] as usize;
    for (i, sums) in sums.iter().enumerate() {
        let group = |len: usize| &values[i / len * len..][..len];
        let of_warp = group(lanes).iter().sum();
        let again = group(lanes).iter().map(|value| value ^ 1).sum();
        assert_eq!(*sums, [of_warp, group(BLOCK).iter().sum(), again, lanes as u32], "thread {i}");
    }
    Ok(())
}

/// Lanes by number and by value: `[warp, active, matching, lt, le, eq, ge, gt, lane, lanes]` of each thread.
#[kernel]
fn masks(mut own: DisjointSlice<[u64; 10]>) {
    let (lane, count) = (warp::lane_id(), warp::lane_count());
    let matching = warp::match_any(u64::from(lane % 3) << 40);
    let order = [warp::lane_mask_lt(), warp::lane_mask_le(), warp::lane_mask_eq(), warp::lane_mask_ge()];
    let [lt, le, eq, ge] = order;
    let active = warp::active_mask();
    if let Some(own) = own.get_mut(thread::index_1d()) {
        let warp = u64::from(warp::warp_id());
        *own = [warp, active, matching, lt, le, eq, ge, warp::lane_mask_gt(), lane.into(), count.into()];
    }
}

/// The expected masks by the lane's number.
fn check_masks(stream: &Stream) -> Result<()> {
    let mut own = DeviceBuffer::from_host(stream, &[[0; 10]; 64])?;
    masks.launch(stream, Grid::for_len(64, 64), (&mut own,))?;
    for (thread, own) in (0..).zip(own.to_host_vec(stream)?) {
        let [warp, active, matching, lt, le, eq, ge, gt, lane, count] = own;
        assert_eq!(warp, thread / count);
        let bits = |of: &dyn Fn(u64) -> bool| (0..count).filter(|l| of(*l)).fold(0, |bits, l| bits | 1 << l);
        let wanted =
            [&|l| l < lane, &|l| l <= lane, &|l| l == lane, &|l| l >= lane, &|l| l > lane] as [&dyn Fn(u64) -> bool; 5];
        assert_eq!([lt, le, eq, ge, gt], wanted.map(bits), "lane {lane} of {count}");
        assert_eq!([active, matching], [bits(&|_| true), bits(&|l| l % 3 == lane % 3)], "lane {lane} of {count}");
    }
    Ok(())
}

/// Numbers of several sizes, with gaps between them.
#[derive(Clone, Copy, PartialEq, DeviceCopy, WarpValue)]
struct Mixed<T>(u8, T, [(bool, u16); 2], char);

#[derive(Clone, Copy, PartialEq, DeviceCopy, WarpValue)]
enum Side {
    Left = -3,
    _Middle,
    Right = 500,
}

/// Structs, arrays and tuples go between lanes; one lane is elected of all and of a part.
#[kernel]
fn structs(mut same: DisjointSlice<[bool; 6]>) {
    let (lane, count) = (warp::lane_id(), warp::lane_count());
    let of = |lane: u32| {
        let letter = char::from_u32('a' as u32 + lane).unwrap_or('?');
        Mixed(
            lane as u8,
            f64::from(lane) + 0.5,
            [(lane.is_multiple_of(2), 300 + lane as u16), (lane.is_multiple_of(3), 1)],
            letter,
        )
    };
    let alike = warp::match_any((lane % 2, [lane % 3]));
    let wanted = (0..count).filter(|other| other % 6 == lane % 6).fold(0_u64, |mask, lane| mask | 1 << lane);
    let below = warp::shuffle_up(of(lane), 1);
    let last = warp::shuffle_sync(warp::ALL_LANES, (of(lane), lane), count - 1);
    let largest = warp::reduce([of(lane)], |a, b| if a[0].1 >= b[0].1 { a } else { b });
    let elected = warp::elect();
    let upper = if lane >= count / 2 { warp::elect() } else { lane == count / 2 };
    if let Some(same) = same.get_mut(thread::index_1d()) {
        *same = [
            alike == wanted,
            below == of(lane.saturating_sub(1)),
            last == (of(count - 1), count - 1),
            largest == [of(count - 1)],
            elected == (lane == 0),
            upper == (lane == count / 2),
        ];
    }
}

/// How many lanes a warp has.
#[kernel]
fn count(mut counts: DisjointSlice<u32>) {
    if let Some(count) = counts.get_mut(thread::index_1d()) {
        *count = warp::lane_count();
    }
}

/// Launches them, the first three with every type.
pub fn check(stream: &Stream) -> Result<()> {
    check_masks(stream)?;
    let mut same = DeviceBuffer::from_host(stream, &[[false; 6]; 64])?;
    structs.launch(stream, Grid::for_len(64, 64), (&mut same,))?;
    let same = same.to_host_vec(stream)?;
    assert!(same.iter().all(|all| *all == [true; 6]), "{same:?}");
    sums(stream)?;
    let mut counts = DeviceBuffer::from_host(stream, &[0])?;
    count.launch(stream, Grid::for_len(1, 1), (&mut counts,))?;
    let (counts, (least, most)) = (counts.to_host_vec(stream)?, stream.device().limits()?.warp_lanes);
    assert!(most == 0 || (least..=most).contains(&counts[0]), "{counts:?} lanes, {least} to {most}");
    numbers::<i32>(stream, -40, 3)?;
    numbers::<u64>(stream, 1 << 40, (1 << 33) + 1)?;
    numbers::<i64>(stream, -(1 << 40), (1 << 33) + 1)?;
    numbers::<f32>(stream, -8.5, 0.25)?;
    numbers::<f64>(stream, -1e12, 0.125)?;
    numbers::<i128>(stream, -(1 << 100), (1 << 70) + 1)?;
    values(stream, true, false)?;
    values(stream, (Some(2.5), Side::Right, 1_u128 << 65), (None, Side::Left, 1))?;
    values(stream, 'ö', '\u{1f600}')?;
    values(stream, i16::MIN, i16::MAX)
}

fn numbers<T: WarpNumber + Add<Output = T> + PartialEq>(stream: &Stream, start: T, step: T) -> Result<()> {
    let mut same = DeviceBuffer::from_host(stream, &[[false; 5]; 64])?;
    lanes::<T>.launch(stream, Grid::for_len(64, 64), (start, step, &mut same))?;
    let same = same.to_host_vec(stream)?;
    assert!(same.iter().all(|all| *all == [true; 5]), "{}: {same:?}", std::any::type_name::<T>());
    let mut same = DeviceBuffer::from_host(stream, &[[false; 7]; 64])?;
    halves::<T>.launch(stream, Grid::for_len(64, 64), (start, step, &mut same))?;
    let same = same.to_host_vec(stream)?;
    assert!(same.iter().all(|all| *all == [true; 7]), "{}: {same:?}", std::any::type_name::<T>());
    Ok(())
}

fn values<T: WarpValue + PartialEq>(stream: &Stream, even: T, odd: T) -> Result<()> {
    let mut same = DeviceBuffer::from_host(stream, &[false; 64])?;
    there_and_back::<T>.launch(stream, Grid::for_len(64, 64), (even, odd, &mut same))?;
    assert_eq!(same.to_host_vec(stream)?, [true; 64], "{}", std::any::type_name::<T>());
    Ok(())
}
