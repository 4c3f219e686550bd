//! Grid-stride loops: before and after barriers, two in a kernel, with other loops inside, with numbers of elements for
//! which neighbours have loops of different lengths, with branches that leave them, with counters that wrap around, and
//! in blocks of several rows. Loops in steps of the size of the block, and results of the block that all threads load.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const BLOCK: usize = 64;

#[unsafe(link_section = ".offload.shared")]
static mut SUMS: [u64; BLOCK] = [0; BLOCK];
#[unsafe(link_section = ".offload.shared")]
static BINS: [AtomicU32; 8] = [const { AtomicU32::new(0) }; 8];

fn stride() -> usize {
    offload::grid_dim_x() as usize * offload::block_dim_x() as usize
}

fn part(x: u32, k: usize) -> u64 {
    u64::from(x) * (k as u64 | 1)
}

/// The end of a thread's loop. Later threads of a block may have more iterations than the ones before.
fn end(n: usize, thread: usize, is_uneven: bool) -> usize {
    if is_uneven {
        n * (thread % 5) / 4
    } else {
        n
    }
}

/// A loop, a reduction of the block, and a loop that uses its result.
extern "C" fn reduce(n: usize, is_uneven: bool, x: *const u32, out: *mut u64, totals: *mut u64) {
    let x = unsafe { std::slice::from_raw_parts(x, n) };
    let (t, block) = (offload::thread_id_x() as usize, offload::block_dim_x() as usize);
    let first = offload::global_id_x() as usize;
    let end = end(n, t, is_uneven);
    let (mut own, mut i, mut k) = (0u64, first, 0);
    while i < end {
        own = own.wrapping_add(part(x[i], k));
        i += stride();
        k += 1;
    }
    unsafe { SUMS[t] = own };
    offload::sync_threads();
    let mut total = 0u64;
    for other in 0..block {
        total = total.wrapping_mul(3).wrapping_add(unsafe { SUMS[other] });
    }
    if t == 0 {
        unsafe { *totals.add(offload::block_id_x() as usize) = total };
    }
    offload::sync_threads();
    let mut i = first;
    while i < n {
        unsafe { *out.add(i) = total ^ u64::from(x[i]) };
        i += stride();
    }
}

/// Shared counts, with another loop inside. The last count is seen after a barrier.
extern "C" fn count(n: usize, x: *const u32, counts: *mut u32) {
    let x = unsafe { std::slice::from_raw_parts(x, n) };
    let t = offload::thread_id_x() as usize;
    if t < BINS.len() {
        BINS[t].store(0, Relaxed);
    }
    offload::sync_threads();
    let mut i = offload::global_id_x() as usize;
    while i < n {
        let mut left = x[i];
        while left != 0 {
            BINS[(left % 8) as usize].fetch_add(1, Relaxed);
            left >>= 9;
        }
        i += stride();
    }
    offload::sync_threads();
    if t < BINS.len() {
        unsafe { *counts.add(offload::block_id_x() as usize * 8 + t) = BINS[t].load(Relaxed) };
    }
}

/// Threads leave the loop in its middle.
extern "C" fn search(n: usize, x: *const u32, out: *mut u64) {
    let x = unsafe { std::slice::from_raw_parts(x, n) };
    let mut found = u64::MAX;
    let mut i = offload::global_id_x() as usize;
    while i < n {
        if x[i] % 5 == 0 {
            found = i as u64;
            break;
        }
        i += stride();
    }
    unsafe { *out.add(offload::global_id_x() as usize) = found };
}

/// Counts from `i` as long as there is more to do. The counter may wrap around, also from one thread to the next. Each
/// round uses the result of a round before.
fn rounds(mut i: u32, step: u32, (number, threads): (u32, u32), results: *mut u64, more: impl Fn(u32) -> bool) {
    while more(i) {
        let result = unsafe { &mut *results.add((number + (i >> 7 & 1) * threads) as usize) };
        *result = result.wrapping_mul(31).wrapping_add(u64::from(i));
        i = i.wrapping_add(step);
    }
}

/// The number of a thread in the grid, whose blocks may have several rows.
fn number() -> u32 {
    let rank = offload::thread_id_y() * offload::block_dim_x() + offload::thread_id_x();
    offload::block_id_x() * offload::block_dim_x() * offload::block_dim_y() + rank
}

