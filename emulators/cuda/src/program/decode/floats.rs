//! Floating-point arithmetic (PTX ISA, "Floating-Point Instructions", "Half Precision Floating-Point Instructions").

use super::lanes::{BinaryFn, TernaryFn, binary, ternary};
use super::{Decoded, done, has};
use crate::float::{self, F32, Operation, Rounding, approximate, divide_approximately, round_to};
use crate::parser::{Family, Instruction, Operand, Type};
use crate::program::builder::Builder;
use crate::program::code::{General, Op, Rule, Source};

/// The modifiers of a floating-point instruction.
#[derive(Clone, Copy)]
pub(super) struct Mode {
    pub(super) rounding: Rounding,
    pub(super) flushes: bool,
    pub(super) saturates: bool,
}

impl Mode {
    pub(super) fn of(instruction: &Instruction) -> Mode {
        let rounding = instruction.words.iter().skip(1).find_map(|word| Rounding::parse(word));
        Mode {
            rounding: rounding.unwrap_or(Rounding::Nearest),
            flushes: has(instruction, "ftz"),
            saturates: has(instruction, "sat"),
        }
    }

    fn is_plain(self) -> bool {
        self.rounding == Rounding::Nearest && !self.flushes && !self.saturates
    }

    /// An operand: subnormal numbers become zero where the instruction says so.
    pub(super) fn operand(self, bits: u64) -> f32 {
        flushed(f32::from_bits(bits as u32), self.flushes)
    }

    /// A result of single precision.
    pub(super) fn result(self, value: f32) -> u64 {
        let value = if self.saturates { saturated(value) } else { value };
        word32(flushed(value, self.flushes))
    }
}

fn flushed(value: f32, flushes: bool) -> f32 {
    if flushes && value.is_subnormal() { 0f32.copysign(value) } else { value }
}

/// To the range from 0.0 to 1.0; a NaN becomes 0.0.
fn saturated(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) + 0.0 }
}

/// The bits of a result. All NaNs have the same bits.
pub(super) fn word32(value: f32) -> u64 {
    u64::from(if value.is_nan() { 0x7fff_ffff } else { value.to_bits() })
}

/// Instructions of single and double precision.
pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction, element: Type) -> Decoded {
    match (element.family, element.width) {
        (Family::Float, 32) => single(builder, instruction, element),
        (Family::Float, 64) => double(builder, instruction, element),
        _ => Ok(false),
    }
}

pub(super) fn operation_of(name: &str) -> Option<Operation> {
    Some(match name {
        "add" => Operation::Add,
        "sub" => Operation::Subtract,
        "mul" => Operation::Multiply,
        "fma" | "mad" => Operation::MultiplyAdd,
        "div" => Operation::Divide,
        "sqrt" => Operation::SquareRoot,
        _ => return None,
    })
}

/// Sources of an instruction, the missing ones zero.
pub(super) fn sources(builder: &mut Builder<'_>, operands: &[Operand], element: Type) -> Result<[Source; 3], String> {
    let mut all = [builder.constant(0); 3];
    for (source, operand) in all.iter_mut().zip(operands) {
        *source = builder.source(operand, element)?;
    }
    Ok(all)
}

pub(super) fn general(
    builder: &mut Builder<'_>,
    instruction: &Instruction,
    element: Type,
    rule: Rule,
    f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static,
) -> Decoded {
    let Some((d, rest)) = instruction.operands.split_first() else { return Err("no destination".to_owned()) };
    let a = sources(builder, rest, element)?;
    let (d, width) = builder.destination(d)?;
    done(builder, Op::General { f: General(Box::new(f)), rule, width, d, a })
}

fn single(builder: &mut Builder<'_>, instruction: &Instruction, element: Type) -> Decoded {
    let mode = Mode::of(instruction);
    let name = instruction.words[0].as_str();
    let is_approximate = has(instruction, "approx") || has(instruction, "full");
    if mode.is_plain() && !is_approximate && plain_single(builder, instruction, name, element)? {
        return Ok(true);
    }
    if is_approximate && name == "div" {
        let is_full = has(instruction, "full");
        let f = move |a, b, _| mode.result(divide_approximately(mode.operand(a), mode.operand(b), is_full));
        return general(builder, instruction, element, Rule::Whole, f);
    }
    if is_approximate || matches!(name, "ex2" | "lg2" | "sin" | "cos" | "tanh" | "rsqrt") {
        let name = name.to_owned();
        if approximate(&name, 1.0).is_none() {
            return Ok(false);
        }
        let f = move |a, _, _| mode.result(approximate(&name, mode.operand(a)).unwrap_or(f32::NAN));
        return general(builder, instruction, element, Rule::Whole, f);
    }
    if name == "rcp" {
        let f = move |a, _, _| exact_single(Operation::Divide, mode, [1.0, mode.operand(a), 0.0]);
        return general(builder, instruction, element, Rule::Whole, f);
    }
    if let Some(operation) = operation_of(name) {
        let f = move |a, b, c| exact_single(operation, mode, [a, b, c].map(|bits| mode.operand(bits)));
        return general(builder, instruction, element, Rule::Whole, f);
    }
    others_single(builder, instruction, element, mode)
}

