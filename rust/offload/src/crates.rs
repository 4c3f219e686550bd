//! Other crates' numbers, each behind a feature of the crate's name: what crosses to a device of them, and is 0.

#[allow(unused_macros, reason = "no feature is on")]
macro_rules! numbers {
    ($($ty:ty)*) => { $(
        // SAFETY: numbers beside each other; rustc lays them out once, for host and device alike.
        unsafe impl crate::param::DeviceCopy for $ty {}
        // SAFETY: all bytes 0 are 0.
        unsafe impl crate::buffer::Zeroable for $ty {}
    )* };
}

#[cfg(feature = "half")]
numbers!(half::f16 half::bf16);

// SAFETY: two numbers beside each other.
#[cfg(feature = "num-complex")]
unsafe impl<T: crate::param::DeviceCopy> crate::param::DeviceCopy for num_complex::Complex<T> {}
// SAFETY: both are 0.
#[cfg(feature = "num-complex")]
unsafe impl<T: crate::buffer::Zeroable> crate::buffer::Zeroable for num_complex::Complex<T> {}

#[cfg(feature = "glam")]
mod vectors {
    use glam::{f32::*, f64::*, i8::*, i16::*, i32::*, i64::*, u8::*, u16::*, u32::*, u64::*};

    numbers!(
        Vec2 Vec3 Vec3A Vec4 Quat Mat2 Mat3 Mat3A Mat4 Affine2 Affine3A
        DVec2 DVec3 DVec4 DQuat DMat2 DMat3 DMat4 DAffine2 DAffine3
        I8Vec2 I8Vec3 I8Vec4 I16Vec2 I16Vec3 I16Vec4 IVec2 IVec3 IVec4 I64Vec2 I64Vec3 I64Vec4
        U8Vec2 U8Vec3 U8Vec4 U16Vec2 U16Vec3 U16Vec4 UVec2 UVec3 UVec4 U64Vec2 U64Vec3 U64Vec4
    );
}
