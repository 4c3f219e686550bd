//! Operations of the lanes of one warp: shuffles, votes and reductions.
//!
//! A warp has 32 threads on NVIDIA's GPUs and 32 or 64 on AMD's GPUs. On the CPU it has 32, unless offloadc's option
//! `--cpu-warp-size` is 64 or 1. In a direct call and in [`run_on_host`](crate::run_on_host) it has one thread. The
//! threads of a warp are called lanes.
//!
//! ```
//! use offload::{DisjointSlice, kernel, thread, warp};
//!
//! #[kernel]
//! fn sum_of_each_warp(values: &[f32], mut sums: DisjointSlice<f32>) {
//!     let i = thread::index_1d();
//!     let sum = warp::reduce_sum(values.get(i.get()).copied().unwrap_or(0.0));
//!     if let Some(own) = sums.get_mut(i) {
//!         *own = sum;
//!     }
//! }
//!
//! let mut sums = [0.0];
//! sum_of_each_warp(&[0.5], DisjointSlice::from(&mut sums[..]));
//! assert_eq!(sums, [0.5]); // on the host a warp is one thread
//! ```
//!
//! # Which lanes take part
//!
//! The functions without a mask are for the lanes that reach the same call together: in the same iteration of every
//! loop around it. Lanes that have returned do not take part. The page `docs/contract.md` has the exact rule, with
//! examples.
//!
//! The functions whose names end in `_sync` are for the lanes of a mask, as in CUDA. They wait for exactly these lanes,
//! and each of these lanes must reach the call with the same mask. Such a call can therefore be in a branch, or in each
//! side of a branch. The functions do not wait for lanes that have returned, nor for lanes for which the block has no
//! thread, so [`ALL_LANES`] is a correct mask after `if i >= n { return; }`. These lanes have no vote, and a lane that
//! reads from one gets its own value (on NVIDIA's GPUs from `sm_70` on: an arbitrary value).
//!
//! | device | the effect if another lane of the mask does not reach the call |
//! |---|---|
//! | CPU | the waiting lane panics if no lane can continue |
//! | AMD's GPUs, NVIDIA's before `sm_70`, OpenCL | lanes run in lockstep: the other lanes panic |
//! | NVIDIA's GPUs from `sm_70` on | the lane waits, possibly forever |
//!
//! A lane that is not in its own mask panics. None of this is undefined behaviour, so no function here is `unsafe`.
//!
//! # Values
//!
//! Values have any [`WarpValue`] type: numbers, `bool`, `char`, arrays and tuples of them, and structs that derive it.
//! Names that end in a type, such as `shuffle_xor_f32`,
//! are the names that cuda-oxide uses.

mod masked;
mod value;

use core::panic::Location;

pub use masked::*;
/// ```
/// use offload::{DeviceCopy, warp, warp::WarpValue};
///
/// #[derive(Clone, Copy, DeviceCopy, WarpValue)]
/// struct Sum {
///     total: f64,
///     count: u32,
/// }
///
/// let own = Sum { total: 0.5, count: 1 };
/// let all = warp::reduce(own, |a, b| Sum { total: a.total + b.total, count: a.count + b.count });
/// assert_eq!((all.total, all.count), (0.5, 1)); // one lane
/// ```
pub use offload_macros::WarpValue;
use value::moved;
pub use value::{WarpNumber, WarpValue};

use crate::contract as device;
use crate::fallback;
use crate::fallback::operation::Kind;
use crate::fallback::warp::take_part;
use crate::rank::thread_rank;
use crate::thread::{is_compiled, is_processor};

/// Moves a value in code of the host. Outside of a launch there is one lane.
#[inline(always)]
#[track_caller]
fn on_host<T: WarpValue>(kind: Kind, mask: Option<u64>, value: T, argument: u32) -> T {
    if !fallback::is_kernel() {
        return value;
    }
    let place = Location::caller();
    value.map_words(&mut |word, _| take_part(place, kind, mask, word, argument))
}

/// Votes in code of the host. Outside of a launch there is one lane.
#[inline(always)]
#[track_caller]
fn vote(kind: Kind, mask: Option<u64>, value: bool) -> u64 {
    if fallback::is_kernel() { take_part(Location::caller(), kind, mask, value.into(), 0) } else { value.into() }
}

