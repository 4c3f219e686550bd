//! `DeviceCopy`, `Zeroable` and `WarpValue` for the numbers of other crates. Each crate has a feature with its name.

#[allow(unused_macros, reason = "each use belongs to a feature")]
macro_rules! numbers {
    ($library:ident: $($ty:ident)*) => { $(
        // SAFETY: the type consists of numbers, and rustc computes its layout once for the host and all devices.
        unsafe impl crate::device_copy::DeviceCopy for $library::$ty {
            const MAY_HOLD_POINTER: bool = false;
        }
        // SAFETY: bytes that are all 0 are the number 0.
        unsafe impl crate::device_copy::Zeroable for $library::$ty {}
    )* };
}

/// Lanes exchange the array of numbers that a type consists of.
#[allow(unused_macros, reason = "each use belongs to a feature")]
macro_rules! words {
    ($library:ident $to:ident $numbers:ident => $from:expr; $($ty:ident)*) => { $(
        // SAFETY: the words of each number.
        unsafe impl crate::warp::WarpValue for $library::$ty {
            #[inline(always)]
            fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
                let $numbers = crate::warp::WarpValue::map_words(self.$to(), exchange);
                $from
            }
        }
    )* };
}

#[cfg(feature = "half")]
numbers!(half: f16 bf16);
#[cfg(feature = "half")]
words!(half to_bits bits => Self::from_bits(bits); f16 bf16);

#[cfg(feature = "half")]
macro_rules! conversions {
    ($($own:ident $theirs:ident)*) => { $(
        impl From<half::$theirs> for crate::num::$own {
            #[inline(always)]
            fn from(number: half::$theirs) -> Self {
                Self::from_bits(number.to_bits())
            }
        }

        impl From<crate::num::$own> for half::$theirs {
            #[inline(always)]
            fn from(number: crate::num::$own) -> Self {
                Self::from_bits(number.to_bits())
            }
        }
    )* };
}
#[cfg(feature = "half")]
conversions!(F16 f16 Bf16 bf16);

// SAFETY: the type consists of two numbers.
#[cfg(feature = "num-complex")]
unsafe impl<T: crate::device_copy::DeviceCopy> crate::device_copy::DeviceCopy for num_complex::Complex<T> {
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
}
// SAFETY: bytes that are all 0 are 0 for both.
#[cfg(feature = "num-complex")]
unsafe impl<T: crate::device_copy::Zeroable> crate::device_copy::Zeroable for num_complex::Complex<T> {}
// SAFETY: the words of both numbers.
#[cfg(feature = "num-complex")]
unsafe impl<T: crate::warp::WarpValue> crate::warp::WarpValue for num_complex::Complex<T> {
    #[inline(always)]
    fn map_words(self, exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
        num_complex::Complex { re: self.re.map_words(exchange), im: self.im.map_words(exchange) }
    }
}

#[cfg(feature = "glam")]
numbers!(glam:
    Vec2 Vec3 Vec3A Vec4 Quat Mat2 Mat3 Mat3A Mat4 Affine2 Affine3A
    DVec2 DVec3 DVec4 DQuat DMat2 DMat3 DMat4 DAffine2 DAffine3
    I8Vec2 I8Vec3 I8Vec4 I16Vec2 I16Vec3 I16Vec4 IVec2 IVec3 IVec4 I64Vec2 I64Vec3 I64Vec4
    U8Vec2 U8Vec3 U8Vec4 U16Vec2 U16Vec3 U16Vec4 UVec2 UVec3 UVec4 U64Vec2 U64Vec3 U64Vec4
);
#[cfg(feature = "glam")]
words!(glam to_array numbers => Self::from_array(numbers);
    Vec2 Vec3 Vec3A Vec4 Quat DVec2 DVec3 DVec4 DQuat
    I8Vec2 I8Vec3 I8Vec4 I16Vec2 I16Vec3 I16Vec4 IVec2 IVec3 IVec4 I64Vec2 I64Vec3 I64Vec4
    U8Vec2 U8Vec3 U8Vec4 U16Vec2 U16Vec3 U16Vec4 UVec2 UVec3 UVec4 U64Vec2 U64Vec3 U64Vec4
);
#[cfg(feature = "glam")]
words!(glam to_cols_array numbers => Self::from_cols_array(&numbers);
    Mat2 Mat3 Mat3A Mat4 Affine2 Affine3A DMat2 DMat3 DMat4 DAffine2 DAffine3
);

