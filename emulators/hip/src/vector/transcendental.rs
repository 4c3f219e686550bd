//! Functions that the hardware approximates. The ISA documents allow an error of one unit in the last place for 16 and
//! 32 bits, and of 2^29 units for 64 bits; denormals of 32 bits are flushed. The results here are as far from the exact
//! ones as that allows, above or below, so that code which needs a smaller error fails. Where the documents have an
//! exact result as an example (reciprocals of powers of two, roots of powers of four, the sine of quarter turns), it is
//! exact.

use emulator_core::bits;
use emulator_core::extreme::{end, is_upper, unit};

use super::Kind::{F16, F32, F64};
use super::Rule::Whole;
use super::rounding::{self, from_half, to_half};
use super::{Compute, VectorOp};
use crate::mode::{Mode, Round};

/// The error of 64 bits, without that of the computation here.
const UNITS_64: u64 = (1 << 29) - 2;

const fn op16(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F16, &[F16], Whole, compute)
}

const fn op32(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F32, &[F32], Whole, compute)
}

const fn op64(names: &'static [&'static str], compute: Compute) -> VectorOp {
    VectorOp::new(names, F64, &[F64], Whole, compute)
}

/// A function with its results that are exact.
struct Function {
    of: fn(f64) -> f64,
    is_exact: fn(f64) -> bool,
}

fn approximate(mode: &Mode, a: u64, Function { of, is_exact }: Function) -> u64 {
    compute_32(mode, a, |number| {
        let exact = of(number);
        let error = if exact == 0.0 || is_exact(number) { 0.0 } else { unit(exact) };
        end(exact, error, is_upper(a))
    })
}

fn compute_32(mode: &Mode, a: u64, of: impl Fn(f64) -> f32) -> u64 {
    let format = &rounding::F32;
    format.compute(mode, [a], |[a]| {
        let value = of(f32::from_bits(format.flushed(a) as u32).into());
        format.flushed(value.to_bits().into())
    })
}

/// One of both neighbours of a result that is no number of 16 bits.
fn approximate_16(mode: &Mode, a: u64, function: Function) -> u64 {
    let round = if is_upper(a) { Round::Up } else { Round::Down };
    rounding::F16.compute(mode, [a], |[a]| to_half(round, (function.of)(from_half(a))))
}

fn approximate_64(mode: &Mode, a: u64, Function { of, is_exact }: Function) -> u64 {
    rounding::F64.compute(mode, [a], |[a]| {
        let exact = of(f64::from_bits(a));
        if exact == 0.0 || !exact.is_normal() || is_exact(f64::from_bits(a)) {
            return exact.to_bits();
        }
        let is_larger = is_upper(a) == (exact > 0.0);
        let moved = exact.to_bits().wrapping_add_signed(if is_larger { UNITS_64 as i64 } else { -(UNITS_64 as i64) });
        if f64::from_bits(moved).is_normal() { moved } else { exact.to_bits() }
    })
}

/// The reciprocal of a number just below a power of two is the nearest one. Without that, the sequence that AMD
/// documents for division, with V_DIV_SCALE and V_DIV_FMAS, would not be correctly rounded for such divisors, whatever
/// the error of the other reciprocals: Newton's iteration comes from below, and rounds to the power of two (Markstein,
/// "Computation of elementary functions on the IBM RISC System/6000 processor"). OpenCL's conformance tests divide by
/// such numbers, and these GPUs pass them.
fn reciprocal_32(mode: &Mode, a: u64) -> u64 {
    match is_full(a, f32::MANTISSA_DIGITS) {
        true => compute_32(mode, a, |a| inverse(a) as f32),
        false => approximate(mode, a, RECIPROCAL),
    }
}

fn reciprocal_64(mode: &Mode, a: u64) -> u64 {
    match is_full(a, f64::MANTISSA_DIGITS) {
        true => rounding::F64.compute(mode, [a], |[a]| inverse(f64::from_bits(a)).to_bits()),
        false => approximate_64(mode, a, RECIPROCAL),
    }
}

