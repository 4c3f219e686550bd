//! Operations of the threads of one block other than barriers: reductions, scans, and the leader of a block.
//!
//! The threads of a block are counted along x first, then y, then z, as in CUDA's cooperative groups.
//!
//! ```
//! use offload::{DisjointBlocks, Grid, block, kernel, prelude::*, thread};
//!
//! #[kernel]
//! fn sums(values: &[u32], mut sums: DisjointBlocks<u32>) {
//!     let sum = block::reduce_sum(values[thread::index_1d().get()]);
//!     if let Some(place) = block::leader().and_then(|leader| sums.get_mut(leader)) {
//!         *place = sum;
//!     }
//! }
//!
//! let mut result = [0; 2];
//! sums.run_on_host(Grid::for_len(8, 4), (&[1, 2, 3, 4, 5, 6, 7, 8], &mut result));
//! assert_eq!(result, [10, 26]);
//! ```

use core::any::TypeId;
use std::vec::Vec;

pub use crate::rank::{Leader, leader, num_threads, thread_rank};

use crate::fallback::block::{Meeting, meet as meet_in_fallback};
use crate::host;
use crate::shared::SharedArray;
use crate::slice::RawSlice;
use crate::thread::{self, is_compiled, is_device, is_processor};
use crate::warp::{self, WarpNumber, WarpValue};

/// The largest number of threads in a block that reduces.
const THREADS: usize = 1024;

/// The smallest number of lanes of a warp that has more than one thread.
const LANES: usize = 32;

/// Whether a warp consists of consecutive threads. NVIDIA's and AMD's GPUs guarantee this, and OpenCL does not. The
/// highest byte of `arch` distinguishes them.
#[inline(always)]
fn warps_are_rows() -> bool {
    matches!(thread::arch() >> 24, 2 | 3)
}

/// Combines the values of all threads of the block with `combine`, and returns the result in every thread. Every thread
/// of the block must reach the same call. `combine` must be commutative. If it is not associative, such as a sum of
/// floats, the result is the same in every thread and every run, but may differ between devices.
///
/// The function contains at least two barriers. On devices whose warps are consecutive threads, warps reduce first. The
/// rest uses shared memory: 256 bytes on NVIDIA and AMD GPUs, 8 KiB on other devices. A value of several numbers goes
/// through this memory number by number.
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_len(10, 5), || {
///     let last = block::reduce(block::thread_rank(), |a, b| a.max(b));
///     assert_eq!(last, 4);
///     let (sum, count) = block::reduce((block::thread_rank(), 1), |a, b| (a.0 + b.0, a.1 + b.1));
///     assert_eq!((sum, count), (10, 5));
/// });
/// ```
///
/// # Panics
///
/// In every thread, if the block has more than 1024 threads.
#[doc(alias = "BlockReduce")]
#[inline(always)]
pub fn reduce<T: WarpValue>(value: T, combine: impl Fn(T, T) -> T) -> T {
    if !is_device() {
        return values_on_host(value).into_iter().reduce(combine).unwrap_or(value);
    }
    assert!(num_threads() as usize <= THREADS, "`block::reduce` in a block of more than 1024 threads");
    if warps_are_rows() {
        crate::shared! { static WARPS: [u64; THREADS / LANES]; }
        let lanes = warp::lane_count();
        let own = reduce_present(value, lanes, &combine);
        if is_one_word(value) {
            reduce_shared(&WARPS, own, lanes, combine)
        } else {
            reduce_by_exchange(&WARPS, own, lanes, combine)
        }
    } else {
        crate::shared! {
            static EACH: [u64; THREADS];
            static ALL: [u64; 1];
        }
        if !is_one_word(value) {
            return reduce_by_exchange(&EACH, value, 1, combine);
        }
        match (EACH.holding(), ALL.holding()) {
            (Some(each), Some(all)) if is_processor() => reduce_at_once(each, all, value, combine),
            _ => reduce_shared(&EACH, value, 1, combine),
        }
    }
}

/// A barrier between the stores of threads of the block and the loads of others, for values of the type `T`. Without
/// offloadc, no check of the kernel proves that all threads reach it, so it fails there if one is missing or is at
/// another `line`.
#[inline(always)]
fn meet<T: 'static>(line: u32) {
    if is_compiled() {
        thread::sync_threads();
    } else {
        meet_in_fallback(Meeting { of: TypeId::of::<T>(), line });
    }
}

