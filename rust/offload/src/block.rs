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

use core::marker::PhantomData;

use crate::host;
use crate::shared::SharedArray;
use crate::thread::{self, NOWHERE, block_dim, block_id, grid_dim, id, is_device};
use crate::warp::{self, WarpNumber, WarpValue};

/// The number of this thread in its block, from 0.
///
/// ```
/// use offload::{Grid, block, run_on_host, thread};
///
/// let grid = Grid::for_rows(2, 3, (2, 3));
/// run_on_host(grid, || assert_eq!(block::thread_rank(), thread::id::x() + 2 * thread::id::y()));
/// ```
#[inline(always)]
pub fn thread_rank() -> u32 {
    // No block has more threads than an `u32` counts.
    let row = id::y().wrapping_add(block_dim::y().wrapping_mul(id::z()));
    id::x().wrapping_add(block_dim::x().wrapping_mul(row))
}

/// Threads in a block, along x, y and z together.
///
/// ```
/// use offload::{Grid, block, run_on_host};
///
/// run_on_host(Grid::for_rows(2, 3, (2, 3)), || assert_eq!(block::num_threads(), 6));
/// ```
#[inline(always)]
pub fn num_threads() -> u32 {
    block_dim::x().wrapping_mul(block_dim::y()).wrapping_mul(block_dim::z())
}

/// The permission of one thread of each block to access the block's element of a
/// [`DisjointBlocks`](crate::DisjointBlocks). Only [`leader`] makes one, and it cannot be sent to another thread.
///
/// ```
/// use offload::{Grid, block, run_on_host, thread};
///
/// run_on_host(Grid::for_len(6, 3), || {
///     assert_eq!(block::leader().is_some(), thread::id::x() == 0);
/// });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leader {
    block: usize,
    own: PhantomData<*const ()>,
}

impl Leader {
    /// The number of its block in the grid, from 0: x first, then y, then z.
    ///
    /// ```
    /// use offload::{Grid, block, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(6, 3), || {
    ///     if let Some(leader) = block::leader() {
    ///         assert_eq!(leader.block(), thread::block_id::x() as usize);
    ///     }
    /// });
    /// ```
    #[inline(always)]
    pub fn block(self) -> usize {
        self.block
    }
}

/// Returns the block's [`Leader`] in the first thread of the block, and `None` in the others.
///
/// ```
/// use offload::{DisjointBlocks, block, thread};
///
/// fn count(mut threads: DisjointBlocks<u32>) {
///     if let Some(threads) = block::leader().and_then(|leader| threads.get_mut(leader)) {
///         *threads = block::num_threads();
///     }
/// }
///
/// let mut threads = [0];
/// count(DisjointBlocks::from(&mut threads[..]));
/// assert_eq!(threads, [1]); // called as a function, there is one thread
/// ```
#[inline(always)]
pub fn leader() -> Option<Leader> {
    let first = (id::x() | id::y() | id::z()) == 0;
    first.then(|| Leader { block: number(), own: PhantomData })
}

/// The index of the block. If the row does not fit in 32 bits, the index could overflow. Such a block gets an index
/// that is larger than any slice, so that no two blocks get the same element.
#[inline(always)]
fn number() -> usize {
    let row = block_id::y() as usize + grid_dim::y() as usize * block_id::z() as usize;
    if row > u32::MAX as usize { NOWHERE } else { block_id::x() as usize + grid_dim::x() as usize * row }
}

/// The most threads of a block that reduces.
const THREADS: usize = 1024;

/// The fewest lanes of a warp where a warp is more than one thread.
const LANES: usize = 32;

/// Whether a warp consists of consecutive threads. This is so on NVIDIA's and AMD's GPUs, and OpenCL does not define
/// it. The highest byte of `arch` distinguishes them.
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
        reduce_shared(&EACH, value, 1, combine)
    }
}

/// What lane 0 makes of the values of its warp's lanes. The last warp of a block may have fewer than `lanes`.
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

/// Halves in shared memory: each thread whose number divides by `lanes` brings a value.
#[inline(always)]
fn reduce_shared<T: WarpValue, const N: usize>(
    places: &'static SharedArray<u64, N>,
    value: T,
    lanes: u32,
    combine: impl Fn(T, T) -> T,
) -> T {
    let (rank, mut count) = (thread_rank(), num_threads().div_ceil(lanes));
    let (place, brings) = ((rank / lanes) as usize, rank % lanes == 0);
    // SAFETY: each element belongs to one thread, and only this thread sets it. A barrier separates this from the reads
    // of other threads, and another barrier separates these reads from the next call.
    unsafe {
        if brings {
            places.set(place, value.to_word());
        }
        thread::sync_threads();
        while count > 1 {
            let half = count.div_ceil(2);
            let other = place + half as usize;
            if brings && other < count as usize {
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
