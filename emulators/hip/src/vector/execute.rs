//! Executes the rows of the tables for all active lanes.

use emulator_core::bits;

use super::gathered::Gathered;
use super::packed::PackedOp;
use super::{Kind, Known, Rule, VectorOp};
use crate::instruction::Instruction;
use crate::operand::{Operand, Place};
use crate::registers::{Bits, LANES, Row, lanes_of};
use crate::wave::{Wave, modify_result};
use crate::wrong::Wrong;

use super::carry::CarryOp;
use super::compare::Compare;

/// Reads sources: the operands from `first` on, the last of which is `accumulator` if there is one.
fn gather(
    wave: &mut Wave,
    instruction: &Instruction,
    kinds: &[Kind],
    first: usize,
    accumulator: Option<Operand>,
) -> Result<Box<Gathered>, Wrong> {
    let mut gathered = wave.room.take().unwrap_or_else(Gathered::new);
    gathered.count = kinds.len();
    gathered.written = wave.exec();
    gathered.partial = false;
    let modifiers = &instruction.modifiers;
    for (i, kind) in kinds.iter().enumerate() {
        let is_last = i + 1 == kinds.len();
        let operand = match (kind, accumulator) {
            (Kind::Vcc, _) => Operand::vcc(),
            (Kind::Mask, _) if instruction.operands.len() <= first + i => Operand::vcc(),
            (_, Some(accumulator)) if is_last => accumulator,
            _ => instruction.operand(first + i),
        };
        let row = &mut gathered.rows[i];
        match &modifiers.sub_dword {
            Some(parts) if i < 2 && kind.is_written() && *kind != Kind::Mask => {
                read_part(wave, &operand, *kind, parts.sources[i], row)?;
            }
            _ => wave.source(&operand, *kind, row)?,
        }
        if i == 0
            && let Some(dpp) = &modifiers.dpp
        {
            gathered.written = dpp.permute(row, wave.exec(), wave.lanes);
        }
        gathered.partial |= row.partial;
    }
    Ok(gathered)
}

/// A part of a register as SDWA chooses it, extended as the operand says.
fn read_part(
    wave: &Wave,
    operand: &Operand,
    kind: Kind,
    part: super::sub_dword::Part,
    row: &mut Row,
) -> Result<(), Wrong> {
    let plain = Operand { neg: false, abs: false, ..*operand };
    wave.source(&Operand { place: whole(plain.place), ..plain }, Kind::B32, row)?;
    let sign = 1u64 << (kind.width() - 1);
    for lane in 0..LANES {
        let mut bits = part.of(row.lane(lane), operand.sext);
        bits.value &= bits::ones(kind.width());
        bits.undefined &= bits::ones(kind.width());
        if kind.is_float() && operand.abs {
            bits.value &= !sign;
        }
        if kind.is_float() && operand.neg {
            bits.value ^= sign;
        }
        row.set(lane, bits);
    }
    Ok(())
}

fn whole(place: Place) -> Place {
    match place {
        Place::Vector(number, _) => Place::Vector(number, None),
        other => other,
    }
}

/// An instruction with one result.
pub(crate) fn vector(wave: &mut Wave, instruction: &Instruction, op: &VectorOp) -> Result<(), Wrong> {
    let result = instruction.operand(0);
    let mut gathered = gather(wave, instruction, op.sources, 1, op.accumulates.then_some(result))?;
    compute_row(wave, instruction, op, &mut gathered)?;
    let written = gathered.written;
    write_row(wave, instruction, op, &result, written, &mut gathered.result)?;
    wave.room = Some(gathered);
    Ok(())
}

