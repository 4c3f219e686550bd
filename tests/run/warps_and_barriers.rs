//! Warps, barriers and early returns in one kernel: sums and a scan, first within warps, then in shared memory for the
//! block, and then again within warps with the remaining lanes.
//!
//! The program queries the size of a warp. The lanes of a warp must be consecutive threads.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const BLOCK: u32 = 128;
const BLOCKS: u32 = 3;
const THREADS: usize = (BLOCK * BLOCKS) as usize;

/// One element for each warp, if warps had one lane.
#[unsafe(link_section = ".offload.shared")]
static mut WARPS: [u32; BLOCK as usize] = [0; BLOCK as usize];

extern "C" {
    fn __offload_lane_id() -> u32;
    fn __offload_lane_count() -> u32;
    fn __offload_shuffle(value: u32, lane: u32) -> u32;
    fn __offload_shuffle_xor(value: u32, mask: u32) -> u32;
    fn __offload_shuffle_up(value: u32, distance: u32) -> u32;
    fn __offload_ballot(vote: bool) -> u64;
    fn __offload_any(vote: bool) -> bool;
    fn __offload_all(vote: bool) -> bool;
}

/// Which lane each thread is, and of how many.
extern "C" fn places(out: *mut u32) {
    unsafe { *out.add(offload::global_id_x() as usize) = __offload_lane_id() << 16 | __offload_lane_count() }
}

/// The block's sum by way of its warps' sums; then threads beyond `count` leave, and the others vote.
extern "C" fn sums(input: *const u32, count: u32, out: *mut [u32; 3]) {
    let (i, thread) = (offload::global_id_x(), offload::thread_id_x());
    unsafe {
        let (lane, lanes) = (__offload_lane_id(), __offload_lane_count());
        let own = *input.add(i as usize);
        let mut sum = own;
        let mut distance = lanes / 2;
        while distance > 0 {
            sum += __offload_shuffle_xor(sum, distance);
            distance /= 2;
        }
        if lane == 0 {
            WARPS[(thread / lanes) as usize % BLOCK as usize] = sum;
        }
        offload::sync_threads();
        let mut block = 0;
        for warp in 0..BLOCK / lanes {
            block += WARPS[warp as usize % BLOCK as usize];
        }
        if i >= count {
            return;
        }
        let odd = __offload_ballot(own % 2 == 1);
        let first = __offload_shuffle(own, 0);
        *out.add(i as usize) = [block, odd as u32 ^ (odd >> 32) as u32, first];
    }
}

/// The block's inclusive scan: lanes, then warps in shared memory. Threads whose element is a multiple of 3 leave
/// after the last barrier, and those that stay ask who is still there.
extern "C" fn scan(input: *const u32, out: *mut [u32; 2]) {
    let (i, thread) = (offload::global_id_x(), offload::thread_id_x());
    unsafe {
        let (lane, lanes) = (__offload_lane_id(), __offload_lane_count());
        let own = *input.add(i as usize);
        let mut sum = own;
        let mut distance = 1;
        while distance < lanes {
            let below = __offload_shuffle_up(sum, distance);
            if lane >= distance {
                sum += below;
            }
            distance *= 2;
        }
        let warp = (thread / lanes) as usize % BLOCK as usize;
        if lane == lanes - 1 {
            WARPS[warp] = sum;
        }
        offload::sync_threads();
        let mut before = 0;
        for other in 0..warp {
            before += WARPS[other % BLOCK as usize];
        }
        offload::sync_threads();
        WARPS[thread as usize % BLOCK as usize] = before + sum;
        offload::sync_threads();
        let across = WARPS[(BLOCK - 1 - thread) as usize % BLOCK as usize];
        *out.add(i as usize) = [before + sum, across];
        if own % 3 == 0 {
            return;
        }
        let present = __offload_ballot(true).count_ones();
        let even = __offload_any(own % 2 == 0) as u32;
        let small = __offload_all(own < 90) as u32;
        (*out.add(i as usize))[1] = across + (present << 16 | even << 30 | small << 31);
    }
}

fn main() {
    let device = Device::open();
    let shape = || Shape::linear(THREADS as u32, BLOCK);
    let mut wrong = 0;

    let out = device.upload(&[0u32; THREADS]);
    device.launch(kernel!(places), shape(), &[argument(&out.as_mut_ptr())]);
    let places = out.read();
    let lanes = (places[0] & 0xffff) as usize;
    let place = |i: usize| ((i % BLOCK as usize % lanes) << 16 | lanes) as u32;
    wrong += (0..THREADS).filter(|i| places[*i] != place(*i)).count();

    let input: Vec<u32> = (0..THREADS as u32).map(|i| i.wrapping_mul(2654435761) >> 25).collect();
    let given = device.upload(&input);
    let block_of = |i: usize| i / BLOCK as usize * BLOCK as usize..(i / BLOCK as usize + 1) * BLOCK as usize;
    let warp_of = |i: usize| i / lanes * lanes..(i / lanes + 1) * lanes;

    // All threads; a warp that is partly gone; several that are; and one that is there.
    for count in [THREADS, THREADS - 5, 200, 129] {
        let out = device.upload(&[[0u32; 3]; THREADS]);
        let (n, from, to) = (count as u32, given.as_mut_ptr(), out.as_mut_ptr());
        device.launch(kernel!(sums), shape(), &[argument(&from), argument(&n), argument(&to)]);
        let expected = |i: usize| {
            let sum = block_of(i).map(|j| input[j]).sum::<u32>();
            let odd = warp_of(i).filter(|j| *j < count && input[*j] % 2 == 1);
            let odd = odd.map(|j| 1u64 << (j % lanes)).sum::<u64>();
            if i < count {
                [sum, odd as u32 ^ (odd >> 32) as u32, input[i / lanes * lanes]]
            } else {
                [0; 3]
            }
        };
        wrong += out.read().iter().enumerate().filter(|(i, got)| **got != expected(*i)).count();
    }

    let out = device.upload(&[[0u32; 2]; THREADS]);
    device.launch(kernel!(scan), shape(), &[argument(&given.as_mut_ptr()), argument(&out.as_mut_ptr())]);
    let scanned = |i: usize| (block_of(i).start..=i).map(|j| input[j]).sum::<u32>();
    let expected = |i: usize| {
        let range = block_of(i);
        let across = scanned(range.start + range.end - 1 - i);
        let present: Vec<u32> = warp_of(i).map(|j| input[j]).filter(|own| own % 3 != 0).collect();
        let even = present.iter().any(|own| own % 2 == 0) as u32;
        let small = present.iter().all(|own| *own < 90) as u32;
        let votes = (present.len() as u32) << 16 | even << 30 | small << 31;
        [scanned(i), if input[i] % 3 == 0 { across } else { across + votes }]
    };
    wrong += out.read().iter().enumerate().filter(|(i, got)| **got != expected(*i)).count();
    offload::verdict("warps_and_barriers", &format!("{THREADS} threads"), wrong);
}
