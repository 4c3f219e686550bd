//! Conversions of `F16` by the instructions of the devices that have them. The instructions round as IEEE 754 says, but
//! some return one NaN only; NaNs are converted by integer operations.

use super::convert;
use crate::contract::intrinsics::{half_of_single, single_of_half};
use crate::thread::{arch, is_compiled};

/// Whether each device of this arch has the instructions: NVIDIA's and AMD's. OpenCL's devices may lack the type.
#[inline(always)]
fn has_instructions() -> bool {
    is_compiled() && matches!(arch() >> 24, 2 | 3)
}

#[inline(always)]
pub(super) fn f16_of_f32(value: f32) -> u16 {
    if !has_instructions() {
        return convert::f16_of_f32(value.to_bits());
    }
    // Both results are computed, and selected without a branch.
    let (number, nan) = (half_of_single(value), convert::f16_of_nan(value.to_bits()));
    if value.is_nan() { nan } else { number }
}

/// The same for the result of an operation: any NaN is right.
#[inline(always)]
pub(super) fn f16_of_result(value: f32) -> u16 {
    if has_instructions() { half_of_single(value) } else { convert::f16_of_f32(value.to_bits()) }
}

/// The value as an operand, of which it does not matter which NaN it is.
#[inline(always)]
pub(super) fn f16_as_operand(bits: u16) -> f32 {
    if has_instructions() { single_of_half(bits) } else { f32::from_bits(convert::f32_of_f16(bits)) }
}

#[inline(always)]
pub(super) fn f32_of_f16(bits: u16) -> f32 {
    if !has_instructions() {
        return f32::from_bits(convert::f32_of_f16(bits));
    }
    let (number, nan) = (single_of_half(bits), f32::from_bits(convert::f32_of_nan(bits)));
    if bits & 0x7fff > 0x7c00 { nan } else { number }
}

/// A shift, which is an instruction everywhere.
#[inline(always)]
pub(super) fn f32_of_bf16(bits: u16) -> f32 {
    f32::from_bits(convert::f32_of_bf16(bits))
}

/// Few integer operations.
#[inline(always)]
pub(super) fn bf16_of_f32(value: f32) -> u16 {
    convert::bf16_of_f32(value.to_bits())
}
