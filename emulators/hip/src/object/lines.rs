//! The line of the source at an address, from the line tables of a code object (DWARF, `.debug_line`).

use emulator_core::report::Place;
use gimli::{EndianSlice, LittleEndian, Unit};
use goblin::elf::Elf;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The line at an address of the file; none without line tables.
pub(crate) fn place(file: &[u8], address: u64) -> Option<Place> {
    let elf = Elf::parse(file).ok()?;
    let section = |name: &str| {
        let header = elf.section_headers.iter().find(|header| elf.shdr_strtab.get_at(header.sh_name) == Some(name));
        header.and_then(|header| header.file_range()).and_then(|range| file.get(range)).unwrap_or(&[])
    };
    let load = |id: gimli::SectionId| Ok::<_, gimli::Error>(EndianSlice::new(section(id.name()), LittleEndian));
    let dwarf = gimli::Dwarf::load(load).ok()?;
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        if let Some(place) = place_in(&dwarf, &unit, address) {
            return Some(place);
        }
    }
    None
}

/// The row that covers the address: the last one before it in its sequence.
fn place_in(dwarf: &gimli::Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>, address: u64) -> Option<Place> {
    let program = unit.line_program.clone()?;
    let (program, sequences) = program.sequences().ok()?;
    let sequence = sequences.iter().find(|sequence| (sequence.start..sequence.end).contains(&address))?;
    let mut rows = program.resume_from(sequence);
    let mut found: Option<(u64, u64)> = None;
    while let Ok(Some((_, row))) = rows.next_row() {
        if row.address() > address {
            break;
        }
        if let Some(line) = row.line() {
            found = Some((line.get(), row.file_index()));
        }
    }
    let (line, file) = found?;
    let header = program.header();
    let entry = header.file(file)?;
    let name = dwarf.attr_string(unit, entry.path_name()).ok()?;
    let folder = entry.directory(header).and_then(|folder| dwarf.attr_string(unit, folder).ok());
    let name = name.to_string_lossy();
    let path = match folder {
        Some(folder) if !name.starts_with('/') && !folder.is_empty() => format!("{}/{name}", folder.to_string_lossy()),
        _ => name.into_owned(),
    };
    Some(Place { file: path, line: u32::try_from(line).ok()? })
}
