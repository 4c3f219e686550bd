//! The three instructions of a division: one scales the operands so that no intermediate result overflows or is
//! denormal, one multiplies and removes the scale, one handles special cases (RDNA3 ISA, V_DIV_SCALE_F32,
//! V_DIV_FMAS_F32 and V_DIV_FIXUP_F32).
//!
//! Where the hardware cannot follow the document's text, because quotients would be wrong, this is assumed: V_DIV_FMAS
//! multiplies by 2^64 or 2^-64 by the exponent of its third source (tinygrad's table of the document's errors says the
//! same), and a divisor whose reciprocal is denormal is scaled down, never up. V_DIV_FMAS rounds once, after the scale:
//! otherwise denormal quotients would not be correctly rounded, which OpenCL's conformance tests ask for (ROCm's own
//! simulator does the same, after measurements on GPUs).

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Single};

use super::Kind::{F16, F32, F64, Vcc};
use super::Rule::Whole;
use super::VectorOp;
use super::rounding::{self, Format, fma_16, fma_32, fma_64, scaled_fma_32, scaled_fma_64};
use crate::mode::Mode;

/// The differences between the two formats.
struct Division {
    format: &'static Format,
    /// By how many powers of two operands are scaled.
    scale: i32,
    /// From which difference of exponents on the quotient is too large.
    far: i64,
    /// A numerator with an exponent field up to this one is tiny.
    tiny: i64,
    /// Below this difference of exponents the quotient is zero.
    underflow: i64,
    multiply: fn(u64, i32) -> u64,
    divide: fn(u64, u64) -> u64,
}

fn multiply_32(value: u64, by: i32) -> u64 {
    Single::from_bits(value.into()).scalbn(by).to_bits() as u64
}

fn multiply_64(value: u64, by: i32) -> u64 {
    Double::from_bits(value.into()).scalbn(by).to_bits() as u64
}

fn divide_32(a: u64, b: u64) -> u64 {
    (f32::from_bits(a as u32) / f32::from_bits(b as u32)).to_bits().into()
}

fn divide_64(a: u64, b: u64) -> u64 {
    (f64::from_bits(a) / f64::from_bits(b)).to_bits()
}

static OF_32: Division = Division {
    format: &rounding::F32,
    scale: 64,
    far: 96,
    tiny: 23,
    underflow: -150,
    multiply: multiply_32,
    divide: divide_32,
};

static OF_64: Division = Division {
    format: &rounding::F64,
    scale: 128,
    far: 768,
    tiny: 53,
    underflow: -1075,
    multiply: multiply_64,
    divide: divide_64,
};

impl Division {
    /// The field of the exponent.
    fn exponent(&self, value: u64) -> i64 {
        ((value & self.format.infinity()) >> self.format.fraction) as i64
    }

    fn is_zero(&self, value: u64) -> bool {
        value & !self.format.sign() == 0
    }

    fn is_denormal(&self, value: u64) -> bool {
        self.exponent(value) == 0 && !self.is_zero(value)
    }

    /// Whether the quotient of two numbers that are not zero is denormal or zero.
    fn is_small(&self, quotient: u64) -> bool {
        self.exponent(quotient) == 0
    }

    fn one(&self) -> u64 {
        let bias = (1 << (self.format.exponent - 1)) - 1;
        bias << self.format.fraction
    }

    /// `a`, which is one of both, scaled for the quotient `numerator / divisor`; and whether the quotient is scaled.
    fn scaled(&self, a: u64, divisor: u64, numerator: u64) -> (u64, bool) {
        if self.is_zero(divisor) || self.is_zero(numerator) {
            return (self.format.default_nan(), false);
        }
        let up = (self.multiply)(a, self.scale);
        let down = (self.multiply)(a, -self.scale);
        let reciprocal_is_small = self.is_small((self.divide)(self.one(), divisor));
        let quotient_is_small = self.is_small((self.divide)(numerator, divisor));
        if self.exponent(numerator) - self.exponent(divisor) >= self.far {
            (if a == divisor { up } else { a }, true)
        } else if self.is_denormal(divisor) {
            (up, false)
        } else if reciprocal_is_small && quotient_is_small {
            (if a == divisor { down } else { a }, true)
        } else if reciprocal_is_small {
            (down, false)
        } else if quotient_is_small {
            (if a == numerator { up } else { a }, true)
        } else if self.exponent(numerator) <= self.tiny {
            (up, false)
        } else {
            (a, false)
        }
    }

