//! Scalar loads (RDNA3 ISA, "Scalar Memory"; CDNA2 ISA, the same).

use crate::environment::{Environment, Next};
use crate::instruction::Instruction;
use crate::memory::address::known;
use crate::operand::Place;
use crate::registers::Bits;
use crate::vector::op::Kind;
use crate::wave::Wave;
use crate::wrong::Wrong;

/// How many words a scalar load's name says.
pub(crate) fn words(name: &str) -> Option<u16> {
    Some(match name.strip_prefix("s_load_")? {
        "dword" | "b32" => 1,
        "dwordx2" | "b64" => 2,
        "dwordx4" | "b128" => 4,
        "dwordx8" | "b256" => 8,
        "dwordx16" | "b512" => 16,
        _ => return None,
    })
}

/// A load of some words into as many scalar registers.
pub(crate) fn load(
    wave: &mut Wave,
    instruction: &Instruction,
    environment: &mut Environment<'_>,
) -> Result<Next, Wrong> {
    let (result, base) = (instruction.operand(0), instruction.operand(1));
    let base = known(wave.scalar(base, Kind::B64)?, "an address")?;
    let offset = match instruction.operand(2).place {
        Place::Literal(offset) => i64::from(offset as i32),
        Place::Integer(offset) => offset,
        Place::Scalar(_) => {
            let register = wave.scalar(instruction.operand(2), Kind::B32)?;
            known(register, "an address")? as i64
        }
        _ => 0,
    };
    let address = base.wrapping_add_signed(offset).wrapping_add_signed(instruction.modifiers.offset);
    let Some(first) = result.scalar() else { return Err(Wrong::new("the result is no scalar register")) };
    for i in 0..result.count {
        let at = address.wrapping_add(4 * u64::from(i));
        let view = environment.global.find(at, 4, 4, false);
        let view = view.map_err(|fault| Wrong::new(format!("scalar load: {fault}")))?;
        let (value, undefined) = view.load(at, 4);
        wave.set_scalar(first + i, Bits { value, undefined }, 32)?;
    }
    Ok(Next::Go)
}