/// Votes on each bit of a value with `ballot`, and returns the lanes of `all` whose bits are the same as this lane's.
#[inline(always)]
fn matching<T: WarpValue>(value: T, all: u64, ballot: impl Fn(bool) -> u64) -> u64 {
    let mut same = all;
    let _ = value.map_words(&mut |word, bytes| {
        let mut bit = 0;
        while bit < 8 * bytes {
            let own = word >> bit & 1 == 1;
            let set = ballot(own);
            same &= if own { set } else { !set };
            bit += 1;
        }
        word
    });
    same
}

/// As [`matching`], for a processor, which executes a vote for all lanes at once: one vote for each value that a lane
/// of `all` has. `of_lane` returns a lane's word.
#[inline(always)]
fn matching_values<T: WarpValue>(
    value: T,
    all: u64,
    of_lane: impl Fn(u32, u32) -> u32,
    ballot: impl Fn(bool) -> u64,
) -> u64 {
    let (mut same, mut left) = (0, all);
    while left != 0 {
        let lane = left.trailing_zeros();
        let mut is_same = true;
        let _ = value.map_words(&mut |word, bytes| {
            is_same &= of_lane(word as u32, lane) == word as u32;
            if bytes > 4 {
                is_same &= of_lane((word >> 32) as u32, lane) == (word >> 32) as u32;
            }
            word
        });
        let set = ballot(is_same);
        same = if is_same { set } else { same };
        left &= !set;
    }
    same
}

/// The index of this thread in its warp.
///
/// ```
/// assert_eq!(offload::warp::lane_id(), 0); // on the host, a warp is one thread
/// ```
#[doc(alias = "laneid")]
#[inline(always)]
pub fn lane_id() -> u32 {
    if is_compiled() {
        device::__offload_lane_id()
    } else if fallback::is_kernel() {
        fallback::block::lane()
    } else {
        0
    }
}

/// The number of lanes in a warp.
///
/// ```
/// assert_eq!(offload::warp::lane_count(), 1); // on the host
/// ```
#[doc(alias = "warpSize")]
#[inline(always)]
pub fn lane_count() -> u32 {
    if is_compiled() {
        device::__offload_lane_count()
    } else if fallback::is_kernel() {
        fallback::LANES
    } else {
        1
    }
}

/// The index of this thread's warp in its block. The threads of a block are counted along x first, then along y and z,
/// and each [`lane_count`] consecutive threads are a warp.
///
/// ```
/// assert_eq!(offload::warp::warp_id(), 0); // one thread
/// ```
#[doc(alias = "warpid")]
#[inline(always)]
pub fn warp_id() -> u32 {
    thread_rank() / lane_count()
}

/// The mask of this lane: one bit.
///
/// ```
/// assert_eq!(offload::warp::lane_mask_eq(), 1); // one lane, which is lane 0
/// ```
#[inline(always)]
pub fn lane_mask_eq() -> u64 {
    1 << lane_id()
}

/// The mask of the lanes below this one. Combined with a ballot, it counts the lanes before this one whose value is
/// true.
///
/// ```
/// use offload::warp;
///
/// let taking = warp::ballot(true);
/// let place = (taking & warp::lane_mask_lt()).count_ones();
/// assert_eq!(place, 0); // the first lane that takes something
/// ```
#[doc(alias = "lanemask_lt")]
#[inline(always)]
pub fn lane_mask_lt() -> u64 {
    lane_mask_eq() - 1
}

/// The mask of this lane and of the lanes below it.
///
/// ```
/// assert_eq!(offload::warp::lane_mask_le(), 1); // one lane
/// ```
#[inline(always)]
pub fn lane_mask_le() -> u64 {
    lane_mask_eq() | lane_mask_lt()
}

/// The mask of the warp's lanes above this one.
///
/// ```
/// assert_eq!(offload::warp::lane_mask_gt(), 0); // one lane
/// ```
#[inline(always)]
pub fn lane_mask_gt() -> u64 {
    !lane_mask_le() & (u64::MAX >> (64 - lane_count()))
}

/// The mask of this lane and of the warp's lanes above it.
///
/// ```
/// assert_eq!(offload::warp::lane_mask_ge(), 1); // one lane
/// ```
#[inline(always)]
pub fn lane_mask_ge() -> u64 {
    lane_mask_eq() | lane_mask_gt()
}

/// Returns the value of the lane `lane`, which must be less than [`lane_count`]. If the warp has no such lane, such as
/// the last warp of a block of 40 threads, the value is not specified; [`shuffle_sync`] returns this lane's own value.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::shuffle(0.5_f64, 0), 0.5); // one lane: its own
/// ```
#[doc(alias = "__shfl")]
#[inline(always)]
#[track_caller]
pub fn shuffle<T: WarpValue>(value: T, lane: u32) -> T {
    if is_compiled() {
        moved(value, |word| device::__offload_shuffle(word, lane))
    } else {
        on_host(Kind::Shuffle, None, value, lane)
    }
}

