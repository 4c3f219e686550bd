//! Early returns before a barrier. The threads of a block return together, or none does, or the launch panics.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// Threads of a block, and of the launch.
const BLOCK: usize = 64;
const THREADS: usize = 2 * BLOCK;

#[link_section = ".offload.shared"]
static mut VALUES: [u32; BLOCK] = [0; BLOCK];

extern "C" {
    fn __offload_block_size(x: u32, y: u32, z: u32);
}

/// Reads the neighbour's value.
unsafe fn rotate(t: u32, i: u32, out: *mut u32) {
    VALUES[t as usize] = i;
    offload::sync_threads();
    *out.add(i as usize) = VALUES[(t as usize + 1) % BLOCK];
}

/// Two guards: one by the number in the launch, the other by the number in the block.
extern "C" fn guarded(count: u32, limit: u32, out: *mut u32) {
    let (t, i) = (offload::thread_id_x(), offload::global_id_x());
    if i >= count {
        return;
    }
    if t > limit {
        return;
    }
    unsafe { rotate(t, i, out) }
}

/// A guard that no block of the promised size needs.
extern "C" fn promised(out: *mut u32) {
    unsafe { __offload_block_size(BLOCK as u32, 1, 1) };
    let (t, i) = (offload::thread_id_x(), offload::global_id_x());
    if t as usize >= BLOCK {
        return;
    }
    unsafe { rotate(t, i, out) }
}

fn main() {
    let device = Device::open();
    let shape = Shape::linear(THREADS as u32, BLOCK as u32);
    let expected = |i: usize, count: u32| {
        let next = i / BLOCK * BLOCK + (i + 1) % BLOCK;
        if (i as u32) < count {
            next as u32
        } else {
            7
        }
    };
    let mut wrong = 0;
    let whole = [(128, 63), (64, 63), (0, 63), (128, 200)];
    // In the second block, some of the threads are past the last element; in the first, some are above the limit.
    let torn = [(100, 63), (128, 40), (65, 63)];
    for (count, limit) in whole.into_iter().chain(torn) {
        let out = device.upload(&[7u32; THREADS]);
        let said = device.try_launch(
            kernel!(guarded),
            shape,
            &[argument(&count), argument(&limit), argument(&out.as_mut_ptr())],
        );
        let right = if torn.contains(&(count, limit)) {
            said.as_ref().is_err_and(|said| said.contains("disagree about an early return before a barrier"))
        } else {
            said.is_ok() && out.read().iter().enumerate().all(|(i, got)| *got == expected(i, count))
        };
        if !right {
            eprintln!("wrong: {count} elements, limit {limit}: {said:?} {:?}", out.read());
            wrong += 1;
        }
    }
    let out = device.upload(&[7u32; THREADS]);
    device.launch(kernel!(promised), shape, &[argument(&out.as_mut_ptr())]);
    wrong += out.read().iter().enumerate().filter(|(i, got)| **got != expected(*i, THREADS as u32)).count();
    offload::verdict("guards", &format!("{THREADS} threads"), wrong);
}
