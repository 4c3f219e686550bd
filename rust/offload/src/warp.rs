//! What the lanes of one warp do together; a warp is 32 threads on NVIDIA's GPUs, 32 or 64 on AMD's, 32 on the processor
//! unless offloadc's `--cpu-warp-size` says 64 or 1, and one thread on the host. Lanes take part together when they are at the
//! same call in the same iteration of every loop around it; those that have returned are absent. docs/contract.md has the
//! rule with examples.
//!
//! What ends in `_sync` is for the lanes of a mask, as in CUDA: it waits for exactly those, wherever they are, and each must come
//! to the call with the same mask. So it may stand in a branch, or in each side of one. A lane that is not in its own mask
//! panics; so does, on the processor, one that waits for a lane which has returned, or when no lane can go on. AMD's GPUs,
//! NVIDIA's before `sm_70` and OpenCL run lanes in lockstep: a lane panics there when not all lanes of its mask come to the call
//! at the same time. NVIDIA's GPUs since then wait, for ever if it must be, but not for lanes that have returned. None of
//! it is undefined behaviour, so nothing here is `unsafe`.
//!
//! Values are of any [`WarpValue`] type: numbers and `bool`. The names that end in a type, `shuffle_xor_f32` and the like,
//! are those of cuda-oxide.
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

mod masked;

pub use masked::*;

use crate::block;
use crate::contract as device;
use crate::param::DeviceCopy;
use crate::thread::is_device;

/// What lanes can give each other: integers up to 64 bits, `f32`, `f64`, `bool` and `char`. Nobody else can implement it.
///
/// ```
/// use offload::warp::{self, WarpValue};
///
/// fn first<T: WarpValue>(value: T) -> T {
///     warp::shuffle(value, 0)
/// }
///
/// assert_eq!(first('x'), 'x');
/// ```
#[diagnostic::on_unimplemented(
    message = "lanes of a warp cannot give each other a `{Self}`",
    label = "not a number of at most 64 bits",
    note = "move a struct's fields one by one"
)]
pub trait WarpValue: DeviceCopy + words::Words {}

pub(crate) mod words {
    /// A value as a word of 64 bits, of which a warp moves 32 at once.
    pub trait Words: Copy {
        fn to_word(self) -> u64;
        fn from_word(word: u64) -> Self;

        /// What becomes of the value when `moved` is done to each 32 bits that it has.
        #[inline(always)]
        fn map_words(self, moved: impl Fn(u32) -> u32) -> Self {
            let word = self.to_word();
            let low = u64::from(moved(word as u32));
            let high = if size_of::<Self>() > 4 { u64::from(moved((word >> 32) as u32)) << 32 } else { 0 };
            Self::from_word(low | high)
        }
    }

    /// What reductions make of two values. Integers' sums wrap around; of two floats a NaN is neither lesser nor greater.
    pub trait Number: Copy {
        fn sum(self, other: Self) -> Self;
        fn lesser(self, other: Self) -> Self;
        fn greater(self, other: Self) -> Self;
    }
}

macro_rules! values {
    ($($ty:ty: $value:ident => $to:expr, $word:ident => $from:expr;)*) => { $(
        impl WarpValue for $ty {}

        impl words::Words for $ty {
            #[inline(always)]
            fn to_word(self) -> u64 {
                let $value = self;
                $to
            }

            #[inline(always)]
            fn from_word($word: u64) -> Self {
                $from
            }
        }
    )* };
}

values! {
    u8: value => value.into(), word => word as u8;
    u16: value => value.into(), word => word as u16;
    u32: value => value.into(), word => word as u32;
    u64: value => value, word => word;
    usize: value => value as u64, word => word as usize;
    i8: value => value as u64, word => word as i8;
    i16: value => value as u64, word => word as i16;
    i32: value => value as u64, word => word as i32;
    i64: value => value as u64, word => word as i64;
    isize: value => value as u64, word => word as isize;
    f32: value => value.to_bits().into(), word => f32::from_bits(word as u32);
    f64: value => value.to_bits(), word => f64::from_bits(word);
    bool: value => value.into(), word => word != 0;
    // Another thread's word is a character's too; the other answer is never given.
    char: value => u32::from(value).into(), word => char::from_u32(word as u32).unwrap_or(char::REPLACEMENT_CHARACTER);
}

/// A [`WarpValue`] that can be summed and compared: integers and floats.
///
/// ```
/// use offload::warp::{self, WarpNumber};
///
/// fn range<T: WarpNumber>(value: T) -> (T, T) {
///     (warp::reduce_min(value), warp::reduce_max(value))
/// }
///
/// assert_eq!(range(0.5), (0.5, 0.5)); // one lane
/// ```
#[diagnostic::on_unimplemented(message = "a warp has no sum of `{Self}`", label = "not an integer or a float")]
pub trait WarpNumber: WarpValue + words::Number {}

