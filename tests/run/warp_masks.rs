//! Operations between lanes with a mask: the examples of docs/contract.md, word for word, in warps of 32; and the
//! errors of a launch if not all lanes of a mask come.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// Threads of a block: a warp, and one with 8 lanes.
const THREADS: usize = 40;

extern "C" {
    fn __offload_lane_id() -> u32;
    fn __offload_ballot_sync(mask: u64, vote: bool) -> u64;
    fn __offload_any_sync(mask: u64, vote: bool) -> bool;
    fn __offload_all_sync(mask: u64, vote: bool) -> bool;
    fn __offload_shuffle_sync(mask: u64, value: u32, lane: u32) -> u32;
    fn __offload_shuffle_down_sync(mask: u64, value: u32, distance: u32) -> u32;
    fn __offload_sync_warp(mask: u64);
}

#[inline(always)]
fn ballot(mask: u32, vote: bool) -> u32 {
    unsafe { __offload_ballot_sync(mask.into(), vote) as u32 }
}

#[inline(always)]
fn shuffle(mask: u32, value: u32, lane: u32) -> u32 {
    unsafe { __offload_shuffle_sync(mask.into(), value, lane) }
}

// 13. Each row of 8 lanes for itself, at one call: 0x55 in lanes 0 to 7, 0x5500 in lanes 8 to 15, and so on.
fn rows(lane: u32) -> u32 {
    ballot(0xff << (lane & 24), lane % 2 == 0)
}

// 14. Each side of a branch with its own mask: 0xf in lanes 0 to 3, 0x55555550 in the other lanes.
fn sides(lane: u32) -> u32 {
    if lane < 4 {
        ballot(0xf, true)
    } else {
        ballot(0xfffffff0, lane % 2 == 0)
    }
}

// 15. A lane that reads from a lane outside the mask gets its own value: 108 in lanes 8 to 15, 100 + lane in the
//     others.
fn outside(lane: u32) -> u32 {
    shuffle(0xff << (lane & 24), 100 + lane, 8)
}

// 16. An operation waits for its mask, in whatever iteration. Lanes 16 to 31 begin one iteration later: the lanes below
//     get 1 + 2 + 3 + 4 from them, and give them 0 + 1 + 2 + 3.
fn an_iteration_later(lane: u32, rounds: u32) -> u32 {
    let mut sum = 0;
    for round in 0..rounds + 1 {
        if round.wrapping_sub(lane / 16) < rounds {
            sum += shuffle(0xffffffff, round, lane ^ 16);
        }
    }
    sum
}

extern "C" fn examples(rounds: u32, out: *mut [u32; 4]) {
    let (i, lane) = (offload::thread_id_x() as usize, unsafe { __offload_lane_id() });
    // The last warp lacks lanes of these masks.
    if i < 32 {
        unsafe { *out.add(i) = [rows(lane), sides(lane), outside(lane), an_iteration_later(lane, rounds)] };
    }
}

/// The first line of the faults' places.
const FAULTS_BEGIN: u32 = line!();

/// The faults, by number: a lane that is not in its own mask; one of the mask that waits for others itself. All other
/// cases are right: the others of the mask have returned, here or in another branch, or the block lacks them.
extern "C" fn faults(which: u32, out: *mut u32) {
    let (i, lane) = (offload::thread_id_x() as usize, unsafe { __offload_lane_id() });
    unsafe {
        let got = match which {
            0 => __offload_ballot_sync(0xff, lane < 8) as u32,
            1 => {
                if lane % 2 == 0 {
                    __offload_sync_warp(0xffffffff);
                    1
                } else {
                    __offload_any_sync(0xffffffff, true) as u32
                }
            }
            2 => {
                if lane == 20 {
                    return;
                }
                let other = __offload_shuffle_down_sync(0xffffffff, lane + 100, 1);
                let is_last = lane == 19 || lane == 31 || i + 1 == THREADS;
                (other == if is_last { lane + 100 } else { lane + 101 }) as u32
            }
            3 => __offload_any_sync(0xffffffff, lane == 1) as u32,
            4 => {
                // Each half sees only that its own lanes have returned.
                if lane < 16 {
                    if lane % 4 == 3 {
                        return;
                    }
                } else if lane % 8 == 7 {
                    return;
                }
                __offload_all_sync(!0, lane % 4 != 3 || lane >= 16) as u32
            }
            _ if i < 32 => __offload_any_sync(0xffffffff, lane == 1) as u32,
            _ => 1,
        };
        *out.add(i) = got;
    }
}

/// The last one.
const FAULTS_END: u32 = line!();

/// Whether the launch has reported such a fault: also its place, if the compiler was given `places`.
fn says(said: &str, text: &str, with_place: bool) -> bool {
    let Some(said) = said.strip_prefix("kernel `faults` panicked").and_then(|said| said.strip_suffix(text)) else {
        return false;
    };
    let mut place = said.trim_start_matches(" at ").split(':');
    let is_here = place.next() == Some("tests/run/warp_masks.rs");
    let line = place.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    !with_place || (is_here && (FAULTS_BEGIN..FAULTS_END).contains(&line))
}

fn main() {
    let with_place = std::env::args().any(|word| word == "places");
    let device = Device::open();
    let out = device.upload(&[[0u32; 4]; THREADS]);
    let shape = Shape::linear(THREADS as u32, THREADS as u32);
    device.launch(kernel!(examples), shape, &[argument(&4u32), argument(&out.as_mut_ptr())]);
    let expected = |lane: u32| {
        [
            0x55 << (lane & 24),
            if lane < 4 { 0xf } else { 0x55555550 },
            if lane / 8 == 1 { 108 } else { 100 + lane },
            if lane < 16 { 10 } else { 6 },
        ]
    };
    let got = out.read();
    let mut wrong = (0..32).filter(|i| got[*i] != expected(*i as u32)).count();
    let out = device.upload(&[1u32; THREADS]);
    let texts = [
        "lane 8 does what only the lanes of its mask do, and is not in the mask (block 0, thread 8)",
        "lane 0 waits for lane 1 of its mask, and no lane of the warp can go on (block 0, thread 0)",
    ];
    // An NVIDIA GPU waits without end for lanes that never come, and reads anything from lanes that have returned.
    let waits_without_end = std::env::var("OFFLOADRT_DEVICE").is_ok_and(|device| device.starts_with("cuda"));
    for which in (0..6u32).filter(|which| !waits_without_end || !(1..3).contains(which)) {
        let said = device.try_launch(kernel!(faults), shape, &[argument(&which), argument(&out.as_mut_ptr())]);
        let right = match texts.get(which as usize) {
            Some(text) => said.as_ref().is_err_and(|said| says(said, text, with_place)),
            None => said.is_ok() && out.read().iter().all(|got| *got == 1),
        };
        if !right {
            eprintln!("wrong: {which}: {said:?}");
            wrong += 1;
        }
    }
    offload::verdict("warp_masks", &format!("{THREADS} threads"), wrong);
}
