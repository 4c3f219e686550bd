//! Loops that a float, a load or the answer of a function ends, around barriers that rustc's optimiser copies onto the
//! paths of the leader and of the others.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 64;

#[link_section = ".offload.shared"]
static mut VALUES: [f32; 2] = [0.0; 2];

/// A round of the block: the leader writes a value, and then another one. Returns their sum.
#[inline(always)]
unsafe fn round(leader: bool, value: f32) -> f32 {
    if leader {
        VALUES[0] = value;
    }
    offload::sync_threads();
    let first = VALUES[0];
    if leader {
        VALUES[1] = 2.0 * first;
    }
    offload::sync_threads();
    first + VALUES[1]
}

extern "C" fn by_float(limit: u32, out: *mut f32) {
    let t = offload::thread_id_x();
    let leader = t == 0;
    let (mut time, mut sum) = (0.0_f32, t as f32);
    while time < limit as f32 {
        sum += unsafe { round(leader, time) };
        time += 0.5;
    }
    unsafe { *out.add(t as usize) = sum };
}

extern "C" fn by_load(steps: *const f32, out: *mut f32) {
    let t = offload::thread_id_x();
    let leader = t == 0;
    let (mut step, mut sum) = (0, t as f32);
    while unsafe { *steps.add(step) } > 0.0 {
        sum += unsafe { round(leader, *steps.add(step)) };
        step += 1;
    }
    unsafe { *out.add(t as usize) = sum };
}

#[inline(never)]
fn goes_on(error: f32, limit: f32) -> bool {
    error * error > limit
}

extern "C" fn by_call(limit: f32, out: *mut f32) {
    let t = offload::thread_id_x();
    let leader = t == 0;
    let (mut error, mut sum) = (8.0_f32, t as f32);
    while goes_on(error, limit) {
        sum += unsafe { round(leader, error) };
        error *= 0.5;
    }
    unsafe { *out.add(t as usize) = sum };
}

fn main() {
    let device = Device::open();
    let shape = Shape::linear(THREADS as u32, THREADS as u32);
    let out = device.upload(&[0f32; THREADS]);
    let mut wrong = 0;
    let mut check = |name: &str, expected: f32| {
        let got = out.read();
        let bad = (0..THREADS).filter(|t| got[*t] != *t as f32 + expected).count();
        if bad > 0 {
            eprintln!("wrong: {name}: {got:?}, not {expected} more than the thread");
        }
        wrong += bad;
    };
    for limit in [0u32, 3] {
        device.launch(kernel!(by_float), shape, &[argument(&limit), argument(&out.as_mut_ptr())]);
        check("by_float", (0..2 * limit).map(|i| 3.0 * 0.5 * i as f32).sum());
    }
    let steps = [1.0f32, 4.0, 2.5, 0.0];
    let there = device.upload(&steps);
    device.launch(kernel!(by_load), shape, &[argument(&there.as_ptr()), argument(&out.as_mut_ptr())]);
    check("by_load", steps.iter().map(|step| 3.0 * step).sum());
    device.launch(kernel!(by_call), shape, &[argument(&1.5f32), argument(&out.as_mut_ptr())]);
    check("by_call", [8.0, 4.0, 2.0].iter().map(|error| 3.0 * error).sum());
    offload::verdict("tolerance", &format!("{THREADS} threads, 3 kernels"), wrong);
}