/// The values of all threads of the block in code of the host.
fn values_on_host<T: WarpValue>(value: T) -> Vec<T> {
    let mut words = Vec::new();
    let _ = value.map_words(&mut |word, _| {
        words.push(host::gather(thread_rank() as usize, word));
        word
    });
    let threads = words.first().map_or(num_threads() as usize, Vec::len);
    let of_thread = |thread: usize| {
        let mut own = words.iter().map(|word| word[thread]);
        value.map_words(&mut |word, _| own.next().unwrap_or(word))
    };
    (0..threads).map(of_thread).collect()
}

/// Whether a value is exchanged as one word, which is so for all values of a type or for none.
#[inline(always)]
fn is_one_word<T: WarpValue>(value: T) -> bool {
    let mut words = 0;
    let _ = value.map_words(&mut |word, _| {
        words += 1;
        word
    });
    words == 1
}

/// The word of a value that is exchanged as one word.
#[inline(always)]
fn to_word<T: WarpValue>(value: T) -> u64 {
    let mut only = 0;
    let _ = value.map_words(&mut |word, _| {
        only = word;
        word
    });
    only
}

/// The value with this word, of the same type as `like`.
#[inline(always)]
fn from_word<T: WarpValue>(like: T, word: u64) -> T {
    like.map_words(&mut |_, _| word)
}

/// As [`reduce_shared`] and in the same order, but one thread does it all: on a processor a barrier costs more than a
/// step. The result has a separate place, so that the next call need not wait until all threads have read it.
#[inline(always)]
fn reduce_at_once<T: WarpValue>(places: RawSlice<T>, all: RawSlice<T>, value: T, combine: impl Fn(T, T) -> T) -> T {
    let rank = thread_rank() as usize;
    // SAFETY: each element belongs to one thread until the first barrier, and to the first thread until the second one.
    unsafe {
        places.set(rank, value);
        meet::<T>(line!());
        if rank == 0 {
            let mut values = all_values(places);
            let sum = loop {
                if let Some(sum) = reduce_last(values, &combine) {
                    break sum;
                }
                if let [sum] = values {
                    break *sum;
                }
                let (kept, others) = values.split_at_mut(values.len().div_ceil(2));
                for (value, other) in kept.iter_mut().zip(others) {
                    *value = combine(*value, *other);
                }
                values = kept;
            };
            all.set(0, sum);
        }
        meet::<T>(line!());
        all.get(0)
    }
}

/// The last four steps of [`reduce_at_once`], in registers: each step waits for the one before, and would wait for
/// memory. None if there are not 16 values.
#[inline(always)]
fn reduce_last<T: Copy>(values: &[T], combine: impl Fn(T, T) -> T) -> Option<T> {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = values else { return None };
    let two_steps = |a: &T, e: &T, i: &T, m: &T| combine(combine(*a, *i), combine(*e, *m));
    let (a, b, c, d) = (two_steps(a, e, i, m), two_steps(b, f, j, n), two_steps(c, g, k, o), two_steps(d, h, l, p));
    Some(combine(combine(a, c), combine(b, d)))
}

/// The values of all threads of the block. A loop over a slice has no check for each element, so that it can be
/// vectorised.
///
/// # Safety
///
/// Each thread of the block has set its place, and nothing else uses the places.
#[inline(always)]
unsafe fn all_values<'a, T: WarpValue>(places: RawSlice<T>) -> &'a mut [T] {
    // SAFETY: the caller promises it, and a block that uses the places has no more threads than there are places.
    unsafe { core::slice::from_raw_parts_mut(places.as_mut_ptr(), num_threads() as usize) }
}

/// The results of [`scan`], which one thread computes in place.
#[inline(always)]
fn scan_at_once<T: WarpValue>(places: RawSlice<T>, value: T, combine: &impl Fn(T, T) -> T) -> (T, T) {
    let rank = thread_rank() as usize;
    // SAFETY: each element belongs to one thread until the first barrier, and to the first thread until the second one.
    // Then all only read, and the last barrier separates these reads from the next call.
    unsafe {
        places.set(rank, value);
        meet::<T>(line!());
        if rank == 0 {
            let (first, others) = all_values(places).split_at_mut(1);
            let mut sum = first[0];
            for value in others {
                sum = combine(sum, *value);
                *value = sum;
            }
        }
        meet::<T>(line!());
        let results = (places.get(rank), places.get(rank.saturating_sub(1)));
        meet::<T>(line!());
        results
    }
}

