//! Section groups of an object of ELF.

use std::collections::BTreeSet;
use std::ops::Range;

use goblin::elf::Elf;
use goblin::elf::section_header::{SHF_GROUP, SHT_GROUP};

/// The length of a section's header, and the place of its flags in it.
const HEADER: usize = 64;
const FLAGS: Range<usize> = 8..16;
/// The length of a number in a group: its flags, then the sections in it.
const WORD: usize = 4;

/// The object without the groups of these names. The sections in them stay, as sections outside of groups. None if it
/// is not a complete object of 64 bits.
pub(crate) fn remove_groups(mut object: Vec<u8>, names: &BTreeSet<Vec<u8>>) -> Option<Vec<u8>> {
    let elf = Elf::parse(&object).ok().filter(|elf| elf.is_64 && elf.little_endian)?;
    let headers = usize::try_from(elf.header.e_shoff).ok()?;
    let mut removed = Vec::new();
    let mut members = Vec::new();
    for (number, group) in elf.section_headers.iter().enumerate().filter(|(_, header)| header.sh_type == SHT_GROUP) {
        let symbol = elf.syms.get(usize::try_from(group.sh_info).ok()?)?;
        if names.contains(elf.strtab.get_at(symbol.st_name)?.as_bytes()) {
            removed.push(number);
            let words = object.get(group.file_range()?)?.chunks_exact(WORD).skip(1);
            members.extend(words.filter_map(|word| Some(u32::from_le_bytes(word.try_into().ok()?) as usize)));
        }
    }
    for number in removed {
        // All zeros are `SHT_NULL`: a header without a section.
        header(&mut object, headers, number)?.fill(0);
    }
    for number in members {
        let flags = &mut header(&mut object, headers, number)?[FLAGS];
        let all = u64::from_le_bytes(flags[..].try_into().ok()?);
        flags.copy_from_slice(&(all & !u64::from(SHF_GROUP)).to_le_bytes());
    }
    Some(object)
}

/// The header of a section.
fn header(object: &mut [u8], headers: usize, number: usize) -> Option<&mut [u8]> {
    let start = headers.checked_add(number.checked_mul(HEADER)?)?;
    object.get_mut(start..start.checked_add(HEADER)?)
}
