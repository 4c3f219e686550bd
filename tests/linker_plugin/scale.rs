//! A crate of machine code, with bitcode beside it.

#[inline(never)]
pub fn scaled(a: f32, b: f32) -> f32 {
    a * b
}
