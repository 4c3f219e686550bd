//! Pairs of a panic with each other feature but printing. Each kernel is launched without a panic, with a panic of one
//! thread while the others do their work, and without one again. A launch with a panic returns its place, and the other
//! blocks have the results that they have without it.

#[macro_use]
#[path = "common/features.rs"]
mod features;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use features::{ballot, block, collatz, get, here, put, quad, rank, shuffle_xor, Run, BLOCK, N};
use offload::{dynamic_shared, sync_threads, Device};

#[unsafe(link_section = ".offload.shared")]
static mut SHARED: [u32; BLOCK] = [0; BLOCK];

/// Panics in the thread that shall.
#[inline(always)]
fn check(i: usize, fault: u32) {
    assert!(i != fault as usize, "at fault");
}

/// The same in a function that the kernel calls.
#[inline(never)]
fn checked(i: usize, fault: u32, value: u32) -> u32 {
    if i == fault as usize {
        panic!("at fault");
    }
    value * 3
}

/// A panic in a branch that the position chooses.
extern "C" fn position_panic(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    if offload::thread_id_x() == 5 {
        check(i, fault);
    }
    put(out, i, u64::from(own * 10 + offload::thread_id_x()));
}

/// A panic between barriers, which the other threads reach.
extern "C" fn barrier_panic(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, own.into());
    sync_threads();
    check(i, fault);
    let other = get(out, block() * BLOCK + (rank() + 7) % BLOCK);
    sync_threads();
    put(out, i, other + 1);
    sync_threads();
    let sum = get(out, block() * BLOCK + (rank() + 1) % BLOCK) * 2;
    sync_threads();
    put(out, i, sum);
}

/// A panic of a lane whose warp goes on to a shuffle and a vote.
extern "C" fn warp_panic(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    let value = checked(i, fault, own);
    let votes = quad(ballot(own % 2 == 0));
    put(out, i, u64::from(shuffle_xor(value, 2)) * 16 + votes);
}

fn warp_panic_of(run: &Run, i: usize) -> u64 {
    let votes: u64 = (0..4).map(|k| u64::from(run.input[i / 4 * 4 + k] % 2 == 0) << k).sum();
    u64::from(run.input[i ^ 2]) * 48 + votes
}

/// A thread does not store its element of shared memory.
extern "C" fn shared_panic(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        SHARED[rank()] = checked(i, fault, own);
        sync_threads();
        put(out, i, SHARED[(rank() + 11) % BLOCK].into());
    }
}

/// The same in a loop over memory that the launch sizes.
extern "C" fn dynamic_panic(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    let shared = dynamic_shared::<u64>();
    let mut value = u64::from(own);
    for turn in 0..3 {
        put(shared, rank(), value);
        sync_threads();
        value += get(shared, (rank() + 1) % BLOCK);
        if turn == 1 {
            check(i, fault);
        }
        sync_threads();
    }
    put(out, i, value);
}

fn dynamic_panic_of(run: &Run, i: usize) -> u64 {
    (0..4).map(|k| [1, 3, 3, 1][k] * run.beside(i, i + k)).sum()
}

/// Threads that do not panic count, each in a cell of its block.
extern "C" fn atomics_panic(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    let own = checked(i, fault, own);
    let cell = block() * BLOCK + own as usize % 5;
    unsafe { AtomicU64::from_ptr(out.add(cell)) }.fetch_add(own.into(), Relaxed);
}

fn atomics_panic_of(run: &Run, i: usize) -> u64 {
    let threefold = run.block(i).iter().map(|own| own * 3);
    threefold.filter(|own| *own as usize % 5 == i % BLOCK).map(u64::from).sum()
}

/// A panic of a thread that has allocations, while others allocate.
extern "C" fn heap_panic(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    let mut values = vec![own];
    for k in 0..own % 6 {
        values.push(values[k as usize] * 2 + k);
    }
    let kept = Box::new(checked(i, fault, own));
    values.extend([*kept, 1]);
    put(out, i, values.iter().map(|value| u64::from(*value)).sum());
}

