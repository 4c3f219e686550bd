//! The examples of docs/contract.md on the lanes that take part in an operation, word for word, in warps of 32.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// Threads of a block: a warp, and one with 8 lanes.
const THREADS: usize = 40;

extern "C" {
    fn __offload_lane_id() -> u32;
    fn __offload_ballot(vote: bool) -> u64;
    fn __offload_any(vote: bool) -> bool;
}

#[inline(always)]
fn ballot(vote: bool) -> u32 {
    unsafe { __offload_ballot(vote) as u32 }
}

#[inline(always)]
fn count(vote: bool) -> u32 {
    ballot(vote).count_ones()
}

#[inline(always)]
fn any(vote: bool) -> bool {
    unsafe { __offload_any(vote) }
}

// 1. All lanes take part: 0x55555555 in each lane.
fn all_lanes(lane: u32) -> u32 {
    ballot(lane % 2 == 0)
}

// 2. In a branch, the lanes that took it take part: 0xff in lanes 0 to 7.
fn in_a_branch(lane: u32) -> u32 {
    if lane < 8 {
        ballot(true)
    } else {
        0
    }
}

// 3. After a branch, all lanes take part again: 32, and 33 in lanes 0 to 7.
fn behind_a_branch(lane: u32) -> u32 {
    let first = if lane < 8 { any(lane == 7) as u32 } else { 0 };
    first + count(true)
}

// 4. In nested branches, the lanes that took both take part: 0x5555 in the even lanes below 16.
fn nested_branches(lane: u32) -> u32 {
    if lane < 16 && lane % 2 == 0 {
        ballot(true)
    } else {
        0
    }
}

// 5. The two sides of a branch are separate: 0xf in lanes 0 to 3, and 0 in the others, because lane 3 is absent there.
fn both_sides(lane: u32) -> u32 {
    if lane < 4 {
        ballot(true)
    } else {
        any(lane == 3) as u32
    }
}

// 6. Lanes that have returned do not take part: 0x3ff in lanes 0 to 9.
fn after_a_return(lane: u32) -> u32 {
    if lane >= 10 {
        return 0;
    }
    ballot(true)
}

// 7. In a loop, the lanes in the same iteration take part: 24, then 16, then 8 lanes.
fn different_counts(lane: u32) -> u32 {
    let (mut sum, mut round) = (0, 0);
    while round < lane % 4 {
        sum += count(true);
        round += 1;
    }
    sum
}

// 8. Lanes that skip a part of an iteration wait for the next one: 24 lanes in each of 4 iterations, each lane in 3.
fn skipped(lane: u32, rounds: u32) -> u32 {
    let mut sum = 0;
    for round in 0..rounds {
        if lane % 4 != round {
            sum += count(true);
        }
    }
    sum
}

// 9. Lanes that have left a loop take no part in its next iterations: 32, 24, 16 and then 8 lanes.
fn left_by_a_break(lane: u32, rounds: u32) -> u32 {
    let mut there = 0;
    for round in 0..rounds {
        there = count(true);
        if lane % 4 == round {
            break;
        }
    }
    there
}

// 10. After a loop, all lanes take part, whenever they left it: 0xffffffff in each.
fn behind_a_loop(lane: u32) -> u32 {
    let (mut round, mut product) = (0, 1);
    while round < lane % 4 && any(product < 9) {
        product *= 3;
        round += 1;
    }
    ballot(product > 0)
}

// 11. The same holds for nested loops: 32 lanes, then the 16 odd ones, twice.
fn nested_loops(lane: u32, rounds: u32) -> u32 {
    let mut sum = 0;
    for _ in 0..rounds / 2 {
        let mut inner = 0;
        while inner < lane % 2 + 1 {
            sum += count(true);
            inner += 1;
        }
    }
    sum
}

// 12. The last warp of a block has the remaining lanes: 8 in a block of 40 threads.
fn last_warp(_lane: u32) -> u32 {
    count(true)
}

extern "C" fn examples(rounds: u32, out: *mut [u32; 12]) {
    let (i, lane) = (offload::thread_id_x() as usize, unsafe { __offload_lane_id() });
    let of_a_whole_warp = [
        all_lanes(lane),
        in_a_branch(lane),
        behind_a_branch(lane),
        nested_branches(lane),
        both_sides(lane),
        after_a_return(lane),
        different_counts(lane),
        skipped(lane, rounds),
        left_by_a_break(lane, rounds),
        behind_a_loop(lane),
        nested_loops(lane, rounds),
    ];
    unsafe {
        for (at, value) in of_a_whole_warp.into_iter().enumerate() {
            (*out.add(i))[at] = value;
        }
        (*out.add(i))[11] = last_warp(lane);
    }
}

fn main() {
    let device = Device::open();
    let out = device.upload(&[[0u32; 12]; THREADS]);
    let shape = Shape::linear(THREADS as u32, THREADS as u32);
    device.launch(kernel!(examples), shape, &[argument(&4u32), argument(&out.as_mut_ptr())]);
    let expected = |lane: u32| {
        [
            0x55555555,
            if lane < 8 { 0xff } else { 0 },
            if lane < 8 { 33 } else { 32 },
            if lane < 16 && lane % 2 == 0 { 0x5555 } else { 0 },
            if lane < 4 { 0xf } else { 0 },
            if lane < 10 { 0x3ff } else { 0 },
            [0, 24, 40, 48][lane as usize % 4],
            72,
            32 - 8 * (lane % 4),
            0xffffffff,
            if lane % 2 == 0 { 64 } else { 96 },
            32,
        ]
    };
    let got = out.read();
    let whole = (0..32).filter(|i| got[*i] != expected(*i as u32)).count();
    let last = (32..THREADS).filter(|i| got[*i][11] != 8).count();
    offload::verdict("warp_rule", &format!("{THREADS} threads"), whole + last);
}
