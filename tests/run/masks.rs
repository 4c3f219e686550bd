//! Cross-lane operations with a mask, in warps of any size: parts of a warp at one call, and on both sides of a
//! branch.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// Warps of every size that a device may have are whole in it.
const THREADS: usize = 128;

extern "C" {
    fn __offload_lane_id() -> u32;
    fn __offload_lane_count() -> u32;
    fn __offload_active_mask() -> u64;
    fn __offload_shuffle_sync(mask: u64, value: u32, lane: u32) -> u32;
    fn __offload_shuffle_xor_sync(mask: u64, value: u32, lanes: u32) -> u32;
    fn __offload_shuffle_up_sync(mask: u64, value: u32, distance: u32) -> u32;
    fn __offload_shuffle_down_sync(mask: u64, value: u32, distance: u32) -> u32;
    fn __offload_ballot_sync(mask: u64, vote: bool) -> u64;
    fn __offload_any_sync(mask: u64, vote: bool) -> bool;
    fn __offload_all_sync(mask: u64, vote: bool) -> bool;
    fn __offload_sync_warp(mask: u64);
}

/// Each pair of lanes, with a separate mask; `[lanes, xor, up, down, value of the pair's second, ballot, any, all]`.
extern "C" fn pairs(out: *mut [u32; 8]) {
    let i = offload::global_id_x() as usize;
    unsafe {
        let (lane, count) = (__offload_lane_id(), __offload_lane_count());
        let first = lane & !1;
        let (mask, value) = (3u64 << first, 1000 + lane);
        __offload_sync_warp(mask);
        let vote = __offload_ballot_sync(mask, lane % 4 == 3);
        *out.add(i) = [
            count,
            __offload_shuffle_xor_sync(mask, value, 1),
            __offload_shuffle_up_sync(mask, value, 1),
            __offload_shuffle_down_sync(mask, value, 1),
            __offload_shuffle_sync(mask, value, first + 1),
            (vote >> first) as u32 | u32::from(vote & !mask != 0) << 8,
            __offload_any_sync(mask, lane % 4 == 3) as u32,
            __offload_all_sync(mask, lane >= 2) as u32,
        ];
    }
}

/// The lanes below a limit in one side of a branch and the others in the other, each with their mask, and then all
/// together.
extern "C" fn sides(limit: u32, out: *mut [u32; 3]) {
    let i = offload::global_id_x() as usize;
    unsafe {
        let (lane, all) = (__offload_lane_id(), __offload_active_mask());
        let low = (1u64 << limit) - 1;
        let side = if lane < limit {
            let mask = all & low;
            __offload_ballot_sync(mask, true).count_ones() + __offload_shuffle_sync(mask, lane, 1) * 100
        } else {
            let mask = all & !low;
            __offload_ballot_sync(mask, true).count_ones() + __offload_shuffle_xor_sync(mask, lane, 1) * 100 + 10000
        };
        let behind = __offload_ballot_sync(all, lane < limit).count_ones();
        *out.add(i) = [__offload_lane_count(), side, behind];
    }
}

/// Lanes that have returned, each half in its own way, and lanes that the last warp lacks: no lane waits for them, they
/// have no vote, and their readers get their own value. `[lanes, lanes with a vote, all, value of the other lane]`
extern "C" fn early(count: u32, out: *mut [u32; 4]) {
    let i = offload::global_id_x();
    unsafe {
        let lane = __offload_lane_id();
        if i >= count {
            return;
        }
        if lane % 2 == 0 {
            if lane % 8 == 6 {
                return;
            }
        } else if lane % 8 == 1 {
            return;
        }
        let there = __offload_ballot_sync(!0, true).count_ones();
        let all = __offload_all_sync(!0, lane % 8 != 6 && lane % 8 != 1);
        let other = __offload_shuffle_xor_sync(!0, 1000 + lane, 4);
        *out.add(i as usize) = [__offload_lane_count(), there, all as u32, other];
    }
}

