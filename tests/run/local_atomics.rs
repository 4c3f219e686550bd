//! Atomics in locals, which only one thread can access: directly, by reference, and through a pointer to a local in
//! some threads and to device memory in others.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU32, AtomicU8};

use offload::{argument, Device, Shape};

/// The counters of one thread, or of the whole grid.
#[repr(C)]
#[derive(Default)]
struct Counters {
    wide: AtomicI64,
    words: [AtomicU32; 3],
    half: AtomicU16,
    byte: AtomicU8,
}

/// Uses each operation on the counters, and returns a number that depends on each result.
#[inline(never)]
fn count(c: &Counters, i: u32) -> u64 {
    let old = c.words[i as usize % 3].fetch_add(i + 1, SeqCst);
    let swapped = c.words[1].swap(old + 7, AcqRel);
    let least = c.wide.fetch_min(-i64::from(i), Relaxed);
    let exchanged = c.words[2].compare_exchange(i, 5, SeqCst, Acquire).is_ok();
    let half = c.half.fetch_sub(3, Release);
    let byte = c.byte.fetch_update(Relaxed, Relaxed, |byte| Some(byte.wrapping_mul(3) ^ 1)).unwrap_or(0);
    c.words[0].store(c.words[0].load(Acquire) ^ 0x55, Release);
    let sum = u64::from(old) + 3 * u64::from(swapped) + 5 * least.unsigned_abs() + 7 * u64::from(exchanged);
    sum ^ u64::from(half) << 40 ^ u64::from(byte) << 56 ^ u64::from(c.words[0].load(SeqCst)) << 20
}

/// Adds to a counter and returns the previous value to the caller.
#[inline(never)]
fn step(counter: &AtomicU32, by: u32) -> u32 {
    counter.load(Acquire);
    counter.fetch_add(by, AcqRel)
}

/// The same with a comparison.
#[inline(never)]
fn step_if_even(counter: &AtomicU32, by: u32) -> u32 {
    counter.fetch_update(SeqCst, Relaxed, |old| (old % 2 == 0).then_some(old + 2 * by)).unwrap_or_else(|odd| odd)
}

/// The functions of which a thread calls one; the launch decides which.
static STEPS: [fn(&AtomicU32, u32) -> u32; 2] = [step, step_if_even];

#[inline(never)]
fn thread(i: u32, of_all: &AtomicU32) -> u64 {
    let mine = Counters::default();
    let mut result = count(&mine, i);
    result = result.wrapping_mul(31).wrapping_add(count(&mine, i / 2));
    // Every fifth thread counts for all, and the others for themselves.
    let own = AtomicU32::new(i);
    let counter = if i % 5 == 0 { of_all } else { &own };
    let found = STEPS[i as usize % 2](counter, 2);
    if i % 5 != 0 {
        result ^= u64::from(found) + (u64::from(own.load(Relaxed)) << 32);
    }
    result
}

extern "C" fn local_atomics(count: u32, results: *mut u64, of_all: *const AtomicU32) {
    let i = offload::global_id_x();
    if i < count {
        unsafe { *results.add(i as usize) = thread(i, &*of_all) };
    }
}

fn main() {
    let count = 300;
    let device = Device::open();
    let results = device.upload(&vec![0u64; count as usize]);
    let of_all = device.upload(&[0u32]);
    let (address, counter) = (results.as_mut_ptr(), of_all.as_mut_ptr());
    let arguments = [argument(&count), argument(&address), argument(&counter)];
    device.launch(kernel!(local_atomics), Shape::linear(count, 64), &arguments);
    let on_host = AtomicU32::new(0);
    let expected: Vec<u64> = (0..count).map(|i| thread(i, &on_host)).collect();
    let wrong = results.read().iter().zip(&expected).filter(|(found, expected)| found != expected).count();
    let total = usize::from(of_all.read()[0] != on_host.into_inner());
    offload::verdict("local_atomics", &format!("{count} threads"), wrong + total);
}
