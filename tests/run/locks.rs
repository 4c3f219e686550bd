//! Threads of a block that wait for one another without a barrier, as GPUs with a program counter for each thread
//! allow: for a lock, in a loop or in a function, and for a flag that the first thread writes at its end. On a
//! processor, the first thread must come to its end before the second one starts.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

#[inline(never)]
fn acquire(lock: &AtomicU32) {
    while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
}

unsafe fn add(i: u32, sum: *mut u32, out: *mut u32) {
    *sum += i + 1;
    *out.add(i as usize) = *sum * 2;
}

extern "C" fn in_a_loop(n: u32, lock: *const AtomicU32, sum: *mut u32, out: *mut u32) {
    let i = offload::global_id_x();
    if i < n {
        let lock = unsafe { &*lock };
        while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
        unsafe { add(i, sum, out) };
        lock.store(0, Release);
    }
}

extern "C" fn in_a_function(n: u32, lock: *const AtomicU32, sum: *mut u32, out: *mut u32) {
    let i = offload::global_id_x();
    if i < n {
        let lock = unsafe { &*lock };
        acquire(lock);
        unsafe { add(i, sum, out) };
        lock.store(0, Release);
    }
}

/// The first thread sets the flag last, and the others wait for it.
extern "C" fn for_the_first(n: u32, flag: *const AtomicU32, sum: *mut u32, out: *mut u32) {
    let i = offload::global_id_x();
    let flag = unsafe { &*flag };
    if i > 0 && i < n {
        while flag.load(Acquire) == 0 {}
        unsafe { *out.add(i as usize) = *sum + i };
    }
    if i == 0 {
        unsafe { *sum = n };
        unsafe { *out = n };
        flag.store(1, Release);
    }
}

fn main() {
    let device = Device::open();
    let n = 24u32;
    let mut wrong = 0;
    for (number, kernel) in [kernel!(in_a_loop), kernel!(in_a_function), kernel!(for_the_first)].into_iter().enumerate()
    {
        let (word, sum, out) = (device.upload(&[0u32]), device.upload(&[0u32]), device.upload(&[0u32; 24]));
        let (lock, sums, results) = (word.as_ptr(), sum.as_mut_ptr(), out.as_mut_ptr());
        let arguments = [argument(&n), argument(&lock), argument(&sums), argument(&results)];
        device.launch(kernel, Shape::linear(n, n), &arguments);
        let expected = |i: u32| if number < 2 { (i + 1) * (i + 2) } else { n + i };
        let result = out.read();
        wrong += (0..n).filter(|&i| result[i as usize] != expected(i)).count();
    }
    offload::verdict("locks", "3 kernels", wrong);
}