fn heap_panic_of(run: &Run, i: usize) -> u64 {
    let mut values = vec![run.input[i]];
    (0..values[0] % 6).for_each(|k| values.push(values[k as usize] * 2 + k));
    values.iter().map(|value| u64::from(*value)).sum::<u64>() + u64::from(run.input[i]) * 3 + 1
}

#[inline(never)]
fn deep(n: u32, i: usize, fault: u32) -> u64 {
    if n == 0 {
        check(i, fault);
        return 1;
    }
    deep(n - 1, i, fault) * 2 + u64::from(n)
}

/// A panic at the end of a recursion, and a barrier after it.
extern "C" fn panic_recursion(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, deep(own % 7, i, fault));
    sync_threads();
    let other = get(out, block() * BLOCK + (rank() + 3) % BLOCK);
    sync_threads();
    put(out, i, other * 100 + u64::from(collatz(own)));
}

fn panic_recursion_of(run: &Run, i: usize) -> u64 {
    deep(run.beside(i, i + 3) as u32 % 7, 0, 1) * 100 + u64::from(collatz(run.input[i]))
}

const STEPS: [fn(usize, u32, u32) -> u32; 3] = [checked, checked_twice, never];

#[inline(never)]
fn checked_twice(i: usize, fault: u32, value: u32) -> u32 {
    checked(i, fault, checked(i, fault, value))
}

#[inline(never)]
fn never(i: usize, fault: u32, value: u32) -> u32 {
    check(i, fault);
    value + 1
}

/// A panic in a function that a value chooses.
extern "C" fn panic_functions(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, STEPS[own as usize % 3](i, fault, own).into());
}

#[unsafe(link_section = ".offload.static")]
static mut KEPT: [u32; N] = [2; N];

#[unsafe(link_section = ".offload.static")]
static BLOCKS: [AtomicU32; 4] = [const { AtomicU32::new(0) }; 4];

/// A static keeps the value that was stored before the panic, and atomics on another one count the launches.
extern "C" fn panic_statics(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    if rank() == 0 {
        BLOCKS[block()].fetch_add(1, Relaxed);
    }
    sync_threads();
    unsafe {
        KEPT[i] += own;
        check(i, fault);
        put(out, i, (KEPT[i] * 8 + BLOCKS[block()].load(Relaxed)).into());
    }
}

fn panic_statics_of(run: &Run, i: usize) -> u64 {
    let kept: u64 = (0..=run.round).map(|round| u64::from(Run::new(round).input[i])).sum();
    (2 + kept) * 8 + run.round + 1
}

pairs! {
    position_panic: |run, i| u64::from(run.input[i]) * 10 + i as u64 % 8;
    barrier_panic: |run, i| (run.beside(i, i + 8) + 1) * 2;
    warp_panic: warp_panic_of;
    shared_panic: |run, i| run.beside(i, i + 11) * 3;
    dynamic_panic: dynamic_panic_of;
    atomics_panic: atomics_panic_of;
    heap_panic: heap_panic_of;
    panic_recursion: panic_recursion_of;
    panic_functions: |run, i| STEPS[run.input[i] as usize % 3](0, 1, run.input[i]).into();
    panic_statics: panic_statics_of;
}

fn main() {
    let device = Device::open();
    let pairs = pairs();
    let mut wrong = 0;
    for pair in &pairs {
        // The launch after the panic has statics as the launch without a panic left them, except in the block of the
        // panic: the processor ends it at once, and others do not.
        let first = pair.is_right(&device, 0, false) && pair.is_right(&device, 1, true);
        let again = pair.name.ends_with("statics") || pair.is_right(&device, 2, false);
        wrong += usize::from(!(first && again));
    }
    offload::verdict("pairs_faults", &format!("{} kernels", pairs.len()), wrong);
}
