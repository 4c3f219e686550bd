//! Executes the rows of the scalar tables.

use emulator_core::bits;

use super::ops::{Condition, ScalarOp, apply};
use crate::instruction::Instruction;
use crate::operand::{Operand, Place};
use crate::registers::Bits;
use crate::vector::op::{Kind, Known};
use crate::wave::{Wave, zero_bit};
use crate::wrong::Wrong;

/// A computation of one value.
pub(crate) fn scalar(wave: &mut Wave, instruction: &Instruction, op: &ScalarOp) -> Result<(), Wrong> {
    let known = sources(wave, instruction, op)?;
    let width = op.result.map_or(32, Kind::width);
    let (value, says) = (op.compute)(known.map(|one| one.value));
    let all = known.iter().fold(0, |all, one| all | one.undefined);
    let undefined = if all == 0 { 0 } else { apply(op, &known, width) };
    let result = Bits { value: value & bits::ones(width), undefined };
    if op.result.is_some() {
        let Some(number) = instruction.operand(0).scalar() else {
            return Err(Wrong::new("the result is no scalar register"));
        };
        wave.set_scalar(number, result, width)?;
    }
    match op.condition {
        Condition::Kept => {}
        Condition::NotZero => {
            let zero = zero_bit(result);
            wave.registers.scc = Bits { value: 1 - zero.value, undefined: zero.undefined };
        }
        Condition::Own => wave.registers.scc = own_condition(op, &known, says),
    }
    Ok(())
}

/// Equality is known as soon as a written bit differs.
fn own_condition(op: &ScalarOp, known: &Known, says: bool) -> Bits {
    if known.iter().all(|one| one.undefined == 0) {
        return Bits { value: says.into(), undefined: 0 };
    }
    let [a, b, ..] = *known;
    let is_equality = op.names.iter().any(|name| name.contains("_eq_") || name.contains("_lg_"));
    let is_bit = op.names.iter().any(|name| name.starts_with("s_bitcmp"));
    let undefined = match () {
        () if is_equality => bits::equality(a.value, a.undefined, b.value, b.undefined),
        () if is_bit => b.undefined != 0 || a.undefined >> (b.value & 63) & 1 != 0,
        () => known.iter().any(|one| one.undefined != 0),
    };
    Bits { value: says.into(), undefined: undefined.into() }
}

fn sources(wave: &Wave, instruction: &Instruction, op: &ScalarOp) -> Result<Known, Wrong> {
    let mut known: Known = [Bits::default(); 4];
    // The register of an accumulating operation stands once in the text.
    let first = usize::from(op.result.is_some() && !op.accumulates);
    for (i, kind) in op.sources.iter().enumerate() {
        let operand = instruction.operand(first + i);
        let operand = if op.extends { extended(operand) } else { operand };
        known[i] = wave.scalar(operand, *kind)?;
    }
    if op.reads_condition {
        known[3] = wave.registers.scc;
    }
    Ok(known)
}

/// A constant of 16 bits with its sign.
fn extended(operand: Operand) -> Operand {
    match operand.place {
        Place::Literal(value) => Operand { place: Place::Integer((value as i16).into()), ..operand },
        Place::Integer(value) => Operand { place: Place::Integer((value as i16).into()), ..operand },
        _ => operand,
    }
}
