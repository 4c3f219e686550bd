//! Arithmetic of 32 bits.

use super::Kind::F32;
use super::Rule::Whole;
use super::rounding::{self, F32 as FORMAT, Format, add_32, fma_32, mul_32};
use super::{Compute, Kind, VectorOp};
use crate::mode::Mode;

const fn op1(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F32, &[F32], Whole, compute)
}

const fn op2(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F32, &[F32, F32], Whole, compute)
}

const fn op3(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F32, &[F32, F32, F32], Whole, compute)
}

const SIGN: u64 = 1 << 31;

/// A product and a sum, each rounded, without denormals whatever the mode says (CDNA2 ISA, V_MAD_F32 and V_MAC_F32).
fn mad(mode: &Mode, a: u64, b: u64, c: u64) -> u64 {
    let [a, b, c] = [a, b, c].map(|value| FORMAT.flushed(value));
    let product = FORMAT.flushed(mul_32(mode, a, b));
    FORMAT.flushed(add_32(mode, product, c))
}

/// A product in which zero times anything is zero.
fn mul_legacy(mode: &Mode, a: u64, b: u64) -> u64 {
    if a & !SIGN == 0 || b & !SIGN == 0 { 0 } else { mul_32(mode, a, b) }
}

/// Numbers of any format in their order, -0 before +0.
fn key(format: &Format, value: u64) -> i64 {
    let magnitude = (value & (format.sign() - 1)) as i64;
    if value & format.sign() == 0 { magnitude } else { -1 - magnitude }
}

/// The smaller or the larger of two: a number where the other one is a NaN.
pub(crate) fn extreme(format: &Format, mode: &Mode, a: u64, b: u64, larger: bool) -> u64 {
    let (a, b) = (format.source(mode, a), format.source(mode, b));
    if mode.is_ieee()
        && let Some(nan) = [a, b].into_iter().find(|value| format.is_signaling(*value))
    {
        return format.quieted(nan);
    }
    match (format.is_nan(a), format.is_nan(b)) {
        (true, _) => b,
        (false, true) => a,
        _ if (key(format, a) < key(format, b)) != larger => a,
        _ => b,
    }
}

/// The smallest or the largest of three.
pub(super) fn extreme_of_three(format: &Format, mode: &Mode, [a, b, c, _]: [u64; 4], larger: bool) -> u64 {
    extreme(format, mode, extreme(format, mode, a, b, larger), c, larger)
}

/// The one in the middle; the smallest where one is a NaN.
pub(super) fn middle(format: &Format, mode: &Mode, sources: [u64; 4]) -> u64 {
    let [a, b, c, _] = sources;
    if [a, b, c].into_iter().any(|value| format.is_nan(value)) {
        return extreme_of_three(format, mode, sources, false);
    }
    let mut three = [a, b, c];
    three.sort_by_key(|value| key(format, *value));
    three[1]
}

fn lift(mode: &Mode, a: u64, of: fn(f32) -> f32) -> u64 {
    FORMAT.compute(mode, [a], |[a]| of(f32::from_bits(a as u32)).to_bits().into())
}

/// The value times a power of two, rounded once.
fn scale(mode: &Mode, a: u64, by: i32) -> u64 {
    FORMAT.compute(mode, [a], |[a]| {
        // A number of 32 bits times 2^600 is a number of 64 bits; the rest is beyond both ends.
        let wide = f64::from(f32::from_bits(a as u32)) * 2f64.powi(by.clamp(-600, 600));
        rounding::to_single(mode.round_32(), wide)
    })
}

/// The significand, between 0.5 and 1.
fn significand(a: u64) -> u64 {
    let value = f64::from(f32::from_bits(a as u32));
    if value == 0.0 || !value.is_finite() {
        a
    } else {
        u64::from(((value / 2f64.powi(exponent(value))) as f32).to_bits())
    }
}

