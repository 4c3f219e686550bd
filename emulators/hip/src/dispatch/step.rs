//! Executes instructions of one wave.

use emulator_core::profile::Access;

use crate::environment::{Environment, Next};
use crate::instruction::{Instruction, What};
use crate::memory::counters::{Issue, Wait};
use crate::memory::location::Location;
use crate::object::code::Code;
use crate::registers::Row;
use crate::scalar::{control, execute as scalar};
use crate::vector::execute as vector;
use crate::wave::{State, Wave};
use crate::wrong::Wrong;
use crate::{memory::execute as memory, operand::Operand};

/// Executes at most `most` instructions, until the wave ends or waits. Returns whether it could go on.
pub(crate) fn run(
    wave: &mut Wave,
    environment: &mut Environment<'_>,
    code: &mut Code,
    most: u64,
) -> Result<bool, Wrong> {
    let counters = Wait::most(wave.generation);
    for _ in 0..most {
        let Some(number) = code.at(wave.pc) else {
            return Err(Wrong::new(format!("there is no instruction at {:#x}", wave.pc)));
        };
        environment.clock += 1;
        if code.counter.is_some() {
            count(wave, code, number)?;
        }
        let instruction = code.instruction(number);
        if environment.is_busy() {
            check_registers(wave, environment, instruction)?;
        }
        let next = execute(wave, environment, instruction)?;
        if let Some(issue) = &instruction.issue {
            environment.issue(wave.pc, issue, wave.exec(), counters)?;
        }
        let following = wave.pc.wrapping_add(instruction.size.into());
        wave.pc = if let Next::Jump(to) = next { to } else { following };
        match next {
            Next::Go | Next::Jump(_) => {}
            Next::Barrier => {
                wave.state = State::AtBarrier;
                return Ok(false);
            }
            Next::End => {
                wave.state = State::Ended;
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Counts an instruction, and the memory that it accesses, for the address of the instruction.
#[cold]
fn count(wave: &Wave, code: &mut Code, number: usize) -> Result<(), Wrong> {
    let (mut global, mut shared) = (Vec::new(), Vec::new());
    let instruction = code.instruction(number);
    if let What::Memory(access) = &instruction.what {
        for (lane, location, size) in memory::accesses(wave, instruction, access)? {
            match location {
                Location::Global(address) => global.push(Access { lane, address, size }),
                Location::Shared(address) => shared.push(Access { lane, address, size }),
                Location::Private(_) | Location::Nowhere => {}
            }
        }
    }
    if let Some(counter) = &mut code.counter {
        counter.execute(wave.pc, wave.exec().count_ones());
        counter.access(wave.pc, &global, &shared);
    }
    Ok(())
}

/// Checks that no instruction touches a register that a load has not yet written.
fn check_registers(wave: &Wave, environment: &Environment<'_>, instruction: &Instruction) -> Result<(), Wrong> {
    let is_lanewise = match instruction.what {
        What::Vector(_) | What::Carry(_) | What::Compare(_) | What::Packed(_) => instruction.modifiers.dpp.is_none(),
        What::Memory(_) => true,
        _ => false,
    };
    let lanes = is_lanewise.then(|| wave.exec());
    let issue: Option<&Issue> = instruction.issue.as_deref();
    let pending = &environment.late.waves[environment.number];
    match pending.early(&instruction.touched, issue, lanes) {
        None => Ok(()),
        Some((operation, register)) => {
            let message = format!("the instruction needs {register}, and no wait completes the load of it");
            Err(Wrong { other: Some(operation.pc), ..Wrong::new(message) })
        }
    }
}

/// Executes one instruction.
#[inline]
fn execute(wave: &mut Wave, environment: &mut Environment<'_>, instruction: &Instruction) -> Result<Next, Wrong> {
    match &instruction.what {
        What::Vector(op) => vector::vector(wave, instruction, op)?,
        What::Scalar(op) => scalar::scalar(wave, instruction, op)?,
        What::Carry(op) => vector::carry(wave, instruction, op)?,
        What::Compare(compare) => vector::compare(wave, instruction, compare)?,
        What::Packed(op) => vector::packed(wave, instruction, op)?,
        What::Memory(access) => memory::memory(wave, environment, instruction, access)?,
        What::SaveExec(how) => control::save(wave, instruction, how)?,
        What::Special(special) => return special(wave, instruction, environment),
        What::Dual(halves) => dual(wave, environment, halves)?,
        What::Wait(wait) => environment.wait(*wait)?,
        What::Nothing => {}
        What::Unknown => {
            let name = instruction.text.split_whitespace().next().unwrap_or("");
            return Err(Wrong::new(format!("instruction `{name}` is not emulated")));
        }
    }
    Ok(Next::Go)
}

/// Two instructions: the second one reads the values from before the first one's write.
fn dual(wave: &mut Wave, environment: &mut Environment<'_>, halves: &[Instruction; 2]) -> Result<(), Wrong> {
    let result: Operand = halves[0].operand(0);
    let Some(number) = result.vector() else { return Err(Wrong::new("the result is no vector register")) };
    let (mut before, mut after) = (Row::new(), Row::new());
    wave.registers.vector(number, &mut before)?;
    let _next = execute(wave, environment, &halves[0])?;
    wave.registers.vector(number, &mut after)?;
    wave.registers.set_vector(number, u64::MAX, &before, 0)?;
    let _next = execute(wave, environment, &halves[1])?;
    wave.registers.set_vector(number, u64::MAX, &after, 0)?;
    Ok(())
}
