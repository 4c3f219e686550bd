//! Takes pages out of a linked file that no image needs any more.
//!
//! Linkers place the images between other read-only data, in the middle of a segment. The data after them must keep its
//! addresses, but can move to another place in the file, by whole pages. The segment becomes two segments, and the
//! pages between them are no longer in the program's memory. The table of segments needs one more entry. Linkers leave
//! no room for it, so the table moves to the place of the images.

use std::ops::Range;

use goblin::elf::program_header::{PT_GNU_STACK, PT_LOAD, PT_NULL, PT_PHDR};
use goblin::elf::section_header::{SHT_NOBITS, SHT_NULL};
use goblin::elf::{Elf, ProgramHeader};

use super::{CONTAINERS_SECTION, SECTION_SIZE, SECTIONS_OFFSET_AT, SEGMENT_SIZE};
use super::{broken, index, multiple, number, range_of, set_number, sum};
use crate::error::Result;

/// The smallest page.
const PAGE: u64 = 4096;
/// The places of fields that change (the ELF-64 object file format).
const SEGMENTS_OFFSET_AT: usize = 32;
const SEGMENT_COUNT_AT: usize = 56;

/// A file after its images have changed.
pub struct Stripped {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many zeros are in the place of images that the linker has placed; 0 if their pages were taken out.
    pub zeros: u64,
    /// Why no page could be taken out, if there is one.
    pub reason: Option<&'static str>,
}

/// Pages of a file, which end with these addresses, and where they are.
struct Pages {
    addresses: Range<u64>,
    place: Range<u64>,
    /// The address of the new table of segments, and its place.
    table: (u64, u64),
    /// The number of the segment.
    segment: usize,
}

/// Takes the pages with these addresses, which nothing needs, out of a file.
pub(super) fn without_pages(bytes: Vec<u8>, unused: Range<u64>) -> Result<Stripped> {
    let elf = Elf::parse(&bytes).map_err(|_| broken())?;
    match find_pages(&elf, &unused)? {
        Ok(pages) => {
            let bytes = remove(&bytes, &elf, &pages, unused.start)?;
            Ok(Stripped { bytes, zeros: 0, reason: None })
        }
        Err(reason) => Ok(Stripped { bytes, zeros: unused.end - unused.start, reason: Some(reason) }),
    }
}

