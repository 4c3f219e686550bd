//! Arithmetic that goes on over several words (PTX ISA, "Extended-Precision Integer Arithmetic Instructions").

use super::{Decoded, done, has, type_of};
use crate::parser::Instruction;
use crate::program::builder::Builder;
use crate::program::code::{Carry, Op};

pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Decoded {
    let name = instruction.words[0].as_str();
    let Some(element) = type_of(instruction) else { return Ok(false) };
    let kind = match name {
        "add" | "addc" => Carry::Add,
        "sub" | "subc" => Carry::Subtract,
        "mad" | "madc" if !has(instruction, "hi") => Carry::MultiplyLow,
        "mad" | "madc" if element.is_signed() => Carry::MultiplyHighSigned,
        "mad" | "madc" => Carry::MultiplyHigh,
        _ => return Ok(false),
    };
    let (reads, writes) = (name.ends_with('c'), has(instruction, "cc"));
    let Some((d, rest)) = instruction.operands.split_first() else { return Ok(false) };
    let a = super::floats::sources(builder, rest, element)?;
    let (d, _) = builder.destination(d)?;
    let carry = builder.carry();
    done(builder, Op::CarryChain { kind, width: element.width, reads, writes, d, a, carry })
}
