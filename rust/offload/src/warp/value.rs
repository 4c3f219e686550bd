//! The types whose values lanes exchange.

use crate::device_copy::DeviceCopy;

/// A type whose values lanes can exchange: integers up to 64 bits, `f32`, `f64`, `bool` and `char`. Other crates cannot
/// implement this trait.
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
    message = "lanes of a warp cannot exchange a `{Self}`",
    label = "not a number of at most 64 bits",
    note = "exchange the fields of a struct one by one"
)]
pub trait WarpValue: DeviceCopy + words::Words {}

pub(crate) mod words {
    /// A value as a word of 64 bits. A warp moves 32 of them at a time.
    pub trait Words: Copy {
        fn to_word(self) -> u64;
        fn from_word(word: u64) -> Self;

        /// Returns the value after applying `moved` to each of its words of 32 bits.
        #[inline(always)]
        fn map_words(self, moved: impl Fn(u32) -> u32) -> Self {
            let word = self.to_word();
            let low = u64::from(moved(word as u32));
            let high = if size_of::<Self>() > 4 { u64::from(moved((word >> 32) as u32)) << 32 } else { 0 };
            Self::from_word(low | high)
        }
    }

    /// The operations of reductions on two values. Sums of integers wrap around. If one of two floats is a NaN, the
    /// minimum and the maximum are the other one.
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
    // The word of another thread is a character, too, so the replacement is never used.
    char: value => u32::from(value).into(), word => char::from_u32(word as u32).unwrap_or(char::REPLACEMENT_CHARACTER);
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
numbers!(|a, b| a.wrapping_add(b); u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
numbers!(|a, b| a + b; f32 f64);
