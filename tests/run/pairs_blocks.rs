//! Pairs of position, barrier, warp, shared and launch-sized shared memory, and atomics, each in one kernel.

#[macro_use]
#[path = "common/features.rs"]
mod features;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use features::{
    ballot, block, get, here, lane, lanes, put, quad, rank, shuffle, shuffle_up, shuffle_xor, Run, BLOCK, N,
};
use offload::{dynamic_shared, sync_threads, thread_id_x, thread_id_y, thread_id_z};

#[unsafe(link_section = ".offload.shared")]
static mut SHARED: [u32; BLOCK] = [0; BLOCK];

#[unsafe(link_section = ".offload.shared")]
static mut BINS: [u32; 8] = [0; 8];

/// The position of this thread in its block, as a number of three digits.
fn digits() -> u32 {
    100 * thread_id_z() + 10 * thread_id_y() + thread_id_x()
}

/// The same of the thread with this rank in a block of 8 by 4 by 2 threads.
fn digits_of(rank: usize) -> u64 {
    (100 * (rank / 32) + 10 * (rank / 8 % 4) + rank % 8) as u64
}

/// Another thread's position, through global memory.
extern "C" fn position_barrier(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, digits().into());
    sync_threads();
    let other = get(out, block() * BLOCK + (rank() + 21) % BLOCK);
    sync_threads();
    put(out, i, 1000 * u64::from(own) + other);
}

/// The position of another lane, and whether lanes are counted like the columns of a row, whose length is a multiple of
/// four.
extern "C" fn position_warp(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let other = shuffle_xor(digits(), 3);
    let counted = (thread_id_x() % 4 == lane() % 4) as u32;
    put(out, i, (10_000 * own + 1000 * counted + other).into());
}

/// The axes of the block change places in a tile.
extern "C" fn position_shared(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        SHARED[(thread_id_z() + 2 * (thread_id_y() + 4 * thread_id_x())) as usize] = own;
        sync_threads();
        put(out, i, SHARED[rank()].into());
    }
}

/// The same in reverse, in memory that the launch sizes, with the number of the block.
extern "C" fn position_dynamic(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let tile = dynamic_shared::<u64>();
    let turned = (thread_id_z() + 2 * (thread_id_y() + 4 * thread_id_x())) as usize;
    put(tile, BLOCK - 1 - turned, u64::from(own) << 32 | block() as u64);
    sync_threads();
    put(out, i, get(tile, rank()));
}

/// Threads that differ in z alone add to one cell.
extern "C" fn position_atomics(input: *const u32, _: u32, out: *mut u64) {
    let (_, own) = here(input);
    let cell = block() * BLOCK + (thread_id_x() + 8 * thread_id_y()) as usize;
    unsafe {
        AtomicU64::from_ptr(out.add(cell)).fetch_add(own.into(), Relaxed);
        AtomicU64::from_ptr(out.add(N)).fetch_add(digits().into(), Relaxed);
    }
}

/// Shuffles, and votes in a branch, between barriers of a loop.
extern "C" fn barrier_warp(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let mut value = own;
    for step in 0..3 {
        value += shuffle_xor(value, 1);
        let mut votes = 0;
        if value % 3 != step {
            votes = quad(ballot(value % 2 == 0)) as u32;
        }
        put(out, i, u64::from(value * 2 + votes));
        sync_threads();
        value = get(out, block() * BLOCK + (rank() + 5) % BLOCK) as u32 % 10_000;
        sync_threads();
    }
    put(out, i, value.into());
}

fn barrier_warp_of(run: &Run, i: usize) -> u64 {
    let mut values: Vec<u32> = run.block(i).to_vec();
    for step in 0..3 {
        let sums: Vec<u32> = (0..BLOCK).map(|at| values[at] + values[at ^ 1]).collect();
        let voter = |at: usize| sums[at] % 3 != step;
        let vote = |at: usize| ((voter(at) && sums[at] % 2 == 0) as u32) << (at % 4);
        let votes = |at: usize| (at / 4 * 4..at / 4 * 4 + 4).map(vote).sum::<u32>();
        let stored = |at: usize| sums[at] * 2 + if voter(at) { votes(at) } else { 0 };
        values = (0..BLOCK).map(|at| stored((at + 5) % BLOCK) % 10_000).collect();
    }
    values[i % BLOCK].into()
}