extern "C" fn wrapped(n: u32, start: u32, step: u32, threads: u32, out: *mut u64) {
    let step = step.wrapping_mul(offload::grid_dim_x());
    rounds(start.wrapping_add(number()), step, (number(), threads), out, |i| i < n);
}

extern "C" fn wrapped_signed(n: u32, start: u32, step: u32, threads: u32, out: *mut u64) {
    let step = step.wrapping_mul(offload::grid_dim_x());
    rounds(start.wrapping_add(number()), step, (number(), threads), out, |i| (i as i32) < n as i32);
}

/// The same with a counter of 64 bits that starts with a number of 32 bits.
fn long_rounds(start: u32, (n, step): (u64, u64), (number, threads): (u32, u32), results: *mut u64) {
    let mut i = u64::from(start);
    while i < n {
        let result = unsafe { &mut *results.add((number + (i >> 29 & 1) as u32 * threads) as usize) };
        *result = result.wrapping_mul(31).wrapping_add(i);
        i += step;
    }
}

/// Where the number of 32 bits wraps around, the counters of neighbours are far from each other.
extern "C" fn extended(n: u64, start: u32, step: u32, threads: u32, out: *mut u64) {
    let step = u64::from(step) * u64::from(offload::grid_dim_x());
    long_rounds(start.wrapping_add(number()), (n, step), (number(), threads), out);
}

/// The number of results of counters that wrap around which are wrong.
fn wrong_rounds(device: &Device) -> usize {
    let mut wrong = 0;
    for (n, start, step) in [
        // In the second round, threads of one block are on both sides of 0, and of the greatest signed number.
        (0xc000_0000u32, 0x10u32, 0xffff_ffd0u32),
        (0x4000_0000, 0x10, 0x7fff_ffd0),
        (0xc000_0000, 0xffff_ffe0, 0x1357_9bdf),
        (0xf000_0000, 0, 0x0700_0000),
        (1000, 7, 64),
    ] {
        for (blocks, block) in [(1u32, [64u32, 1]), (3, [20, 1]), (1, [16, 4]), (3, [5, 3])] {
            let threads = blocks * block[0] * block[1];
            let shape = Shape { grid: [blocks, 1, 1], block: [block[0], block[1], 1], shared_bytes: 0 };
            for (is_signed, kernel) in [(false, kernel!(wrapped)), (true, kernel!(wrapped_signed))] {
                let mut all = vec![1u64; 2 * threads as usize];
                let out = device.upload(&all);
                let to = out.as_mut_ptr();
                let arguments = [argument(&n), argument(&start), argument(&step), argument(&threads), argument(&to)];
                let more = |i: u32| if is_signed { (i as i32) < n as i32 } else { i < n };
                for thread in 0..threads {
                    let (first, step, results) =
                        (start.wrapping_add(thread), step.wrapping_mul(blocks), all.as_mut_ptr());
                    rounds(first, step, (thread, threads), results, more);
                }
                device.launch(kernel, shape, &arguments);
                wrong += out.read().iter().zip(&all).filter(|(a, b)| a != b).count();
            }
        }
    }
    wrong
}

fn wrong_long_rounds(device: &Device) -> usize {
    let (n, start, step, block) = (0x2_0000_0000u64, 0xffff_ffe0u32, 0x2000_0000u32, 64u32);
    let mut wrong = 0;
    for blocks in [1, 3] {
        let threads = blocks * block;
        let mut all = vec![1u64; 2 * threads as usize];
        let out = device.upload(&all);
        let to = out.as_mut_ptr();
        let arguments = [argument(&n), argument(&start), argument(&step), argument(&threads), argument(&to)];
        device.launch(kernel!(extended), Shape::linear(threads, block), &arguments);
        for thread in 0..threads {
            let step = u64::from(step * blocks);
            long_rounds(start.wrapping_add(thread), (n, step), (thread, threads), all.as_mut_ptr());
        }
        wrong += out.read().iter().zip(&all).filter(|(a, b)| a != b).count();
    }
    wrong
}

