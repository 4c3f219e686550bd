//! The types whose values lanes exchange.

use crate::device_copy::{DeviceCopy, Zeroable};
use crate::num::{self, Bf16, F16};

/// A type whose values lanes can exchange: integers, `f32`, `f64`, `bool`, `char` and the numbers and vectors of
/// [`num`], arrays and tuples of them, `Option`s of those that are [`Zeroable`], and structs of them and enums without
/// fields that derive this trait. With the features of this crate, these are also the numbers of `half`, `num-complex`,
/// `glam` and `nalgebra`, and every `PodValue`.
///
/// ```
/// use offload::DeviceCopy;
/// use offload::warp::{self, WarpValue};
///
/// #[derive(Clone, Copy, DeviceCopy, WarpValue)]
/// struct Hit {
///     distance: f32,
///     triangle: u32,
/// }
///
/// fn nearest(own: Hit) -> Hit {
///     warp::reduce(own, |a, b| if a.distance <= b.distance { a } else { b })
/// }
///
/// assert_eq!(nearest(Hit { distance: 0.5, triangle: 7 }).triangle, 7); // one lane
/// ```
///
/// # Safety
///
/// Every value must have the same number of words. The derive macro guarantees it.
#[diagnostic::on_unimplemented(
    message = "lanes of a warp cannot exchange a `{Self}`",
    label = "not `WarpValue`",
    note = "if `{Self}` is a struct of yours, or an enum without fields, add `#[derive(Clone, Copy, DeviceCopy, WarpValue)]` to it"
)]
pub unsafe trait WarpValue: DeviceCopy {
    /// Returns the value that consists of the results of `exchange`, which is called with each word of at most 64 bits
    /// and its number of bytes. All lanes have the same words in the same order.
    #[doc(hidden)]
    fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self;
}

/// The operations of reductions on two values. Other crates cannot implement it.
pub(crate) mod words {
    /// Sums of integers wrap around. If one of two floats is a NaN, the minimum and the maximum are the other one.
    pub trait Number: Copy {
        fn sum(self, other: Self) -> Self;
        fn lesser(self, other: Self) -> Self;
        fn greater(self, other: Self) -> Self;
    }
}

/// Moves the words of a value; a warp moves 32 bits at a time.
#[inline(always)]
pub(super) fn moved<T: WarpValue>(value: T, part: impl Fn(u32) -> u32) -> T {
    value.map_words(&mut |word, bytes| {
        let low = u64::from(part(word as u32));
        let high = if bytes > 4 { u64::from(part((word >> 32) as u32)) << 32 } else { 0 };
        low | high
    })
}

macro_rules! values {
    ($($ty:ty: $value:ident => $to:expr, $word:ident => $from:expr;)*) => { $(
        // SAFETY: one word.
        unsafe impl WarpValue for $ty {
            #[inline(always)]
            fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
                let $value = self;
                let $word = exchange($to, size_of::<$ty>());
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
    F16: value => value.to_bits().into(), word => F16::from_bits(word as u16);
    Bf16: value => value.to_bits().into(), word => Bf16::from_bits(word as u16);
    bool: value => value.into(), word => word != 0;
    // The word of another thread is a character, too, so the replacement is never used.
    char: value => u32::from(value).into(), word => char::from_u32(word as u32).unwrap_or(char::REPLACEMENT_CHARACTER);
}

macro_rules! two_words {
    ($($ty:ident)*) => { $(
        // SAFETY: two words.
        unsafe impl WarpValue for $ty {
            #[inline(always)]
            fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
                let low = exchange(self as u64, 8);
                let high = exchange((self >> 64) as u64, 8);
                (u128::from(high) << 64 | u128::from(low)) as $ty
            }
        }
    )* };
}
two_words!(u128 i128);

// SAFETY: one word for whether there is a value, and the words of a value in any case.
unsafe impl<T: WarpValue + Zeroable> WarpValue for Option<T> {
    #[inline(always)]
    fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
        let is_some = exchange(self.is_some().into(), 1) != 0;
        let value = self.unwrap_or(T::ZERO).map_words(exchange);
        if is_some { Some(value) } else { None }
    }
}

// SAFETY: the words of each element.
unsafe impl<T: WarpValue, const N: usize> WarpValue for [T; N] {
    #[inline(always)]
    fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
        // `map` keeps its position in memory, which the checker does not know to be the same in all threads.
        let (mut elements, mut index) = (self, 0);
        while index < N {
            elements[index] = elements[index].map_words(exchange);
            index += 1;
        }
        elements
    }
}

// SAFETY: no word.
unsafe impl WarpValue for () {
    #[inline(always)]
    fn map_words(self, _: &mut impl FnMut(u64, usize) -> u64) {}
}

macro_rules! vectors {
    ($($name:ident $number:ident $count:literal [$($field:ident)+];)*) => { $(
        // SAFETY: the words of each number.
        unsafe impl WarpValue for num::$name {
            #[inline(always)]
            fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
                num::$name { $($field: self.$field.map_words(exchange)),+ }
            }
        }
    )* };
}
num::for_each_vector!(vectors);

macro_rules! tuples {
    ($(($($name:ident $field:tt)+))*) => { $(
        // SAFETY: the words of each element.
        unsafe impl<$($name: WarpValue),+> WarpValue for ($($name,)+) {
            #[inline(always)]
            fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
                ($(self.$field.map_words(exchange),)+)
            }
        }
    )* };
}
tuples! {
    (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11)
}

/// A [`WarpValue`] that can be added and compared: an integer or a float.
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
numbers!(|a, b| a.wrapping_add(b); u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
numbers!(|a, b| a + b; f32 f64 F16 Bf16);