fn size(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// The pages that can be taken out, or why none can.
fn find_pages(elf: &Elf<'_>, unused: &Range<u64>) -> Result<Result<Pages, &'static str>> {
    let loaded = || elf.program_headers.iter().filter(|segment| segment.p_type == PT_LOAD);
    let end_of = |segment: &ProgramHeader| sum(segment.p_vaddr, segment.p_filesz);
    let holds = |segment: &ProgramHeader| {
        segment.p_type == PT_LOAD
            && segment.p_vaddr <= unused.start
            && end_of(segment).is_ok_and(|end| unused.end <= end)
    };
    let number = elf.program_headers.iter().position(holds).ok_or_else(broken)?;
    let (segment, first) = (&elf.program_headers[number], loaded().next().ok_or_else(broken)?);
    let align = loaded().map(|segment| segment.p_align).fold(PAGE, u64::max);
    let table = multiple(unused.start, 8)?;
    let headers = ((elf.program_headers.len() + 1) * SEGMENT_SIZE) as u64;
    let start = multiple(sum(table, headers)?, align)?;
    let mut end = unused.end - unused.end % align;
    // The second segment is not empty.
    if end == end_of(segment)? {
        end = end.saturating_sub(align);
    }
    if end <= start {
        return Ok(Err("no whole page is free"));
    }
    let at = |address: u64| sum(address - segment.p_vaddr, segment.p_offset);
    let pages =
        Pages { addresses: start..end, place: at(start)?..at(end)?, table: (table, at(table)?), segment: number };
    // Linux before 5.18 computes the address of this table from its place in the file, and gives it to the program.
    if table.wrapping_sub(pages.table.1) != first.p_vaddr.wrapping_sub(first.p_offset) {
        return Ok(Err("the segment with the images is not where it is in the file"));
    }
    let is_apart = |offset: u64, size: u64| {
        size == 0 || offset.saturating_add(size) <= pages.place.start || pages.place.end <= offset
    };
    let others = elf.program_headers.iter().enumerate().filter(|(other, _)| *other != number);
    let mut parts = others.filter(|(_, other)| other.p_type != PT_NULL && other.p_type != PT_GNU_STACK);
    let is_images = |name| elf.shdr_strtab.get_at(name) == Some(CONTAINERS_SECTION);
    let written = |kind| kind != SHT_NOBITS && kind != SHT_NULL;
    let mut sections =
        elf.section_headers.iter().filter(|section| written(section.sh_type) && !is_images(section.sh_name));
    let tables = (elf.section_headers.len() * SECTION_SIZE) as u64;
    let all_apart = parts.all(|(_, other)| is_apart(other.p_offset, other.p_filesz))
        && sections.all(|section| is_apart(section.sh_offset, section.sh_size))
        && is_apart(elf.header.e_shoff, tables);
    if all_apart { Ok(Ok(pages)) } else { Ok(Err("another part of the file overlaps the images")) }
}

/// The file without the pages. The images that stay end at `used`.
fn remove(bytes: &[u8], elf: &Elf<'_>, pages: &Pages, used: u64) -> Result<Vec<u8>> {
    let moved = size(&pages.place);
    let after = |offset: u64| if offset >= pages.place.end { offset - moved } else { offset };
    let mut out = bytes.to_vec();
    for (number, section) in elf.section_headers.iter().enumerate() {
        let header = index(elf.header.e_shoff)? + number * SECTION_SIZE;
        set_number(&mut out, header + 24, after(section.sh_offset))?;
        let end = sum(section.sh_addr, section.sh_size)?;
        if section.sh_type != SHT_NOBITS && section.sh_addr <= used && pages.addresses.end <= end {
            set_number(&mut out, header + 32, used - section.sh_addr)?;
        }
    }
    let table = segments(bytes, elf, pages, &after)?;
    let place = range_of(pages.table.1, table.len() as u64)?;
    out.get_mut(place).ok_or_else(broken)?.copy_from_slice(&table);
    set_number(&mut out, SEGMENTS_OFFSET_AT, pages.table.1)?;
    set_number(&mut out, SECTIONS_OFFSET_AT, after(elf.header.e_shoff))?;
    let count = u16::try_from(elf.program_headers.len() + 1).map_err(|_| broken())?;
    out[SEGMENT_COUNT_AT..SEGMENT_COUNT_AT + 2].copy_from_slice(&count.to_le_bytes());
    out.drain(range_of(pages.place.start, moved)?);
    Ok(out)
}

/// The new table of segments.
fn segments(bytes: &[u8], elf: &Elf<'_>, pages: &Pages, after: &dyn Fn(u64) -> u64) -> Result<Vec<u8>> {
    let mut table = Vec::new();
    let size = ((elf.program_headers.len() + 1) * SEGMENT_SIZE) as u64;
    for (other, segment) in elf.program_headers.iter().enumerate() {
        let at = index(elf.header.e_phoff)? + other * SEGMENT_SIZE;
        let old = bytes.get(at..at + SEGMENT_SIZE).ok_or_else(broken)?;
        let physical = number(old, 24).ok_or_else(broken)?.wrapping_sub(segment.p_vaddr);
        // The fields from the place in the file to the size in memory.
        let mut entry = |fields: [u64; 5]| -> Result<()> {
            let mut header = old.to_vec();
            for (number, field) in fields.into_iter().enumerate() {
                set_number(&mut header, 8 * (number + 1), field)?;
            }
            table.extend(header);
            Ok(())
        };
        let at = |address: u64| (address, address.wrapping_add(physical));
        if segment.p_type == PT_PHDR {
            let (address, physical) = at(pages.table.0);
            entry([pages.table.1, address, physical, size, size])?;
        } else if other == pages.segment {
            let (address, physical) = at(segment.p_vaddr);
            let first = pages.addresses.start - segment.p_vaddr;
            entry([segment.p_offset, address, physical, first, first])?;
            let (address, physical) = at(pages.addresses.end);
            let skipped = pages.addresses.end - segment.p_vaddr;
            let content = segment.p_filesz.checked_sub(skipped).ok_or_else(broken)?;
            let memory = segment.p_memsz.checked_sub(skipped).ok_or_else(broken)?;
            entry([after(pages.place.end), address, physical, content, memory])?;
        } else {
            let (address, physical) = at(segment.p_vaddr);
            entry([after(segment.p_offset), address, physical, segment.p_filesz, segment.p_memsz])?;
        }
    }
    Ok(table)
}
