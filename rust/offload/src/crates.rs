//! `DeviceCopy` and `Zeroable` for the numbers of other crates. Each crate has a feature with its name.

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

#[cfg(feature = "half")]
numbers!(half: f16 bf16);

// SAFETY: the type consists of two numbers.
#[cfg(feature = "num-complex")]
unsafe impl<T: crate::device_copy::DeviceCopy> crate::device_copy::DeviceCopy for num_complex::Complex<T> {
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
}
// SAFETY: bytes that are all 0 are 0 for both.
#[cfg(feature = "num-complex")]
unsafe impl<T: crate::device_copy::Zeroable> crate::device_copy::Zeroable for num_complex::Complex<T> {}

#[cfg(feature = "glam")]
numbers!(glam:
    Vec2 Vec3 Vec3A Vec4 Quat Mat2 Mat3 Mat3A Mat4 Affine2 Affine3A
    DVec2 DVec3 DVec4 DQuat DMat2 DMat3 DMat4 DAffine2 DAffine3
    I8Vec2 I8Vec3 I8Vec4 I16Vec2 I16Vec3 I16Vec4 IVec2 IVec3 IVec4 I64Vec2 I64Vec3 I64Vec4
    U8Vec2 U8Vec3 U8Vec4 U16Vec2 U16Vec3 U16Vec4 UVec2 UVec3 UVec4 U64Vec2 U64Vec3 U64Vec4
);
