//! Constants that LLVM's back end leaves in the table of symbols: `kernel.num_vgpr` and the like, about ten for each
//! function. No program needs them, and an assembled text has more of them than code that was never a text.

use goblin::elf::section_header::{SHN_ABS, SHN_UNDEF, SHT_SYMTAB};
use goblin::elf::sym::{STB_LOCAL, STT_NOTYPE};
use goblin::elf::{Elf, SectionHeader};

use crate::llvm::Machine;
use crate::llvm::workarounds::FORGET_CONSTANTS;

/// The size of an entry of the table of symbols, and where its fields begin.
const ENTRY: usize = 24;
const KIND: usize = 4;
const SECTION: usize = 6;

/// Makes these constants undefined, so that the linker leaves them out, unless this work-around is switched off.
pub(super) fn forget_constants(mut object: Vec<u8>, machine: &Machine) -> Vec<u8> {
    if machine.without().lacks(FORGET_CONSTANTS) {
        return object;
    }
    for entry in entries(&object) {
        let Some(symbol) = object.get_mut(entry..entry + ENTRY) else { continue };
        let section = u16::from_le_bytes([symbol[SECTION], symbol[SECTION + 1]]);
        if symbol[KIND] == (STB_LOCAL << 4) | STT_NOTYPE && u32::from(section) == SHN_ABS {
            symbol[SECTION..SECTION + 2].copy_from_slice(&(SHN_UNDEF as u16).to_le_bytes());
        }
    }
    object
}

/// Where the entries of the table of symbols begin.
fn entries(object: &[u8]) -> Vec<usize> {
    let Ok(elf) = Elf::parse(object) else { return Vec::new() };
    let is_table = |section: &&SectionHeader| section.sh_type == SHT_SYMTAB;
    let entries = |section: &SectionHeader| section.file_range().unwrap_or_default().step_by(ENTRY);
    elf.section_headers.iter().filter(is_table).flat_map(entries).collect()
}