#[cfg(feature = "nalgebra")]
mod of_nalgebra {
    use nalgebra::{ArrayStorage, Isometry, Point, Quaternion, Rotation, SMatrix, Scalar, Translation, Unit};

    use crate::device_copy::{DeviceCopy, Zeroable};
    use crate::warp::WarpValue;

    macro_rules! device_copy {
        ($([$($generics:tt)*] $ty:ty: $($part:ident)+;)*) => { $(
            // SAFETY: the type consists of numbers of these types, and rustc computes its layout once for the host and
            // all devices.
            unsafe impl<$($generics)*> DeviceCopy for $ty {
                const MAY_HOLD_POINTER: bool = false $(|| $part::MAY_HOLD_POINTER)+;
            }
        )* };
    }
    device_copy! {
        [T: DeviceCopy + Scalar, const R: usize, const C: usize] SMatrix<T, R, C>: T;
        [T: DeviceCopy + Scalar, const D: usize] Point<T, D>: T;
        [T: DeviceCopy + Scalar, const D: usize] Translation<T, D>: T;
        [T: DeviceCopy + Scalar, const D: usize] Rotation<T, D>: T;
        [T: DeviceCopy + Scalar] Quaternion<T>: T;
        [T: DeviceCopy] Unit<T>: T;
        [T: DeviceCopy + Scalar, R: DeviceCopy, const D: usize] Isometry<T, R, D>: T R;
    }

    // SAFETY: bytes that are all 0 are 0 for each element.
    unsafe impl<T: Zeroable + Scalar, const R: usize, const C: usize> Zeroable for SMatrix<T, R, C> {}
    // SAFETY: as above.
    unsafe impl<T: Zeroable + Scalar, const D: usize> Zeroable for Point<T, D> {}
    // SAFETY: as above.
    unsafe impl<T: Zeroable + Scalar, const D: usize> Zeroable for Translation<T, D> {}
    // SAFETY: as above.
    unsafe impl<T: Zeroable + Scalar> Zeroable for Quaternion<T> {}

    macro_rules! words {
        ($([$($generics:tt)*] $ty:ty: $value:ident, $exchange:ident => $to:expr;)*) => { $(
            // SAFETY: the words of each number.
            unsafe impl<$($generics)*> WarpValue for $ty {
                #[inline(always)]
                fn map_words(self, $exchange: &mut impl FnMut(u64, usize) -> u64) -> Self {
                    let $value = self;
                    $to
                }
            }
        )* };
    }
    words! {
        [T: WarpValue + Scalar, const R: usize, const C: usize] SMatrix<T, R, C>: own, exchange =>
            SMatrix::from_array_storage(ArrayStorage(own.data.0.map_words(exchange)));
        [T: WarpValue + Scalar, const D: usize] Point<T, D>: own, exchange => Point::from(own.coords.map_words(exchange));
        [T: WarpValue + Scalar, const D: usize] Translation<T, D>: own, exchange =>
            Translation { vector: own.vector.map_words(exchange) };
        [T: WarpValue + Scalar, const D: usize] Rotation<T, D>: own, exchange =>
            Rotation::from_matrix_unchecked(own.into_inner().map_words(exchange));
        [T: WarpValue + Scalar] Quaternion<T>: own, exchange => Quaternion { coords: own.coords.map_words(exchange) };
        [T: WarpValue] Unit<T>: own, exchange => Unit::new_unchecked(own.into_inner().map_words(exchange));
        [T: WarpValue + Scalar, R: WarpValue, const D: usize] Isometry<T, R, D>: own, exchange => Isometry {
            rotation: own.rotation.map_words(exchange),
            translation: own.translation.map_words(exchange),
        };
    }
}
