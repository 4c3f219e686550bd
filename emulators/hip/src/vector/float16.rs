//! Arithmetic of 16 bits.

use super::Kind::{B16, B32, F16, F32};
use super::Rule::Whole;
use super::float32::{exponent, extreme, extreme_of_three, middle};
use super::rounding::{F16 as FORMAT, add_16, fma_16, from_half, mul_16, to_half};
use super::{Compute, VectorOp};
use crate::mode::{Mode, Round};

const fn op1(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F16, &[F16], Whole, compute)
}

const fn op2(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F16, &[F16, F16], Whole, compute)
}

const fn op3(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F16, &[F16, F16, F16], Whole, compute)
}

const SIGN: u64 = 1 << 15;

/// A function whose result a number of 16 bits holds exactly.
fn lift(mode: &Mode, a: u64, of: fn(f64) -> f64) -> u64 {
    FORMAT.compute(mode, [a], |[a]| to_half(Round::NearestEven, of(from_half(a))))
}

fn scale(mode: &Mode, a: u64, by: i64) -> u64 {
    FORMAT.compute(mode, [a], |[a]| to_half(mode.round_16_64(), from_half(a) * 2f64.powi(by.clamp(-200, 200) as i32)))
}

/// `x - floor(x)`, below 1.
fn fraction(value: f64) -> f64 {
    (value - value.floor()).min(2047.0 / 2048.0)
}

fn significand(a: u64) -> u64 {
    let value = from_half(a);
    if value == 0.0 || !value.is_finite() {
        a
    } else {
        to_half(Round::NearestEven, value * 2f64.powi(-exponent(value)))
    }
}

/// All of them.
pub(crate) static OPS: &[VectorOp] = &[
    op2(&["v_add_f16"], |m, [a, b, ..]| add_16(m, a, b)),
    op2(&["v_sub_f16"], |m, [a, b, ..]| add_16(m, a, b ^ SIGN)),
    op2(&["v_subrev_f16"], |m, [a, b, ..]| add_16(m, b, a ^ SIGN)),
    op2(&["v_mul_f16"], |m, [a, b, ..]| mul_16(m, a, b)),
    // These were redefined in GCN's last generations: they keep the other half (LLVM, `zeroesHigh16BitsOfDest`).
    op3(&["v_fma_f16"], |m, [a, b, c, _]| fma_16(m, a, b, c)).keeping_half(),
    op3(&["v_fmac_f16"], |m, [a, b, c, _]| fma_16(m, a, b, c)).accumulating(),
    op3(&["v_fmamk_f16"], |m, [a, k, c, _]| fma_16(m, a, k, c)),
    op3(&["v_fmaak_f16"], |m, [a, b, k, _]| fma_16(m, a, b, k)),
    op3(&["v_mad_f16"], |m, [a, b, c, _]| add_16(m, mul_16(m, a, b), c)).keeping_half(),
    op3(&["v_mad_legacy_f16"], |m, [a, b, c, _]| add_16(m, mul_16(m, a, b), c)),
    op3(&["v_mac_f16"], |m, [a, b, c, _]| add_16(m, mul_16(m, a, b), c)).accumulating(),
    op2(&["v_min_f16"], |m, [a, b, ..]| extreme(&FORMAT, m, a, b, false)),
    op2(&["v_max_f16"], |m, [a, b, ..]| extreme(&FORMAT, m, a, b, true)),
    op3(&["v_min3_f16"], |m, sources| extreme_of_three(&FORMAT, m, sources, false)),
    op3(&["v_max3_f16"], |m, sources| extreme_of_three(&FORMAT, m, sources, true)),
    op3(&["v_med3_f16"], |m, sources| middle(&FORMAT, m, sources)),
    op1(&["v_trunc_f16"], |m, [a, ..]| lift(m, a, f64::trunc)),
    op1(&["v_ceil_f16"], |m, [a, ..]| lift(m, a, f64::ceil)),
    op1(&["v_floor_f16"], |m, [a, ..]| lift(m, a, f64::floor)),
    op1(&["v_rndne_f16"], |m, [a, ..]| lift(m, a, f64::round_ties_even)),
    op1(&["v_fract_f16"], |m, [a, ..]| lift(m, a, fraction)),
    VectorOp::new(&["v_ldexp_f16"], F16, &[F16, B16], Whole, |m, [a, b, ..]| scale(m, a, i64::from(b as i16))),
    VectorOp::new(&["v_frexp_exp_i16_f16"], B16, &[F16], Whole, |_, [a, ..]| exponent(from_half(a)) as u64),
    op1(&["v_frexp_mant_f16"], |_, [a, ..]| significand(a)),
    // The sum of two products of 16 bits and a number of 32 bits (RDNA3 ISA, V_DOT2_F32_F16).
    VectorOp::new(&["v_dot2_f32_f16"], F32, &[B32, B32, F32], Whole, |m, [a, b, c, _]| dot(m, a, b, c)),
    VectorOp::new(&["v_dot2c_f32_f16", "v_dot2acc_f32_f16"], F32, &[B32, B32, F32], Whole, |m, [a, b, c, _]| {
        dot(m, a, b, c)
    })
    .accumulating(),
];

fn dot(_: &Mode, a: u64, b: u64, c: u64) -> u64 {
    let product = |shift: u32| from_half(a >> shift & 0xffff) * from_half(b >> shift & 0xffff);
    let sum = product(0) + product(16) + f64::from(f32::from_bits(c as u32));
    u64::from((sum as f32).to_bits())
}
