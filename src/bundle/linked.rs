//! Replaces the images of the objects in a linked program or shared object.
//!
//! Images that fit into the place of the old ones stay there. Otherwise the last segment moves to the end of the file,
//! where it can grow: its bytes are copied, its zeros (`.bss`) are written out, and the images follow. Addresses in the
//! program remain the same, because only the segment's place in the file and its size change, and the descriptors of
//! the objects, which say where the images are. All other bytes stay. A section header for the images is added, so that
//! `inspect` and `strip` see them.
//!
//! Descriptors are found without symbols, so stripped programs can be edited: by their size and version, and because
//! they point to containers. In a position-independent file, the pointers are the addends of relocations.

mod pages;

pub use pages::Stripped;

use std::mem::offset_of;
use std::ops::Range;

use goblin::elf::dynamic::{DT_RELA, DT_RELASZ};
use goblin::elf::header::{EM_AARCH64, EM_X86_64, ET_DYN, ET_EXEC};
use goblin::elf::program_header::{PF_W, PT_LOAD};
use goblin::elf::reloc::{R_AARCH64_RELATIVE, R_X86_64_RELATIVE};
use goblin::elf::section_header::{SHF_ALLOC, SHF_TLS, SHF_WRITE, SHT_NOBITS, SHT_NULL, SHT_PROGBITS};
use goblin::elf::{Elf, ProgramHeader, SectionHeader};

use super::compression::{self, Compression, read_images};
use super::kernel_table;
use super::offload_binary::{self, ImageView};
use super::relocatable::{CONTAINERS_SECTION, KERNEL_TABLE_SECTION};
use super::{Image, Runtime};
use crate::contract::abi::{DESCRIPTOR_VERSION, Descriptor};
use crate::error::{Context as _, Error, Result};

/// The most zeros at the end of a segment that are written into the file.
const MOST_ZEROS: u64 = 1 << 30;
/// Images begin at multiples of this.
const ALIGN: u64 = 16;
/// The alignment of the containers of an object ([`super::relocatable`]).
const CONTAINERS_ALIGN: u64 = 8;
/// The sizes of headers in 64-bit ELF files, and the offsets of the fields that change (the ELF-64 object file format).
const SECTION_SIZE: usize = 64;
const SEGMENT_SIZE: usize = 56;
const SECTIONS_OFFSET_AT: usize = 40;
const SECTION_COUNT_AT: usize = 60;

/// A linked program or shared object.
pub struct LinkedFile<'a> {
    bytes: &'a [u8],
    elf: Elf<'a>,
    /// The addends of relative relocations: the address that they change, the addend, and its place in the file.
    relocations: Vec<(u64, u64, usize)>,
    descriptors: Vec<Place>,
}

/// The descriptor of an object in the file.
struct Place {
    /// Its address.
    address: u64,
    /// The containers of its images, by their addresses.
    containers: Range<u64>,
}