/// The expected output of [`early`].
fn expected_early(i: u32, count: u32, lanes: u32) -> [u32; 4] {
    let first = i / lanes * lanes;
    let stays = |lane: u32| first + lane < count && lane % 8 != 6 && lane % 8 != 1;
    if !stays(i - first) {
        return [0; 4];
    }
    let (lane, there) = (i - first, (0..lanes).filter(|lane| stays(*lane)).count() as u32);
    [lanes, there, 1, 1000 + if stays(lane ^ 4) { lane ^ 4 } else { lane }]
}

/// A lane that is not in its mask.
extern "C" fn stranger(out: *mut u32) {
    unsafe {
        let lane = __offload_lane_id();
        *out = __offload_shuffle_sync(1, lane, 0);
    }
}

fn main() {
    let device = Device::open();
    let shape = Shape::linear(THREADS as u32, THREADS as u32);
    let out = device.upload(&[[0u32; 8]; THREADS]);
    device.launch(kernel!(pairs), shape, &[argument(&out.as_mut_ptr())]);
    let pairs = out.read();
    let lanes = pairs[0][0];
    let mut wrong = 0;
    for (i, got) in pairs.into_iter().enumerate().filter(|_| lanes > 1) {
        let lane = i as u32 % lanes;
        let (second, value) = (lane % 2, 1000 + lane);
        let vote = if lane % 4 >= 2 { 2 } else { 0 };
        let all = u32::from(lane >= 2);
        let expected =
            [lanes, 1000 + (lane ^ 1), value - second, value + 1 - second, 1000 + (lane | 1), vote, vote / 2, all];
        if got != expected {
            eprintln!("wrong: thread {i}: {got:?} for {expected:?}");
            wrong += 1;
        }
    }
    let out = device.upload(&[[0u32; 3]; THREADS]);
    for limit in [2, 4, lanes / 2].into_iter().filter(|limit| limit % 2 == 0 && *limit > 0 && *limit < lanes) {
        device.launch(kernel!(sides), shape, &[argument(&limit), argument(&out.as_mut_ptr())]);
        for (i, got) in out.read().into_iter().enumerate() {
            let lane = i as u32 % lanes;
            let side = if lane < limit { limit + 100 } else { lanes - limit + (lane ^ 1) * 100 + 10000 };
            if got != [lanes, side, limit] {
                eprintln!("wrong: limit {limit}, thread {i}: {got:?} for {:?}", [lanes, side, limit]);
                wrong += 1;
            }
        }
    }
    let arbitrary = std::env::var("OFFLOADRT_DEVICE").is_ok_and(|device| device.starts_with("cuda"));
    for count in [100, 128].into_iter().filter(|_| lanes >= 8) {
        let out = device.upload(&[[0u32; 4]; THREADS]);
        device.launch(kernel!(early), shape, &[argument(&count), argument(&out.as_mut_ptr())]);
        for (i, mut got) in out.read().into_iter().enumerate() {
            let expected = expected_early(i as u32, count, lanes);
            // Lane 5 reads from lane 1, which has returned: on NVIDIA GPUs from sm_70 on, anything.
            if arbitrary && expected[3] == 1000 + i as u32 % lanes {
                got[3] = expected[3];
            }
            if got != expected {
                eprintln!("wrong: {count} threads, thread {i}: {got:?} for {expected:?}");
                wrong += 1;
            }
        }
    }
    if lanes > 1 {
        let said = device.try_launch(kernel!(stranger), shape, &[argument(&out.as_mut_ptr())]);
        if !said.as_ref().is_err_and(|said| said.contains(" does what only the lanes of its mask do, and is not in ")) {
            eprintln!("wrong: {said:?}");
            wrong += 1;
        }
    }
    offload::verdict("masks", &format!("{THREADS} threads"), wrong);
}
