//! The location of each lane's access.

use super::access::{Access, Action, Space};
use super::location::Location;
use crate::instruction::Instruction;
use crate::operand::{Operand, scalar};
use crate::registers::{Bits, Row, lanes_of};
use crate::vector::op::Kind;
use crate::wave::Wave;
use crate::wrong::Wrong;

/// Where a memory instruction's operands stand in its text.
pub(crate) struct Places {
    /// The register of the loaded value, or of the value before an atomic.
    pub(crate) result: Option<Operand>,
    /// The value to store.
    pub(crate) data: Operand,
    address: Operand,
    /// The scalar address, or a buffer's descriptor.
    base: Operand,
    /// A buffer's scalar offset.
    offset: Operand,
}

impl Places {
    /// The operands of an access.
    pub(crate) fn of(instruction: &Instruction, access: &Access) -> Places {
        let operand = |index| instruction.operand(index);
        if access.space == Space::Buffer {
            let returns = match access.action {
                Action::Load(_) => true,
                Action::Store(_) => false,
                Action::Atomic(_) => instruction.modifiers.returns,
            };
            let result = returns.then_some(operand(0));
            return Places { result, data: operand(0), address: operand(1), base: operand(2), offset: operand(3) };
        }
        match access.action {
            Action::Load(_) => Places {
                result: Some(operand(0)),
                data: operand(0),
                address: operand(1),
                base: operand(2),
                offset: operand(3),
            },
            Action::Store(_) => {
                Places { result: None, data: operand(1), address: operand(0), base: operand(2), offset: operand(3) }
            }
            Action::Atomic(_) => {
                let returns = access.returns || (instruction.modifiers.returns && access.space != Space::Shared);
                let first = usize::from(returns);
                let (address, data, base) = (operand(first), operand(first + 1), operand(first + 2));
                Places { result: returns.then_some(operand(0)), data, address, base, offset: operand(first + 3) }
            }
        }
    }

    /// The location of each active lane.
    pub(crate) fn locations(
        &self,
        wave: &Wave,
        instruction: &Instruction,
        space: Space,
    ) -> Result<[Location; crate::registers::LANES], Wrong> {
        let mut locations = [Location::Nowhere; crate::registers::LANES];
        let offset = instruction.modifiers.offset;
        let mut row = Row::new();
        let is_wide = match space {
            Space::Flat => true,
            Space::Global => self.base.is_off(),
            _ => false,
        };
        if !self.address.is_off() {
            wave.source(&self.address, if is_wide { Kind::B64 } else { Kind::B32 }, &mut row)?;
        }
        let base = self.base(wave, space)?;
        for lane in lanes_of(wave.exec()) {
            if row.undefined[lane] != 0 {
                return Err(Wrong::undefined_in(lane, "an address"));
            }
            let address = row.value[lane];
            locations[lane] = match space {
                Space::Flat => Location::generic(address.wrapping_add_signed(offset)),
                Space::Global => Location::Global(address.wrapping_add(base).wrapping_add_signed(offset)),
                // Sums are of 32 bits.
                Space::Scratch => {
                    Location::Private(address.wrapping_add(base).wrapping_add_signed(offset) & 0xffff_ffff)
                }
                Space::Shared => Location::Shared(address),
                Space::Buffer => self.buffer(wave, instruction, address)?,
            };
        }
        check_scratch(wave, space, &locations)?;
        Ok(locations)
    }

    fn base(&self, wave: &Wave, space: Space) -> Result<u64, Wrong> {
        let kind = match space {
            Space::Global => Kind::B64,
            Space::Scratch => Kind::B32,
            _ => return Ok(0),
        };
        if self.base.is_off() || self.base.scalar() == Some(scalar::NULL) {
            return Ok(0);
        }
        let base = wave.scalar(self.base, kind)?;
        known(base, "an address")
    }

    /// A buffer's descriptor (CDNA2 ISA, "Buffer Resource Descriptor"): that of the wave's private memory, which is
    /// swizzled, or a plain one.
    fn buffer(&self, wave: &Wave, instruction: &Instruction, vector: u64) -> Result<Location, Wrong> {
        let words: Result<Vec<u64>, Wrong> =
            (0..4).map(|i| known(wave.scalar(self.base.further(i), Kind::B32)?, "a buffer's descriptor")).collect();
        let words = words?;
        let base = words[0] | (words[1] & 0xffff) << 32;
        let (swizzles, adds_thread) = (words[1] >> 31 & 1 != 0, words[3] >> 23 & 1 != 0);
        let modifiers = &instruction.modifiers;
        let scalar_offset = known(wave.scalar(self.offset, Kind::B32)?, "an address")?;
        let vector = if modifiers.offen { vector } else { 0 };
        let offset = vector.wrapping_add_signed(modifiers.offset) & 0xffff_ffff;
        if modifiers.idxen {
            return Err(Wrong::new("buffers with an index are not emulated"));
        }
        if swizzles && adds_thread {
            return private_location(wave, base, scalar_offset, offset);
        }
        if offset >= words[2] { Ok(Location::Nowhere) } else { Ok(Location::Global(base + scalar_offset + offset)) }
    }
}

/// Private memory through its descriptor: the scalar part counts bytes of all lanes, the rest those of one lane.
fn private_location(wave: &Wave, base: u64, scalar_offset: u64, offset: u64) -> Result<Location, Wrong> {
    let before = base.wrapping_sub(wave.scratch_base).wrapping_add(scalar_offset);
    let lanes = wave.lanes as u64;
    if before > u64::from(u32::MAX) {
        return Err(Wrong::new("the buffer's descriptor is not that of the wave's private memory"));
    }
    if !before.is_multiple_of(4 * lanes) {
        return Err(Wrong::new("the scalar offset of private memory splits the words of the lanes"));
    }
    Ok(Location::Private(before / lanes + offset))
}

/// On GCN, generic addresses reach private memory through the register that the kernel's first instructions write.
fn check_scratch(wave: &Wave, space: Space, locations: &[Location]) -> Result<(), Wrong> {
    let is_private = |location: &Location| matches!(location, Location::Private(_));
    if space != Space::Flat || wave.generation.has_architected_scratch() || !locations.iter().any(is_private) {
        return Ok(());
    }
    let register = wave.registers.scalar_pair(scalar::FLAT_SCRATCH)?;
    if register != Bits::defined(wave.scratch_base) {
        return Err(Wrong::new("FLAT_SCRATCH is not the address of the wave's private memory"));
    }
    Ok(())
}

/// A value whose bits are all written.
pub(crate) fn known(bits: Bits, what: &str) -> Result<u64, Wrong> {
    if bits.undefined == 0 { Ok(bits.value) } else { Err(Wrong::undefined(what)) }
}
