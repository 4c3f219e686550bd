//! Archives (`.a`, `.rlib`): finds the member that defines a symbol, and reads only this member. A shared library for
//! Rust programs has an archive of its crates' bitcode in a section.
//!
//! The format is System V's `ar`, as GNU's and LLVM's tools write it. All lengths in the file are checked.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use goblin::elf::Elf;
use goblin::elf::header::ELFMAG;

use crate::contract::symbols::BODIES_SECTION;

/// The first bytes of an archive.
pub const MAGIC: &[u8] = b"!<arch>\n";
/// The first bytes of a thin archive, which only contains the names of its members' files.
pub const THIN_MAGIC: &[u8] = b"!<thin>\n";

/// ```c
/// struct ar_hdr { char name[16], date[12], uid[6], gid[6], mode[8], size[10], fmag[2]; }; // ar.h; fmag is "`\n"
/// ```
const HEADER: usize = 60;

/// The member of a crate's library with rustc's metadata.
pub const METADATA: &str = "lib.rmeta";

/// Whether a file starts with an archive's magic number.
pub fn is_one(path: &Path) -> bool {
    first_bytes(path).is_ok_and(|magic| magic == MAGIC || magic == THIN_MAGIC)
}

/// Whether a file is an archive with the members in it.
pub fn has_members(path: &Path) -> bool {
    first_bytes(path).is_ok_and(|magic| magic == MAGIC)
}