fn exact_single(operation: Operation, mode: Mode, [a, b, c]: [f32; 3]) -> u64 {
    let (a, b, c) = (f64::from(a), f64::from(b), f64::from(c));
    let value = float::odd(operation, a, b, c);
    if value == 0.0 {
        // Signs of zeros depend on the direction; doubles have the same.
        return mode.result(float::directed64(operation, a, b, c, mode.rounding) as f32);
    }
    mode.result(f32::from_bits(round_to(F32, value, mode.rounding) as u32))
}

/// The frequent instructions: to the nearest, nothing flushed.
fn plain_single(builder: &mut Builder<'_>, instruction: &Instruction, name: &str, element: Type) -> Decoded {
    let f: BinaryFn = match name {
        "add" => binary!(|a, b| word32(f32::from_bits(a as u32) + f32::from_bits(b as u32))),
        "sub" => binary!(|a, b| word32(f32::from_bits(a as u32) - f32::from_bits(b as u32))),
        "mul" => binary!(|a, b| word32(f32::from_bits(a as u32) * f32::from_bits(b as u32))),
        "div" => binary!(|a, b| word32(f32::from_bits(a as u32) / f32::from_bits(b as u32))),
        "fma" => {
            let f: TernaryFn = ternary!(|a, b, c| word32(
                f32::from_bits(a as u32).mul_add(f32::from_bits(b as u32), f32::from_bits(c as u32))
            ));
            return three(builder, instruction, element, f);
        }
        "sqrt" => {
            let f = |a, _, _| word32(f32::from_bits(a as u32).sqrt());
            return general(builder, instruction, element, Rule::Whole, f);
        }
        _ => return Ok(false),
    };
    two(builder, instruction, element, f)
}

fn two(builder: &mut Builder<'_>, instruction: &Instruction, element: Type, f: BinaryFn) -> Decoded {
    let [d, a, b] = super::operands::<3>(instruction)?;
    let (a, b) = (builder.source(a, element)?, builder.source(b, element)?);
    let (d, width) = builder.destination(d)?;
    done(builder, Op::Binary { f, rule: Rule::Whole, width, d, a, b })
}

fn three(builder: &mut Builder<'_>, instruction: &Instruction, element: Type, f: TernaryFn) -> Decoded {
    let [d, a, b, c] = super::operands::<4>(instruction)?;
    let a = [builder.source(a, element)?, builder.source(b, element)?, builder.source(c, element)?];
    let (d, width) = builder.destination(d)?;
    done(builder, Op::Ternary { f, rule: Rule::Whole, width, d, a })
}

/// Operations that do not round: signs, minimum and maximum, classes.
fn others_single(builder: &mut Builder<'_>, instruction: &Instruction, element: Type, mode: Mode) -> Decoded {
    let (nan, xor_sign, magnitude) = (has(instruction, "NaN"), has(instruction, "xorsign"), has(instruction, "abs"));
    let wide = move |bits: u64| f64::from(mode.operand(bits));
    match instruction.words[0].as_str() {
        "neg" => general(builder, instruction, element, Rule::Each, move |a, _, _| {
            u64::from(mode.operand(a).to_bits() ^ 1 << 31)
        }),
        "abs" => general(builder, instruction, element, Rule::Each, move |a, _, _| {
            u64::from(mode.operand(a).to_bits() & !(1 << 31))
        }),
        "copysign" => general(builder, instruction, element, Rule::Each, |a, b, _| a & 1 << 31 | b & 0x7fff_ffff),
        name @ ("min" | "max") => {
            let is_min = name == "min";
            let has_third = instruction.operands.len() == 4;
            general(builder, instruction, element, Rule::Whole, move |a, b, c| {
                let sign = xor_sign && (a ^ b) >> 31 & 1 != 0;
                let of = |bits: u64| if magnitude { wide(bits).abs() } else { wide(bits) };
                let mut best = extreme(of(a), of(b), is_min, nan);
                if has_third {
                    best = extreme(best, of(c), is_min, nan);
                }
                mode.result(if sign { -(best as f32) } else { best as f32 })
            })
        }
        "testp" => test_class(builder, instruction, element),
        _ => Ok(false),
    }
}