/// Returns the value of the lane whose index is this lane's index XOR `mask`. If the warp has no such lane, such as the
/// last warp of a block of 40 threads, the value is not specified; [`shuffle_xor_sync`] returns this lane's own value.
///
/// ```
/// assert_eq!(offload::warp::shuffle_xor(0.5_f64, 0), 0.5); // one lane: its own
/// ```
#[doc(alias = "__shfl_xor")]
#[inline(always)]
#[track_caller]
pub fn shuffle_xor<T: WarpValue>(value: T, mask: u32) -> T {
    if is_compiled() {
        moved(value, |word| device::__offload_shuffle_xor(word, mask))
    } else {
        on_host(Kind::ShuffleXor, None, value, mask)
    }
}

/// Returns the value of the lane that is `distance` below this one, or this lane's own value if there is none.
///
/// ```
/// assert_eq!(offload::warp::shuffle_up(7, 1), 7); // one lane: none is below
/// ```
#[doc(alias = "__shfl_up")]
#[inline(always)]
#[track_caller]
pub fn shuffle_up<T: WarpValue>(value: T, distance: u32) -> T {
    if is_compiled() {
        moved(value, |word| device::__offload_shuffle_up(word, distance))
    } else {
        on_host(Kind::ShuffleUp, None, value, distance)
    }
}

/// Returns the value of the lane that is `distance` above this one, or this lane's own value if that is not below
/// [`lane_count`]. The last warp of a block may have fewer threads than lanes. The value of a lane without a thread is
/// not specified; [`shuffle_down_sync`] returns this lane's own value.
///
/// ```
/// assert_eq!(offload::warp::shuffle_down(7, 1), 7); // one lane: none is above
/// ```
#[doc(alias = "__shfl_down")]
#[inline(always)]
#[track_caller]
pub fn shuffle_down<T: WarpValue>(value: T, distance: u32) -> T {
    if is_compiled() {
        moved(value, |word| device::__offload_shuffle_down(word, distance))
    } else {
        on_host(Kind::ShuffleDown, None, value, distance)
    }
}

macro_rules! named {
    ($($ty:ident: $shuffle:ident $xor:ident $up:ident $down:ident;)*) => { $(
        #[doc = concat!("[`shuffle`] of an `", stringify!($ty), "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::warp::", stringify!($shuffle), "(7 as ", stringify!($ty), ", 0), 7 as ", stringify!($ty), ");")]
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn $shuffle(value: $ty, lane: u32) -> $ty {
            shuffle(value, lane)
        }

        #[doc = concat!("[`shuffle_xor`] of an `", stringify!($ty), "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::warp::", stringify!($xor), "(7 as ", stringify!($ty), ", 0), 7 as ", stringify!($ty), ");")]
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn $xor(value: $ty, mask: u32) -> $ty {
            shuffle_xor(value, mask)
        }

        #[doc = concat!("[`shuffle_up`] of an `", stringify!($ty), "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::warp::", stringify!($up), "(7 as ", stringify!($ty), ", 1), 7 as ", stringify!($ty), ");")]
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn $up(value: $ty, distance: u32) -> $ty {
            shuffle_up(value, distance)
        }

        #[doc = concat!("[`shuffle_down`] of an `", stringify!($ty), "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::warp::", stringify!($down), "(7 as ", stringify!($ty), ", 1), 7 as ", stringify!($ty), ");")]
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn $down(value: $ty, distance: u32) -> $ty {
            shuffle_down(value, distance)
        }
    )* };
}

named! {
    u64: shuffle_u64 shuffle_xor_u64 shuffle_up_u64 shuffle_down_u64;
    f32: shuffle_f32 shuffle_xor_f32 shuffle_up_f32 shuffle_down_f32;
    f64: shuffle_f64 shuffle_xor_f64 shuffle_up_f64 shuffle_down_f64;
}

/// Returns a mask with one bit for each lane whose `value` is true. Lane 0 has the lowest bit.
///
/// ```
/// assert_eq!(offload::warp::ballot(true), 1); // one lane
/// ```
#[doc(alias = "__ballot")]
#[inline(always)]
#[track_caller]
pub fn ballot(value: bool) -> u64 {
    if is_compiled() { device::__offload_ballot(value) } else { vote(Kind::Ballot, None, value) }
}

