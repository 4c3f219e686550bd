//! Floats of 16 bits.

use core::cmp::Ordering;
use core::fmt;
use core::iter::{Product, Sum};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use super::{convert, instructions};
use crate::device_copy::{DeviceCopy, Zeroable, plain};
use crate::layout::Layout;

/// The operators of a type, and their assigning forms.
macro_rules! operators {
    ($ty:ident: $($operator:ident $method:ident $assign:ident $assign_method:ident;)*) => { $(
        impl $operator for $ty {
            type Output = $ty;

            #[inline(always)]
            fn $method(self, other: $ty) -> $ty {
                $ty::of_result(self.operand().$method(other.operand()))
            }
        }

        impl $assign for $ty {
            #[inline(always)]
            fn $assign_method(&mut self, other: $ty) {
                *self = self.$method(other);
            }
        }
    )* };
}

/// Texts of a number are those of the `f32` with its value.
macro_rules! texts {
    ($ty:ident: $($format:ident)*) => { $(
        impl fmt::$format for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::$format::fmt(&self.to_f32(), f)
            }
        }
    )* };
}

/// The bytes of a number in an order.
macro_rules! bytes {
    ($ty:ident: $($order:literal $to:ident $from:ident;)*) => { $(
        #[doc = concat!("The two bytes in ", $order, " order.")]
        ///
        /// ```
        #[doc = concat!("use offload::num::", stringify!($ty), ";")]
        ///
        #[doc = concat!("assert_eq!(", stringify!($ty), "::ONE.", stringify!($to), "(), ", stringify!($ty), "::ONE.to_bits().", stringify!($to), "());")]
        /// ```
        #[inline(always)]
        pub const fn $to(self) -> [u8; 2] {
            self.0.$to()
        }

        #[doc = concat!("The number with these bytes in ", $order, " order.")]
        ///
        /// ```
        #[doc = concat!("use offload::num::", stringify!($ty), ";")]
        ///
        #[doc = concat!("assert_eq!(", stringify!($ty), "::", stringify!($from), "(", stringify!($ty), "::ONE.", stringify!($to), "()), ", stringify!($ty), "::ONE);")]
        /// ```
        #[inline(always)]
        pub const fn $from(bytes: [u8; 2]) -> Self {
            $ty(u16::$from(bytes))
        }
    )* };
}

