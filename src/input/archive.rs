//! Archives (`.a`, `.rlib`): finds the member that defines a symbol, and reads only this member.
//!
//! The format is System V's `ar`, as GNU's and LLVM's tools write it. All lengths in the file are checked.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The first bytes of an archive.
pub const MAGIC: &[u8] = b"!<arch>\n";
/// The first bytes of a thin archive, which only contains the names of its members' files.
pub const THIN_MAGIC: &[u8] = b"!<thin>\n";

/// ```c
/// struct ar_hdr { char name[16], date[12], uid[6], gid[6], mode[8], size[10], fmag[2]; }; // ar.h; fmag is "`\n"
/// ```
const HEADER: usize = 60;

/// Whether a file starts with an archive's magic number.
pub fn is_one(path: &Path) -> bool {
    let mut magic = [0; 8];
    let read = File::open(path).and_then(|file| file.read_exact_at(&mut magic, 0));
    read.is_ok() && (magic == MAGIC || magic == THIN_MAGIC)
}

/// An open archive and its index of symbols.
#[derive(Debug)]
pub struct Archive {
    file: File,
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
        if magic != MAGIC {
            return Err(broken(if magic == THIN_MAGIC { "is a thin archive" } else { "is no archive" }));
        }
        let mut archive = Archive { file, offsets: Vec::new(), names: Vec::new() };
        if archive.file.metadata()?.len() > MAGIC.len() as u64 {
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
        self.file.read_exact_at(&mut header, offset)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let size: u64 = text(&header[48..58]).trim().parse().map_err(|_| broken("has a broken member"))?;
        if offset.saturating_add(size) > self.file.metadata()?.len() {
            return Err(truncated());
        }
        let mut bytes = vec![0; usize::try_from(size).map_err(|_| truncated())?];
        self.file.read_exact_at(&mut bytes, offset + HEADER as u64)?;
        Ok((text(&header[..16]), bytes))
    }
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
    fn lengths_are_not_trusted() {
        assert!(archive(&[255, 255, 255, 255, 0], "/").is_err());
        assert!(archive(&[0, 0], "/").is_err());
        assert_eq!(archive(b"rest", "member.o/").unwrap().symbols().count(), 0);
    }
}
