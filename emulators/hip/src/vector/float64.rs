//! Arithmetic of 64 bits.

use super::Kind::{B32, F64};
use super::Rule::Whole;
use super::float32::{exponent, extreme};
use super::rounding::{F64 as FORMAT, add_64, fma_64, mul_64};
use super::{Compute, VectorOp};
use crate::mode::Mode;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::Double;

const fn op1(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F64, &[F64], Whole, compute)
}

const fn op2(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F64, &[F64, F64], Whole, compute)
}

const fn op3(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F64, &[F64, F64, F64], Whole, compute)
}

fn lift(mode: &Mode, a: u64, of: fn(f64) -> f64) -> u64 {
    FORMAT.compute(mode, [a], |[a]| of(f64::from_bits(a)).to_bits())
}

/// The value times a power of two, rounded once.
pub(super) fn scale(mode: &Mode, a: u64, by: i32) -> u64 {
    FORMAT.compute(mode, [a], |[a]| Double::from_bits(a.into()).scalbn(by).to_bits() as u64)
}

/// The significand, between 0.5 and 1.
fn significand(a: u64) -> u64 {
    let value = f64::from_bits(a);
    if value == 0.0 || !value.is_finite() {
        return a;
    }
    Double::from_bits(a.into()).scalbn(-exponent(value)).to_bits() as u64
}

/// `x - floor(x)`, below 1.
fn fraction(value: f64) -> f64 {
    (value - value.floor()).min(f64::from_bits(0x3fef_ffff_ffff_ffff))
}

/// All of them.
pub(crate) static OPS: &[VectorOp] = &[
    op2(&["v_add_f64"], |m, [a, b, ..]| add_64(m, a, b)),
    op2(&["v_mul_f64"], |m, [a, b, ..]| mul_64(m, a, b)),
    op3(&["v_fma_f64"], |m, [a, b, c, _]| fma_64(m, a, b, c)),
    op3(&["v_fmac_f64"], |m, [a, b, c, _]| fma_64(m, a, b, c)).accumulating(),
    op2(&["v_min_f64"], |m, [a, b, ..]| extreme(&FORMAT, m, a, b, false)),
    op2(&["v_max_f64"], |m, [a, b, ..]| extreme(&FORMAT, m, a, b, true)),
    op1(&["v_trunc_f64"], |m, [a, ..]| lift(m, a, f64::trunc)),
    op1(&["v_ceil_f64"], |m, [a, ..]| lift(m, a, f64::ceil)),
    op1(&["v_floor_f64"], |m, [a, ..]| lift(m, a, f64::floor)),
    op1(&["v_rndne_f64"], |m, [a, ..]| lift(m, a, f64::round_ties_even)),
    op1(&["v_fract_f64"], |m, [a, ..]| lift(m, a, fraction)),
    VectorOp::new(&["v_ldexp_f64"], F64, &[F64, B32], Whole, |m, [a, b, ..]| scale(m, a, b as i32)),
    VectorOp::new(&["v_frexp_exp_i32_f64"], B32, &[F64], Whole, |_, [a, ..]| exponent(f64::from_bits(a)) as u64),
    op1(&["v_frexp_mant_f64"], |_, [a, ..]| significand(a)),
];