/// Whether all digits of a mantissa are ones, including the implicit first one.
fn is_full(bits: u64, digits: u32) -> bool {
    let mantissa = bits::ones(digits - 1);
    bits & mantissa == mantissa
}

fn inverse(value: f64) -> f64 {
    1.0 / value
}

/// Whether a number is a power of two, or its negative.
fn is_power(value: f64) -> bool {
    value.to_bits() & bits::ones(52) == 0
}

/// Whether a number is a power of four.
fn is_square(value: f64) -> bool {
    is_power(value) && value.to_bits() >> 52 & 1 == 1
}

const RECIPROCAL: Function = Function { of: inverse, is_exact: is_power };
const ROOT: Function = Function { of: f64::sqrt, is_exact: is_square };
const INVERSE_ROOT: Function = Function { of: |value| 1.0 / value.sqrt(), is_exact: is_square };
const POWER: Function = Function { of: f64::exp2, is_exact: |value| value == 0.0 };
const LOGARITHM: Function = Function { of: f64::log2, is_exact: |value| value == 1.0 };
const SINE: Function = Function { of: sine, is_exact: |turns| (4.0 * turns).fract() == 0.0 };
const COSINE: Function = Function { of: cosine, is_exact: |turns| (4.0 * turns).fract() == 0.0 };

/// Turns, not radians; angles beyond 256 turns give the value of zero (RDNA3 ISA, V_SIN_F32).
fn sine(turns: f64) -> f64 {
    if turns.is_infinite() {
        return f64::NAN;
    }
    if turns.abs() > 256.0 || turns == 0.0 {
        return if turns.abs() > 256.0 { 0.0 } else { turns };
    }
    match 4.0 * turns.fract() {
        quarters if quarters.fract() == 0.0 => [0.0, 1.0, 0.0, -1.0][quarters.rem_euclid(4.0) as usize],
        quarters => (quarters / 4.0 * std::f64::consts::TAU).sin(),
    }
}

fn cosine(turns: f64) -> f64 {
    if turns.is_infinite() {
        return f64::NAN;
    }
    if turns.abs() > 256.0 { 1.0 } else { sine(turns.fract() + 0.25) }
}

/// All of them.
pub(crate) static OPS: &[VectorOp] = &[
    op32(&["v_rcp_f32", "v_rcp_iflag_f32"], |m, [a, ..]| reciprocal_32(m, a)),
    op32(&["v_rsq_f32"], |m, [a, ..]| approximate(m, a, INVERSE_ROOT)),
    op32(&["v_sqrt_f32"], |m, [a, ..]| approximate(m, a, ROOT)),
    op32(&["v_exp_f32"], |m, [a, ..]| approximate(m, a, POWER)),
    op32(&["v_log_f32"], |m, [a, ..]| approximate(m, a, LOGARITHM)),
    op32(&["v_sin_f32"], |m, [a, ..]| approximate(m, a, SINE)),
    op32(&["v_cos_f32"], |m, [a, ..]| approximate(m, a, COSINE)),
    op16(&["v_rcp_f16"], |m, [a, ..]| approximate_16(m, a, RECIPROCAL)),
    op16(&["v_rsq_f16"], |m, [a, ..]| approximate_16(m, a, INVERSE_ROOT)),
    op16(&["v_sqrt_f16"], |m, [a, ..]| approximate_16(m, a, ROOT)),
    op16(&["v_exp_f16"], |m, [a, ..]| approximate_16(m, a, POWER)),
    op16(&["v_log_f16"], |m, [a, ..]| approximate_16(m, a, LOGARITHM)),
    op16(&["v_sin_f16"], |m, [a, ..]| approximate_16(m, a, SINE)),
    op16(&["v_cos_f16"], |m, [a, ..]| approximate_16(m, a, COSINE)),
    op64(&["v_rcp_f64"], |m, [a, ..]| reciprocal_64(m, a)),
    op64(&["v_rsq_f64"], |m, [a, ..]| approximate_64(m, a, INVERSE_ROOT)),
    op64(&["v_sqrt_f64"], |m, [a, ..]| approximate_64(m, a, ROOT)),
];
