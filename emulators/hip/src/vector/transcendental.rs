//! Functions that the hardware approximates. The ISA documents allow an error of one unit in the last place for 16 and
//! 32 bits, and of 2^29 units for 64 bits; denormals of 32 bits are flushed. The results here are as far from the exact
//! ones as that allows in one direction, so that code which needs more does not get it: they are rounded to zero.

use emulator_core::bits;

use super::Kind::{F16, F32, F64};
use super::Rule::Whole;
use super::rounding::{self, from_half, to_half};
use super::{Compute, VectorOp};
use crate::mode::{Mode, Round};

/// The bits of a number of 64 bits within 2^29 units of the last place.
const COARSE: u64 = !((1 << 28) - 1);

const fn op16(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F16, &[F16], Whole, compute)
}

const fn op32(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F32, &[F32], Whole, compute)
}

const fn op64(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F64, &[F64], Whole, compute)
}

/// The largest number of 32 bits that is not further from zero.
fn toward_zero(value: f64) -> f32 {
    let nearest = value as f32;
    if nearest.is_infinite() && value.is_finite() {
        return f32::MAX.copysign(nearest);
    }
    let is_beyond = f64::from(nearest).abs() > value.abs();
    if is_beyond { f32::from_bits(nearest.to_bits() - 1) } else { nearest }
}

fn approximate(mode: &Mode, a: u64, of: fn(f64) -> f64) -> u64 {
    compute_32(mode, a, |a| toward_zero(of(a)))
}

fn compute_32(mode: &Mode, a: u64, of: impl Fn(f64) -> f32) -> u64 {
    let format = &rounding::F32;
    format.compute(mode, [a], |[a]| {
        let value = of(f32::from_bits(format.flushed(a) as u32).into());
        format.flushed(value.to_bits().into())
    })
}

/// What is exact for numbers of 16 bits but for one rounding.
fn approximate_16(mode: &Mode, a: u64, of: fn(f64) -> f64) -> u64 {
    rounding::F16.compute(mode, [a], |[a]| to_half(Round::Zero, of(from_half(a))))
}

fn approximate_64(mode: &Mode, a: u64, of: fn(f64) -> f64) -> u64 {
    rounding::F64.compute(mode, [a], |[a]| of(f64::from_bits(a)).to_bits() & COARSE)
}

/// The reciprocal of a number just below a power of two is the nearest one. Without that, the sequence that AMD
/// documents for division, with V_DIV_SCALE and V_DIV_FMAS, would not be correctly rounded for such divisors, whatever
/// the error of the other reciprocals: Newton's iteration comes from below, and rounds to the power of two (Markstein,
/// "Computation of elementary functions on the IBM RISC System/6000 processor"). OpenCL's conformance tests divide by
/// such numbers, and these GPUs pass them.
fn reciprocal_32(mode: &Mode, a: u64) -> u64 {
    match is_full(a, f32::MANTISSA_DIGITS) {
        true => compute_32(mode, a, |a| inverse(a) as f32),
        false => approximate(mode, a, inverse),
    }
}

fn reciprocal_64(mode: &Mode, a: u64) -> u64 {
    match is_full(a, f64::MANTISSA_DIGITS) {
        true => rounding::F64.compute(mode, [a], |[a]| inverse(f64::from_bits(a)).to_bits()),
        false => approximate_64(mode, a, inverse),
    }
}

/// Whether all digits of a mantissa are ones, of which the first is not written.
fn is_full(bits: u64, digits: u32) -> bool {
    let mantissa = bits::ones(digits - 1);
    bits & mantissa == mantissa
}

fn root(value: f64) -> f64 {
    value.sqrt()
}

fn inverse(value: f64) -> f64 {
    1.0 / value
}

fn inverse_root(value: f64) -> f64 {
    1.0 / value.sqrt()
}

/// Turns, not radians; what is beyond 256 turns gives the value of zero (RDNA3 ISA, V_SIN_F32).
fn sine(turns: f64) -> f64 {
    if turns.is_infinite() {
        return f64::NAN;
    }
    if turns.abs() > 256.0 { 0.0 } else { (turns.fract() * std::f64::consts::TAU).sin() }
}

fn cosine(turns: f64) -> f64 {
    if turns.is_infinite() {
        return f64::NAN;
    }
    if turns.abs() > 256.0 { 1.0 } else { (turns.fract() * std::f64::consts::TAU).cos() }
}

/// All of them.
pub(crate) static OPS: &[VectorOp] = &[
    op32(&["v_rcp_f32", "v_rcp_iflag_f32"], |m, [a, ..]| reciprocal_32(m, a)),
    op32(&["v_rsq_f32"], |m, [a, ..]| approximate(m, a, inverse_root)),
    op32(&["v_sqrt_f32"], |m, [a, ..]| approximate(m, a, root)),
    op32(&["v_exp_f32"], |m, [a, ..]| approximate(m, a, f64::exp2)),
    op32(&["v_log_f32"], |m, [a, ..]| approximate(m, a, f64::log2)),
    op32(&["v_sin_f32"], |m, [a, ..]| approximate(m, a, sine)),
    op32(&["v_cos_f32"], |m, [a, ..]| approximate(m, a, cosine)),
    op16(&["v_rcp_f16"], |m, [a, ..]| approximate_16(m, a, inverse)),
    op16(&["v_rsq_f16"], |m, [a, ..]| approximate_16(m, a, inverse_root)),
    op16(&["v_sqrt_f16"], |m, [a, ..]| approximate_16(m, a, root)),
    op16(&["v_exp_f16"], |m, [a, ..]| approximate_16(m, a, f64::exp2)),
    op16(&["v_log_f16"], |m, [a, ..]| approximate_16(m, a, f64::log2)),
    op16(&["v_sin_f16"], |m, [a, ..]| approximate_16(m, a, sine)),
    op16(&["v_cos_f16"], |m, [a, ..]| approximate_16(m, a, cosine)),
    op64(&["v_rcp_f64"], |m, [a, ..]| reciprocal_64(m, a)),
    op64(&["v_rsq_f64"], |m, [a, ..]| approximate_64(m, a, inverse_root)),
    op64(&["v_sqrt_f64"], |m, [a, ..]| approximate_64(m, a, root)),
];