/// A scan by doubling distances.
extern "C" fn barrier_shared(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        SHARED[rank()] = own;
        sync_threads();
        let mut distance = 1;
        while distance < BLOCK {
            let below = if rank() >= distance { SHARED[rank() - distance] } else { 0 };
            sync_threads();
            SHARED[rank()] += below;
            sync_threads();
            distance *= 2;
        }
        put(out, i, SHARED[rank()].into());
    }
}

/// A sort that exchanges neighbours; half of the threads have nothing to exchange.
extern "C" fn barrier_dynamic(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let values = dynamic_shared::<u64>();
    put(values, rank(), own.into());
    for step in 0..BLOCK {
        sync_threads();
        let at = rank();
        if at % 2 == step % 2 && at + 1 < BLOCK {
            let (one, other) = (get(values, at), get(values, at + 1));
            put(values, at, one.min(other));
            put(values, at + 1, one.max(other));
        }
    }
    sync_threads();
    put(out, i, get(values, rank()));
}

fn barrier_dynamic_of(run: &Run, i: usize) -> u64 {
    let mut values = run.block(i).to_vec();
    values.sort();
    values[i % BLOCK].into()
}

/// Sums of four classes of threads, read after a barrier and replaced after another.
extern "C" fn barrier_atomics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let cell = |class: usize| unsafe { AtomicU64::from_ptr(out.add(block() * BLOCK + class)) };
    cell(rank() % 4).fetch_add(own.into(), Relaxed);
    sync_threads();
    let seen = (0..4).fold(0, |sum, class| sum * 7 + cell(class).load(Relaxed));
    sync_threads();
    put(out, i, seen + rank() as u64);
}

fn barrier_atomics_of(run: &Run, i: usize) -> u64 {
    let class = |class: usize| run.block(i).iter().skip(class).step_by(4).map(|own| u64::from(*own)).sum::<u64>();
    (0..4).fold(0, |sum, of| sum * 7 + class(of)) + (i % BLOCK) as u64
}

/// The sum of a block by way of the sums of its warps.
extern "C" fn warp_shared(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let (mut sum, mut distance) = (own, lanes() / 2);
    while distance > 0 {
        sum += shuffle_xor(sum, distance);
        distance /= 2;
    }
    unsafe {
        if lane() == 0 {
            SHARED[rank() / lanes() as usize] = sum;
        }
        sync_threads();
        let all = (0..BLOCK / lanes() as usize).map(|warp| SHARED[warp]).sum::<u32>();
        put(out, i, u64::from(all) * 16 + quad(ballot(own % 2 == 1)));
    }
}

fn warp_shared_of(run: &Run, i: usize) -> u64 {
    let votes: u64 = (0..4).map(|k| (run.beside(i, i / 4 * 4 + k) % 2) << k).sum();
    run.sum(i, u64::from) * 16 + votes
}

/// A scan: first across lanes, then across warps in memory that the launch sizes.
extern "C" fn warp_dynamic(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let sums = dynamic_shared::<u64>();
    let (mut sum, mut distance) = (own, 1);
    while distance < lanes() {
        let below = shuffle_up(sum, distance);
        sum += if lane() >= distance { below } else { 0 };
        distance *= 2;
    }
    let warp = rank() / lanes() as usize;
    if lane() == lanes() - 1 {
        put(sums, warp, sum.into());
    }
    sync_threads();
    let before: u64 = (0..warp).map(|warp| get(sums, warp)).sum();
    put(out, i, before + u64::from(sum));
}

fn scanned(run: &Run, i: usize) -> u64 {
    run.block(i)[..=i % BLOCK].iter().map(|own| u64::from(*own)).sum()
}

/// The first of the lanes that count adds for all of them.
extern "C" fn warp_atomics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let mut place = 0;
    if own % 2 == 1 {
        let votes = ballot(true);
        if votes.trailing_zeros() == lane() {
            unsafe { AtomicU64::from_ptr(out.add(N)) }.fetch_add(votes.count_ones().into(), Relaxed);
        }
        place = 1 + (quad(votes) & ((1 << (lane() % 4)) - 1)).count_ones();
    }
    put(out, i, u64::from(place * 1000 + shuffle(own, lane() & !3) % 1000));
}

