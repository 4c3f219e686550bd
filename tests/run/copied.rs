//! Barriers that host optimisers duplicate, or whose loop they split: divergent conditions before, after and inside.
//! Also a ballot, which they duplicate like a barrier.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 64;
const T: u32 = THREADS as u32;

#[unsafe(link_section = ".offload.shared")]
static mut VALUES: [u32; THREADS] = [0; THREADS];

/// An optional value on both sides of a barrier.
extern "C" fn optional(input: *const u32, out: *mut u32) {
    let thread = offload::thread_id_x();
    unsafe {
        let value = if thread % 3 == 0 { Some(*input.add(thread as usize)) } else { None };
        if thread < T {
            VALUES[thread as usize] = thread;
        }
        offload::sync_threads();
        if let Some(value) = value {
            *out.add(thread as usize) = value + VALUES[(T - 1 - thread) as usize % THREADS];
        }
    }
}

/// A barrier in a loop beside a conditional, and one after it.
extern "C" fn beside(count: u32, out: *mut u32) {
    let thread = offload::thread_id_x();
    let odd = thread % 2 == 1;
    unsafe {
        VALUES[thread as usize % THREADS] = thread;
        for step in 0..count {
            offload::sync_threads();
            let other = VALUES[(thread + step) as usize % THREADS];
            offload::sync_threads();
            if odd {
                VALUES[thread as usize % THREADS] += other;
            }
        }
        offload::sync_threads();
        if odd {
            *out.add(thread as usize) = VALUES[(thread - 1) as usize % THREADS];
        } else {
            *out.add(thread as usize) = VALUES[(thread + 1) as usize % THREADS];
        }
    }
}

/// Threads that are done stay for the barriers.
extern "C" fn done(count: u32, out: *mut u32) {
    let thread = offload::thread_id_x();
    unsafe {
        VALUES[thread as usize % THREADS] = 0;
        offload::sync_threads();
        let mut done = false;
        let mut step = 0;
        while step < count {
            if !done {
                VALUES[(thread + step) as usize % THREADS] += 1;
                done = step > thread % 7;
            }
            offload::sync_threads();
            step += 1;
        }
        *out.add(thread as usize) = VALUES[thread as usize % THREADS];
    }
}

extern "C" {
    fn __offload_ballot(vote: bool) -> u64;
    fn __offload_lane_count() -> u32;
}

/// All lanes vote together, between two conditions of theirs.
extern "C" fn voted(input: *const u32, out: *mut u32) {
    let thread = offload::thread_id_x() as usize;
    unsafe {
        let third = *input.add(thread) % 3 == 0;
        if third {
            *out.add(thread) = 7;
        }
        let missing = __offload_lane_count() - __offload_ballot(true).count_ones();
        if third {
            *out.add(thread) += missing;
        } else {
            *out.add(thread) = 100 + missing;
        }
    }
}

fn main() {
    let device = Device::open();
    let shape = || Shape::linear(T, T);
    let count = offload::number_argument(1, 21);
    let input: Vec<u32> = (0..T).map(|i| i * 5).collect();
    let (given, out) = (device.upload(&input), device.upload(&[0u32; THREADS]));
    let mut wrong = 0;
    let mut compare = |expected: Vec<u32>| {
        wrong += out.read().iter().zip(&expected).filter(|(got, wanted)| got != wanted).count();
    };
    device.launch(kernel!(optional), shape(), &[argument(&given.as_mut_ptr()), argument(&out.as_mut_ptr())]);
    compare((0..T).map(|t| if t % 3 == 0 { t * 5 + T - 1 - t } else { 0 }).collect());

    device.launch(kernel!(beside), shape(), &[argument(&count), argument(&out.as_mut_ptr())]);
    let mut values: Vec<u32> = (0..T).collect();
    for step in 0..count as usize {
        let before = values.clone();
        for t in (1..THREADS).step_by(2) {
            values[t] = values[t].wrapping_add(before[(t + step) % THREADS]);
        }
    }
    compare((0..THREADS).map(|t| values[if t % 2 == 1 { t - 1 } else { t + 1 }]).collect());

    device.launch(kernel!(done), shape(), &[argument(&count), argument(&out.as_mut_ptr())]);
    let mut values = vec![0; THREADS];
    for step in 0..count {
        for t in (0..T).filter(|t| step == 0 || step <= t % 7 + 1) {
            values[(t + step) as usize % THREADS] += 1;
        }
    }
    compare(values);

    device.launch(kernel!(voted), shape(), &[argument(&given.as_mut_ptr()), argument(&out.as_mut_ptr())]);
    compare((0..T).map(|t| if t * 5 % 3 == 0 { 7 } else { 100 }).collect());
    offload::verdict("copied", &format!("{count} steps"), wrong);
}