fn compute_row(wave: &Wave, instruction: &Instruction, op: &VectorOp, gathered: &mut Gathered) -> Result<(), Wrong> {
    let (mode, width, modifiers) = (wave.mode, op.result.width(), &instruction.modifiers);
    let compute = match op.saturated {
        Some(saturated) if modifiers.clamp => saturated,
        _ => op.compute,
    };
    let ones = bits::ones(width);
    for lane in lanes_of(gathered.written) {
        gathered.result.value[lane] = compute(&mode, gathered.values(lane)) & ones;
    }
    gathered.result.undefined.fill(0);
    gathered.result.partial = false;
    if gathered.partial {
        for lane in lanes_of(gathered.written) {
            let undefined = op.rule.apply(&gathered.known(lane), width, &mode, compute);
            gathered.result.undefined[lane] = undefined;
            gathered.result.partial |= undefined != 0;
        }
    }
    if op.result.is_float() && (modifiers.clamp || modifiers.scale != 0) {
        for lane in lanes_of(gathered.written) {
            let value = &mut gathered.result.value[lane];
            *value = modify_result(&mode, op.result, modifiers.scale, modifiers.clamp, *value);
        }
    }
    if modifiers.clamp && op.saturated.is_none() && !op.result.is_float() {
        return Err(Wrong::new("`clamp` is not emulated for this instruction"));
    }
    Ok(())
}

fn write_row(
    wave: &mut Wave,
    instruction: &Instruction,
    op: &VectorOp,
    result: &Operand,
    written: u64,
    row: &mut Row,
) -> Result<(), Wrong> {
    if let Some(parts) = &instruction.modifiers.sub_dword {
        insert_parts(wave, result, parts, row)?;
        return wave.result(&Operand { place: whole(result.place), ..*result }, Kind::B32, written, row, false);
    }
    let keeps_half = op.keeps_half || wave.generation.keeps_halves();
    wave.result(result, op.result, written, row, keeps_half)
}

fn insert_parts(wave: &Wave, result: &Operand, parts: &super::sub_dword::SubDword, row: &mut Row) -> Result<(), Wrong> {
    let mut before = Row::new();
    wave.source(&Operand { place: whole(result.place), ..*result }, Kind::B32, &mut before)?;
    for lane in 0..LANES {
        row.set(lane, parts.insert(row.lane(lane), before.lane(lane)));
    }
    Ok(())
}

/// An instruction with a value and a bit for each lane.
pub(crate) fn carry(wave: &mut Wave, instruction: &Instruction, op: &CarryOp) -> Result<(), Wrong> {
    let mut gathered = gather(wave, instruction, op.sources, 2, None)?;
    gathered.result.fill(Bits::default());
    let mut mask = Bits::default();
    let ones = bits::ones(op.result.width());
    for lane in lanes_of(gathered.written) {
        let (value, bit) = (op.compute)(&wave.mode, gathered.values(lane));
        let (undefined, bit_undefined) =
            if gathered.partial { undefined_carry(op, &gathered.known(lane)) } else { (0, false) };
        let value = if instruction.modifiers.clamp && bit { op.saturated } else { value };
        gathered.result.set(lane, Bits { value: value & ones, undefined: undefined & ones });
        mask.value |= u64::from(bit) << lane;
        mask.undefined |= u64::from(bit_undefined) << lane;
    }
    let result = instruction.operand(0);
    if let Some(parts) = &instruction.modifiers.sub_dword {
        insert_parts(wave, &result, parts, &mut gathered.result)?;
    }
    let written = gathered.written;
    wave.result(&result, op.result, written, &mut gathered.result, false)?;
    wave.room = Some(gathered);
    wave.set_mask(instruction.operand(1), mask)
}

fn undefined_carry(op: &CarryOp, known: &Known) -> (u64, bool) {
    if known.iter().all(|one| one.undefined == 0) { (0, false) } else { (op.rule)(known) }
}

/// A comparison.
pub(crate) fn compare(wave: &mut Wave, instruction: &Instruction, compare: &Compare) -> Result<(), Wrong> {
    let has_result = instruction.operands.len() > compare.sources().len();
    let gathered = gather(wave, instruction, &compare.sources(), usize::from(has_result), None)?;
    let mut mask = Bits::default();
    for lane in lanes_of(gathered.written) {
        let [a, b, ..] = gathered.values(lane);
        mask.value |= u64::from(compare.ask(&wave.mode, a, b)) << lane;
        if gathered.partial {
            mask.undefined |= u64::from(compare.is_undefined(&gathered.known(lane))) << lane;
        }
    }
    wave.room = Some(gathered);
    if has_result {
        wave.set_mask(instruction.operand(0), mask)?;
    }
    if compare.writes_exec {
        let exec = Operand::new(Place::Scalar(crate::operand::scalar::EXEC));
        wave.set_mask(exec, mask)?;
    }
    Ok(())
}