/// Combines the values of the lanes of a warp; lane 0 has the result. The last warp of a block may have fewer lanes
/// than `lanes`.
#[inline(always)]
fn reduce_present<T: WarpValue>(value: T, lanes: u32, combine: &impl Fn(T, T) -> T) -> T {
    let (mut value, lane, present) = (value, warp::lane_id(), warp::popc(true));
    let mut distance = lanes / 2;
    while distance > 0 {
        let other = warp::shuffle_down(value, distance);
        if lane + distance < present {
            value = combine(value, other);
        }
        distance /= 2;
    }
    value
}

/// Combines values in shared memory, halving their number in each step. Each thread whose rank is a multiple of `lanes`
/// has a value.
#[inline(always)]
fn reduce_shared<T: WarpValue, const N: usize>(
    places: &'static SharedArray<u64, N>,
    value: T,
    lanes: u32,
    combine: impl Fn(T, T) -> T,
) -> T {
    let (rank, mut count) = (thread_rank(), num_threads().div_ceil(lanes));
    let (place, has_value) = ((rank / lanes) as usize, rank % lanes == 0);
    // SAFETY: each element belongs to one thread, and only this thread sets it. A barrier separates this from the reads
    // of other threads, and another barrier separates these reads from the next call.
    unsafe {
        let get = |place: usize| from_word(value, places.get(place));
        if has_value {
            places.set(place, to_word(value));
        }
        meet::<T>(line!());
        while count > 1 {
            let half = count.div_ceil(2);
            let other = place + half as usize;
            if has_value && other < count as usize {
                places.set(place, to_word(combine(get(place), get(other))));
            }
            meet::<T>(line!());
            count = half;
        }
        let all = get(0);
        meet::<T>(line!());
        all
    }
}

/// As [`reduce_shared`], for values of any number of words: the threads keep their values, and exchange them in each
/// step.
#[inline(always)]
fn reduce_by_exchange<T: WarpValue, const N: usize>(
    places: &'static SharedArray<u64, N>,
    value: T,
    lanes: u32,
    combine: impl Fn(T, T) -> T,
) -> T {
    let (mut value, mut count) = (value, num_threads().div_ceil(lanes));
    let (place, has_value) = (thread_rank() / lanes, thread_rank().is_multiple_of(lanes));
    while count > 1 {
        let half = count.div_ceil(2);
        let other = exchange(places, value, has_value.then_some(place), (place + half).min(count - 1));
        if place + half < count {
            value = combine(value, other);
        }
        count = half;
    }
    exchange(places, value, has_value.then_some(place), 0)
}

/// Returns the value that the thread with the place `from` brings. Each place belongs to one thread at most. Every
/// thread of the block must reach the call. It contains two barriers for each word of the value.
#[inline(always)]
fn exchange<T: WarpValue, const N: usize>(
    places: &'static SharedArray<u64, N>,
    value: T,
    own: Option<u32>,
    from: u32,
) -> T {
    value.map_words(&mut |word, _| {
        // SAFETY: a barrier separates this thread's store from the loads of others, and another one separates these
        // loads from the next word. A thread has set the place `from`.
        unsafe {
            if let Some(own) = own {
                places.set(own as usize, word);
            }
            meet::<T>(line!());
            let other = places.get(from as usize);
            meet::<T>(line!());
            other
        }
    })
}

