//! The source of `kernel.bc` and `kernel.ll` beside this file, compiled by rustc 1.99.1, whose LLVM is 23:
//!
//!     rustc --crate-type=lib --edition=2021 -O -Ccodegen-units=1 --emit=llvm-bc,llvm-ir kernel.rs

#![no_std]

/// Numbers that are exact in no narrow type, an infinity and a NaN.
const FACTORS: [f32; 4] = [0.1, 1e-4, f32::INFINITY, f32::NAN];

#[inline(never)]
fn factor(of: &[f32; 4], at: usize) -> f32 {
    if at < 4 {
        of[at] + 0.3
    } else {
        f32::NEG_INFINITY
    }
}

#[no_mangle]
pub static mut OFFSET: f64 = core::f64::consts::PI;

/// It reads memory that no argument refers to, but no target memory, and its attribute says so.
#[inline(never)]
fn offset() -> f64 {
    unsafe { OFFSET }
}

/// Multiplies each value of an array by a factor.
#[no_mangle]
pub unsafe extern "C" fn scale(values: *mut f32, wide: *mut f64, len: u32) {
    for at in 0..len as usize {
        *values.add(at) *= factor(&FACTORS, at % 5) * 0.7;
        *wide.add(at) += offset();
    }
}
