//! Lanes of warps of 32 that diverge and reconverge in loops: different numbers of iterations, `break` and `return`.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// Three warps and a part of one.
const BLOCK: u32 = 110;
const BLOCKS: u32 = 3;
const THREADS: usize = (BLOCK * BLOCKS) as usize;

extern "C" {
    fn __offload_lane_id() -> u32;
    fn __offload_shuffle(value: u32, lane: u32) -> u32;
    fn __offload_ballot(vote: bool) -> u64;
    fn __offload_any(vote: bool) -> bool;
    fn __offload_all(vote: bool) -> bool;
}

/// Lanes go round different numbers of times, skip iterations, leave early, and return from inside.
extern "C" fn loops(input: *const u32, out: *mut [u32; 3]) {
    let i = offload::global_id_x() as usize;
    unsafe {
        let (lane, value) = (__offload_lane_id(), *input.add(i) % 8);
        let own = &mut *out.add(i);
        let mut round = 0;
        while round < value {
            own[0] += __offload_ballot(true).count_ones() << (4 * (round % 8));
            round += 1;
            if (lane + round) % 5 == 0 {
                continue;
            }
            own[1] = own[1] * 31 + __offload_any(lane % 8 == 6) as u32;
            let mut inner = 0;
            while inner < lane % 3 {
                own[1] = own[1] * 31 + __offload_all(lane % 5 > 0) as u32;
                inner += 1;
            }
            if round == 6 {
                own[2] = 1 + __offload_shuffle(value, lane);
                break;
            }
            if value == 7 && lane % 4 == 1 {
                return;
            }
        }
        own[2] += __offload_ballot(true).count_ones() << 16;
    }
}

/// The result of `loops`, by the rule: the lanes of one warp with these values.
fn loops_of_a_warp(values: &[u32]) -> Vec<[u32; 3]> {
    let lanes = values.len();
    let count = |active: &[usize], of: &dyn Fn(usize) -> bool| active.iter().filter(|lane| of(**lane)).count() as u32;
    let mut own = vec![[0u32; 3]; lanes];
    let mut gone: Vec<usize> = Vec::new();
    let mut inside: Vec<usize> = (0..lanes).collect();
    for round in 0.. {
        inside.retain(|lane| round < values[*lane] % 8);
        if inside.is_empty() {
            break;
        }
        inside.iter().for_each(|lane| own[*lane][0] += count(&inside, &|_| true) << (4 * (round % 8)));
        let round = round + 1;
        let on: Vec<usize> = inside.iter().copied().filter(|lane| (*lane as u32 + round) % 5 != 0).collect();
        on.iter().for_each(|lane| own[*lane][1] = own[*lane][1] * 31 + (count(&on, &|lane| lane % 8 == 6) > 0) as u32);
        for inner in 0..2 {
            let again: Vec<usize> = on.iter().copied().filter(|lane| inner < *lane % 3).collect();
            again.iter().for_each(|lane| {
                own[*lane][1] = own[*lane][1] * 31 + (count(&again, &|lane| lane % 5 == 0) == 0) as u32
            });
        }
        if round == 6 {
            on.iter().for_each(|lane| own[*lane][2] = 1 + values[*lane] % 8);
            inside.retain(|lane| !on.contains(lane));
            continue;
        }
        let returned = |lane: &usize| on.contains(lane) && values[*lane] % 8 == 7 && *lane % 4 == 1;
        gone.extend(inside.iter().copied().filter(|lane| returned(lane)));
        inside.retain(|lane| !returned(lane));
    }
    let left: Vec<usize> = (0..lanes).filter(|lane| !gone.contains(lane)).collect();
    left.iter().for_each(|lane| own[*lane][2] += (left.len() as u32) << 16);
    own
}

/// The threads of each warp.
fn warps() -> impl Iterator<Item = std::ops::Range<usize>> {
    let block = |b: usize| b * BLOCK as usize..(b + 1) * BLOCK as usize;
    (0..BLOCKS as usize).flat_map(move |b| block(b).step_by(32).map(move |first| first..(first + 32).min(block(b).end)))
}

fn main() {
    let device = Device::open();
    let input: Vec<u32> = (0..THREADS as u32).map(|i| i.wrapping_mul(2654435761) >> 22).collect();
    let (given, out) = (device.upload(&input), device.upload(&[[0u32; 3]; THREADS]));
    let shape = Shape::linear(THREADS as u32, BLOCK);
    device.launch(kernel!(loops), shape, &[argument(&given.as_mut_ptr()), argument(&out.as_mut_ptr())]);
    let expected: Vec<[u32; 3]> = warps().flat_map(|warp| loops_of_a_warp(&input[warp])).collect();
    let wrong = out.read().iter().zip(&expected).filter(|(got, wanted)| got != wanted).count();
    offload::verdict("warp_loops", &format!("{THREADS} threads"), wrong);
}