/// The ends of the loops rise from thread to thread, so that neighbours may have one more iteration.
extern "C" fn rising(n: u32, step: u32, begin: usize, x: *const u32, out: *mut u32) {
    let i = offload::global_id_x();
    if i < n {
        let places = (0..begin + i as usize).step_by(step as usize);
        let sum = places.fold(0u32, |sum, place| sum.wrapping_add(unsafe { *x.add(place) }));
        unsafe { *out.add(i as usize) = sum };
    }
}

fn wrong_rising(device: &Device) -> usize {
    let (n, begin) = (64u32, 5usize);
    let x: Vec<u32> = (0..n + 5).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let (on_x, out) = (device.upload(&x), device.upload(&vec![0u32; n as usize]));
    let (from, to) = (on_x.as_ptr(), out.as_mut_ptr());
    let wrong = |step: u32| {
        let arguments = [argument(&n), argument(&step), argument(&begin), argument(&from), argument(&to)];
        device.launch(kernel!(rising), Shape::linear(n, 32), &arguments);
        let sum = |i: usize| x[..begin + i].iter().step_by(step as usize).fold(0, |sum: u32, x| sum.wrapping_add(*x));
        out.read().iter().enumerate().filter(|(i, got)| sum(*i) != **got).count()
    };
    [1, 3, 4, 7, 100].into_iter().map(wrong).sum()
}

/// The sum of a loop with an end and a step that are constants, from the thread's number on, or from one that is more.
#[inline(always)]
fn sum_to<const END: usize>(begin: u32, x: *const u32, out: *mut u32) {
    let own = offload::thread_id_x() as usize;
    let mut sum = 1u32;
    for place in (own + begin as usize..END).step_by(64) {
        sum = (sum << 3 ^ sum).wrapping_add(unsafe { *x.add(place) });
    }
    unsafe { *out.add(own) = sum };
}

/// The end and the step are multiples of the size of a group of threads. If the group begins at one, too, all of it
/// iterate equally often.
extern "C" fn to_multiple(begin: u32, x: *const u32, out: *mut u32) {
    sum_to::<400>(begin, x, out);
}

extern "C" fn to_other(begin: u32, x: *const u32, out: *mut u32) {
    sum_to::<420>(begin, x, out);
}

fn wrong_of_constants(device: &Device) -> usize {
    let x: Vec<u32> = (0..1000).map(|i: u32| (i + 3).wrapping_mul(2_654_435_761)).collect();
    let input = device.upload(&x);
    let mut wrong = 0;
    for (block, begin) in [(256u32, 0u32), (256, 3), (256, 8), (100, 13), (17, 390), (8, 139), (7, 392), (1, 1)] {
        for (kernel, end) in [(kernel!(to_multiple), 400), (kernel!(to_other), 420)] {
            let out = device.upload(&vec![0u32; block as usize]);
            let shape = Shape { grid: [1, 1, 1], block: [block, 1, 1], shared_bytes: 0 };
            let (from, to) = (input.as_ptr(), out.as_mut_ptr());
            device.launch(kernel, shape, &[argument(&begin), argument(&from), argument(&to)]);
            let weigh = |sum: u32, place: usize| (sum << 3 ^ sum).wrapping_add(x[place]);
            let sum = |begin: u32| (begin as usize..end).step_by(64).fold(1, weigh);
            wrong += out.read().iter().zip(begin..).filter(|(got, begin)| **got != sum(*begin)).count();
        }
    }
    wrong
}

/// The results of [`of_block`] in each thread.
const OF_BLOCK: usize = 7;

/// Loops in steps of the block's width, and numbers of iterations of such loops, each after a separate barrier. All
/// threads load a number of the block, which one thread changes in between.
extern "C" fn of_block(begin: u32, n: usize, x: *const u32, out: *mut u32) {
    let [width, height, depth] = [offload::block_dim_x(), offload::block_dim_y(), offload::block_dim_z()];
    let own = offload::thread_id_x();
    let rank = (offload::thread_id_z() * height + offload::thread_id_y()) * width + own;
    let put = |i: usize, value: u32| unsafe { *out.add(rank as usize * OF_BLOCK + i) = value };
    let places = || (own as usize..n).step_by(width as usize);
    let weigh = |sum: u32, place: usize| (sum << 3 ^ sum).wrapping_add(unsafe { *x.add(place) });
    let end = n as u32;
    put(0, places().fold(1, weigh));
    if rank == 0 {
        unsafe { SUMS[0] = u64::from(begin ^ end) };
    }
    offload::sync_threads();
    let first = unsafe { SUMS[0] } as u32;
    put(1, first ^ end.saturating_sub(begin.wrapping_add(own)).div_ceil(width));
    offload::sync_threads();
    put(2, end.saturating_sub(rank).div_ceil(width * height * depth));
    offload::sync_threads();
    put(3, begin.wrapping_add(own).div_ceil(width));
    offload::sync_threads();
    put(4, end.wrapping_sub(own).div_ceil(width));
    if rank == width * height * depth - 1 {
        unsafe { SUMS[0] += 1 };
    }
    offload::sync_threads();
    let second = unsafe { SUMS[0] } as u32;
    put(5, second ^ end.saturating_sub(own << 30).div_ceil(width));
    offload::sync_threads();
    let sum = unsafe { *out.add(rank as usize * OF_BLOCK) };
    put(6, places().fold(first ^ sum, weigh));
}