macro_rules! numbers {
    ($sum:expr; $($ty:ident)*) => { $(
        impl WarpNumber for $ty {}

        impl words::Number for $ty {
            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                let sum: fn($ty, $ty) -> $ty = $sum;
                sum(self, other)
            }

            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                self.min(other)
            }

            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )* };
}
numbers!(|a, b| a.wrapping_add(b); u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
numbers!(|a, b| a + b; f32 f64);

/// This thread's place in its warp.
///
/// ```
/// assert_eq!(offload::warp::lane_id(), 0); // on the host, a warp is one thread
/// ```
#[inline(always)]
pub fn lane_id() -> u32 {
    if is_device() { device::__offload_lane_id() } else { 0 }
}

/// Lanes in a warp.
///
/// ```
/// assert_eq!(offload::warp::lane_count(), 1); // on the host
/// ```
#[inline(always)]
pub fn lane_count() -> u32 {
    if is_device() { device::__offload_lane_count() } else { 1 }
}

/// The number of this thread's warp in its block, where warps are threads in a row: so they are on NVIDIA's and AMD's GPUs and
/// on the processor.
///
/// ```
/// assert_eq!(offload::warp::warp_id(), 0); // one thread
/// ```
#[inline(always)]
pub fn warp_id() -> u32 {
    block::thread_rank() / lane_count()
}

/// The bit of this lane.
///
/// ```
/// assert_eq!(offload::warp::lane_mask_eq(), 1); // one lane, which is lane 0
/// ```
#[inline(always)]
pub fn lane_mask_eq() -> u64 {
    1 << lane_id()
}

/// The bits of the lanes below this one. Of a ballot's those are the lanes that count before it.
///
/// ```
/// use offload::warp;
///
/// let taking = warp::ballot(true);
/// let place = (taking & warp::lane_mask_lt()).count_ones();
/// assert_eq!(place, 0); // the first that takes something
/// ```
#[inline(always)]
pub fn lane_mask_lt() -> u64 {
    lane_mask_eq() - 1
}

/// The bits of this lane and of those below it.
///
/// ```
/// assert_eq!(offload::warp::lane_mask_le(), 1); // one lane
/// ```
#[inline(always)]
pub fn lane_mask_le() -> u64 {
    lane_mask_eq() | lane_mask_lt()
}

/// The bits of the warp's lanes above this one.
///
/// ```
/// assert_eq!(offload::warp::lane_mask_gt(), 0); // one lane
/// ```
#[inline(always)]
pub fn lane_mask_gt() -> u64 {
    !lane_mask_le() & (u64::MAX >> (64 - lane_count()))
}

/// The bits of this lane and of the warp's lanes above it.
///
/// ```
/// assert_eq!(offload::warp::lane_mask_ge(), 1); // one lane
/// ```
#[inline(always)]
pub fn lane_mask_ge() -> u64 {
    lane_mask_eq() | lane_mask_gt()
}

/// The value of lane `lane`, which must be less than [`lane_count`].
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::shuffle(0.5_f64, 0), 0.5); // one lane: its own
/// ```
#[inline(always)]
pub fn shuffle<T: WarpValue>(value: T, lane: u32) -> T {
    if is_device() { value.map_words(|word| device::__offload_shuffle(word, lane)) } else { value }
}

/// The value of the lane whose number differs in the bits of `mask`.
///
/// ```
/// assert_eq!(offload::warp::shuffle_xor(0.5_f64, 0), 0.5); // one lane: its own
/// ```
#[inline(always)]
pub fn shuffle_xor<T: WarpValue>(value: T, mask: u32) -> T {
    if is_device() { value.map_words(|word| device::__offload_shuffle_xor(word, mask)) } else { value }
}

/// The value of the lane `distance` below; this lane's own where there is none.
///
/// ```
/// assert_eq!(offload::warp::shuffle_up(7, 1), 7); // one lane: none is below
/// ```
#[inline(always)]
pub fn shuffle_up<T: WarpValue>(value: T, distance: u32) -> T {
    if is_device() { value.map_words(|word| device::__offload_shuffle_up(word, distance)) } else { value }
}

/// The value of the lane `distance` above; this lane's own where there is none.
///
/// ```
/// assert_eq!(offload::warp::shuffle_down(7, 1), 7); // one lane: none is above
/// ```
#[inline(always)]
pub fn shuffle_down<T: WarpValue>(value: T, distance: u32) -> T {
    if is_device() { value.map_words(|word| device::__offload_shuffle_down(word, distance)) } else { value }
}

