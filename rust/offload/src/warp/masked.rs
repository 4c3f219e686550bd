//! The functions whose names end in `_sync`: operations of the lanes of a mask.

use core::panic::Location;

use super::value::moved;
use super::{WarpNumber, WarpValue, lane_count, matching, matching_values, on_host, vote};
use crate::contract as device;
use crate::fallback;
use crate::fallback::operation::Kind;
use crate::fallback::warp::take_part;
use crate::thread::{is_compiled, is_processor};

/// The mask of all lanes of a warp. Bits of lanes that the device's warps do not have are ignored. A mask that was made
/// for 32 lanes is half of a warp of 64 lanes.
///
/// ```
/// use offload::warp;
///
/// let sum = warp::reduce_sum_sync(warp::ALL_LANES, 0.5);
/// assert_eq!(sum, 0.5); // one lane
/// ```
pub const ALL_LANES: u64 = u64::MAX;

/// Returns the mask of the lanes that reach this call together with this one (CUDA's `__activemask`). Lane 0 has the
/// lowest bit. It is a mask for the next operations of the same lanes.
///
/// ```
/// use offload::warp;
///
/// let there = warp::active_mask();
/// assert_eq!(there, 1); // one lane
/// assert_eq!(warp::ballot_sync(there, true), there);
/// ```
#[doc(alias = "__activemask")]
#[inline(always)]
#[track_caller]
pub fn active_mask() -> u64 {
    if is_compiled() { device::__offload_active_mask() } else { vote(Kind::ActiveMask, None, true) }
}

/// Waits for the lanes of `mask` (CUDA's `__syncwarp`). After it, each of them sees the values that the others wrote to
/// memory before it.
///
/// ```
/// use offload::warp;
///
/// warp::sync_warp(warp::ALL_LANES);
/// ```
#[doc(alias = "__syncwarp")]
#[inline(always)]
#[track_caller]
pub fn sync_warp(mask: u64) {
    if is_compiled() {
        device::__offload_sync_warp(mask);
    } else {
        vote(Kind::Sync, Some(mask), true);
    }
}

/// Returns the value of the lane `lane`, which must be less than [`lane_count`], in the lanes of `mask` (CUDA's
/// `__shfl_sync`). If that lane is not in the mask, it returns this lane's own value.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::shuffle_sync(warp::ALL_LANES, 0.5_f64, 0), 0.5); // one lane: its own
/// ```
#[doc(alias = "__shfl_sync")]
#[inline(always)]
#[track_caller]
pub fn shuffle_sync<T: WarpValue>(mask: u64, value: T, lane: u32) -> T {
    if is_compiled() {
        moved(value, |word| device::__offload_shuffle_sync(mask, word, lane))
    } else {
        on_host(Kind::Shuffle, Some(mask), value, lane)
    }
}

/// Returns the value of the lane whose index is this lane's index XOR `lane_mask`, in the lanes of `mask` (CUDA's
/// `__shfl_xor_sync`). If that lane is not in the mask, it returns this lane's own value.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::shuffle_xor_sync(warp::ALL_LANES, 7_u32, 0), 7); // one lane: its own
/// ```
#[doc(alias = "__shfl_xor_sync")]
#[inline(always)]
#[track_caller]
pub fn shuffle_xor_sync<T: WarpValue>(mask: u64, value: T, lane_mask: u32) -> T {
    if is_compiled() {
        moved(value, |word| device::__offload_shuffle_xor_sync(mask, word, lane_mask))
    } else {
        on_host(Kind::ShuffleXor, Some(mask), value, lane_mask)
    }
}

/// Returns the value of the lane that is `distance` below this one, in the lanes of `mask` (CUDA's `__shfl_up_sync`).
/// If there is no such lane, or if it is not in the mask, it returns this lane's own value.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::shuffle_up_sync(warp::ALL_LANES, 7, 1), 7); // one lane: none is below
/// ```
#[doc(alias = "__shfl_up_sync")]
#[inline(always)]
#[track_caller]
pub fn shuffle_up_sync<T: WarpValue>(mask: u64, value: T, distance: u32) -> T {
    if is_compiled() {
        moved(value, |word| device::__offload_shuffle_up_sync(mask, word, distance))
    } else {
        on_host(Kind::ShuffleUp, Some(mask), value, distance)
    }
}

/// Returns the value of the lane that is `distance` above this one, in the lanes of `mask` (CUDA's `__shfl_down_sync`).
/// If there is no such lane, or if it is not in the mask, it returns this lane's own value.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::shuffle_down_sync(warp::ALL_LANES, 7, 1), 7); // one lane: none is above
/// ```
#[doc(alias = "__shfl_down_sync")]
#[inline(always)]
#[track_caller]
pub fn shuffle_down_sync<T: WarpValue>(mask: u64, value: T, distance: u32) -> T {
    if is_compiled() {
        moved(value, |word| device::__offload_shuffle_down_sync(mask, word, distance))
    } else {
        on_host(Kind::ShuffleDown, Some(mask), value, distance)
    }
}