/// The result of [`of_block`] for a block of this size.
fn expected_of_block(begin: u32, n: u32, x: &[u32], [width, height, depth]: [u32; 3]) -> Vec<u32> {
    let (first, all) = (begin ^ n, width * height * depth);
    let of_thread = |rank: u32| {
        let own = rank % width;
        let weigh = |sum: u32, place: u32| (sum << 3 ^ sum).wrapping_add(x[place as usize]);
        let sum = |from: u32| (own..n).step_by(width as usize).fold(from, weigh);
        [
            sum(1),
            first ^ n.saturating_sub(begin.wrapping_add(own)).div_ceil(width),
            n.saturating_sub(rank).div_ceil(all),
            begin.wrapping_add(own).div_ceil(width),
            n.wrapping_sub(own).div_ceil(width),
            first.wrapping_add(1) ^ n.saturating_sub(own << 30).div_ceil(width),
            sum(first ^ sum(1)),
        ]
    };
    (0..all).flat_map(of_thread).collect()
}

/// A thread loads a value that it may have stored itself, or only if the pointer is not null.
extern "C" fn own_words(n: u32, to: *mut u32, from: *const u32, none: *const u32, out: *mut u32) {
    offload::sync_threads();
    unsafe { *to = to.read_volatile() + n };
    let stored = unsafe { *from };
    offload::sync_threads();
    let there = if none.is_null() { 7 } else { unsafe { *none } };
    offload::sync_threads();
    unsafe { *out.add(offload::thread_id_x() as usize) = stored ^ there };
}

fn wrong_of_block(device: &Device) -> usize {
    let x: Vec<u32> = (0..1000).map(|i: u32| (i + 3).wrapping_mul(2_654_435_761)).collect();
    let input = device.upload(&x);
    let mut wrong = 0;
    let rows = [1u32, 7, 8, 12, 16, 17, 24, 31, 33, 100, 256].map(|width| [width, 1, 1]);
    for block in rows.into_iter().chain([[8, 3, 1], [16, 1, 2], [5, 2, 3]]) {
        let threads: u32 = block.iter().product();
        let width = block[0];
        // Multiples of the width, and others; counters that wrap around within a block, so that its first and last
        // thread alone have as many iterations.
        let even = [0, width, 3 * width, 2 * threads].map(|n| (0, n));
        let uneven = [(0, 1), (3, width + 1), (1, 2 * threads + 1), (0, threads + 10.min(width)), (0, 1000)];
        let wrapping = [(u32::MAX - 2, 1), (u32::MAX - 2, 1000), (u32::MAX - width, 2)];
        for (begin, n) in even.into_iter().chain(uneven).chain(wrapping) {
            let out = device.upload(&vec![0u32; threads as usize * OF_BLOCK]);
            let (from, to) = (input.as_ptr(), out.as_mut_ptr());
            let (n, count) = (n.min(1000), n.min(1000) as usize);
            let arguments = [argument(&begin), argument(&count), argument(&from), argument(&to)];
            device.launch(kernel!(of_block), Shape { grid: [1, 1, 1], block, shared_bytes: 0 }, &arguments);
            let all = expected_of_block(begin, n, &x, block);
            wrong += out.read().iter().zip(&all).filter(|(a, b)| a != b).count();
        }
    }
    let (word, out) = (device.upload(&[3u32]), device.upload(&[0u32]));
    let (to, from, none, results) = (word.as_mut_ptr(), word.as_ptr(), std::ptr::null::<u32>(), out.as_mut_ptr());
    let n = 1000u32;
    let arguments = [argument(&n), argument(&to), argument(&from), argument(&none), argument(&results)];
    device.launch(kernel!(own_words), Shape::linear(1, 1), &arguments);
    wrong + usize::from(word.read() != [3 + n]) + usize::from(out.read() != [(3 + n) ^ 7])
}

