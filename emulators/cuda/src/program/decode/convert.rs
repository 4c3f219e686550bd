//! Conversions between types (PTX ISA, `cvt`).

use super::floats::word32;
use super::integer::{Integer, with_integer};
use super::lanes::{UnaryFn, unary};
use super::{Decoded, done, has};
use crate::float::{BF16, F16, F32, Format, Rounding, TF32, round_to};
use crate::parser::{Family, Instruction, Operand, Type};
use crate::program::builder::Builder;
use crate::program::code::{General, Op, Rule};

/// A conversion of one value.
type Conversion = Box<dyn Fn(u64, u64, u64) -> u64 + Send + Sync>;

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    if instruction.words[0] != "cvt" {
        return Ok(false);
    }
    let types: Vec<Type> = instruction.words.iter().filter_map(|word| Type::parse(word)).collect();
    let [to, from] = types[..] else { return Ok(false) };
    let Some((d, sources)) = instruction.operands.split_first() else { return Ok(false) };
    let (is_integer, was_integer) = (is_integer(to), is_integer(from));
    if is_integer && was_integer && !has(instruction, "sat") {
        let [d, a] = super::operands::<2>(instruction)?;
        return between_integers(builder, d, a, to, from);
    }
    let all = super::floats::sources(builder, sources, from)?;
    let (d, width) = builder.destination(d)?;
    let f = match (is_integer, was_integer) {
        (true, true) => with_integer!(from, clamp_to(to)),
        (false, true) => from_integer(instruction, to, from)?,
        (true, false) => to_integer(instruction, to, from)?,
        (false, false) => between_floats(instruction, to, from)?,
    };
    // A signed result fills a wider register with its sign.
    let sign = to.is_signed() && is_integer && width > to.width;
    let f: Conversion = if sign {
        Box::new(move |a, b, c| {
            emulator_core::bits::sign_extended(f(a, b, c), to.width) as u64 & emulator_core::bits::ones(width)
        })
    } else {
        f
    };
    done(builder, Op::General { f: General(f), rule: Rule::Whole, width, d, a: all })
}

fn is_integer(element: Type) -> bool {
    matches!(element.family, Family::Unsigned | Family::Signed | Family::Bits)
}

fn between_integers(builder: &mut Builder<'_>, d: &Operand, a: &Operand, to: Type, from: Type) -> Decoded {
    let a = builder.source(a, from)?;
    let (d, width) = builder.destination(d)?;
    // The value is extended by the source's sign, cut to the result's width, and fills the register by the result's
    // sign.
    let first = with_integer!(from, extend());
    let second = match (to.is_signed() && width > to.width, to.width, width) {
        (true, 8, 16) => unary!(|a| a as i8 as u16 as u64),
        (true, 8, 32) => unary!(|a| a as i8 as u32 as u64),
        (true, 8, _) => unary!(|a| a as i8 as u64),
        (true, 16, 32) => unary!(|a| a as i16 as u32 as u64),
        (true, 16, _) => unary!(|a| a as i16 as u64),
        (true, _, _) => unary!(|a| a as i32 as u64),
        (false, 8, _) => unary!(|a| a & 0xff),
        (false, 16, _) => unary!(|a| a & 0xffff),
        (false, 32, _) => unary!(|a| a & 0xffff_ffff),
        _ => unary!(|a| a),
    };
    let between = builder.scratch();
    builder.emit(Op::Unary { f: first, rule: Rule::Move, width: 64, d: between, a });
    done(builder, Op::Unary { f: second, rule: Rule::Move, width, d, a: between })
}

fn extend<T: Integer>() -> UnaryFn {
    unary!(T: Integer, |a| a.wide() as u64)
}

fn clamp_to<T: Integer>(to: Type) -> Conversion {
    Box::new(move |a, _, _| with_integer!(to, clamped(T::of(a).wide())))
}

fn clamped<T: Integer>(value: i128) -> u64 {
    T::clamped(value).word()
}

fn format_of(element: Type) -> Option<Format> {
    Some(match (element.family, element.width) {
        (Family::Float | Family::FloatPair, 16) | (Family::FloatPair, 32) => F16,
        (Family::Brain, 16) | (Family::BrainPair, 32) => BF16,
        (Family::Brain, 32) => TF32,
        (Family::Float, 32) => F32,
        _ => return None,
    })
}

