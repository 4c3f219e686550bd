//! Branches, calls, masks of active lanes, the state of the wave.

use emulator_core::bits;

use super::save_exec::SaveExec;
use crate::environment::{Environment, Next};
use crate::instruction::Instruction;
use crate::memory::address::known;
use crate::mode::Mode;
use crate::operand::{Operand, Place, Special, scalar};
use crate::registers::Bits;
use crate::vector::op::Kind;
use crate::wave::Wave;
use crate::wrong::Wrong;

type Outcome = Result<Next, Wrong>;

/// The rows of this file: mnemonics and functions.
pub(crate) static OPS: &[(&str, crate::instruction::Special)] = &[
    ("s_branch", |w, i, _| jump(w, i)),
    ("s_cbranch_scc0", |w, i, _| branch_on(w, i, Special::Scc, 0)),
    ("s_cbranch_scc1", |w, i, _| branch_on(w, i, Special::Scc, 1)),
    ("s_cbranch_vccz", |w, i, _| branch_on(w, i, Special::Vccz, 1)),
    ("s_cbranch_vccnz", |w, i, _| branch_on(w, i, Special::Vccz, 0)),
    ("s_cbranch_execz", |w, i, _| branch_on(w, i, Special::Execz, 1)),
    ("s_cbranch_execnz", |w, i, _| branch_on(w, i, Special::Execz, 0)),
    ("s_getpc_b64", get_pc),
    ("s_setpc_b64", set_pc),
    ("s_swappc_b64", swap_pc),
    ("s_call_b64", call),
    ("s_cmov_b32", |w, i, _| conditional_move(w, i, Kind::B32)),
    ("s_cmov_b64", |w, i, _| conditional_move(w, i, Kind::B64)),
    ("s_getreg_b32", get_register),
    ("s_setreg_b32", set_register),
    ("s_setreg_imm32_b32", set_register),
    ("s_round_mode", |w, i, _| set_mode_field(w, i, 0)),
    ("s_denorm_mode", |w, i, _| set_mode_field(w, i, 4)),
    ("s_barrier", barrier),
    ("s_endpgm", |_, _, _| Ok(Next::End)),
    ("s_endpgm_saved", |_, _, _| Ok(Next::End)),
    ("s_trap", trap),
    ("s_sethalt", |_, _, _| Err(Wrong::new("the wave halts"))),
    ("s_memtime", time),
    ("s_memrealtime", time),
    ("s_sendmsg_rtn_b32", time),
    ("s_sendmsg_rtn_b64", time),
];

/// The simm16 of a branch counts words from the next instruction on.
fn target(wave: &Wave, instruction: &Instruction, index: usize) -> Result<u64, Wrong> {
    let words = match instruction.operand(index).place {
        Place::Integer(words) => words as i16,
        Place::Literal(words) => words as i16,
        _ => return Err(Wrong::new("the branch has no target")),
    };
    Ok(wave.pc.wrapping_add(4).wrapping_add_signed(4 * i64::from(words)))
}

fn jump(wave: &Wave, instruction: &Instruction) -> Outcome {
    Ok(Next::Jump(target(wave, instruction, 0)?))
}

fn branch_on(wave: &Wave, instruction: &Instruction, condition: Special, wanted: u64) -> Outcome {
    let condition = wave.scalar(Operand::new(Place::Special(condition)), Kind::B32)?;
    if known(condition, "a branch")? == wanted { jump(wave, instruction) } else { Ok(Next::Go) }
}

fn next(wave: &Wave, instruction: &Instruction) -> u64 {
    wave.pc.wrapping_add(instruction.size.into())
}

fn write_pair(wave: &mut Wave, operand: Operand, value: u64) -> Result<(), Wrong> {
    let Some(number) = operand.scalar() else { return Err(Wrong::new("the result is no scalar register")) };
    wave.set_scalar(number, Bits::defined(value), 64)
}

fn get_pc(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let pc = next(wave, instruction);
    write_pair(wave, instruction.operand(0), pc)?;
    Ok(Next::Go)
}

fn address(wave: &Wave, operand: Operand) -> Result<u64, Wrong> {
    known(wave.scalar(operand, Kind::B64)?, "where execution goes on")
}

fn set_pc(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let to = address(wave, instruction.operand(0))?;
    if wave.calls.last() == Some(&to) {
        let _caller = wave.calls.pop();
    }
    Ok(Next::Jump(to))
}

fn swap_pc(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let to = address(wave, instruction.operand(1))?;
    let back = next(wave, instruction);
    write_pair(wave, instruction.operand(0), back)?;
    wave.calls.push(back);
    Ok(Next::Jump(to))
}

fn call(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let (to, back) = (target(wave, instruction, 1)?, next(wave, instruction));
    write_pair(wave, instruction.operand(0), back)?;
    wave.calls.push(back);
    Ok(Next::Jump(to))
}

fn conditional_move(wave: &mut Wave, instruction: &Instruction, kind: Kind) -> Outcome {
    if known(wave.registers.scc, "a conditional move")? != 0 {
        let value = wave.scalar(instruction.operand(1), kind)?;
        if let Some(number) = instruction.operand(0).scalar() {
            wave.set_scalar(number, value, kind.width())?;
        }
    }
    Ok(Next::Go)
}

