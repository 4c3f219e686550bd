//! Floating-point arithmetic in any rounding mode, with denormals flushed where the mode says so, and with AMD's NaNs:
//! a NaN among the sources is passed on, quiet; one that arises is positive.

use rustc_apfloat::ieee::{Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round as Rounding, Status};

use crate::mode::{Mode, Round};

impl Round {
    fn of_apfloat(self) -> Rounding {
        match self {
            Round::NearestEven => Rounding::NearestTiesToEven,
            Round::Up => Rounding::TowardPositive,
            Round::Down => Rounding::TowardNegative,
            Round::Zero => Rounding::TowardZero,
        }
    }
}

/// A format: its fields, and how the mode treats it.
pub(crate) struct Format {
    pub(crate) fraction: u32,
    pub(crate) exponent: u32,
}

pub(crate) const F16: Format = Format { fraction: 10, exponent: 5 };
pub(crate) const F32: Format = Format { fraction: 23, exponent: 8 };
pub(crate) const F64: Format = Format { fraction: 52, exponent: 11 };

impl Format {
    /// The bit of the sign.
    pub(crate) fn sign(&self) -> u64 {
        1 << (self.fraction + self.exponent)
    }

    /// The bits of positive infinity.
    pub(crate) fn infinity(&self) -> u64 {
        self.sign() - (1 << self.fraction)
    }

    /// The NaN that arises from numbers.
    pub(crate) fn default_nan(&self) -> u64 {
        self.infinity() | self.quiet()
    }

    fn quiet(&self) -> u64 {
        1 << (self.fraction - 1)
    }

    /// Whether it is a NaN.
    pub(crate) fn is_nan(&self, value: u64) -> bool {
        value & !self.sign() > self.infinity()
    }

    /// Whether it is a signalling NaN.
    pub(crate) fn is_signaling(&self, value: u64) -> bool {
        self.is_nan(value) && value & self.quiet() == 0
    }

    /// The same NaN, quiet.
    pub(crate) fn quieted(&self, value: u64) -> u64 {
        value | self.quiet()
    }

    /// Zero of the same sign in place of a denormal.
    pub(crate) fn flushed(&self, value: u64) -> u64 {
        if value & self.infinity() == 0 { value & self.sign() } else { value }
    }

    fn flushes_sources(&self, mode: &Mode) -> bool {
        if self.fraction == F32.fraction { mode.flushes_sources_32() } else { mode.flushes_sources_16_64() }
    }

    fn flushes_results(&self, mode: &Mode) -> bool {
        if self.fraction == F32.fraction { mode.flushes_results_32() } else { mode.flushes_results_16_64() }
    }

    /// A source, with denormals flushed as the mode says.
    pub(crate) fn source(&self, mode: &Mode, value: u64) -> u64 {
        if self.flushes_sources(mode) { self.flushed(value) } else { value }
    }

    /// A result, with denormals flushed as the mode says.
    pub(crate) fn result(&self, mode: &Mode, value: u64) -> u64 {
        if self.flushes_results(mode) { self.flushed(value) } else { value }
    }

    /// Passes on a NaN of the sources, or computes; a NaN that arises is the default one.
    pub(crate) fn compute<const N: usize>(&self, mode: &Mode, sources: [u64; N], of: impl Fn([u64; N]) -> u64) -> u64 {
        if let Some(nan) = sources.iter().find(|source| self.is_nan(**source)) {
            return self.quieted(*nan);
        }
        let result = of(sources.map(|source| self.source(mode, source)));
        if self.is_nan(result) { self.default_nan() } else { self.result(mode, result) }
    }
}