fn value(element: Type, bits: u64) -> f64 {
    format_of(element).map_or(f64::from_bits(bits), |format| format.value(bits))
}

fn rounding(instruction: &Instruction) -> Rounding {
    instruction.words.iter().skip(1).find_map(|word| Rounding::parse(word)).unwrap_or(Rounding::Nearest)
}

/// An integer to a float: exactly as a number of 128 bits, then rounded once.
fn from_integer(instruction: &Instruction, to: Type, from: Type) -> Result<Conversion, String> {
    let rounding = rounding(instruction);
    let read = with_integer!(from, wide_of());
    let saturates = has(instruction, "sat");
    Ok(Box::new(move |a, _, _| {
        let exact = read(a);
        let exact = if saturates { exact.clamp(0, 1) } else { exact };
        match format_of(to) {
            // Below 2^53 a double is exact; above, the lowest bit stands for all that are cut off.
            Some(format) => round_to(format, double_to_odd(exact), rounding),
            None => double(exact, rounding).to_bits(),
        }
    }))
}

fn wide_of<T: Integer>() -> fn(u64) -> i128 {
    |word| T::of(word).wide()
}

fn double_to_odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let kept = magnitude >> excess;
    let sticky = u128::from(magnitude != kept << excess);
    let result = ((kept | sticky) << excess) as f64;
    if value < 0 { -result } else { result }
}

fn double(value: i128, rounding: Rounding) -> f64 {
    let nearest = value as f64;
    let back = nearest as i128;
    match rounding {
        Rounding::Zero if back.unsigned_abs() > value.unsigned_abs() => f64::from_bits(nearest.to_bits() - 1),
        Rounding::Down if back > value => nearest.next_down(),
        Rounding::Up if back < value => nearest.next_up(),
        _ => nearest,
    }
}

/// A float to an integer: rounded, then clamped. A NaN becomes 0, or the highest bit alone where the float or the
/// integer has 64 bits.
fn to_integer(instruction: &Instruction, to: Type, from: Type) -> Result<Conversion, String> {
    let rounding = rounding(instruction);
    let flushes = has(instruction, "ftz");
    let nan = if from.width == 64 || to.width == 64 { 1 << (to.width - 1) } else { 0 };
    Ok(Box::new(move |a, _, _| {
        let mut exact = value(from, a);
        if flushes && (exact as f32).is_subnormal() {
            exact = 0.0;
        }
        if exact.is_nan() {
            return nan;
        }
        // A float beyond the range of 128 bits saturates, which is beyond every type's own.
        with_integer!(to, clamped(integral(exact, rounding) as i128))
    }))
}

fn integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::NearestAway => value.round(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}

fn between_floats(instruction: &Instruction, to: Type, from: Type) -> Result<Conversion, String> {
    let mode = rounding(instruction);
    let (flushes, saturates, rectifies) = (has(instruction, "ftz"), has(instruction, "sat"), has(instruction, "relu"));
    let to_integral = ["rni", "rzi", "rmi", "rpi"].iter().any(|word| has(instruction, word));
    let saturates_finite = has(instruction, "satfinite");
    if saturates_finite {
        return Err("`cvt` with `.satfinite` is not modelled".to_owned());
    }
    let one = move |bits: u64| {
        let mut exact = value(from, bits);
        if flushes && from.width == 32 && (exact as f32).is_subnormal() {
            exact = 0f64.copysign(exact);
        }
        if to_integral && exact.is_finite() {
            exact = integral(exact, mode).copysign(exact);
        }
        if saturates {
            exact = if exact.is_nan() { 0.0 } else { exact.clamp(0.0, 1.0) };
        }
        if rectifies && exact < 0.0 {
            exact = 0.0;
        }
        match format_of(to) {
            Some(F32) if flushes && ((exact as f32).is_subnormal()) => word32(0f32.copysign(exact as f32)),
            Some(format) => round_to(format, exact, mode),
            None => exact.to_bits(),
        }
    };
    if matches!(to.family, Family::FloatPair | Family::BrainPair) {
        // The first source is the upper half.
        return Ok(Box::new(move |a, b, _| one(a) << 16 | one(b)));
    }
    Ok(Box::new(move |a, _, _| one(a)))
}