/// Returns the mask of the lanes that reach this call with the same bits of `value` as this lane. It needs one vote for
/// each bit of the type, and on a processor one for each value.
///
/// ```
/// assert_eq!(offload::warp::match_any(7), 1); // one lane: itself
/// ```
#[doc(alias = "__match_any")]
#[inline(always)]
#[track_caller]
pub fn match_any<T: WarpValue>(value: T) -> u64 {
    if is_compiled() {
        let vote = |own| device::__offload_ballot(own);
        if is_processor() {
            return matching_values(value, ballot(true), |word, lane| device::__offload_shuffle(word, lane), vote);
        }
        matching(value, ballot(true), vote)
    } else if fallback::is_kernel() {
        let place = Location::caller();
        matching(value, ballot(true), |own| take_part(place, Kind::Ballot, None, own.into(), 0))
    } else {
        1
    }
}

/// Whether this lane is the first of those that reach this call together: the one that does something for all of them.
///
/// ```
/// use offload::warp;
///
/// if warp::elect() {
///     // once for the lanes that are here
/// }
/// # assert!(warp::elect()); // one lane
/// ```
#[doc(alias("elect.sync", "elect_one"))]
#[inline(always)]
#[track_caller]
pub fn elect() -> bool {
    active_mask().trailing_zeros() == lane_id()
}

/// Returns the number of lanes whose `value` is true.
///
/// ```
/// assert_eq!(offload::warp::popc(true), 1); // one lane
/// ```
#[doc(alias = "__popc")]
#[inline(always)]
#[track_caller]
pub fn popc(value: bool) -> u32 {
    ballot(value).count_ones()
}

/// Whether the `value` of any lane is true.
///
/// ```
/// assert!(!offload::warp::any(false));
/// ```
#[doc(alias = "__any")]
#[inline(always)]
#[track_caller]
pub fn any(value: bool) -> bool {
    if is_compiled() { device::__offload_any(value) } else { vote(Kind::Any, None, value) != 0 }
}

/// Whether the `value` of every lane is true.
///
/// ```
/// assert!(offload::warp::all(true));
/// ```
#[doc(alias = "__all")]
#[inline(always)]
#[track_caller]
pub fn all(value: bool) -> bool {
    if is_compiled() { device::__offload_all(value) } else { vote(Kind::All, None, value) != 0 }
}

/// Combines the values of all lanes with `combine`, and returns the result in every lane. Every lane of the warp must
/// take part. `combine` must be commutative. It need not be associative: the values are combined in the same tree for
/// every lane, so that a sum of floats is the same in every lane.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::reduce(7, u32::wrapping_add), 7); // one lane
/// assert_eq!(warp::reduce(7_i64, |a, b| a.max(b)), 7);
/// ```
#[doc(alias = "WarpReduce")]
#[inline(always)]
#[track_caller]
pub fn reduce<T: WarpValue>(value: T, combine: impl Fn(T, T) -> T) -> T {
    let mut value = value;
    let mut distance = lane_count() / 2;
    while distance > 0 {
        value = combine(value, shuffle_xor(value, distance));
        distance /= 2;
    }
    value
}

/// Returns the sum over all lanes, in every lane. Sums of integers wrap around. Every lane of the warp must take part.
///
/// ```
/// assert_eq!(offload::warp::reduce_sum(0.5), 0.5); // one lane
/// ```
#[doc(alias = "__reduce_add")]
#[inline(always)]
#[track_caller]
pub fn reduce_sum<T: WarpNumber>(value: T) -> T {
    reduce(value, T::sum)
}

/// Returns the minimum over all lanes, in every lane. A NaN is ignored if another lane has a number. Every lane of the
/// warp must take part.
///
/// ```
/// assert_eq!(offload::warp::reduce_min(7), 7); // one lane
/// ```
#[doc(alias = "__reduce_min")]
#[inline(always)]
#[track_caller]
pub fn reduce_min<T: WarpNumber>(value: T) -> T {
    reduce(value, T::lesser)
}

/// Returns the maximum over all lanes, in every lane. A NaN is ignored if another lane has a number. Every lane of the
/// warp must take part.
///
/// ```
/// assert_eq!(offload::warp::reduce_max(7), 7); // one lane
/// ```
#[doc(alias = "__reduce_max")]
#[inline(always)]
#[track_caller]
pub fn reduce_max<T: WarpNumber>(value: T) -> T {
    reduce(value, T::greater)
}
