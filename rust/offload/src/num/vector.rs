//! Vectors of 2 and 4 numbers.

use core::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use super::{Bf16, F16};
use crate::device_copy::{DeviceCopy, Zeroable, plain};
use crate::layout::Layout;

/// An operator on each number of a vector, with a vector or a number on the right, and its assigning form.
macro_rules! operator {
    ($operator:ident $method:ident $assign:ident $assign_method:ident, $name:ident $number:ident $($field:ident)+) => {
        impl $operator for $name {
            type Output = $name;

            #[inline(always)]
            fn $method(self, other: $name) -> $name {
                $name { $($field: self.$field.$method(other.$field)),+ }
            }
        }

        impl $operator<$number> for $name {
            type Output = $name;

            #[inline(always)]
            fn $method(self, other: $number) -> $name {
                $name { $($field: self.$field.$method(other)),+ }
            }
        }

        impl $assign for $name {
            #[inline(always)]
            fn $assign_method(&mut self, other: $name) {
                *self = self.$method(other);
            }
        }

        impl $assign<$number> for $name {
            #[inline(always)]
            fn $assign_method(&mut self, other: $number) {
                *self = self.$method(other);
            }
        }
    };
}

/// A vector: its name, its numbers, its alignment in bytes, CUDA's name, the number 1, and its fields.
macro_rules! vector {
    ($name:ident $number:ident $count:literal $align:literal $cuda:literal $one:literal [$($field:ident)+] $($derived:ident)*) => {
        #[doc = concat!("A vector of ", stringify!($count), " `", stringify!($number), "` with an alignment of ", stringify!($align), " bytes, as CUDA's `", $cuda, "`.")]
        ///
        /// ```
        #[doc = concat!("use offload::num::", stringify!($name), ";")]
        ///
        #[doc = concat!("let one: ", stringify!($name), " = [", $one, "; ", stringify!($count), "].into();")]
        #[doc = concat!("let mut v = one + ", stringify!($name), "::splat(", $one, ") * ", $one, ";")]
        /// v.y -= one.x;
        /// v[0] += one.x;
        /// assert_eq!(v.to_array()[..2], [one.x + one.x + one.x, one.x]);
        #[doc = concat!("assert_eq!(v, ", stringify!($name), "::from_array(*v.as_array()));")]
        #[doc = concat!("assert_eq!((size_of_val(&v), align_of_val(&v)), (", stringify!($count), " * size_of_val(&v.x), ", stringify!($align), "));")]
        /// ```
        #[doc(alias = $cuda)]
        #[derive(Clone, Copy, Debug, Default, PartialEq $(, $derived)*)]
        #[repr(C, align($align))]
        pub struct $name {
            $(
                #[doc = concat!("The number `", stringify!($field), "`.")]
                pub $field: $number,
            )+
        }

        // SAFETY: the vector consists of its numbers, without gaps.
        unsafe impl DeviceCopy for $name {
            const MAY_HOLD_POINTER: bool = false;
            const HAS_PADDING: bool = false;
            plain!();
        }
        // SAFETY: bits that are all 0 are 0 for each number.
        unsafe impl Zeroable for $name {}

        const _: () = assert!(size_of::<$name>() == size_of::<[$number; $count]>());

        impl $name {
            /// The vector of these numbers.
            ///
            #[doc = concat!("See the example of [`", stringify!($name), "`].")]
            #[inline(always)]
            pub const fn new($($field: $number),+) -> Self {
                $name { $($field),+ }
            }

            /// The vector whose numbers are all `number`.
            ///
            #[doc = concat!("See the example of [`", stringify!($name), "`].")]
            #[inline(always)]
            pub const fn splat(number: $number) -> Self {
                $name { $($field: number),+ }
            }

            /// The vector of the numbers of an array.
            ///
            #[doc = concat!("See the example of [`", stringify!($name), "`].")]
            #[inline(always)]
            pub const fn from_array([$($field),+]: [$number; $count]) -> Self {
                $name { $($field),+ }
            }

            /// The numbers as an array.
            ///
            #[doc = concat!("See the example of [`", stringify!($name), "`].")]
            #[inline(always)]
            pub const fn to_array(self) -> [$number; $count] {
                [$(self.$field),+]
            }

            /// The memory of the numbers as an array.
            ///
            #[doc = concat!("See the example of [`", stringify!($name), "`].")]
            #[inline(always)]
            pub const fn as_array(&self) -> &[$number; $count] {
                // SAFETY: the vector has the layout of the array, and at least its alignment.
                unsafe { &*(&raw const *self).cast() }
            }

            /// The memory of the numbers as an array.
            ///
            #[doc = concat!("See the example of [`", stringify!($name), "`].")]
            #[inline(always)]
            pub const fn as_mut_array(&mut self) -> &mut [$number; $count] {
                // SAFETY: as above.
                unsafe { &mut *(&raw mut *self).cast() }
            }
        }

        operator!(Add add AddAssign add_assign, $name $number $($field)+);
        operator!(Sub sub SubAssign sub_assign, $name $number $($field)+);
        operator!(Mul mul MulAssign mul_assign, $name $number $($field)+);
        operator!(Div div DivAssign div_assign, $name $number $($field)+);
        operator!(Rem rem RemAssign rem_assign, $name $number $($field)+);

        impl From<[$number; $count]> for $name {
            #[inline(always)]
            fn from(numbers: [$number; $count]) -> $name {
                $name::from_array(numbers)
            }
        }

        impl From<$name> for [$number; $count] {
            #[inline(always)]
            fn from(vector: $name) -> [$number; $count] {
                vector.to_array()
            }
        }

        impl Index<usize> for $name {
            type Output = $number;

            #[inline(always)]
            #[track_caller]
            fn index(&self, index: usize) -> &$number {
                &self.as_array()[index]
            }
        }

        impl IndexMut<usize> for $name {
            #[inline(always)]
            #[track_caller]
            fn index_mut(&mut self, index: usize) -> &mut $number {
                &mut self.as_mut_array()[index]
            }
        }
    };
}

