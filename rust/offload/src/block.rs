//! Operations of the threads of one block other than barriers: reductions, and the leader of a block.
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

pub use crate::rank::{Leader, leader, num_threads, thread_rank};

use crate::host;
use crate::shared::SharedArray;
use crate::thread::{self, is_device};
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
/// rest uses shared memory: 256 bytes on NVIDIA and AMD GPUs, 8 KiB on other devices.
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_len(10, 5), || {
///     let last = block::reduce(block::thread_rank(), |a, b| a.max(b));
///     assert_eq!(last, 4);
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
        let values = host::gather(thread_rank() as usize, value.to_word()).into_iter();
        return values.map(T::from_word).reduce(combine).unwrap_or(value);
    }
    assert!(num_threads() as usize <= THREADS, "`block::reduce` in a block of more than 1024 threads");
    if warps_are_rows() {
        crate::shared! { static WARPS: [u64; THREADS / LANES]; }
        let lanes = warp::lane_count();
        let own = reduce_present(value, lanes, &combine);
        reduce_shared(&WARPS, own, lanes, combine)
    } else {
        crate::shared! { static EACH: [u64; THREADS]; }
        if is_processor() { reduce_at_once(&EACH, value, combine) } else { reduce_shared(&EACH, value, 1, combine) }
    }
}

/// Whether one thread of the host runs the threads of a block one after another.
#[inline(always)]
fn is_processor() -> bool {
    thread::arch() >> 24 == 1
}

/// As [`reduce_shared`] and in the same order, but one thread does it all: on a processor a barrier costs more than a
/// step.
#[inline(always)]
fn reduce_at_once<T: WarpValue, const N: usize>(
    places: &'static SharedArray<u64, N>,
    value: T,
    combine: impl Fn(T, T) -> T,
) -> T {
    let rank = thread_rank() as usize;
    // SAFETY: each element belongs to one thread until the first barrier, and to the first thread until the second one.
    unsafe {
        places.set(rank, value.to_word());
        thread::sync_threads();
        if rank == 0 {
            let mut count = num_threads() as usize;
            while count > 1 {
                let half = count.div_ceil(2);
                for place in 0..count - half {
                    let both = combine(T::from_word(places.get(place)), T::from_word(places.get(place + half)));
                    places.set(place, both.to_word());
                }
                count = half;
            }
        }
        thread::sync_threads();
        let all = T::from_word(places.get(0));
        thread::sync_threads();
        all
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
        if has_value {
            places.set(place, value.to_word());
        }
        thread::sync_threads();
        while count > 1 {
            let half = count.div_ceil(2);
            let other = place + half as usize;
            if has_value && other < count as usize {
                let both = combine(T::from_word(places.get(place)), T::from_word(places.get(other)));
                places.set(place, both.to_word());
            }
            thread::sync_threads();
            count = half;
        }
        let all = T::from_word(places.get(0));
        thread::sync_threads();
        all
    }
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
