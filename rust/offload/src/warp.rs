//! What the lanes of one warp do together; a warp is 32 threads on NVIDIA's GPUs, 32 or 64 on AMD's, and one thread on
//! the CPU and the host. All lanes that are still running must come to the same call.

use crate::contract as device;
use crate::thread::is_device;

/// This thread's place in its warp.
#[inline(always)]
pub fn lane_id() -> u32 {
    if is_device() { device::__offload_lane_id() } else { 0 }
}

/// Lanes in a warp.
#[inline(always)]
pub fn lane_count() -> u32 {
    if is_device() { device::__offload_lane_count() } else { 1 }
}

/// The value of lane `lane`.
#[inline(always)]
pub fn shuffle(value: u32, lane: u32) -> u32 {
    if is_device() { device::__offload_shuffle(value, lane) } else { value }
}

/// The value of the lane whose number differs in the bits of `mask`.
#[inline(always)]
pub fn shuffle_xor(value: u32, mask: u32) -> u32 {
    if is_device() { device::__offload_shuffle_xor(value, mask) } else { value }
}

/// The value of the lane `distance` below; this lane's own where there is none.
#[inline(always)]
pub fn shuffle_up(value: u32, distance: u32) -> u32 {
    if is_device() { device::__offload_shuffle_up(value, distance) } else { value }
}

/// The value of the lane `distance` above; this lane's own where there is none.
#[inline(always)]
pub fn shuffle_down(value: u32, distance: u32) -> u32 {
    if is_device() { device::__offload_shuffle_down(value, distance) } else { value }
}

/// One bit for each lane, lane 0 lowest: whether its `value` is true.
#[inline(always)]
pub fn ballot(value: bool) -> u64 {
    if is_device() { device::__offload_ballot(value) } else { value.into() }
}

/// Whether any lane's `value` is true.
#[inline(always)]
pub fn any(value: bool) -> bool {
    if is_device() { device::__offload_any(value) } else { value }
}

/// Whether every lane's `value` is true.
#[inline(always)]
pub fn all(value: bool) -> bool {
    if is_device() { device::__offload_all(value) } else { value }
}

/// What `combine` makes of the values of all lanes, in every lane. `combine` must not care about the order, and every
/// lane of the warp must take part.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::reduce(7, u32::wrapping_add), 7); // one lane
/// ```
#[inline(always)]
pub fn reduce(value: u32, combine: impl Fn(u32, u32) -> u32) -> u32 {
    let mut value = value;
    let mut distance = lane_count() / 2;
    while distance > 0 {
        value = combine(value, shuffle_xor(value, distance));
        distance /= 2;
    }
    value
}

/// The sum over all lanes, in every lane; wraps around. Every lane of the warp must take part.
#[inline(always)]
pub fn reduce_sum(value: u32) -> u32 {
    reduce(value, u32::wrapping_add)
}