struct Expected {
    out: Vec<u64>,
    totals: Vec<u64>,
    counts: Vec<u32>,
    found: Vec<u64>,
}

fn expected(x: &[u32], blocks: usize, block: usize, is_uneven: bool) -> Expected {
    let stride = blocks * block;
    let own = |thread: usize| (thread..x.len()).step_by(stride);
    let sum = |thread: usize| {
        let end = end(x.len(), thread % block, is_uneven);
        let all = own(thread).take_while(|i| *i < end);
        all.enumerate().fold(0u64, |sum, (k, i)| sum.wrapping_add(part(x[i], k)))
    };
    let total = |b: usize| (0..block).fold(0u64, |total, t| total.wrapping_mul(3).wrapping_add(sum(b * block + t)));
    let totals: Vec<u64> = (0..blocks).map(total).collect();
    let out = (0..x.len()).map(|i| totals[i % stride / block] ^ u64::from(x[i])).collect();
    let mut counts = vec![0; blocks * 8];
    for (i, value) in x.iter().enumerate() {
        let mut left = *value;
        while left != 0 {
            counts[i % stride / block * 8 + (left % 8) as usize] += 1;
            left >>= 9;
        }
    }
    let found = (0..stride).map(|t| own(t).find(|i| x[*i] % 5 == 0).map_or(u64::MAX, |i| i as u64)).collect();
    Expected { out, totals, counts, found }
}

fn main() {
    let device = Device::open();
    let mut wrong = 0;
    for n in [0usize, 1, 63, 200, 777] {
        let x: Vec<u32> = (0..n as u32).map(|i| (i + 3).wrapping_mul(2_654_435_761) >> 3).collect();
        let input = device.upload(&if n == 0 { vec![0] } else { x.clone() });
        for (blocks, block, is_uneven) in [
            (1u32, 64u32, false),
            (1, 64, true),
            (3, 20, false),
            (3, 20, true),
            (2, 8, false),
            (5, 1, false),
            (1, 33, true),
        ] {
            let expected = expected(&x, blocks as usize, block as usize, is_uneven);
            let shape = Shape { grid: [blocks, 1, 1], block: [block, 1, 1], shared_bytes: 0 };
            let (out, totals) = (device.upload(&vec![0u64; n + 1]), device.upload(&vec![0u64; blocks as usize]));
            let counts = device.upload(&vec![0u32; blocks as usize * 8]);
            let found = device.upload(&vec![0u64; (blocks * block) as usize]);
            let from = input.as_ptr();
            device.launch(
                kernel!(reduce),
                shape,
                &[
                    argument(&n),
                    argument(&is_uneven),
                    argument(&from),
                    argument(&out.as_mut_ptr()),
                    argument(&totals.as_mut_ptr()),
                ],
            );
            if block >= 8 {
                device.launch(kernel!(count), shape, &[argument(&n), argument(&from), argument(&counts.as_mut_ptr())]);
                wrong += counts.read().iter().zip(&expected.counts).filter(|(a, b)| a != b).count();
            }
            device.launch(kernel!(search), shape, &[argument(&n), argument(&from), argument(&found.as_mut_ptr())]);
            wrong += out.read().iter().zip(&expected.out).filter(|(a, b)| a != b).count();
            wrong += totals.read().iter().zip(&expected.totals).filter(|(a, b)| a != b).count();
            wrong += found.read().iter().zip(&expected.found).filter(|(a, b)| a != b).count();
        }
    }
    wrong += wrong_rounds(&device) + wrong_long_rounds(&device) + wrong_rising(&device) + wrong_of_block(&device);
    wrong += wrong_of_constants(&device);
    let tested = "5 sizes in 7 grids, 5 counters in 4, 12 sizes in 14 blocks, 2 constants in 8";
    offload::verdict("strides", tested, wrong);
}