impl<'a> LinkedFile<'a> {
    /// Reads a file. The error says why it cannot be edited.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let elf = Elf::parse(bytes).map_err(|_| Error::new("it is no ELF file, or a broken one"))?;
        if !elf.is_64 || !elf.little_endian || ![EM_X86_64, EM_AARCH64].contains(&elf.header.e_machine) {
            return Err(Error::new("it is no file for x86-64 or aarch64"));
        }
        if ![ET_EXEC, ET_DYN].contains(&elf.header.e_type) {
            return Err(Error::new("it is not linked: name the program or the shared object"));
        }
        let mut file = Self { bytes, elf, relocations: Vec::new(), descriptors: Vec::new() };
        file.check_runtime()?;
        file.relocations = file.relative_relocations();
        file.descriptors = file.find_descriptors();
        Ok(file)
    }

    /// The images of each object, in the order of their addresses.
    pub fn objects(&self) -> Result<Vec<Vec<ImageView<'a>>>> {
        let images = |place: &Place| {
            let containers = self.place_of(place.containers.clone()).and_then(|range| self.bytes.get(range));
            read_images(containers.unwrap_or_default())
        };
        self.descriptors.iter().map(images).collect()
    }

    /// Whether the images of an object are compressed.
    pub fn is_compressed(&self) -> bool {
        let objects = self.objects().unwrap_or_default();
        objects.iter().flatten().any(|image| image.compressed.is_some())
    }

    /// The file with these images in place of those of each object.
    pub fn with_images(&self, objects: &[Vec<Image>], compression: Compression) -> Result<Vec<u8>> {
        let containers = |images: &Vec<Image>| compression::write(images, compression).map(|written| written.bytes);
        let containers = objects.iter().map(containers).collect::<Result<Vec<_>>>()?;
        let mut out = self.bytes.to_vec();
        // The bytes of the old images are not needed any more, also if they are the last ones of an earlier edit.
        for place in &self.descriptors {
            if let Some(range) = self.place_of(place.containers.clone()) {
                out[range].fill(0);
            }
        }
        let fits = |(place, new): (&Place, &Vec<u8>)| new.len() as u64 <= place.containers.end - place.containers.start;
        // A section at the end of the file becomes shorter with its images.
        let at_end = self.added_section(self.last_loaded()?).is_some();
        if !at_end && self.descriptors.iter().zip(&containers).all(fits) {
            // Neighbours move together, so that the unused bytes are at the end.
            let mut ends = (0, 0);
            for (place, new) in self.descriptors.iter().zip(&containers) {
                let Range { start, end } = place.containers;
                let is_next = ends.0 <= start && start - ends.0 < CONTAINERS_ALIGN;
                let start = if is_next { multiple(ends.1, CONTAINERS_ALIGN)? } else { start };
                ends = (end, sum(start, new.len() as u64)?);
                let range = self.place_of(start..ends.1).ok_or_else(broken)?;
                out[range].copy_from_slice(new);
                self.point(&mut out, place, start..ends.1, 0)?;
            }
            return Ok(out);
        }
        self.grow(out, &containers)
    }

    /// The same, for images that are a part of those of the file. The pages that they do not need are filled with
    /// zeros, or taken out of the file.
    pub fn with_part_of_images(
        &self,
        objects: &[Vec<Image>],
        compression: Compression,
        are_taken: bool,
    ) -> Result<Stripped> {
        let bytes = self.with_images(objects, compression)?;
        match LinkedFile::read(&bytes)?.unused()? {
            Some(unused) if are_taken => pages::without_pages(bytes, unused),
            Some(unused) => Ok(Stripped { bytes, zeros: unused.end - unused.start, reason: None }),
            None => Ok(Stripped { bytes, zeros: 0, reason: None }),
        }
    }

    /// The addresses in the place of the linker's images that no image has.
    fn unused(&self) -> Result<Option<Range<u64>>> {
        let added = self.added_section(self.last_loaded()?);
        let mut found: Option<Range<u64>> = None;
        for section in &self.elf.section_headers {
            let is_added = added.is_some_and(|added| std::ptr::eq(added, section));
            if is_added || self.elf.shdr_strtab.get_at(section.sh_name) != Some(CONTAINERS_SECTION) {
                continue;
            }
            let all = section.sh_addr..sum(section.sh_addr, section.sh_size)?;
            let within = |place: &&Place| all.start <= place.containers.start && place.containers.end <= all.end;
            let used = self.descriptors.iter().filter(within).map(|place| place.containers.end).max();
            let unused = used.unwrap_or(all.start)..all.end;
            let size = |range: &Range<u64>| range.end - range.start;
            let content = self.place_of(unused.clone()).and_then(|place| self.bytes.get(place)).unwrap_or(&[1]);
            let is_zero = content.iter().all(|byte| *byte == 0);
            if is_zero && found.as_ref().is_none_or(|found| size(found) < size(&unused)) {
                found = Some(unused);
            }
        }
        Ok(found)
    }

    /// Moves the last segment to the end of the file, followed by the containers.
    fn grow(&self, mut out: Vec<u8>, containers: &[Vec<u8>]) -> Result<Vec<u8>> {
        let segments = &self.elf.program_headers;
        let last = self.last_loaded()?;
        let number = segments.iter().position(|segment| std::ptr::eq(segment, last)).ok_or_else(broken)?;
        let added = self.added_section(last);
        let memory = added.map_or(last.p_memsz, |section| section.sh_addr - last.p_vaddr);
        let content = last.p_filesz.min(memory);
        if memory - content > MOST_ZEROS || last.p_align > MOST_ZEROS {
            return Err(Error::new(format!("its last segment needs more than {MOST_ZEROS} zeros in the file")));
        }
        let mut segment = out.get(range_of(last.p_offset, content)?).ok_or_else(broken)?.to_vec();
        // A segment that an earlier edit has put at the end of the file is replaced.
        if added.is_some() {
            out.truncate(usize::try_from(last.p_offset).map_err(|_| broken())?);
        }
        let align = last.p_align.max(1);
        // The first place whose distance to the address is a multiple of the alignment.
        let (within_page, used) = (last.p_vaddr % align, out.len() as u64);
        let start_of_page = used - used % align;
        let next = if used % align <= within_page { start_of_page } else { sum(start_of_page, align)? };
        let offset = sum(next, within_page)?;
        let start = multiple(sum(last.p_vaddr, memory)?, ALIGN)?;
        segment.resize(index(start - last.p_vaddr)?, 0);
        let mut places = Vec::new();
        for new in containers {
            let at = multiple(sum(last.p_vaddr, segment.len() as u64)?, ALIGN)?;
            segment.resize(index(at - last.p_vaddr)?, 0);
            segment.extend(new);
            places.push(at..sum(at, new.len() as u64)?);
        }
        let end = sum(last.p_vaddr, segment.len() as u64)?;
        out.resize(index(offset)?, 0);
        out.extend(&segment);
        let moved = offset.wrapping_sub(last.p_offset);
        let within = |address: u64| (last.p_vaddr..last.p_vaddr.saturating_add(last.p_memsz.max(1))).contains(&address);
        self.move_segments(&mut out, number, (moved, segment.len() as u64), &within)?;
        let section = start..end;
        self.write_sections(&mut out, &within, moved, section, sum(start - last.p_vaddr, offset)?)?;
        for (place, range) in self.descriptors.iter().zip(places) {
            self.point(&mut out, place, range, if within(place.address) { moved } else { 0 })?;
        }
        Ok(out)
    }

    /// Only this project's runtime, and programs without one, find the images by descriptors.
    fn check_runtime(&self) -> Result<()> {
        for section in &self.elf.section_headers {
            if self.elf.shdr_strtab.get_at(section.sh_name) != Some(KERNEL_TABLE_SECTION) {
                continue;
            }
            let range = range_of(section.sh_offset, section.sh_size)?;
            let bytes = self.bytes.get(range).unwrap_or_default();
            let tables = kernel_table::read(bytes).context("in the table of its kernels")?;
            let own = [Runtime::Offloadrt, Runtime::Liboffload, Runtime::None];
            if let Some(table) = tables.iter().find(|table| !own.contains(&table.runtime)) {
                let runtime = table.runtime.name();
                return Err(Error::new(format!(
                    "its images are registered with `--runtime={runtime}`, which has tables of their sizes elsewhere: build \
                     the program again with more archs"
                )));
            }
        }
        Ok(())
    }

    fn relative_relocations(&self) -> Vec<(u64, u64, usize)> {
        let dynamic = self.elf.dynamic.as_ref().map(|dynamic| &dynamic.dyns[..]).unwrap_or_default();
        let value = |tag| dynamic.iter().find(|entry| entry.d_tag == tag).map(|entry| entry.d_val);
        let (Some(table), Some(size)) = (value(DT_RELA), value(DT_RELASZ)) else { return Vec::new() };
        let Some(place) = self.place_of(table..table.saturating_add(size)) else { return Vec::new() };
        let relative = if self.elf.header.e_machine == EM_X86_64 { R_X86_64_RELATIVE } else { R_AARCH64_RELATIVE };
        let mut found = Vec::new();
        for at in place.step_by(24) {
            let number = |offset: usize| number(self.bytes, at + offset);
            let (Some(address), Some(info), Some(addend)) = (number(0), number(8), number(16)) else { break };
            if info as u32 == relative {
                found.push((address, addend, at + 16));
            }
        }
        found.sort_unstable();
        found
    }

    /// The pointer at an address of the file as it is linked.
    fn pointer(&self, address: u64) -> Option<u64> {
        match self.relocation(address) {
            Some((_, addend, _)) => Some(*addend),
            None => number(self.bytes, self.place_of(address..address.checked_add(8)?)?.start),
        }
    }

    fn relocation(&self, address: u64) -> Option<&(u64, u64, usize)> {
        let at = self.relocations.binary_search_by_key(&address, |(of, _, _)| *of).ok()?;
        self.relocations.get(at)
    }

    /// The descriptors, in the order of their images.
    fn find_descriptors(&self) -> Vec<Place> {
        let start = [(size_of::<Descriptor>() as u32).to_le_bytes(), DESCRIPTOR_VERSION.to_le_bytes()].concat();
        let mut found = Vec::new();
        let written = |segment: &&ProgramHeader| segment.p_type == PT_LOAD && segment.p_flags & PF_W != 0;
        for segment in self.elf.program_headers.iter().filter(written) {
            let Ok(range) = range_of(segment.p_offset, segment.p_filesz) else { continue };
            let content = self.bytes.get(range).unwrap_or_default();
            for at in memchr::memmem::find_iter(content, &start) {
                let address = segment.p_vaddr.saturating_add(at as u64);
                if address % 8 == 0 {
                    found.extend(self.descriptor(address));
                }
            }
        }
        found.sort_by_key(|place| place.containers.start);
        found
    }

    /// The descriptor at an address, if there is one.
    fn descriptor(&self, address: u64) -> Option<Place> {
        let field = |offset: usize| self.pointer(address.checked_add(offset as u64)?);
        let begin = field(offset_of!(Descriptor, images_begin))?;
        let end = field(offset_of!(Descriptor, images_end))?;
        let containers = self.place_of(begin..end).and_then(|range| self.bytes.get(range))?;
        let kernels = field(offset_of!(Descriptor, kernels))?;
        let has_kernels = self.place_of(kernels..kernels.checked_add(8)?).is_some();
        let is_one = offload_binary::is_container(containers) && has_kernels;
        (is_one && read_images(containers).is_ok()).then_some(Place { address, containers: begin..end })
    }

    /// Where the bytes at these addresses are in the file; none if not all are.
    fn place_of(&self, addresses: Range<u64>) -> Option<Range<usize>> {
        let holds = |segment: &&ProgramHeader| {
            let end = segment.p_vaddr.saturating_add(segment.p_filesz);
            segment.p_type == PT_LOAD && segment.p_vaddr <= addresses.start && addresses.end <= end
        };
        let segment = self.elf.program_headers.iter().find(holds).filter(|_| addresses.start <= addresses.end)?;
        let start = (addresses.start - segment.p_vaddr).checked_add(segment.p_offset)?;
        let start = usize::try_from(start).ok()?;
        let range = start..start.checked_add(usize::try_from(addresses.end - addresses.start).ok()?)?;
        (range.end <= self.bytes.len()).then_some(range)
    }

    /// Makes a descriptor, whose segment has moved in the file, point to other containers.
    fn point(&self, out: &mut [u8], place: &Place, containers: Range<u64>, moved: u64) -> Result<()> {
        let fields = [
            (offset_of!(Descriptor, images_begin), containers.start),
            (offset_of!(Descriptor, images_end), containers.end),
        ];
        for (offset, value) in fields {
            let address = sum(place.address, offset as u64)?;
            let at = self.place_of(address..sum(address, 8)?).ok_or_else(broken)?.start;
            let relocation = self.relocation(address);
            if let Some((_, _, addend)) = relocation {
                // The table of relocations is in a segment before that of the descriptors.
                set_number(out, *addend, value)?;
            }
            // Some linkers also write the addend to where it is added.
            if relocation.is_none() || number(self.bytes, at) != Some(0) {
                set_number(out, index((at as u64).wrapping_add(moved))?, value)?;
            }
        }
        Ok(())
    }

    /// The section that an earlier edit has put at the end of the last segment.
    fn added_section(&self, last: &ProgramHeader) -> Option<&SectionHeader> {
        let section = self.elf.section_headers.last()?;
        let is_own = self.elf.shdr_strtab.get_at(section.sh_name) == Some(CONTAINERS_SECTION);
        let end = last.p_vaddr.checked_add(last.p_memsz)?;
        let ends_segment = section.sh_addr >= last.p_vaddr && section.sh_addr.checked_add(section.sh_size)? == end;
        let table = self.elf.header.e_shoff.checked_add((self.elf.section_headers.len() * SECTION_SIZE) as u64)?;
        let content = last.p_offset.checked_add(last.p_filesz)?;
        let at_end = table == self.bytes.len() as u64 && content <= self.elf.header.e_shoff;
        // Another tool may have put sections after the segment since.
        let is_before = |other: &SectionHeader| {
            let end = other.sh_offset.saturating_add(other.sh_size);
            let within = last.p_offset <= other.sh_offset && end <= content;
            other.sh_type == SHT_NOBITS || other.sh_type == SHT_NULL || within || end <= last.p_offset
        };
        let at_end = at_end && self.elf.section_headers.iter().all(is_before);
        (is_own && ends_segment && at_end && section.sh_flags & u64::from(SHF_WRITE) != 0).then_some(section)
    }

    /// Changes the headers of the last segment, and of those that describe a part of it.
    fn move_segments(
        &self,
        out: &mut [u8],
        last: usize,
        (moved, size): (u64, u64),
        within: &dyn Fn(u64) -> bool,
    ) -> Result<()> {
        for (number, segment) in self.elf.program_headers.iter().enumerate() {
            let header = index(self.elf.header.e_phoff)? + number * SEGMENT_SIZE;
            let is_part = segment.p_type != PT_LOAD && segment.p_vaddr != 0 && within(segment.p_vaddr);
            if number == last || is_part {
                set_number(out, header + 8, segment.p_offset.wrapping_add(moved))?;
            }
            if number == last {
                set_number(out, header + 32, size)?;
                set_number(out, header + 40, size)?;
            }
        }
        Ok(())
    }

    /// Writes the table of sections to the end of the file, with one more for the new containers, whose addresses and
    /// whose place in the file are given. A file without the table stays without.
    fn write_sections(
        &self,
        out: &mut Vec<u8>,
        within: &dyn Fn(u64) -> bool,
        moved: u64,
        new: Range<u64>,
        place: u64,
    ) -> Result<()> {
        let all = &self.elf.section_headers;
        let named = |section: &&SectionHeader| self.elf.shdr_strtab.get_at(section.sh_name) == Some(CONTAINERS_SECTION);
        let Some(name) = all.iter().find(named).map(|section| section.sh_name) else { return Ok(()) };
        let kept = match self.added_section(self.last_loaded()?) {
            Some(_) => &all[..all.len() - 1],
            None => &all[..],
        };
        out.resize(out.len().next_multiple_of(8), 0);
        let table = out.len() as u64;
        for (number, section) in kept.iter().enumerate() {
            let at = index(self.elf.header.e_shoff)? + number * SECTION_SIZE;
            let mut header = self.bytes.get(at..at + SECTION_SIZE).ok_or_else(broken)?.to_vec();
            if section.sh_flags & u64::from(SHF_ALLOC) != 0 && within(section.sh_addr) {
                set_number(&mut header, 24, section.sh_offset.wrapping_add(moved))?;
                if section.sh_type == SHT_NOBITS && section.sh_flags & u64::from(SHF_TLS) == 0 {
                    header[4..8].copy_from_slice(&SHT_PROGBITS.to_le_bytes());
                }
            }
            out.extend(header);
        }
        let flags = u64::from(SHF_ALLOC | SHF_WRITE);
        out.extend([(name as u32).to_le_bytes(), SHT_PROGBITS.to_le_bytes()].concat());
        out.extend([flags, new.start, place, new.end - new.start, 0, ALIGN, 0].map(u64::to_le_bytes).concat());
        let count = u16::try_from(kept.len() + 1).map_err(|_| Error::new("it has too many sections"))?;
        set_number(out, SECTIONS_OFFSET_AT, table)?;
        out[SECTION_COUNT_AT..SECTION_COUNT_AT + 2].copy_from_slice(&count.to_le_bytes());
        Ok(())
    }

    fn last_loaded(&self) -> Result<&ProgramHeader> {
        let loaded = self.elf.program_headers.iter().filter(|segment| segment.p_type == PT_LOAD);
        loaded.max_by_key(|segment| segment.p_vaddr).ok_or_else(broken)
    }
}

fn broken() -> Error {
    Error::new("it is broken, or not linked as usual")
}

fn index(number: u64) -> Result<usize> {
    usize::try_from(number).map_err(|_| broken())
}

fn sum(one: u64, other: u64) -> Result<u64> {
    one.checked_add(other).ok_or_else(broken)
}

fn multiple(number: u64, of: u64) -> Result<u64> {
    number.checked_next_multiple_of(of).ok_or_else(broken)
}

fn range_of(offset: u64, size: u64) -> Result<Range<usize>> {
    Ok(index(offset)?..index(offset.checked_add(size).ok_or_else(broken)?)?)
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

fn set_number(bytes: &mut [u8], at: usize, number: u64) -> Result<()> {
    let place = at.checked_add(8).and_then(|end| bytes.get_mut(at..end)).ok_or_else(broken)?;
    place.copy_from_slice(&number.to_le_bytes());
    Ok(())
}