    /// The power of two by which V_DIV_FMAS multiplies, to remove the scale.
    fn unscaling(&self, third: u64) -> i32 {
        let bias = (1 << (self.format.exponent - 1)) - 1;
        if self.exponent(third) > bias { self.scale } else { -self.scale }
    }

    fn fixed(&self, quotient: u64, divisor: u64, numerator: u64) -> u64 {
        let format = self.format;
        let sign = (divisor ^ numerator) & format.sign();
        let is_infinite = |value: u64| value & !format.sign() == format.infinity();
        let (no_divisor, no_numerator) = (self.is_zero(divisor), self.is_zero(numerator));
        if format.is_nan(numerator) {
            return format.quieted(numerator);
        }
        if format.is_nan(divisor) {
            return format.quieted(divisor);
        }
        if (no_divisor && no_numerator) || (is_infinite(divisor) && is_infinite(numerator)) {
            return format.default_nan() | format.sign();
        }
        if no_divisor || is_infinite(numerator) {
            return sign | format.infinity();
        }
        if no_numerator || is_infinite(divisor) {
            return sign;
        }
        if self.exponent(numerator) - self.exponent(divisor) < self.underflow {
            return sign;
        }
        if format.is_nan(quotient) {
            return sign | format.infinity();
        }
        sign | quotient & !format.sign()
    }
}

/// V_DIV_SCALE_F32.
pub(super) fn scale_32(_: &Mode, a: u64, divisor: u64, numerator: u64) -> (u64, bool) {
    OF_32.scaled(a, divisor, numerator)
}

/// V_DIV_SCALE_F64.
pub(super) fn scale_64(_: &Mode, a: u64, divisor: u64, numerator: u64) -> (u64, bool) {
    OF_64.scaled(a, divisor, numerator)
}

/// V_DIV_FIXUP_F16: as the others, without an underflow.
fn fix_16(quotient: u64, divisor: u64, numerator: u64) -> u64 {
    let division = Division { format: &rounding::F16, underflow: i64::MIN, ..OF_32 };
    division.fixed(quotient, divisor, numerator)
}

/// All of them but V_DIV_SCALE, which has two results.
pub(crate) static OPS: &[VectorOp] = &[
    VectorOp::new(&["v_div_fmas_f32"], F32, &[F32, F32, F32, Vcc], Whole, |m, [a, b, c, scaled]| {
        if scaled != 0 { scaled_fma_32(m, [a, b, c], OF_32.unscaling(c)) } else { fma_32(m, a, b, c) }
    }),
    VectorOp::new(&["v_div_fmas_f64"], F64, &[F64, F64, F64, Vcc], Whole, |m, [a, b, c, scaled]| {
        if scaled != 0 { scaled_fma_64(m, [a, b, c], OF_64.unscaling(c)) } else { fma_64(m, a, b, c) }
    }),
    VectorOp::new(&["v_div_fixup_f32"], F32, &[F32, F32, F32], Whole, |_, [a, b, c, _]| OF_32.fixed(a, b, c)),
    VectorOp::new(&["v_div_fixup_f64"], F64, &[F64, F64, F64], Whole, |_, [a, b, c, _]| OF_64.fixed(a, b, c)),
    VectorOp::new(&["v_div_fixup_f16"], F16, &[F16, F16, F16], Whole, |_, [a, b, c, _]| fix_16(a, b, c)).keeping_half(),
    VectorOp::new(&["v_div_fixup_legacy_f16"], F16, &[F16, F16, F16], Whole, |_, [a, b, c, _]| fix_16(a, b, c)),
    VectorOp::new(&["v_fma_legacy_f16"], F16, &[F16, F16, F16], Whole, |m, [a, b, c, _]| fma_16(m, a, b, c)),
];
