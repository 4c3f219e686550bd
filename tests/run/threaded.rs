//! A divergent condition before and after a barrier: rustc's jump threading duplicates the barrier.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 64;

#[unsafe(link_section = ".offload.shared")]
static mut VALUES: [u32; THREADS] = [0; THREADS];

extern "C" fn both_sides(out: *mut u32) {
    let thread = offload::thread_id_x();
    let low = thread < 20;
    unsafe {
        if low {
            VALUES[thread as usize] = thread + 1;
        }
        offload::sync_threads();
        if low {
            *out.add(thread as usize) = VALUES[19 - thread as usize];
        }
    }
}

fn main() {
    let device = Device::open();
    let out = device.upload(&[0u32; THREADS]);
    let shape = Shape::linear(THREADS as u32, THREADS as u32);
    device.launch(kernel!(both_sides), shape, &[argument(&out.as_mut_ptr())]);
    let expected = |i: usize| if i < 20 { 20 - i as u32 } else { 0 };
    let wrong = out.read().iter().enumerate().filter(|(i, value)| **value != expected(*i)).count();
    offload::verdict("threaded", &format!("{THREADS} threads"), wrong);
}