fn first_bytes(path: &Path) -> Result<[u8; 8]> {
    let mut bytes = [0; 8];
    File::open(path)?.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// An open archive and its index of symbols.
#[derive(Debug)]
pub struct Archive {
    file: File,
    /// Where the archive is in the file.
    range: Range<u64>,
    /// The offset of each symbol's member, in the order of `names`.
    offsets: Vec<u64>,
    /// The symbols, each followed by a NUL.
    names: Vec<u8>,
}

impl Archive {
    /// Opens an archive and reads its index. An archive without an index defines nothing.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path)?;
        let mut magic = [0; 8];
        file.read_exact_at(&mut magic, 0)?;
        let mut range = 0..file.metadata()?.len();
        if magic.starts_with(ELFMAG) {
            range = bodies(&std::fs::read(path)?).ok_or_else(|| broken("has no bitcode of its crates"))?;
            file.read_exact_at(&mut magic, range.start)?;
        }
        if magic != MAGIC {
            return Err(broken(if magic == THIN_MAGIC { "is a thin archive" } else { "is no archive" }));
        }
        let mut archive = Archive { file, range, offsets: Vec::new(), names: Vec::new() };
        if archive.len() > MAGIC.len() as u64 {
            archive.read_index()?;
        }
        Ok(archive)
    }

    /// The index is the first member: a count, as many offsets, then the names. Numbers are big-endian, with 4 bytes in
    /// member `/` and 8 bytes in member `/SYM64/`.
    fn read_index(&mut self) -> Result<()> {
        let (name, index) = self.member_at(MAGIC.len() as u64)?;
        let width = match name.trim_end() {
            "/" => 4,
            "/SYM64/" => 8,
            _ => return Ok(()),
        };
        let number = |bytes: &[u8]| bytes.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let count = number(index.get(..width).ok_or_else(truncated)?);
        let end = usize::try_from(count).ok().and_then(|n| n.checked_add(1)?.checked_mul(width));
        let offsets = end.and_then(|end| index.get(width..end)).ok_or_else(truncated)?;
        self.offsets = offsets.chunks_exact(width).map(number).collect();
        self.names = index[width + offsets.len()..].to_vec();
        Ok(())
    }

    /// The symbols of the index in order, each with the offset of its member.
    pub fn symbols(&self) -> impl Iterator<Item = (&str, u64)> {
        let names = self.names.split(|byte| *byte == 0).map(|name| std::str::from_utf8(name).unwrap_or_default());
        names.zip(self.offsets.iter().copied())
    }

    /// The members that define one of `symbols`, which is sorted, in the order of the members.
    pub fn defined(&self, symbols: &[String]) -> BTreeMap<u64, Vec<String>> {
        let mut members: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (name, member) in self.symbols() {
            if symbols.binary_search_by(|symbol| symbol.as_str().cmp(name)).is_ok() {
                members.entry(member).or_default().push(name.to_owned());
            }
        }
        members
    }

    /// The bytes of the member at `offset`.
    pub fn member(&self, offset: u64) -> Result<Vec<u8>> {
        self.member_at(offset).map(|(_, bytes)| bytes)
    }

    fn member_at(&self, offset: u64) -> Result<(String, Vec<u8>)> {
        let mut header = [0; HEADER];
        let at = self.range.start.saturating_add(offset);
        self.file.read_exact_at(&mut header, at)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let size: u64 = text(&header[48..58]).trim().parse().map_err(|_| broken("has a broken member"))?;
        if offset.saturating_add(size) > self.len() {
            return Err(truncated());
        }
        let mut bytes = vec![0; usize::try_from(size).map_err(|_| truncated())?];
        self.file.read_exact_at(&mut bytes, at + HEADER as u64)?;
        Ok((text(&header[..16]), bytes))
    }

    /// Whether it is a section of a shared library.
    pub fn is_in_shared_library(&self) -> bool {
        self.range.start != 0
    }

    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// The names and bytes of all members of an archive; none if it is broken.
pub fn members(bytes: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let archive = goblin::archive::Archive::parse(bytes).ok()?;
    let member = |index| {
        let member = archive.get_at(index)?;
        let start = usize::try_from(member.offset).ok()?;
        Some((member.extended_name().to_owned(), bytes.get(start..start.checked_add(member.size())?)?))
    };
    (0..archive.len()).map(member).collect()
}

/// The archive in a shared library, as a range of its bytes; none if it has none.
pub fn bodies(library: &[u8]) -> Option<Range<u64>> {
    // Most libraries do not have the name.
    let _ = memchr::memmem::find(library, BODIES_SECTION.as_bytes())?;
    let elf = Elf::parse(library).ok().filter(|elf| elf.header.e_type == goblin::elf::header::ET_DYN)?;
    let is_own = |header: &&goblin::elf::SectionHeader| elf.shdr_strtab.get_at(header.sh_name) == Some(BODIES_SECTION);
    let range = elf.section_headers.iter().find(is_own)?.file_range()?;
    library.get(range.clone()).map(|_| range.start as u64..range.end as u64)
}

/// An archive of these members, each with the symbols that it defines.
pub fn archive(members: &[(Vec<String>, Vec<u8>)]) -> Vec<u8> {
    let padded = |size: usize| size.next_multiple_of(2);
    let symbols = || members.iter().flat_map(|(symbols, _)| symbols);
    let index_size = padded(8 + symbols().map(|symbol| 8 + symbol.len() + 1).sum::<usize>());
    let mut at = MAGIC.len() + HEADER + index_size;
    let mut index = (symbols().count() as u64).to_be_bytes().to_vec();
    for (symbols, bytes) in members {
        symbols.iter().for_each(|_| index.extend((at as u64).to_be_bytes()));
        at += HEADER + padded(bytes.len());
    }
    symbols().for_each(|symbol| index.extend([symbol.as_bytes(), &[0]].concat()));
    let mut archive = MAGIC.to_vec();
    let mut add = |name: &str, bytes: &[u8]| {
        archive.extend(format!("{name:16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, bytes.len()).bytes());
        archive.extend(bytes);
        archive.resize(padded(archive.len()), b'\n');
    };
    index.resize(index_size, 0);
    add("/SYM64/", &index);
    members.iter().enumerate().for_each(|(number, (_, bytes))| add(&format!("{number}.bc/"), bytes));
    archive
}

fn broken(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

fn truncated() -> Error {
    broken("is truncated")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(index: &[u8], name: &str) -> Result<Archive> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.a");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(format!("{name:16}{:32}{:<10}`\n", "", index.len()).bytes());
        bytes.extend(index);
        std::fs::write(&path, bytes).unwrap();
        Archive::open(&path)
    }

    #[test]
    fn finds_members_by_symbol() {
        let index = [&[0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 2, 0][..], b"one\0two\0"].concat();
        let narrow = archive(&index, "/").unwrap();
        assert_eq!(narrow.defined(&["three".into(), "two".into()]), [(512, vec!["two".to_owned()])].into());
        let index = [&[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0][..], b"far\0"].concat();
        let wide = archive(&index, "/SYM64/").unwrap();
        assert_eq!(wide.symbols().collect::<Vec<_>>(), [("far", 1 << 32)]);
        assert!(wide.member(1 << 32).is_err());
    }

    #[test]
    fn what_is_written_is_read() {
        let members =
            [(vec!["one".to_owned(), "two".to_owned()], b"odd".to_vec()), (vec!["three".to_owned()], vec![7])];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.a");
        std::fs::write(&path, super::archive(&members)).unwrap();
        let archive = Archive::open(&path).unwrap();
        for (symbols, bytes) in &members {
            let found = archive.defined(symbols);
            let ((offset, named), 1) = (found.first_key_value().unwrap(), found.len()) else { panic!("{found:?}") };
            assert_eq!((named, archive.member(*offset).unwrap()), (symbols, bytes.clone()));
        }
    }

    #[test]
    fn lengths_are_not_trusted() {
        assert!(archive(&[255, 255, 255, 255, 0], "/").is_err());
        assert!(archive(&[0, 0], "/").is_err());
        assert_eq!(archive(b"rest", "member.o/").unwrap().symbols().count(), 0);
    }
}