/// Functions of a number that return a `bool`.
macro_rules! questions {
    ($ty:ident: $($(#[$doc:meta])* $name:ident($bits:ident) = $answer:expr, $yes:ident $no:ident;)*) => { $(
        $(#[$doc])*
        ///
        /// ```
        #[doc = concat!("use offload::num::", stringify!($ty), ";")]
        ///
        #[doc = concat!("assert!(", stringify!($ty), "::", stringify!($yes), ".", stringify!($name), "());")]
        #[doc = concat!("assert!(!", stringify!($ty), "::", stringify!($no), ".", stringify!($name), "());")]
        /// ```
        #[inline(always)]
        pub const fn $name(self) -> bool {
            let $bits = self.0;
            $answer
        }
    )* };
}

/// Constants of a type, by their bits.
macro_rules! constants {
    ($ty:ident: $($(#[$doc:meta])* $name:ident = $bits:literal, $value:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// ```
        #[doc = concat!("use offload::num::", stringify!($ty), ";")]
        ///
        #[doc = concat!("assert_eq!(", stringify!($ty), "::", stringify!($name), ".to_f32().to_bits(), (", stringify!($value), ").to_bits());")]
        /// ```
        pub const $name: $ty = $ty($bits);
    )* };
}

/// A float of 16 bits: conversions by their functions on bits, and the bits of infinity.
macro_rules! small_float {
    ($(#[$doc:meta])* $ty:ident: $of_f32:ident $of_f64:ident $to_f32:ident, $of_result:ident $operand:ident,
        $infinity:literal;) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default)]
        #[repr(transparent)]
        pub struct $ty(u16);

        // SAFETY: the bits of a number are its value.
        unsafe impl DeviceCopy for $ty {
            const MAY_HOLD_POINTER: bool = false;
            const HAS_PADDING: bool = false;
            plain!();
        }
        // SAFETY: bits that are all 0 are the number 0.
        unsafe impl Zeroable for $ty {}

        impl $ty {
            /// The number with these bits.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::from_bits(0).to_f32(), 0.0);")]
            /// ```
            #[inline(always)]
            pub const fn from_bits(bits: u16) -> Self {
                $ty(bits)
            }

            /// The bits of the number.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::INFINITY.to_bits(), ", stringify!($infinity), ");")]
            /// ```
            #[inline(always)]
            pub const fn to_bits(self) -> u16 {
                self.0
            }

            /// The number that is nearest to `value`, the even one of two. Numbers that are too large become infinite.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::from_f32(0.75).to_f32(), 0.75);")]
            #[doc = concat!("assert!(", stringify!($ty), "::from_f32(f32::MAX).is_infinite());")]
            /// ```
            #[doc(alias("__float2half", "__float2bfloat16"))]
            #[inline(always)]
            pub fn from_f32(value: f32) -> Self {
                $ty(instructions::$of_f32(value))
            }

            /// The same as [`from_f32`](Self::from_f32), for constants.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("const HALF: ", stringify!($ty), " = ", stringify!($ty), "::from_f32_const(0.5);")]
            /// assert_eq!(HALF.to_f32(), 0.5);
            /// ```
            #[inline(always)]
            pub const fn from_f32_const(value: f32) -> Self {
                $ty(convert::$of_f32(value.to_bits()))
            }

            /// The number that is nearest to `value`, the even one of two. It is rounded once, which a conversion to
            /// `f32` in between would not do.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("let tie = (1.0 + ", stringify!($ty), "::EPSILON.to_f64() / 2.0).next_up();")]
            #[doc = concat!("assert_eq!(", stringify!($ty), "::from_f64(tie), ", stringify!($ty), "::ONE + ", stringify!($ty), "::EPSILON);")]
            #[doc = concat!("assert_eq!(", stringify!($ty), "::from_f32(tie as f32), ", stringify!($ty), "::ONE);")]
            /// ```
            #[inline(always)]
            pub const fn from_f64(value: f64) -> Self {
                $ty(convert::$of_f64(value.to_bits()))
            }

            /// The same number as an `f32`. A NaN becomes quiet.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::ONE.to_f32(), 1.0);")]
            /// ```
            #[doc(alias("__half2float", "__bfloat162float"))]
            #[inline(always)]
            pub fn to_f32(self) -> f32 {
                instructions::$to_f32(self.0)
            }

            /// The same as [`to_f32`](Self::to_f32), for constants.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("const LARGEST: f32 = ", stringify!($ty), "::MAX.to_f32_const();")]
            /// assert!(LARGEST > 60_000.0);
            /// ```
            #[inline(always)]
            pub const fn to_f32_const(self) -> f32 {
                f32::from_bits(convert::$to_f32(self.0))
            }

            /// The value as an operand of an `f32` operation; a NaN may be another one.
            #[inline(always)]
            fn operand(self) -> f32 {
                instructions::$operand(self.0)
            }

            /// The result of such an operation.
            #[inline(always)]
            fn of_result(value: f32) -> Self {
                $ty(instructions::$of_result(value))
            }

            /// The same number as an `f64`. A NaN becomes quiet.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::ONE.to_f64(), 1.0);")]
            /// ```
            #[inline(always)]
            pub fn to_f64(self) -> f64 {
                let value = self.to_f32();
                // Some devices have one NaN only, which all conversions return.
                if self.is_nan() { f64::from_bits(convert::f64_of_nan(value.to_bits())) } else { value as f64 }
            }

            bytes! { $ty:
                "little-endian" to_le_bytes from_le_bytes;
                "big-endian" to_be_bytes from_be_bytes;
                "the device's" to_ne_bytes from_ne_bytes;
            }

            questions! { $ty:
                /// Whether this is not a number.
                is_nan(bits) = bits & 0x7fff > $infinity, NAN INFINITY;
                /// Whether this is positive or negative infinity.
                is_infinite(bits) = bits & 0x7fff == $infinity, NEG_INFINITY NAN;
                /// Whether this is a number and not infinite.
                is_finite(bits) = bits & 0x7fff < $infinity, MAX INFINITY;
                /// Whether the sign bit is set, also of 0 and NaN.
                is_sign_negative(bits) = bits >> 15 == 1, MIN MAX;
                /// Whether the sign bit is not set, also of 0 and NaN.
                is_sign_positive(bits) = bits >> 15 == 0, MAX MIN;
            }

            /// The number without its sign.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::MIN.abs(), ", stringify!($ty), "::MAX);")]
            /// ```
            #[inline(always)]
            pub const fn abs(self) -> Self {
                $ty(self.0 & 0x7fff)
            }

            /// The lesser of both numbers. If one is NaN, the result is the other.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::ONE.min(", stringify!($ty), "::NAN), ", stringify!($ty), "::ONE);")]
            /// ```
            #[inline(always)]
            pub fn min(self, other: Self) -> Self {
                $ty::of_result(self.operand().min(other.operand()))
            }

            /// The greater of both numbers. If one is NaN, the result is the other.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($ty), "::ONE.max(", stringify!($ty), "::ZERO), ", stringify!($ty), "::ONE);")]
            /// ```
            #[inline(always)]
            pub fn max(self, other: Self) -> Self {
                $ty::of_result(self.operand().max(other.operand()))
            }

            /// Compares all values, as [`f32::total_cmp`] does.
            ///
            /// ```
            #[doc = concat!("use offload::num::", stringify!($ty), ";")]
            ///
            #[doc = concat!("let mut numbers = [", stringify!($ty), "::INFINITY, ", stringify!($ty), "::NAN, ", stringify!($ty), "::MIN];")]
            #[doc = concat!("numbers.sort_by(", stringify!($ty), "::total_cmp);")]
            /// assert!(numbers[2].is_nan());
            /// ```
            #[inline(always)]
            pub fn total_cmp(&self, other: &Self) -> Ordering {
                let key = |bits: u16| bits as i16 ^ ((bits as i16 >> 15) as u16 >> 1) as i16;
                key(self.0).cmp(&key(other.0))
            }
        }

        operators! { $ty:
            Add add AddAssign add_assign;
            Sub sub SubAssign sub_assign;
            Mul mul MulAssign mul_assign;
            Div div DivAssign div_assign;
            Rem rem RemAssign rem_assign;
        }
        texts!($ty: Display Debug LowerExp UpperExp);

        impl Neg for $ty {
            type Output = $ty;

            #[inline(always)]
            fn neg(self) -> $ty {
                $ty(self.0 ^ 0x8000)
            }
        }

        impl PartialEq for $ty {
            #[inline(always)]
            fn eq(&self, other: &$ty) -> bool {
                self.operand() == other.operand()
            }
        }

        impl PartialOrd for $ty {
            #[inline(always)]
            fn partial_cmp(&self, other: &$ty) -> Option<Ordering> {
                self.operand().partial_cmp(&other.operand())
            }
        }

        /// The sum is one of `f32`, which is rounded at the end.
        impl Sum for $ty {
            #[inline(always)]
            fn sum<I: Iterator<Item = $ty>>(numbers: I) -> $ty {
                $ty::of_result(numbers.map($ty::operand).sum())
            }
        }

        /// The product is one of `f32`, which is rounded at the end.
        impl Product for $ty {
            #[inline(always)]
            fn product<I: Iterator<Item = $ty>>(numbers: I) -> $ty {
                $ty::of_result(numbers.map($ty::operand).product())
            }
        }

        impl From<$ty> for f32 {
            #[inline(always)]
            fn from(number: $ty) -> f32 {
                number.to_f32()
            }
        }

        impl From<$ty> for f64 {
            #[inline(always)]
            fn from(number: $ty) -> f64 {
                number.to_f64()
            }
        }

        impl From<u8> for $ty {
            #[inline(always)]
            fn from(number: u8) -> $ty {
                $ty::from_f32(number.into())
            }
        }

        impl From<i8> for $ty {
            #[inline(always)]
            fn from(number: i8) -> $ty {
                $ty::from_f32(number.into())
            }
        }
    };
}

small_float! {
    /// A float of 16 bits: 5 of the exponent and 10 of the mantissa, as IEEE 754's binary16.
    ///
    /// ```
    /// use offload::num::F16;
    ///
    /// let sum = F16::from_f32(1.5) + F16::from(2_u8);
    /// assert_eq!((sum, sum.to_f32(), format!("{sum}")), (F16::from_bits(0x4300), 3.5, "3.5".into()));
    /// assert_eq!(F16::from_f32(2049.0).to_f32(), 2048.0); // 11 significant bits
    /// ```
    #[doc(alias("half", "__half", "float16"))]
    F16: f16_of_f32 f16_of_f64 f32_of_f16, f16_of_result f16_as_operand, 0x7c00;
}

small_float! {
    /// A float of 16 bits: the upper half of an `f32`, with 8 bits of the exponent and 7 of the mantissa.
    ///
    /// ```
    /// use offload::num::Bf16;
    ///
    /// let product = Bf16::from_f32(1e30) * Bf16::from(2_u8);
    /// assert!((product.to_f32() / 2e30 - 1.0).abs() < Bf16::EPSILON.to_f32());
    /// assert_eq!(Bf16::from_f32(257.0).to_f32(), 256.0); // 8 significant bits
    /// ```
    #[doc(alias("bfloat16", "__nv_bfloat16"))]
    Bf16: bf16_of_f32 bf16_of_f64 f32_of_bf16, bf16_of_f32 f32_of_bf16, 0x7f80;
}

impl F16 {
    constants! { F16:
        /// 0.
        ZERO = 0, 0_f32;
        /// 1.
        ONE = 0x3c00, 1_f32;
        /// The distance between 1 and the next larger number.
        EPSILON = 0x1400, 1.0 / 1024_f32;
        /// The smallest finite number.
        MIN = 0xfbff, -65504_f32;
        /// The smallest positive normal number.
        MIN_POSITIVE = 0x0400, 1.0 / 16384_f32;
        /// The largest finite number.
        MAX = 0x7bff, 65504_f32;
        /// Infinity.
        INFINITY = 0x7c00, f32::INFINITY;
        /// Negative infinity.
        NEG_INFINITY = 0xfc00, f32::NEG_INFINITY;
        /// Not a number.
        NAN = 0x7e00, f32::from_bits(0x7fc0_0000);
    }
}

impl Bf16 {
    constants! { Bf16:
        /// 0.
        ZERO = 0, 0_f32;
        /// 1.
        ONE = 0x3f80, 1_f32;
        /// The distance between 1 and the next larger number.
        EPSILON = 0x3c00, 1.0 / 128_f32;
        /// The smallest finite number.
        MIN = 0xff7f, -3.3895314e38_f32;
        /// The smallest positive normal number.
        MIN_POSITIVE = 0x0080, f32::MIN_POSITIVE;
        /// The largest finite number.
        MAX = 0x7f7f, 3.3895314e38_f32;
        /// Infinity.
        INFINITY = 0x7f80, f32::INFINITY;
        /// Negative infinity.
        NEG_INFINITY = 0xff80, f32::NEG_INFINITY;
        /// Not a number.
        NAN = 0x7fc0, f32::from_bits(0x7fc0_0000);
    }
}