/// An instruction that does the same to two halves.
pub(crate) fn packed(wave: &mut Wave, instruction: &Instruction, op: &PackedOp) -> Result<(), Wrong> {
    let is_pair = op.half.width() == 32;
    let (mut low, mut high) = (Row::new(), Row::new());
    let written = wave.exec();
    let modifiers = &instruction.modifiers;
    // V_PK_MOV_B32 has another rule: `op_sel` names the register of the first result and that of the second.
    let is_move = op.name == "v_pk_mov_b32";
    for (part, row) in [&mut low, &mut high].into_iter().enumerate() {
        let (select, negate) = match part {
            0 => (modifiers.op_sel, modifiers.neg_lo),
            _ => (modifiers.op_sel_hi, modifiers.neg_hi),
        };
        let mut rows = [Row::new(), Row::new(), Row::new()];
        for (i, row) in rows.iter_mut().take(op.sources).enumerate() {
            let from = if is_move { part } else { i };
            let select = if is_move { modifiers.op_sel } else { select };
            let operand = instruction.operand(1 + from);
            read_packed(wave, &operand, op.half, select >> from & 1 != 0, negate >> i & 1 != 0, row)?;
        }
        compute_packed(wave, op, modifiers.clamp, &rows, written, row)?;
    }
    let result = instruction.operand(0);
    if is_pair {
        wave.result(&result, Kind::B32, written, &mut low, true)?;
        return wave.result(&result.further(1), Kind::B32, written, &mut high, true);
    }
    for lane in lanes_of(written) {
        let (a, b) = (low.lane(lane), high.lane(lane));
        low.set(lane, Bits { value: a.value | b.value << 16, undefined: a.undefined | b.undefined << 16 });
    }
    wave.result(&result, Kind::B32, written, &mut low, true)
}

/// One half of a packed source.
fn read_packed(
    wave: &Wave,
    operand: &Operand,
    half: Kind,
    is_high: bool,
    negates: bool,
    row: &mut Row,
) -> Result<(), Wrong> {
    let is_register = matches!(operand.place, Place::Vector(..) | Place::Scalar(_));
    if half.width() == 32 {
        let further = if is_high && is_register { operand.further(1) } else { *operand };
        wave.source(&further, half, row)?;
    } else {
        read_packed_half(wave, operand, half, is_high, row)?;
    }
    if half.is_float() && negates {
        let sign = 1u64 << (half.width() - 1);
        row.value.iter_mut().for_each(|value| *value ^= sign);
    }
    Ok(())
}

/// A constant is in the lower half, but for literals, which have both.
fn read_packed_half(wave: &Wave, operand: &Operand, half: Kind, is_high: bool, row: &mut Row) -> Result<(), Wrong> {
    match operand.place {
        Place::Integer(value) => row.fill(Bits::defined(value as u64 & 0xffff_ffff)),
        Place::Float(_) => wave.source(operand, half, row)?,
        _ => wave.source(&Operand { place: whole(operand.place), ..*operand }, Kind::B32, row)?,
    }
    let shift = if is_high { 16 } else { 0 };
    for lane in 0..LANES {
        row.value[lane] = row.value[lane] >> shift & 0xffff;
        row.undefined[lane] = row.undefined[lane] >> shift & 0xffff;
    }
    Ok(())
}

fn compute_packed(
    wave: &Wave,
    op: &PackedOp,
    clamps: bool,
    rows: &[Row; 3],
    written: u64,
    row: &mut Row,
) -> Result<(), Wrong> {
    let (width, is_float) = (op.half.width(), op.half.is_float());
    let compute = match (clamps, op.saturated) {
        (true, Some(saturated)) => saturated,
        (true, None) if !is_float => return Err(Wrong::new("`clamp` is not emulated for this instruction")),
        _ => op.compute,
    };
    for lane in lanes_of(written) {
        let known = [rows[0].lane(lane), rows[1].lane(lane), rows[2].lane(lane), Bits::default()];
        let value = compute(&wave.mode, known.map(|one| one.value)) & bits::ones(width);
        let value = if is_float && clamps { modify_result(&wave.mode, op.half, 0, true, value) } else { value };
        let undefined = Rule::apply(op.rule, &known, width, &wave.mode, compute);
        row.set(lane, Bits { value, undefined });
    }
    Ok(())
}
