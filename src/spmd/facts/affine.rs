//! Operations whose results are affine if those of all threads of a group are on one side of a bound: the quotient and
//! the remainder of a division by a constant, the lesser and the greater of two values, a difference that is not
//! negative.

use super::shape::{Shape, is_small};
use crate::llvm::{Opcode, Value};

/// Whether the shape of an operation can be assumed if that of an operand is known: a division by a constant, or the
/// lesser or the greater of two values.
pub(crate) fn bends(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        Opcode::UDiv | Opcode::URem => instruction.operand(1).as_u64().is_some_and(|divisor| divisor > 0),
        Opcode::Call => instruction.called_intrinsic().is_some_and(|intrinsic| {
            let name = intrinsic.name();
            ["llvm.usub.sat.", "llvm.umin.", "llvm.umax."].iter().any(|start| name.starts_with(start))
        }),
        _ => false,
    }
}

/// The operands of an operation that bends: the affine one with its step, if the other one is uniform.
pub(crate) fn step_of<'c>(instruction: Value<'c>, shapes: &[Shape]) -> Option<(usize, i64)> {
    match *shapes {
        [Shape::Affine(step), Shape::Uniform] if step > 0 => Some((0, step)),
        [Shape::Uniform, Shape::Affine(step)] if step > 0 && instruction.is_call() => Some((1, step)),
        _ => None,
    }
}

/// Whether it is `a - b`, or 0 if this is negative.
pub(crate) fn subtracts(instruction: Value<'_>) -> bool {
    instruction.called_intrinsic().is_some_and(|intrinsic| intrinsic.name().starts_with("llvm.usub.sat."))
}

/// The shape that is assumed of an operation, by those of its operands.
pub(crate) fn assumed_shape(instruction: Value<'_>, shapes: &[Shape]) -> Option<Shape> {
    let (number, step) = step_of(instruction, shapes).filter(|(_, step)| is_small(*step, instruction.ty()))?;
    Some(match instruction.opcode() {
        Opcode::UDiv => Shape::Uniform,
        Opcode::Call if number == 1 && subtracts(instruction) => Shape::Affine(-step),
        _ => Shape::Affine(step),
    })
}