/// The exponent that belongs to a significand between 0.5 and 1.
pub(super) fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    let scaled = if value.abs() < f64::MIN_POSITIVE { value * 2f64.powi(64) } else { value };
    let field = (scaled.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    if value.abs() < f64::MIN_POSITIVE { field - 64 } else { field }
}

/// `x - floor(x)`, below 1 (RDNA3 ISA, V_FRACT_F32).
fn fraction(value: f32) -> f32 {
    (value - value.floor()).min(f32::from_bits(0x3f7f_ffff))
}

/// All of them.
pub(crate) static OPS: &[VectorOp] = &[
    op2(&["v_add_f32"], |m, [a, b, ..]| add_32(m, a, b)),
    op2(&["v_sub_f32"], |m, [a, b, ..]| add_32(m, a, b ^ SIGN)),
    op2(&["v_subrev_f32"], |m, [a, b, ..]| add_32(m, b, a ^ SIGN)),
    op2(&["v_mul_f32"], |m, [a, b, ..]| mul_32(m, a, b)),
    op2(&["v_mul_legacy_f32", "v_mul_dx9_zero_f32"], |m, [a, b, ..]| mul_legacy(m, a, b)),
    op3(&["v_fma_f32"], |m, [a, b, c, _]| fma_32(m, a, b, c)),
    op3(&["v_fmac_f32"], |m, [a, b, c, _]| fma_32(m, a, b, c)).accumulating(),
    op3(&["v_fmamk_f32"], |m, [a, k, c, _]| fma_32(m, a, k, c)),
    op3(&["v_fmaak_f32"], |m, [a, b, k, _]| fma_32(m, a, b, k)),
    op3(&["v_mad_f32"], |m, [a, b, c, _]| mad(m, a, b, c)),
    op3(&["v_mac_f32"], |m, [a, b, c, _]| mad(m, a, b, c)).accumulating(),
    op3(&["v_madmk_f32"], |m, [a, k, c, _]| mad(m, a, k, c)),
    op3(&["v_madak_f32"], |m, [a, b, k, _]| mad(m, a, b, k)),
    op2(&["v_min_f32"], |m, [a, b, ..]| extreme(&FORMAT, m, a, b, false)),
    op2(&["v_max_f32"], |m, [a, b, ..]| extreme(&FORMAT, m, a, b, true)),
    op3(&["v_min3_f32"], |m, sources| extreme_of_three(&FORMAT, m, sources, false)),
    op3(&["v_max3_f32"], |m, sources| extreme_of_three(&FORMAT, m, sources, true)),
    op3(&["v_med3_f32"], |m, sources| middle(&FORMAT, m, sources)),
    op3(&["v_maxmin_f32"], |m, [a, b, c, _]| extreme(&FORMAT, m, extreme(&FORMAT, m, a, b, true), c, false)),
    op3(&["v_minmax_f32"], |m, [a, b, c, _]| extreme(&FORMAT, m, extreme(&FORMAT, m, a, b, false), c, true)),
    op1(&["v_trunc_f32"], |m, [a, ..]| lift(m, a, f32::trunc)),
    op1(&["v_ceil_f32"], |m, [a, ..]| lift(m, a, f32::ceil)),
    op1(&["v_floor_f32"], |m, [a, ..]| lift(m, a, f32::floor)),
    op1(&["v_rndne_f32"], |m, [a, ..]| lift(m, a, f32::round_ties_even)),
    op1(&["v_fract_f32"], |m, [a, ..]| lift(m, a, fraction)),
    VectorOp::new(&["v_ldexp_f32"], F32, &[F32, Kind::B32], Whole, |m, [a, b, ..]| scale(m, a, b as i32)),
    VectorOp::new(&["v_frexp_exp_i32_f32"], Kind::B32, &[F32], Whole, |_, [a, ..]| {
        exponent(f32::from_bits(a as u32).into()) as u64
    }),
    op1(&["v_frexp_mant_f32"], |_, [a, ..]| significand(a)),
];
