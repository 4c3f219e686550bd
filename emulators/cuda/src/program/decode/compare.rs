//! Comparisons and choices (PTX ISA, "Comparison and Selection Instructions").

use super::integer::{Integer, with_integer};
use super::lanes::{CompareFn, compare};
use super::{Decoded, done, has, type_of};
use crate::float::{BF16, F16};
use crate::parser::{Family, Instruction, Operand, Type};
use crate::program::builder::Builder;
use crate::program::code::{Combination, Comparison, Op, Source};

const PREDICATE: Type = Type { family: Family::Predicate, width: 1 };

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    match instruction.words[0].as_str() {
        "setp" => set_predicate(builder, instruction),
        "set" => set(builder, instruction),
        "selp" => select(builder, instruction),
        "slct" => select_by_sign(builder, instruction),
        _ => Ok(false),
    }
}

/// The comparison of `setp.lt.and.ftz.f32`.
fn comparison(instruction: &Instruction, element: Type) -> Result<(CompareFn, Comparison), String> {
    let word = instruction.word(1);
    let found = match (element.family, element.width) {
        (Family::Float, 64) => floats::<Double>(word),
        (Family::Float, 32) if has(instruction, "ftz") => floats::<Flushed>(word),
        (Family::Float, 32) => floats::<Single>(word),
        (Family::Float, 16) => floats::<Half>(word),
        (Family::Brain, 16) => floats::<Brain>(word),
        (Family::Bits | Family::Unsigned | Family::Signed, _) => with_integer!(element, integers(word)),
        _ => None,
    };
    found.ok_or_else(|| format!("`{}` is not modelled", instruction.words.join(".")))
}

fn integers<T: Integer>(word: &str) -> Option<(CompareFn, Comparison)> {
    let is_signed = T::narrow(-1).wide() < 0;
    let order = if is_signed { Comparison::Signed } else { Comparison::Unsigned };
    Some(match word {
        "eq" => (compare!(T: Integer, |a, b| a == b), Comparison::Equality),
        "ne" => (compare!(T: Integer, |a, b| a != b), Comparison::Equality),
        "lt" | "lo" => (compare!(T: Integer, |a, b| a < b), order),
        "le" | "ls" => (compare!(T: Integer, |a, b| a <= b), order),
        "gt" | "hi" => (compare!(T: Integer, |a, b| a > b), order),
        "ge" | "hs" => (compare!(T: Integer, |a, b| a >= b), order),
        _ => return None,
    })
}

/// A float as comparisons see it.
trait Float: Copy {
    fn of(word: u64) -> f64;
}

macro_rules! float {
    ($name:ident, $value:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Float for $name {
            fn of(word: u64) -> f64 {
                let value: fn(u64) -> f64 = $value;
                value(word)
            }
        }
    };
}

float!(Double, f64::from_bits);
float!(Single, |word| f64::from(f32::from_bits(word as u32)));
float!(Flushed, |word| {
    let value = f32::from_bits(word as u32);
    if value.is_subnormal() { 0.0 } else { f64::from(value) }
});
float!(Half, |word| F16.value(word));
float!(Brain, |word| BF16.value(word));

/// The second letter `u` asks for true where one of them is a NaN.
fn floats<T: Float>(word: &str) -> Option<(CompareFn, Comparison)> {
    let f: CompareFn = match word {
        "eq" => compare!(T: Float, |a, b| a == b),
        "ne" => compare!(T: Float, |a, b| a.partial_cmp(&b).is_some_and(|order| order.is_ne())),
        "lt" => compare!(T: Float, |a, b| a < b),
        "le" => compare!(T: Float, |a, b| a <= b),
        "gt" => compare!(T: Float, |a, b| a > b),
        "ge" => compare!(T: Float, |a, b| a >= b),
        "equ" => compare!(T: Float, |a, b| a == b || a.is_nan() || b.is_nan()),
        "neu" => compare!(T: Float, |a, b| a != b),
        "ltu" => compare!(T: Float, |a, b| a < b || a.is_nan() || b.is_nan()),
        "leu" => compare!(T: Float, |a, b| a <= b || a.is_nan() || b.is_nan()),
        "gtu" => compare!(T: Float, |a, b| a > b || a.is_nan() || b.is_nan()),
        "geu" => compare!(T: Float, |a, b| a >= b || a.is_nan() || b.is_nan()),
        "num" => compare!(T: Float, |a, b| !a.is_nan() && !b.is_nan()),
        "nan" => compare!(T: Float, |a, b| a.is_nan() || b.is_nan()),
        _ => return None,
    };
    Some((f, Comparison::Whole))
}

