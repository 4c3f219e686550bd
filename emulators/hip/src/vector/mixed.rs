//! Instructions of VOP3P whose sources are of different sizes, and sums of products of small integers.

use super::Kind;
use super::rounding::to_half;
use crate::environment::Next;
use crate::instruction::Instruction;
use crate::operand::{Operand, Place};
use crate::registers::{Bits, Row, lanes_of};
use crate::wave::{Wave, modify_result};
use crate::wrong::Wrong;

type Outcome = Result<Next, Wrong>;

/// The rows of this file. The integer sums: RDNA3 ISA, V_DOT4_I32_IU8 and its like; CDNA2 ISA, V_DOT4_I32_I8.
pub(crate) static OPS: &[(&str, crate::instruction::Special)] = &[
    ("v_fma_mix_f32", |w, i, _| mix(w, i, Mixed::Single)),
    ("v_fma_mixlo_f16", |w, i, _| mix(w, i, Mixed::Low)),
    ("v_fma_mixhi_f16", |w, i, _| mix(w, i, Mixed::High)),
    ("v_dot4_i32_i8", |w, i, _| dot(w, i, 8, 0b11)),
    ("v_dot4_u32_u8", |w, i, _| dot(w, i, 8, 0)),
    ("v_dot4_i32_iu8", |w, i, _| dot(w, i, 8, i.modifiers.neg_lo)),
    ("v_dot8_i32_i4", |w, i, _| dot(w, i, 4, 0b11)),
    ("v_dot8_u32_u4", |w, i, _| dot(w, i, 4, 0)),
    ("v_dot8_i32_iu4", |w, i, _| dot(w, i, 4, i.modifiers.neg_lo)),
    ("v_dot2_i32_i16", |w, i, _| dot(w, i, 16, 0b11)),
    ("v_dot2_u32_u16", |w, i, _| dot(w, i, 16, 0)),
    ("v_dot4c_i32_i8", |w, i, _| dot(w, i, 8, 0b11)),
    ("v_dot8c_i32_i4", |w, i, _| dot(w, i, 4, 0b11)),
    ("v_dot2c_i32_i16", |w, i, _| dot(w, i, 16, 0b11)),
];

/// Where the result of a mixed multiplication and addition goes.
#[derive(Clone, Copy, PartialEq)]
enum Mixed {
    Single,
    Low,
    High,
}

/// Sources without the modifiers, which stand for another thing here. An instruction with two sources adds to its
/// result.
fn sources(wave: &Wave, instruction: &Instruction) -> Result<[Row; 3], Wrong> {
    let mut rows = [Row::new(), Row::new(), Row::new()];
    for (i, row) in rows.iter_mut().enumerate() {
        let accumulates = i == 2 && instruction.operands.len() == 3;
        let operand = instruction.operand(if accumulates { 0 } else { 1 + i });
        let place = match operand.place {
            Place::Vector(number, _) => Place::Vector(number, None),
            other => other,
        };
        wave.source(&Operand { place, neg: false, abs: false, ..operand }, Kind::F32, row)?;
    }
    Ok(rows)
}

fn mix(wave: &mut Wave, instruction: &Instruction, to: Mixed) -> Outcome {
    let rows = sources(wave, instruction)?;
    let modifiers = &instruction.modifiers;
    // The default of `op_sel_hi` is all ones for packed instructions, but zero here; LLVM prints it if it is not zero.
    let halves = if instruction.text.contains("op_sel_hi:") { modifiers.op_sel_hi } else { 0 };
    let bit_of =
        |of: fn(&Operand) -> bool| (0..3).fold(0u8, |all, i| all | u8::from(of(&instruction.operand(1 + i))) << i);
    let (abs, neg) = (bit_of(|operand| operand.abs), bit_of(|operand| operand.neg));
    let mut result = Row::new();
    let exec = wave.exec();
    for lane in lanes_of(exec) {
        let values = [rows[0].value[lane], rows[1].value[lane], rows[2].value[lane], 0];
        let value = super::packed::fma_mix(&wave.mode, values, modifiers.op_sel, halves, abs, neg);
        let is_known = rows.iter().all(|row| row.undefined[lane] == 0);
        let value = match to {
            Mixed::Single => value,
            _ => to_half(wave.mode.round_16_64(), f32::from_bits(value as u32).into()),
        };
        let kind = if to == Mixed::Single { Kind::F32 } else { Kind::F16 };
        let value = if modifiers.clamp { modify_result(&wave.mode, kind, 0, true, value) } else { value };
        result.set(lane, Bits { value, undefined: if is_known { 0 } else { u64::MAX } });
    }
    let operand = instruction.operand(0);
    let Some(number) = operand.vector() else { return Err(Wrong::new("the result is no vector register")) };
    let half = |half| Operand::new(Place::Vector(number, Some(half)));
    match to {
        Mixed::Single => wave.result(&operand, Kind::B32, exec, &mut result, true)?,
        Mixed::Low => wave.result(&half(crate::operand::Half::Low), Kind::B16, exec, &mut result, true)?,
        Mixed::High => wave.result(&half(crate::operand::Half::High), Kind::B16, exec, &mut result, true)?,
    }
    Ok(Next::Go)
}

/// The sum of the products of all parts of two words, and a third word. `signed` has a bit for each source.
fn dot(wave: &mut Wave, instruction: &Instruction, width: u32, signed: u8) -> Outcome {
    let rows = sources(wave, instruction)?;
    let mut result = Row::new();
    let exec = wave.exec();
    let part = |value: u64, i: u32, is_signed: bool| {
        let part = value >> (i * width) & emulator_core::bits::ones(width);
        if is_signed { emulator_core::bits::sign_extended(part, width) } else { part as i64 }
    };
    for lane in lanes_of(exec) {
        let [a, b, c] = [rows[0].value[lane], rows[1].value[lane], rows[2].value[lane]];
        let sum: i64 = (0..32 / width).map(|i| part(a, i, signed & 1 != 0) * part(b, i, signed & 2 != 0)).sum();
        let third = if signed == 0 { c as i64 } else { i64::from(c as u32 as i32) };
        let total = sum + third;
        let value = match (instruction.modifiers.clamp, signed) {
            (false, _) => total as u64,
            (true, 0) => total.clamp(0, u32::MAX.into()) as u64,
            (true, _) => total.clamp(i32::MIN.into(), i32::MAX.into()) as u64,
        };
        let is_known = rows.iter().all(|row| row.undefined[lane] == 0);
        result.set(lane, Bits { value: value & 0xffff_ffff, undefined: if is_known { 0 } else { 0xffff_ffff } });
    }
    wave.result(&instruction.operand(0), Kind::B32, exec, &mut result, true)?;
    Ok(Next::Go)
}