/// Combines the values of the threads up to this one with `combine`, in the order of their ranks. Every thread of the
/// block must reach the same call. `combine` must be associative; it need not be commutative. A sum of floats is the
/// same in every run, but may differ between devices.
///
/// It needs the same shared memory as [`reduce`], and two barriers for each step and each number of the value. The
/// number of steps is the logarithm of the number of threads, or of warps where warps are consecutive threads. On a
/// processor, one thread combines values of a single number in one step.
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_len(4, 4), || {
///     let rank = block::thread_rank();
///     assert_eq!(block::inclusive_scan(rank + 1, |a, b| a + b), [1, 3, 6, 10][rank as usize]);
/// });
/// ```
///
/// # Panics
///
/// See [`reduce`].
#[doc(alias("BlockScan", "InclusiveScan", "InclusiveSum", "prefix_sum"))]
#[inline(always)]
pub fn inclusive_scan<T: WarpValue>(value: T, combine: impl Fn(T, T) -> T) -> T {
    scan(value, &combine).0
}

/// Combines `initial` and the values of the threads before this one with `combine`, in the order of their ranks. The
/// first thread gets `initial`. The requirements are those of [`inclusive_scan`].
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_len(4, 4), || {
///     let rank = block::thread_rank();
///     let place = block::exclusive_scan(u32::from(rank != 1), 0, |a, b| a + b);
///     assert_eq!(place, [0, 1, 1, 2][rank as usize]); // where each thread but one writes
/// });
/// ```
///
/// # Panics
///
/// See [`reduce`].
#[doc(alias("BlockScan", "ExclusiveScan", "ExclusiveSum", "prefix_sum"))]
#[inline(always)]
pub fn exclusive_scan<T: WarpValue>(value: T, initial: T, combine: impl Fn(T, T) -> T) -> T {
    let (_, before) = scan(value, &combine);
    if thread_rank() == 0 { initial } else { combine(initial, before) }
}

/// The combined values of the threads up to this one, and of the threads before this one; the latter is of no use in
/// the first thread.
#[inline(always)]
fn scan<T: WarpValue>(value: T, combine: &impl Fn(T, T) -> T) -> (T, T) {
    let rank = thread_rank();
    if !is_device() {
        let all = values_on_host(value);
        let up_to = |end: usize| all[..end].iter().copied().reduce(combine).unwrap_or(value);
        return (up_to(rank as usize + 1), up_to(rank as usize));
    }
    assert!(num_threads() as usize <= THREADS, "a scan in a block of more than 1024 threads");
    if !warps_are_rows() {
        crate::shared! { static EACH: [u64; THREADS]; }
        if let Some(each) = EACH.holding().filter(|_| is_processor() && is_one_word(value)) {
            return scan_at_once(each, value, combine);
        }
        let own = scan_by_exchange(&EACH, value, Some(rank), rank, num_threads(), combine);
        return (own, exchange(&EACH, own, Some(rank), rank.saturating_sub(1)));
    }
    crate::shared! { static WARPS: [u64; THREADS / LANES]; }
    let (lanes, lane) = (warp::lane_count(), warp::lane_id());
    let (place, is_last) = (rank / lanes, lane + 1 == warp::popc(true));
    let of_warp = scan_present(value, lanes, combine);
    // The last lane of each warp has the warp's total.
    let warps = num_threads().div_ceil(lanes);
    let total = scan_by_exchange(&WARPS, of_warp, is_last.then_some(place), place, warps, combine);
    let earlier = exchange(&WARPS, total, is_last.then_some(place), place.saturating_sub(1));
    let own = if place == 0 { of_warp } else { combine(earlier, of_warp) };
    let below = warp::shuffle_up(own, 1);
    (own, if lane == 0 { earlier } else { below })
}

/// The combined values of the lanes up to this one.
#[inline(always)]
fn scan_present<T: WarpValue>(value: T, lanes: u32, combine: &impl Fn(T, T) -> T) -> T {
    let (mut value, mut distance) = (value, 1);
    while distance < lanes {
        let other = warp::shuffle_up(value, distance);
        if warp::lane_id() >= distance {
            value = combine(other, value);
        }
        distance *= 2;
    }
    value
}

/// The combined values of the `count` places up to `place`, doubling the distance in each step. A thread with `own`
/// brings the value of that place.
#[inline(always)]
fn scan_by_exchange<T: WarpValue, const N: usize>(
    places: &'static SharedArray<u64, N>,
    value: T,
    own: Option<u32>,
    place: u32,
    count: u32,
    combine: &impl Fn(T, T) -> T,
) -> T {
    let (mut value, mut distance) = (value, 1);
    while distance < count {
        let other = exchange(places, value, own, place.saturating_sub(distance));
        if place >= distance {
            value = combine(other, value);
        }
        distance *= 2;
    }
    value
}

/// The sum over all threads of the block, in every thread; see [`reduce`]. Sums of integers wrap around.
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_len(4, 4), || assert_eq!(block::reduce_sum(block::thread_rank()), 6));
/// ```
///
/// # Panics
///
/// See [`reduce`].
#[doc(alias = "BlockReduce")]
#[inline(always)]
pub fn reduce_sum<T: WarpNumber>(value: T) -> T {
    reduce(value, T::sum)
}

/// The minimum over all threads of the block, in every thread; see [`reduce`]. NaNs are ignored.
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_len(4, 4), || assert_eq!(block::reduce_min(5 + block::thread_rank()), 5));
/// ```
///
/// # Panics
///
/// See [`reduce`].
#[inline(always)]
pub fn reduce_min<T: WarpNumber>(value: T) -> T {
    reduce(value, T::lesser)
}

/// The maximum over all threads of the block, in every thread; see [`reduce`]. NaNs are ignored.
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_len(4, 4), || assert_eq!(block::reduce_max(5 + block::thread_rank()), 8));
/// ```
///
/// # Panics
///
/// See [`reduce`].
#[inline(always)]
pub fn reduce_max<T: WarpNumber>(value: T) -> T {
    reduce(value, T::greater)
}
