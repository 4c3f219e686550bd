//! Arithmetic of `f16`, `bf16` and pairs of them.

use super::floats::{Mode, extreme, general, operation_of};
use super::{Decoded, has};
use crate::float::{self, BF16, F16, Format, Operation, approximate_half, round_to};
use crate::parser::{Family, Instruction, Type};
use crate::program::builder::Builder;
use crate::program::code::Rule;

/// A function of one half.
type Half = Box<dyn Fn(u64, u64, u64) -> u64 + Send + Sync>;

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction, element: Type) -> Decoded {
    let format = match element.family {
        Family::Float | Family::FloatPair => F16,
        Family::Brain | Family::BrainPair => BF16,
        _ => return Ok(false),
    };
    let Some(half) = of_one(instruction, format) else { return Ok(false) };
    if element.width == 32 {
        return general(builder, instruction, element, Rule::Halves, move |a, b, c| {
            let (low, high) = (half(a & 0xffff, b & 0xffff, c & 0xffff), half(a >> 16, b >> 16, c >> 16));
            low | high << 16
        });
    }
    general(builder, instruction, element, Rule::Whole, half)
}

fn of_one(instruction: &Instruction, format: Format) -> Option<Half> {
    let mode = Mode::of(instruction);
    let name = instruction.words[0].clone();
    let rectifies = has(instruction, "relu");
    let nan = has(instruction, "NaN");
    let finish = move |value: f64| -> u64 {
        let mut bits = round_to(format, value, mode.rounding);
        if mode.saturates {
            bits = if value.is_nan() { 0 } else { round_to(format, format.value(bits).clamp(0.0, 1.0), mode.rounding) };
        }
        if rectifies && format.value(bits) < 0.0 { 0 } else { bits }
    };
    // Only f16 has subnormal numbers to flush by a modifier.
    let operand = move |bits: u64| {
        let is_subnormal = bits >> format.fraction & ((1 << format.exponent) - 1) == 0;
        if mode.flushes && is_subnormal { 0f64.copysign(format.value(bits)) } else { format.value(bits) }
    };
    Some(match name.as_str() {
        "neg" => Box::new(|a, _, _| a ^ 0x8000),
        "abs" => Box::new(|a, _, _| a & 0x7fff),
        "min" | "max" => {
            let is_min = name == "min";
            Box::new(move |a, b, _| finish(extreme(operand(a), operand(b), is_min, nan)))
        }
        "ex2" | "tanh" => Box::new(move |a, _, _| {
            approximate_half(&name, operand(a), format).map_or(0, |bits| finish(format.value(bits)))
        }),
        _ => {
            let operation = operation_of(&name).filter(|one| *one != Operation::SquareRoot)?;
            Box::new(move |a, b, c| finish(float::odd(operation, operand(a), operand(b), operand(c))))
        }
    })
}
