//! Pairs with functions as values, each in one kernel.

#[macro_use]
#[path = "common/features.rs"]
mod features;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use features::{ballot, block, collatz, get, here, lane, put, quad, rank, shuffle_xor, Run, BLOCK, N};
use offload::{dynamic_shared, sync_threads};

#[unsafe(link_section = ".offload.shared")]
static mut SHARED: [u32; BLOCK] = [0; BLOCK];

const STEPS: [fn(u32) -> u32; 3] = [double, collatz, last_digit];

#[inline(never)]
fn double(value: u32) -> u32 {
    2 * value
}

#[inline(never)]
fn last_digit(value: u32) -> u32 {
    value % 10 + 5
}

/// The function that the value chooses, applied to it.
#[inline(always)]
fn step(value: u32) -> u32 {
    STEPS[value as usize % 3](value)
}

const AXES: [fn() -> u32; 4] = [offload::thread_id_x, offload::thread_id_y, offload::thread_id_z, offload::block_id_y];

extern "C" fn position_functions(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, (own * 10 + AXES[own as usize % 4]()).into());
}

fn position_functions_of(run: &Run, i: usize) -> u64 {
    let at = [i % 8, i / 8 % 4, i / 32 % 2, i / BLOCK];
    u64::from(run.input[i] * 10) + at[run.input[i] as usize % 4] as u64
}

extern "C" fn barrier_functions(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, step(own).into());
    sync_threads();
    let other = get(out, block() * BLOCK + (rank() + 40) % BLOCK) as u32;
    sync_threads();
    put(out, i, step(other).into());
}

/// Each lane calls a different function, then lanes exchange the results.
extern "C" fn warp_functions(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let value = step(own);
    let other = shuffle_xor(value, 3);
    put(out, i, u64::from(step(other)) * 16 + quad(ballot(other % 2 == lane() % 2)));
}

fn warp_functions_of(run: &Run, i: usize) -> u64 {
    let other = |i: usize| step(run.input[i ^ 3]);
    let votes: u64 = (0..4).map(|k| u64::from(other(i / 4 * 4 + k) as usize % 2 == k % 2) << k).sum();
    u64::from(step(other(i))) * 16 + votes
}

const CHANGES: [fn(*mut u32); 3] = [increase, invert, change_next];

#[inline(never)]
fn increase(at: *mut u32) {
    unsafe { *at += 1 }
}

#[inline(never)]
fn invert(at: *mut u32) {
    unsafe { *at ^= 0xff }
}

#[inline(never)]
fn change_next(at: *mut u32) {
    CHANGES[unsafe { *at } as usize / 3 % 2](at)
}

/// The functions get the address of a thread's place in shared memory.
extern "C" fn shared_functions(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        SHARED[rank()] = own;
        sync_threads();
        let at = (rank() + 1) % BLOCK;
        CHANGES[own as usize % 3]((&raw mut SHARED).cast::<u32>().add(at));
        sync_threads();
        put(out, i, SHARED[rank()].into());
    }
}

fn shared_functions_of(run: &Run, i: usize) -> u64 {
    let mut value = run.input[i];
    CHANGES[run.beside(i, i % BLOCK + BLOCK - 1) as usize % 3](&mut value);
    value.into()
}

const PLACES: [fn(usize) -> u64; 2] = [forward, backward];

#[inline(never)]
fn forward(at: usize) -> u64 {
    get(dynamic_shared(), at)
}

#[inline(never)]
fn backward(at: usize) -> u64 {
    2 * get(dynamic_shared(), BLOCK - 1 - at)
}

/// The functions find the launch-sized shared memory themselves.
extern "C" fn dynamic_functions(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(dynamic_shared(), rank(), own.into());
    sync_threads();
    put(out, i, PLACES[own as usize % 2](rank()));
}

fn dynamic_functions_of(run: &Run, i: usize) -> u64 {
    let own = run.input[i];
    if own % 2 == 0 {
        own.into()
    } else {
        2 * run.beside(i, BLOCK - 1 - i % BLOCK)
    }
}

const UPDATES: [fn(&AtomicU64, u64); 3] = [add, raise, mark];

#[inline(never)]
fn add(cell: &AtomicU64, value: u64) {
    cell.fetch_add(value, Relaxed);
}

#[inline(never)]
fn raise(cell: &AtomicU64, value: u64) {
    cell.fetch_max(value, Relaxed);
}

#[inline(never)]
fn mark(cell: &AtomicU64, value: u64) {
    cell.fetch_or(value, Relaxed);
}

/// Three cells of each block, and three ways to change them.
extern "C" fn atomics_functions(input: *const u32, _: u32, out: *mut u64) {
    let (_, own) = here(input);
    let which = own as usize % 3;
    UPDATES[which](unsafe { AtomicU64::from_ptr(out.add(block() * BLOCK + which)) }, own.into());
}

fn atomics_functions_of(run: &Run, i: usize) -> u64 {
    let cell = AtomicU64::new(0);
    let which = i % BLOCK;
    run.block(i).iter().filter(|own| **own as usize % 3 == which).for_each(|own| UPDATES[which](&cell, (*own).into()));
    cell.into_inner()
}

#[unsafe(link_section = ".offload.static")]
static mut STATES: [u32; N] = [1; N];

static MACHINE: [fn(u32) -> u32; 3] = [double, last_digit, collatz];

/// A machine whose states the static keeps, and whose steps a static table has.
extern "C" fn functions_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        STATES[i] = MACHINE[STATES[i] as usize % 3](own + STATES[i]);
        put(out, i, STATES[i].into());
    }
}

fn functions_statics_of(run: &Run, i: usize) -> u64 {
    let step = |state: u32, round| MACHINE[state as usize % 3](Run::new(round).input[i] + state);
    (0..=run.round).fold(1, step).into()
}

pairs! {
    position_functions: position_functions_of;
    barrier_functions: |run, i| step(step(run.beside(i, i + 40) as u32)).into();
    warp_functions: warp_functions_of;
    shared_functions: shared_functions_of;
    dynamic_functions: dynamic_functions_of;
    atomics_functions: |run, i| if i % BLOCK < 3 { atomics_functions_of(run, i) } else { 0 };
    functions_statics: functions_statics_of;
}

fn main() {
    features::check("pairs_functions", &pairs());
}