fn warp_atomics_of(run: &Run, i: usize) -> u64 {
    let first = i / 4 * 4;
    let odd = |range: std::ops::Range<usize>| run.input[range].iter().filter(|own| *own % 2 == 1).count() as u64;
    let place = if run.input[i] % 2 == 1 { 1 + odd(first..i) } else { 0 };
    place * 1000 + u64::from(run.input[first]) % 1000
}

/// Both kinds of shared memory, one the reverse of the other.
extern "C" fn shared_dynamic(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let reverse = dynamic_shared::<u64>();
    unsafe {
        SHARED[rank()] = own;
        put(reverse, BLOCK - 1 - rank(), u64::from(own) << 32);
        sync_threads();
        let (one, other) = (SHARED[(rank() + 1) % BLOCK], get(reverse, rank()));
        put(out, i, u64::from(one) + other);
    }
}

/// A histogram of the block, and one of the launch from those of its blocks.
extern "C" fn shared_atomics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        if rank() < 8 {
            BINS[rank()] = 0;
        }
        sync_threads();
        let bin = |at: u32| AtomicU32::from_ptr((&raw mut BINS).cast::<u32>().add(at as usize % 8));
        bin(own).fetch_add(1, Relaxed);
        sync_threads();
        let count = bin(own).load(Relaxed).into();
        put(out, i, count);
        AtomicU64::from_ptr(out.add(N)).fetch_add(count, Relaxed);
    }
}

fn in_bin(run: &Run, i: usize) -> u64 {
    run.block(i).iter().filter(|own| *own % 8 == run.input[i] % 8).count() as u64
}

/// Sums and maxima in memory that the launch sizes.
extern "C" fn dynamic_atomics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let cells = dynamic_shared::<u64>();
    put(cells, rank(), 0);
    sync_threads();
    let cell = |at: usize| unsafe { AtomicU64::from_ptr(cells.add(at)) };
    cell(rank() % 8).fetch_add(own.into(), Relaxed);
    cell(8 + rank() % 3).fetch_max(own.into(), Relaxed);
    sync_threads();
    put(out, i, cell(rank() % 8).load(Relaxed) << 20 | cell(8 + rank() % 3).load(Relaxed));
}

fn dynamic_atomics_of(run: &Run, i: usize) -> u64 {
    let every = |n: usize| run.block(i).iter().skip(i % BLOCK % n).step_by(n).map(|own| u64::from(*own));
    every(8).sum::<u64>() << 20 | every(3).max().unwrap()
}

/// The rank of the thread whose value the thread with this rank reads.
fn turned(rank: usize) -> usize {
    let (x, y, z) = (rank / 8, rank / 2 % 4, rank % 2);
    x + 8 * (y + 4 * z)
}

pairs! {
    position_barrier: |run, i| 1000 * u64::from(run.input[i]) + digits_of((i + 21) % BLOCK);
    position_warp: |run, i| 10_000 * u64::from(run.input[i]) + 1000 + digits_of((i % BLOCK) ^ 3);
    position_shared: |run, i| run.beside(i, turned(i % BLOCK));
    position_dynamic: |run, i| run.beside(i, turned(BLOCK - 1 - i % BLOCK)) << 32 | (i / BLOCK) as u64;
    position_atomics: |run, i| if i % BLOCK < 32 { run.beside(i, i) + run.beside(i, i + 32) } else { 0 },
        |_| (0..N).map(|i| digits_of(i % BLOCK)).sum();
    barrier_warp: barrier_warp_of;
    barrier_shared: scanned;
    barrier_dynamic: barrier_dynamic_of;
    barrier_atomics: barrier_atomics_of;
    warp_shared: warp_shared_of;
    warp_dynamic: scanned;
    warp_atomics: warp_atomics_of, |run| run.total(|own| u64::from(own % 2));
    shared_dynamic: |run, i| run.beside(i, i + 1) + (run.beside(i, BLOCK - 1 - i % BLOCK) << 32);
    shared_atomics: in_bin, |run| (0..N).map(|i| in_bin(run, i)).sum();
    dynamic_atomics: dynamic_atomics_of;
}

fn main() {
    features::check("pairs_blocks", &pairs());
}