/// Returns the mask of the lanes of `mask` whose `value` is true (CUDA's `__ballot_sync`). Lane 0 has the lowest bit.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::ballot_sync(warp::ALL_LANES, true), 1); // one lane
/// ```
#[doc(alias = "__ballot_sync")]
#[inline(always)]
#[track_caller]
pub fn ballot_sync(mask: u64, value: bool) -> u64 {
    if is_compiled() { device::__offload_ballot_sync(mask, value) } else { vote(Kind::Ballot, Some(mask), value) }
}

/// Whether the `value` of any lane of `mask` is true (CUDA's `__any_sync`).
///
/// ```
/// use offload::warp;
///
/// assert!(!warp::any_sync(warp::ALL_LANES, false));
/// ```
#[doc(alias = "__any_sync")]
#[inline(always)]
#[track_caller]
pub fn any_sync(mask: u64, value: bool) -> bool {
    if is_compiled() { device::__offload_any_sync(mask, value) } else { vote(Kind::Any, Some(mask), value) != 0 }
}

/// Whether the `value` of every lane of `mask` is true (CUDA's `__all_sync`).
///
/// ```
/// use offload::warp;
///
/// assert!(warp::all_sync(warp::ALL_LANES, true));
/// ```
#[doc(alias = "__all_sync")]
#[inline(always)]
#[track_caller]
pub fn all_sync(mask: u64, value: bool) -> bool {
    if is_compiled() { device::__offload_all_sync(mask, value) } else { vote(Kind::All, Some(mask), value) != 0 }
}

/// Returns the mask of the lanes of `mask` with the same bits of `value` as this lane (CUDA's `__match_any_sync`). It
/// needs one vote for each bit of the type, and on a processor one for each value.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::match_any_sync(warp::ALL_LANES, 7), 1); // one lane: itself
/// ```
#[doc(alias = "__match_any_sync")]
#[inline(always)]
#[track_caller]
pub fn match_any_sync<T: WarpValue>(mask: u64, value: T) -> u64 {
    if is_compiled() {
        let vote = |own| device::__offload_ballot_sync(mask, own);
        if is_processor() {
            let of_lane = |word, lane| device::__offload_shuffle_sync(mask, word, lane);
            return matching_values(value, ballot_sync(mask, true), of_lane, vote);
        }
        matching(value, ballot_sync(mask, true), vote)
    } else if fallback::is_kernel() {
        let place = Location::caller();
        matching(value, ballot_sync(mask, true), |own| take_part(place, Kind::Ballot, Some(mask), own.into(), 0))
    } else {
        1
    }
}

/// Returns whether all lanes of `mask` have the same bits of `value` (CUDA's `__match_all_sync`).
///
/// ```
/// use offload::warp;
///
/// assert!(warp::match_all_sync(warp::ALL_LANES, 7)); // one lane
/// ```
#[doc(alias = "__match_all_sync")]
#[inline(always)]
#[track_caller]
pub fn match_all_sync<T: WarpValue>(mask: u64, value: T) -> bool {
    match_any_sync(mask, value) == ballot_sync(mask, true)
}

/// Combines the values of the lanes of `mask` with `combine`, in the order of the lanes, and returns the result in each
/// of them.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::reduce_sync(warp::ALL_LANES, 7, u32::wrapping_add), 7); // one lane
/// ```
#[inline(always)]
#[track_caller]
pub fn reduce_sync<T: WarpValue>(mask: u64, value: T, combine: impl Fn(T, T) -> T) -> T {
    let mut left = mask & (ALL_LANES >> (64 - lane_count()));
    let mut all = shuffle_sync(mask, value, left.trailing_zeros());
    left &= left.wrapping_sub(1);
    while left != 0 {
        all = combine(all, shuffle_sync(mask, value, left.trailing_zeros()));
        left &= left - 1;
    }
    all
}

/// Returns the sum over the lanes of `mask`, in each of them (CUDA's `__reduce_add_sync`, but also for floats). Sums of
/// integers wrap around.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::reduce_sum_sync(warp::ALL_LANES, 0.5), 0.5); // one lane
/// ```
#[doc(alias = "__reduce_add_sync")]
#[inline(always)]
#[track_caller]
pub fn reduce_sum_sync<T: WarpNumber>(mask: u64, value: T) -> T {
    reduce_sync(mask, value, T::sum)
}

/// Returns the minimum over the lanes of `mask`, in each of them (CUDA's `__reduce_min_sync`). A NaN is ignored if
/// another lane has a number.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::reduce_min_sync(warp::ALL_LANES, 7), 7); // one lane
/// ```
#[doc(alias = "__reduce_min_sync")]
#[inline(always)]
#[track_caller]
pub fn reduce_min_sync<T: WarpNumber>(mask: u64, value: T) -> T {
    reduce_sync(mask, value, T::lesser)
}

/// Returns the maximum over the lanes of `mask`, in each of them (CUDA's `__reduce_max_sync`). A NaN is ignored if
/// another lane has a number.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::reduce_max_sync(warp::ALL_LANES, 7), 7); // one lane
/// ```
#[doc(alias = "__reduce_max_sync")]
#[inline(always)]
#[track_caller]
pub fn reduce_max_sync<T: WarpNumber>(mask: u64, value: T) -> T {
    reduce_sync(mask, value, T::greater)
}