macro_rules! negated {
    ($($name:ident [$($field:ident)+])*) => { $(
        impl Neg for $name {
            type Output = $name;

            #[inline(always)]
            fn neg(self) -> $name {
                $name { $($field: -self.$field),+ }
            }
        }
    )* };
}

/// Calls a macro with each vector: its name, its number, its count and its fields.
macro_rules! for_each_vector {
    ($what:ident) => {
        $what! {
            F32x2 f32 2 [x y]; F32x4 f32 4 [x y z w];
            F64x2 f64 2 [x y]; F64x4 f64 4 [x y z w];
            F16x2 F16 2 [x y]; F16x4 F16 4 [x y z w];
            Bf16x2 Bf16 2 [x y]; Bf16x4 Bf16 4 [x y z w];
            I8x2 i8 2 [x y]; I8x4 i8 4 [x y z w];
            U8x2 u8 2 [x y]; U8x4 u8 4 [x y z w];
            I16x2 i16 2 [x y]; I16x4 i16 4 [x y z w];
            U16x2 u16 2 [x y]; U16x4 u16 4 [x y z w];
            I32x2 i32 2 [x y]; I32x4 i32 4 [x y z w];
            U32x2 u32 2 [x y]; U32x4 u32 4 [x y z w];
            I64x2 i64 2 [x y]; I64x4 i64 4 [x y z w];
            U64x2 u64 2 [x y]; U64x4 u64 4 [x y z w];
        }
    };
}
pub(crate) use for_each_vector;

vector!(F32x2 f32 2 8 "float2" "1.0" [x y] PartialOrd);
vector!(F32x4 f32 4 16 "float4" "1.0" [x y z w] PartialOrd);
vector!(F64x2 f64 2 16 "double2" "1.0" [x y] PartialOrd);
vector!(F64x4 f64 4 16 "double4_16a" "1.0" [x y z w] PartialOrd);
vector!(F16x2 F16 2 4 "__half2" "offload::num::F16::ONE" [x y] PartialOrd);
vector!(F16x4 F16 4 8 "half4" "offload::num::F16::ONE" [x y z w] PartialOrd);
vector!(Bf16x2 Bf16 2 4 "__nv_bfloat162" "offload::num::Bf16::ONE" [x y] PartialOrd);
vector!(Bf16x4 Bf16 4 8 "bfloat164" "offload::num::Bf16::ONE" [x y z w] PartialOrd);
vector!(I8x2 i8 2 2 "char2" "1" [x y] Eq PartialOrd Ord Hash);
vector!(I8x4 i8 4 4 "char4" "1" [x y z w] Eq PartialOrd Ord Hash);
vector!(U8x2 u8 2 2 "uchar2" "1" [x y] Eq PartialOrd Ord Hash);
vector!(U8x4 u8 4 4 "uchar4" "1" [x y z w] Eq PartialOrd Ord Hash);
vector!(I16x2 i16 2 4 "short2" "1" [x y] Eq PartialOrd Ord Hash);
vector!(I16x4 i16 4 8 "short4" "1" [x y z w] Eq PartialOrd Ord Hash);
vector!(U16x2 u16 2 4 "ushort2" "1" [x y] Eq PartialOrd Ord Hash);
vector!(U16x4 u16 4 8 "ushort4" "1" [x y z w] Eq PartialOrd Ord Hash);
vector!(I32x2 i32 2 8 "int2" "1" [x y] Eq PartialOrd Ord Hash);
vector!(I32x4 i32 4 16 "int4" "1" [x y z w] Eq PartialOrd Ord Hash);
vector!(U32x2 u32 2 8 "uint2" "1" [x y] Eq PartialOrd Ord Hash);
vector!(U32x4 u32 4 16 "uint4" "1" [x y z w] Eq PartialOrd Ord Hash);
vector!(I64x2 i64 2 16 "longlong2" "1" [x y] Eq PartialOrd Ord Hash);
vector!(I64x4 i64 4 16 "longlong4_16a" "1" [x y z w] Eq PartialOrd Ord Hash);
vector!(U64x2 u64 2 16 "ulonglong2" "1" [x y] Eq PartialOrd Ord Hash);
vector!(U64x4 u64 4 16 "ulonglong4_16a" "1" [x y z w] Eq PartialOrd Ord Hash);

negated! {
    F32x2 [x y] F32x4 [x y z w] F64x2 [x y] F64x4 [x y z w] F16x2 [x y] F16x4 [x y z w] Bf16x2 [x y] Bf16x4 [x y z w]
    I8x2 [x y] I8x4 [x y z w] I16x2 [x y] I16x4 [x y z w] I32x2 [x y] I32x4 [x y z w] I64x2 [x y] I64x4 [x y z w]
}