/// `testp`: the class of a float.
fn test_class(builder: &mut Builder<'_>, instruction: &Instruction, element: Type) -> Decoded {
    let class = instruction.word(1).to_owned();
    let is_double = element.width == 64;
    general(builder, instruction, element, Rule::Whole, move |a, _, _| {
        let (value, is_subnormal) = if is_double {
            (f64::from_bits(a), f64::from_bits(a).is_subnormal())
        } else {
            (f64::from(f32::from_bits(a as u32)), f32::from_bits(a as u32).is_subnormal())
        };
        u64::from(match class.as_str() {
            "finite" => value.is_finite(),
            "infinite" => value.is_infinite(),
            "number" => !value.is_nan(),
            "notanumber" => value.is_nan(),
            "normal" => value.is_finite() && value != 0.0 && !is_subnormal,
            _ => is_subnormal,
        })
    })
}

/// The smaller or larger: of zeros, by their signs; of a number and a NaN, the number, unless `nan`.
pub(super) fn extreme(a: f64, b: f64, is_min: bool, nan: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return if nan || (a.is_nan() && b.is_nan()) {
            f64::NAN
        } else if a.is_nan() {
            b
        } else {
            a
        };
    }
    let a_is_less = a < b || (a == b && a.is_sign_negative());
    if a_is_less == is_min { a } else { b }
}

fn double(builder: &mut Builder<'_>, instruction: &Instruction, element: Type) -> Decoded {
    let mode = Mode::of(instruction);
    let name = instruction.words[0].as_str();
    let of = f64::from_bits;
    if mode.is_plain() {
        let f: BinaryFn = match name {
            "add" => binary!(|a, b| (f64::from_bits(a) + f64::from_bits(b)).to_bits()),
            "sub" => binary!(|a, b| (f64::from_bits(a) - f64::from_bits(b)).to_bits()),
            "mul" => binary!(|a, b| (f64::from_bits(a) * f64::from_bits(b)).to_bits()),
            "div" => binary!(|a, b| (f64::from_bits(a) / f64::from_bits(b)).to_bits()),
            "fma" | "mad" => {
                let f: TernaryFn =
                    ternary!(|a, b, c| f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits());
                return three(builder, instruction, element, f);
            }
            _ => return others_double(builder, instruction, element, mode),
        };
        return two(builder, instruction, element, f);
    }
    match operation_of(name) {
        Some(operation) => general(builder, instruction, element, Rule::Whole, move |a, b, c| {
            float::directed64(operation, of(a), of(b), of(c), mode.rounding).to_bits()
        }),
        None => others_double(builder, instruction, element, mode),
    }
}

fn others_double(builder: &mut Builder<'_>, instruction: &Instruction, element: Type, mode: Mode) -> Decoded {
    let of = f64::from_bits;
    match instruction.words[0].as_str() {
        "sqrt" => general(builder, instruction, element, Rule::Whole, move |a, _, _| of(a).sqrt().to_bits()),
        // The approximation ignores the lower half of its operand, and gives zeros there.
        "rcp" if has(instruction, "approx") => general(builder, instruction, element, Rule::Whole, move |a, _, _| {
            (1.0 / of(a & !0 << 32)).to_bits() & !0 << 32
        }),
        "rsqrt" => general(builder, instruction, element, Rule::Whole, move |a, _, _| {
            let value = of(a & !0 << 32);
            let root = if value == 0.0 { f64::INFINITY.copysign(value) } else { 1.0 / value.sqrt() };
            root.to_bits() & !0 << 32
        }),
        "rcp" => general(builder, instruction, element, Rule::Whole, move |a, _, _| {
            float::directed64(Operation::Divide, 1.0, of(a), 0.0, mode.rounding).to_bits()
        }),
        "neg" => general(builder, instruction, element, Rule::Each, |a, _, _| a ^ 1 << 63),
        "abs" => general(builder, instruction, element, Rule::Each, |a, _, _| a & !(1 << 63)),
        "copysign" => general(builder, instruction, element, Rule::Each, |a, b, _| a & 1 << 63 | b & !(1 << 63)),
        name @ ("min" | "max") => {
            let is_min = name == "min";
            general(builder, instruction, element, Rule::Whole, move |a, b, _| {
                extreme(of(a), of(b), is_min, false).to_bits()
            })
        }
        "testp" => test_class(builder, instruction, element),
        _ => Ok(false),
    }
}
