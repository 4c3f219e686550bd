//! From an instruction's words to an operation. Each file decodes a part of the instruction set. An instruction that
//! none of them decodes is an error where it is executed.

mod arithmetic;
mod carry;
mod compare;
mod control;
pub(crate) use control::BUILTINS;
mod convert;
mod cross;
mod floats;
mod halves;
mod integer;
mod lanes;
mod matrix;
mod memory;
mod moves;

use super::builder::Builder;
use super::code::Op;
use crate::parser::{Instruction, Type};

/// The result of decoding a part of the instruction set: whether the instruction belongs to this part, or the message
/// of an error.
type Decoded = Result<bool, String>;

/// Appends the operations of an instruction.
pub(super) fn decode(builder: &mut Builder<'_>, instruction: &Instruction) -> Result<(), String> {
    let families: [fn(&mut Builder<'_>, &Instruction) -> Decoded; 9] = [
        moves::decode,
        arithmetic::decode,
        compare::decode,
        memory::decode,
        control::decode,
        convert::decode,
        carry::decode,
        cross::decode,
        matrix::decode,
    ];
    for family in families {
        if family(builder, instruction)? {
            return Ok(());
        }
    }
    Err(format!("`{}` is not modelled", instruction.words.join(".")))
}

/// The last modifier that is a type.
fn type_of(instruction: &Instruction) -> Option<Type> {
    instruction.words.iter().skip(1).rev().find_map(|word| Type::parse(word))
}

/// Whether a modifier is there.
fn has(instruction: &Instruction, word: &str) -> bool {
    instruction.words.iter().skip(1).any(|one| one == word)
}

/// Exactly so many operands.
fn operands<const N: usize>(instruction: &Instruction) -> Result<&[crate::parser::Operand; N], String> {
    instruction.operands.as_slice().try_into().map_err(|_| format!("`{}` has {N} operands", instruction.words[0]))
}

/// Appends one operation; for families that end with it.
fn done(builder: &mut Builder<'_>, op: Op) -> Decoded {
    builder.emit(op);
    Ok(true)
}