/// A barrier is for all threads of the block that have not ended. Those that are not active have ended: it is an error
/// if one comes to a later barrier. Anything else that such a thread does may be the end of its work, which compilers
/// move after that of others.
fn barrier(wave: &mut Wave, _: &Instruction, _: &mut Environment<'_>) -> Outcome {
    come(wave)?;
    wave.absent |= wave.present & !wave.exec();
    Ok(Next::Barrier)
}

/// No thread that missed a barrier comes to another one.
fn come(wave: &Wave) -> Result<(), Wrong> {
    match wave.exec() & wave.absent {
        0 => Ok(()),
        lanes => {
            let message = "a barrier that not all threads of the block reach: this thread missed an earlier one";
            Err(Wrong::of_lane(lanes.trailing_zeros() as usize, message))
        }
    }
}

fn trap(_: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    match instruction.operand(0).place {
        // AMDGPUUsage, "Trap Handler ABI": 2 ends the program, 3 is for debuggers.
        Place::Integer(2) => Err(Wrong::new("a trap")),
        Place::Integer(number) => Err(Wrong::new(format!("trap {number}"))),
        _ => Err(Wrong::new("a trap without a number")),
    }
}

/// Clocks count instructions; other answers of messages are numbers that nobody needs.
fn time(wave: &mut Wave, instruction: &Instruction, environment: &mut Environment<'_>) -> Outcome {
    let result = instruction.operand(0);
    let width = if result.count == 2 { 64 } else { 32 };
    if let Some(number) = result.scalar() {
        wave.set_scalar(number, Bits::defined(environment.clock), width)?;
    }
    Ok(Next::Go)
}

/// `hwreg(HW_REG_MODE, 4, 2)`: the name, the first bit, and how many.
fn hardware_register(text: &str) -> Option<(&str, u32, u32)> {
    let inside = text.split_once("hwreg(")?.1.split_once(')')?.0;
    let mut parts = inside.split(',').map(str::trim);
    let name = parts.next()?;
    let offset = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    let width = parts.next().and_then(|part| part.parse().ok()).unwrap_or(32);
    Some((name, offset, width))
}

fn read_hardware(wave: &Wave, name: &str, environment: &Environment<'_>) -> Option<u64> {
    Some(match name {
        "HW_REG_MODE" => wave.mode.0.into(),
        "HW_REG_STATUS" | "HW_REG_TRAPSTS" | "HW_REG_HW_ID" | "HW_REG_HW_ID1" | "HW_REG_HW_ID2"
        | "HW_REG_GPR_ALLOC" | "HW_REG_LDS_ALLOC" | "HW_REG_IB_STS" => 0,
        // The upper 16 bits of both apertures.
        "HW_REG_SH_MEM_BASES" => {
            crate::memory::location::PRIVATE_APERTURE >> 48 | crate::memory::location::SHARED_APERTURE >> 48 << 16
        }
        "HW_REG_SHADER_CYCLES" => environment.clock & 0xf_ffff,
        _ => return None,
    })
}

fn get_register(wave: &mut Wave, instruction: &Instruction, environment: &mut Environment<'_>) -> Outcome {
    let Some((name, offset, width)) = hardware_register(&instruction.text) else {
        return Err(Wrong::new("the hardware register is not understood"));
    };
    let value = read_hardware(wave, name, environment)
        .ok_or_else(|| Wrong::new(format!("hardware register `{name}` is not emulated")))?;
    if let Some(number) = instruction.operand(0).scalar() {
        wave.set_scalar(number, Bits::defined(value >> offset & bits::ones(width)), 32)?;
    }
    Ok(Next::Go)
}

fn set_register(wave: &mut Wave, instruction: &Instruction, _: &mut Environment<'_>) -> Outcome {
    let Some((name, offset, width)) = hardware_register(&instruction.text) else {
        return Err(Wrong::new("the hardware register is not understood"));
    };
    if name != "HW_REG_MODE" {
        return Err(Wrong::new(format!("writing hardware register `{name}` is not emulated")));
    }
    let value = known(wave.scalar(instruction.operand(1), Kind::B32)?, "the mode of arithmetic")?;
    let mask = (bits::ones(width) as u32) << offset;
    wave.mode = Mode(wave.mode.0 & !mask | (value as u32) << offset & mask);
    Ok(Next::Go)
}

fn set_mode_field(wave: &mut Wave, instruction: &Instruction, offset: u32) -> Outcome {
    let value = match instruction.operand(0).place {
        Place::Integer(value) => value as u32,
        Place::Literal(value) => value,
        _ => return Err(Wrong::new("the mode is no constant")),
    };
    wave.mode = Mode(wave.mode.0 & !(0xf << offset) | (value & 0xf) << offset);
    Ok(Next::Go)
}

/// Saves the mask of active lanes and makes a new one.
pub(crate) fn save(wave: &mut Wave, instruction: &Instruction, how: &SaveExec) -> Result<(), Wrong> {
    let width = wave.lanes as u32;
    let kind = if width == 64 { Kind::B64 } else { Kind::B32 };
    let source = wave.scalar(instruction.operand(1), kind)?;
    let old = Bits::defined(wave.exec());
    let mut new = (how.combine)(source, old);
    new.value &= bits::ones(width);
    new.undefined &= bits::ones(width);
    wave.set_scalar(scalar::EXEC, new, width)?;
    if let Some(number) = instruction.operand(0).scalar() {
        wave.set_scalar(number, if how.writes_result { new } else { old }, width)?;
    }
    wave.registers.scc = Bits::defined((new.value != 0).into());
    Ok(())
}