/// `a + b` of 32 bits.
pub(crate) fn add_32(mode: &Mode, a: u64, b: u64) -> u64 {
    F32.compute(mode, [a, b], |[a, b]| match mode.round_32() {
        Round::NearestEven => (f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits().into(),
        round => single(a).add_r(single(b), round.of_apfloat()).value.to_bits() as u64,
    })
}

/// `a * b` of 32 bits.
pub(crate) fn mul_32(mode: &Mode, a: u64, b: u64) -> u64 {
    F32.compute(mode, [a, b], |[a, b]| match mode.round_32() {
        Round::NearestEven => (f32::from_bits(a as u32) * f32::from_bits(b as u32)).to_bits().into(),
        round => single(a).mul_r(single(b), round.of_apfloat()).value.to_bits() as u64,
    })
}

/// `a * b + c` of 32 bits, rounded once.
pub(crate) fn fma_32(mode: &Mode, a: u64, b: u64, c: u64) -> u64 {
    F32.compute(mode, [a, b, c], |[a, b, c]| match mode.round_32() {
        Round::NearestEven => {
            let [a, b, c] = [a, b, c].map(|value| f32::from_bits(value as u32));
            a.mul_add(b, c).to_bits().into()
        }
        round => single(a).mul_add_r(single(b), single(c), round.of_apfloat()).value.to_bits() as u64,
    })
}

/// `a + b` of 64 bits.
pub(crate) fn add_64(mode: &Mode, a: u64, b: u64) -> u64 {
    F64.compute(mode, [a, b], |[a, b]| match mode.round_16_64() {
        Round::NearestEven => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        round => double(a).add_r(double(b), round.of_apfloat()).value.to_bits() as u64,
    })
}

/// `a * b` of 64 bits.
pub(crate) fn mul_64(mode: &Mode, a: u64, b: u64) -> u64 {
    F64.compute(mode, [a, b], |[a, b]| match mode.round_16_64() {
        Round::NearestEven => (f64::from_bits(a) * f64::from_bits(b)).to_bits(),
        round => double(a).mul_r(double(b), round.of_apfloat()).value.to_bits() as u64,
    })
}

/// `a * b + c` of 64 bits, rounded once.
pub(crate) fn fma_64(mode: &Mode, a: u64, b: u64, c: u64) -> u64 {
    F64.compute(mode, [a, b, c], |[a, b, c]| match mode.round_16_64() {
        Round::NearestEven => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
        round => double(a).mul_add_r(double(b), double(c), round.of_apfloat()).value.to_bits() as u64,
    })
}

/// `(a * b + c) * 2^by` of 32 bits, rounded once.
pub(crate) fn scaled_fma_32(mode: &Mode, [a, b, c]: [u64; 3], by: i32) -> u64 {
    let wide = |value| single(value).convert(&mut false).value;
    let round = mode.round_32().of_apfloat();
    F32.compute(mode, [a, b, c], |sources| {
        let narrow: Single = scaled_sum(sources.map(wide), by).convert_r(round, &mut false).value;
        narrow.to_bits() as u64
    })
}

/// `(a * b + c) * 2^by` of 64 bits, rounded once.
pub(crate) fn scaled_fma_64(mode: &Mode, [a, b, c]: [u64; 3], by: i32) -> u64 {
    let wide = |value| double(value).convert(&mut false).value;
    let round = mode.round_16_64().of_apfloat();
    F64.compute(mode, [a, b, c], |sources| {
        let narrow: Double = scaled_sum(sources.map(wide), by).convert_r(round, &mut false).value;
        narrow.to_bits() as u64
    })
}

/// The same in a format with so many more bits that rounding its result is rounding the exact one, because the last bit
/// says whether nonzero bits follow it.
fn scaled_sum([a, b, c]: [Quad; 3], by: i32) -> Quad {
    let sum = a.mul_add_r(b, c, Rounding::TowardZero);
    let sticky = u128::from(sum.status.contains(Status::INEXACT));
    Quad::from_bits(sum.value.to_bits() | sticky).scalbn(by)
}

/// `a + b` of 16 bits.
pub(crate) fn add_16(mode: &Mode, a: u64, b: u64) -> u64 {
    let round = mode.round_16_64().of_apfloat();
    F16.compute(mode, [a, b], |[a, b]| half(a).add_r(half(b), round).value.to_bits() as u64)
}

/// `a * b` of 16 bits.
pub(crate) fn mul_16(mode: &Mode, a: u64, b: u64) -> u64 {
    let round = mode.round_16_64().of_apfloat();
    F16.compute(mode, [a, b], |[a, b]| half(a).mul_r(half(b), round).value.to_bits() as u64)
}

/// `a * b + c` of 16 bits, rounded once.
pub(crate) fn fma_16(mode: &Mode, a: u64, b: u64, c: u64) -> u64 {
    let round = mode.round_16_64().of_apfloat();
    F16.compute(mode, [a, b, c], |[a, b, c]| half(a).mul_add_r(half(b), half(c), round).value.to_bits() as u64)
}

fn half(value: u64) -> Half {
    Half::from_bits((value & 0xffff).into())
}

fn single(value: u64) -> Single {
    Single::from_bits((value & 0xffff_ffff).into())
}

fn double(value: u64) -> Double {
    Double::from_bits(value.into())
}

/// 16 bits as 64.
pub(crate) fn from_half(value: u64) -> f64 {
    let wide: Double = half(value).convert(&mut false).value;
    f64::from_bits(wide.to_bits() as u64)
}

/// The nearest number of 16 bits.
pub(crate) fn to_half(round: Round, value: f64) -> u64 {
    let narrow: Half = double(value.to_bits()).convert_r(round.of_apfloat(), &mut false).value;
    narrow.to_bits() as u64
}

/// The nearest number of 32 bits.
pub(crate) fn to_single(round: Round, value: f64) -> u64 {
    if round == Round::NearestEven {
        return (value as f32).to_bits().into();
    }
    let narrow: Single = double(value.to_bits()).convert_r(round.of_apfloat(), &mut false).value;
    narrow.to_bits() as u64
}
