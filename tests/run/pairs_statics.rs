//! Pairs with statics, each in one kernel.

#[macro_use]
#[path = "common/features.rs"]
mod features;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Relaxed};

use features::{block, here, lane, put, rank, shuffle_xor, Run, BLOCK, N};
use offload::{dynamic_shared, sync_threads};

#[unsafe(link_section = ".offload.shared")]
static mut SHARED: [u32; BLOCK] = [0; BLOCK];

static WEIGHTS: [u32; 5] = [3, 1, 4, 1, 5];

#[unsafe(link_section = ".offload.static")]
static mut SUMS: [u64; N] = [0; N];

extern "C" fn position_statics(input: *const u32, _: u32, out: *mut u64) {
    let (_, own) = here(input);
    let at = offload::thread_id_z() + 2 * (offload::thread_id_x() + 8 * offload::thread_id_y());
    let at = block() * BLOCK + at as usize;
    unsafe {
        SUMS[at] += u64::from(own);
        put(out, at, SUMS[at]);
    }
}

fn position_statics_of(run: &Run, i: usize) -> u64 {
    let rank = i % BLOCK;
    let from = i / BLOCK * BLOCK + rank % 2 * 32 + rank / 16 * 8 + rank / 2 % 8;
    (0..=run.round).map(|round| u64::from(Run::new(round).input[from])).sum()
}

#[unsafe(link_section = ".offload.static")]
static mut EXCHANGE: [u32; N] = [0; N];

/// Blocks exchange values in their own parts of a static.
extern "C" fn barrier_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        EXCHANGE[i] = own;
        for distance in 1..4 {
            sync_threads();
            let other = EXCHANGE[block() * BLOCK + (rank() + distance) % BLOCK];
            sync_threads();
            EXCHANGE[i] = EXCHANGE[i] * 2 + other;
        }
        put(out, i, EXCHANGE[i].into());
    }
}

fn barrier_statics_of(run: &Run, i: usize) -> u64 {
    let mut values = run.block(i).to_vec();
    for distance in 1..4 {
        values = (0..BLOCK).map(|at| values[at] * 2 + values[(at + distance) % BLOCK]).collect();
    }
    values[i % BLOCK].into()
}

#[unsafe(link_section = ".offload.static")]
static mut LEADERS: [u32; N / 4] = [0; N / 4];

/// One of four lanes loads and stores a static for all of them.
extern "C" fn warp_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let pair = own + shuffle_xor(own, 1);
    let sum = pair + shuffle_xor(pair, 2);
    let mut kept = 0;
    if lane() % 4 == 0 {
        unsafe {
            LEADERS[i / 4] += sum;
            kept = LEADERS[i / 4];
        }
    }
    put(out, i, features::shuffle(kept, lane() & !3).into());
}

fn warp_statics_of(run: &Run, i: usize) -> u64 {
    let sum = |round| Run::new(round).input[i / 4 * 4..][..4].iter().map(|own| u64::from(*own)).sum::<u64>();
    (0..=run.round).map(sum).sum()
}

#[unsafe(link_section = ".offload.static")]
static mut ROWS: [u32; N] = [0; N];

/// Constants and changing values of statics, by way of shared memory.
extern "C" fn shared_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        ROWS[i] += own;
        SHARED[rank()] = ROWS[i] * WEIGHTS[own as usize % 5];
        sync_threads();
        put(out, i, SHARED[BLOCK - 1 - rank()].into());
    }
}

fn shared_statics_of(run: &Run, i: usize) -> u64 {
    let from = i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK;
    let kept: u32 = (0..=run.round).map(|round| Run::new(round).input[from]).sum();
    (kept * WEIGHTS[run.input[from] as usize % 5]).into()
}

#[unsafe(link_section = ".offload.static")]
static HISTOGRAM: [AtomicU32; 8] = [const { AtomicU32::new(0) }; 8];

#[unsafe(link_section = ".offload.static")]
static FINISHED: AtomicU32 = AtomicU32::new(0);

/// Each block counts in launch-sized shared memory and adds to a static; the last one stores the static's sum.
extern "C" fn dynamic_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let bins = dynamic_shared::<u64>();
    put(bins, rank(), 0);
    sync_threads();
    let bin = |at: usize| unsafe { AtomicU64::from_ptr(bins.add(at % 8)) };
    bin(own as usize).fetch_add(1, Relaxed);
    sync_threads();
    if rank() < 8 {
        HISTOGRAM[rank()].fetch_add(bin(rank()).load(Relaxed) as u32, Relaxed);
    }
    put(out, i, bin(own as usize).load(Relaxed));
    if rank() < 8 && FINISHED.fetch_add(1, AcqRel) as usize % (8 * features::BLOCKS) == 8 * features::BLOCKS - 1 {
        put(out, N, histogram(|at| HISTOGRAM[at].load(Relaxed)));
    }
}

fn histogram(bin: impl Fn(usize) -> u32) -> u64 {
    (0..8).fold(0, |sum, at| sum * 5 + u64::from(bin(at)))
}

fn dynamic_statics_of(run: &Run) -> u64 {
    let rounds: Vec<Run> = (0..=run.round).map(Run::new).collect();
    histogram(|at| rounds.iter().flat_map(|run| &run.input).filter(|own| **own as usize % 8 == at).count() as u32)
}

#[unsafe(link_section = ".offload.static")]
static TOTAL: AtomicU64 = AtomicU64::new(100);

#[unsafe(link_section = ".offload.static")]
static TICKETS: AtomicU32 = AtomicU32::new(0);

/// The last thread of the launch stores the sum that all have added to a static.
extern "C" fn atomics_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    TOTAL.fetch_add(own.into(), Relaxed);
    if TICKETS.fetch_add(1, AcqRel) as usize % N == N - 1 {
        put(out, N, TOTAL.load(Relaxed));
    }
    put(out, i, 1);
}

fn same_bin(run: &Run, i: usize) -> u64 {
    run.block(i).iter().filter(|own| *own % 8 == run.input[i] % 8).count() as u64
}

pairs! {
    position_statics: position_statics_of;
    barrier_statics: barrier_statics_of;
    warp_statics: warp_statics_of;
    shared_statics: shared_statics_of;
    dynamic_statics: same_bin, dynamic_statics_of;
    atomics_statics: |_, _| 1, |run| (0..=run.round).map(|round| Run::new(round).total(u64::from)).sum::<u64>() + 100;
}

fn main() {
    features::check("pairs_statics", &pairs());
}