macro_rules! named {
    ($($ty:ident: $shuffle:ident $xor:ident $up:ident $down:ident;)*) => { $(
        #[doc = concat!("[`shuffle`] of an `", stringify!($ty), "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::warp::", stringify!($shuffle), "(7 as ", stringify!($ty), ", 0), 7 as ", stringify!($ty), ");")]
        /// ```
        #[inline(always)]
        pub fn $shuffle(value: $ty, lane: u32) -> $ty {
            shuffle(value, lane)
        }

        #[doc = concat!("[`shuffle_xor`] of an `", stringify!($ty), "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::warp::", stringify!($xor), "(7 as ", stringify!($ty), ", 0), 7 as ", stringify!($ty), ");")]
        /// ```
        #[inline(always)]
        pub fn $xor(value: $ty, mask: u32) -> $ty {
            shuffle_xor(value, mask)
        }

        #[doc = concat!("[`shuffle_up`] of an `", stringify!($ty), "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::warp::", stringify!($up), "(7 as ", stringify!($ty), ", 1), 7 as ", stringify!($ty), ");")]
        /// ```
        #[inline(always)]
        pub fn $up(value: $ty, distance: u32) -> $ty {
            shuffle_up(value, distance)
        }

        #[doc = concat!("[`shuffle_down`] of an `", stringify!($ty), "`.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::warp::", stringify!($down), "(7 as ", stringify!($ty), ", 1), 7 as ", stringify!($ty), ");")]
        /// ```
        #[inline(always)]
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

/// One bit for each lane, lane 0 lowest: whether its `value` is true.
///
/// ```
/// assert_eq!(offload::warp::ballot(true), 1); // one lane
/// ```
#[inline(always)]
pub fn ballot(value: bool) -> u64 {
    if is_device() { device::__offload_ballot(value) } else { value.into() }
}

/// One bit for each lane that comes to this call with a value that has the same bits as this lane's. It is a vote for each bit
/// of the type.
///
/// ```
/// assert_eq!(offload::warp::match_any(7), 1); // one lane: itself
/// ```
#[inline(always)]
pub fn match_any<T: WarpValue>(value: T) -> u64 {
    let word = value.to_word();
    let mut same = ballot(true);
    let mut bit = 0;
    while bit < 8 * size_of::<T>() {
        let own = word >> bit & 1 == 1;
        let set = ballot(own);
        same &= if own { set } else { !set };
        bit += 1;
    }
    same
}

/// How many lanes' `value` is true.
///
/// ```
/// assert_eq!(offload::warp::popc(true), 1); // one lane
/// ```
#[inline(always)]
pub fn popc(value: bool) -> u32 {
    ballot(value).count_ones()
}

/// Whether any lane's `value` is true.
///
/// ```
/// assert!(!offload::warp::any(false));
/// ```
#[inline(always)]
pub fn any(value: bool) -> bool {
    if is_device() { device::__offload_any(value) } else { value }
}

/// Whether every lane's `value` is true.
///
/// ```
/// assert!(offload::warp::all(true));
/// ```
#[inline(always)]
pub fn all(value: bool) -> bool {
    if is_device() { device::__offload_all(value) } else { value }
}

/// What `combine` makes of the values of all lanes, in every lane. Every lane of the warp must take part. `combine` must not
/// care which of two values comes first; what it makes of more than two, as a sum of floats, is the same in every lane.
///
/// ```
/// use offload::warp;
///
/// assert_eq!(warp::reduce(7, u32::wrapping_add), 7); // one lane
/// assert_eq!(warp::reduce(7_i64, |a, b| a.max(b)), 7);
/// ```
#[inline(always)]
pub fn reduce<T: WarpValue>(value: T, combine: impl Fn(T, T) -> T) -> T {
    let mut value = value;
    let mut distance = lane_count() / 2;
    while distance > 0 {
        value = combine(value, shuffle_xor(value, distance));
        distance /= 2;
    }
    value
}

/// The sum over all lanes, in every lane; of integers it wraps around. Every lane of the warp must take part.
///
/// ```
/// assert_eq!(offload::warp::reduce_sum(0.5), 0.5); // one lane
/// ```
#[inline(always)]
pub fn reduce_sum<T: WarpNumber>(value: T) -> T {
    reduce(value, T::sum)
}

/// The least value of all lanes, in every lane; of floats a NaN is none. Every lane of the warp must take part.
///
/// ```
/// assert_eq!(offload::warp::reduce_min(7), 7); // one lane
/// ```
#[inline(always)]
pub fn reduce_min<T: WarpNumber>(value: T) -> T {
    reduce(value, T::lesser)
}

/// The greatest value of all lanes, in every lane; of floats a NaN is none. Every lane of the warp must take part.
///
/// ```
/// assert_eq!(offload::warp::reduce_max(7), 7); // one lane
/// ```
#[inline(always)]
pub fn reduce_max<T: WarpNumber>(value: T) -> T {
    reduce(value, T::greater)
}