fn combination(
    builder: &mut Builder<'_>,
    instruction: &Instruction,
    operand: Option<&Operand>,
) -> Result<Option<(Combination, Source, bool)>, String> {
    let Some(operand) = operand else { return Ok(None) };
    let kind = match instruction.word(2) {
        "and" => Combination::And,
        "or" => Combination::Or,
        "xor" => Combination::Xor,
        other => return Err(format!("`{other}` does not combine predicates")),
    };
    match operand {
        Operand::Not(name) => Ok(Some((kind, builder.register(name)?.0, true))),
        other => Ok(Some((kind, builder.source(other, PREDICATE)?, false))),
    }
}

fn set_predicate(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    let (f, kind) = comparison(instruction, element)?;
    let [d, a, b, rest @ ..] = instruction.operands.as_slice() else { return Err("`setp` compares two".to_owned()) };
    let (a, b) = (builder.source(a, element)?, builder.source(b, element)?);
    let combine = combination(builder, instruction, rest.first())?;
    let (p, q) = match d {
        Operand::Pair(p, q) => (Some(builder.destination(p)?.0), Some(builder.destination(q)?.0)),
        one => (Some(builder.destination(one)?.0), None),
    };
    done(builder, Op::Compare { f, kind, width: element.width, p, q, combine, a, b })
}

fn set(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let types: Vec<Type> = instruction.words.iter().filter_map(|word| Type::parse(word)).collect();
    let [result, element] = types[..] else { return Ok(false) };
    let (f, kind) = comparison(instruction, element)?;
    let [d, a, b, rest @ ..] = instruction.operands.as_slice() else { return Err("`set` compares two".to_owned()) };
    let (a, b) = (builder.source(a, element)?, builder.source(b, element)?);
    let combine = combination(builder, instruction, rest.first())?;
    let (d, _) = builder.destination(d)?;
    let truth = match (result.family, result.width) {
        (Family::Float, 32) => u64::from(1f32.to_bits()),
        (Family::Float, 16) => 0x3c00,
        (Family::Brain, 16) => 0x3f80,
        (_, width) => emulator_core::bits::ones(width),
    };
    done(builder, Op::Set { f, kind, width: element.width, truth, combine, d, a, b })
}

fn select(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let Some(element) = type_of(instruction) else { return Ok(false) };
    let [d, a, b, p] = super::operands::<4>(instruction)?;
    let (a, b, p) = (builder.source(a, element)?, builder.source(b, element)?, builder.source(p, PREDICATE)?);
    let (d, _) = builder.destination(d)?;
    done(builder, Op::Select { d, a, b, p })
}

/// `slct`: a where c is not negative.
fn select_by_sign(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let types: Vec<Type> = instruction.words.iter().filter_map(|word| Type::parse(word)).collect();
    let [element, sign] = types[..] else { return Ok(false) };
    let [d, a, b, c] = super::operands::<4>(instruction)?;
    let (a, b, c) = (builder.source(a, element)?, builder.source(b, element)?, builder.source(c, sign)?);
    let zero = builder.constant(0);
    let p = builder.scratch();
    let (f, kind): (CompareFn, Comparison) = if sign.family == Family::Float {
        (not_negative_float, Comparison::Whole)
    } else {
        (not_negative, Comparison::Signed)
    };
    builder.emit(Op::Compare { f, kind, width: 32, p: Some(p), q: None, combine: None, a: c, b: zero });
    let (d, _) = builder.destination(d)?;
    done(builder, Op::Select { d, a, b, p })
}

fn not_negative(a: &[u64; 32], _zero: &[u64; 32]) -> u32 {
    (0..32).fold(0, |holds, i| holds | u32::from(a[i] as i32 >= 0) << i)
}

/// A negative zero counts as zero, and a NaN as negative.
fn not_negative_float(a: &[u64; 32], _zero: &[u64; 32]) -> u32 {
    (0..32).fold(0, |holds, i| holds | u32::from(f32::from_bits(a[i] as u32) >= 0.0) << i)
}
