//! Machine code in the files of a link: the names of the device contract and of the runtime in it.
//!
//! The machine code of a debug build is hundreds of megabytes, most of which is debug information. Of an archive, only
//! the names of symbols are read.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

use goblin::elf::Elf;
use goblin::elf::header::ELFMAG;

use crate::contract::abi::RUNTIME_PREFIX;
use crate::contract::builtin::PREFIX;
use crate::input::archive::{MAGIC, METADATA};
use crate::input::bitcode::is_module;

/// The header of an archive's member.
const HEADER: usize = 60;
/// The header of an object.
const OBJECT_HEADER: usize = 64;

/// The relevant facts about a file of machine code.
#[derive(Default)]
pub(super) struct NativeCode {
    /// Whether it is a crate's library, which may have bitcode beside its machine code: an archive, or a shared library
    /// with the bitcode of its crates.
    pub(super) is_crate: bool,
    /// The names of the device contract that it defines, and those that it only uses.
    pub(super) defined: BTreeSet<String>,
    pub(super) used: BTreeSet<String>,
    /// The functions of the runtime that it uses.
    pub(super) runtime: BTreeSet<String>,
}

impl NativeCode {
    /// That of an object.
    pub(super) fn of_object(object: &[u8]) -> Self {
        let mut this = Self::default();
        this.add(object);
        this
    }

    /// That of an archive, of which only the tables of symbols are read. None if it has modules, or if it must be read
    /// as a whole.
    pub(super) fn of_archive(archive: &File) -> Option<Self> {
        let (length, mut at) = (archive.metadata().ok()?.len(), MAGIC.len() as u64);
        let mut this = Self::default();
        let mut names = Vec::new();
        while at < length {
            let mut start = [0; HEADER + OBJECT_HEADER];
            let count = read_some_at(archive, &mut start, at)?;
            let (header, contents) = start.get(..count)?.split_at_checked(HEADER)?;
            if !header.ends_with(b"`\n") || header.starts_with(b"#1/") {
                return None;
            }
            let size: u64 = std::str::from_utf8(header.get(48..58)?).ok()?.trim_end().parse().ok()?;
            let contents = &contents[..contents.len().min(usize::try_from(size).ok()?)];
            if is_module(contents) {
                return None;
            }
            at += HEADER as u64;
            this.is_crate |= header.starts_with(METADATA.as_bytes()) && header[METADATA.len()] == b'/';
            if contents.starts_with(ELFMAG) {
                let member = Part { file: archive, start: at, size };
                member.read_names(contents, &mut names)?;
                if contains_names(&names) {
                    let mut object = Vec::new();
                    member.read(0, size, &mut object)?;
                    this.add(&object);
                }
            }
            at = at.checked_add(size)?.checked_next_multiple_of(2)?;
        }
        Some(this)
    }

    /// Adds an object's symbols. Shared libraries have been linked already, and other bytes are the real linker's.
    pub(super) fn add(&mut self, object: &[u8]) {
        if !object.starts_with(ELFMAG) || !contains_names(object) {
            return;
        }
        let Ok(elf) = Elf::parse(object) else { return };
        let is_object = elf.header.e_type == goblin::elf::header::ET_REL;
        for symbol in elf.syms.iter().filter(|symbol| is_object && symbol.st_bind() == goblin::elf::sym::STB_GLOBAL) {
            let Some(name) = elf.strtab.get_at(symbol.st_name) else { continue };
            let names = match symbol.st_shndx == 0 {
                true if name.starts_with(RUNTIME_PREFIX) => &mut self.runtime,
                true => &mut self.used,
                false => &mut self.defined,
            };
            if name.starts_with(PREFIX) || name.starts_with(RUNTIME_PREFIX) {
                let _ = names.insert(name.to_owned());
            }
        }
    }
}

/// Whether an object contains names of the contract or the runtime, defined or undefined.
pub(super) fn contains_names(bytes: &[u8]) -> bool {
    [PREFIX, RUNTIME_PREFIX].iter().any(|prefix| memchr::memmem::find(bytes, prefix.as_bytes()).is_some())
}

/// A part of a file.
struct Part<'a> {
    file: &'a File,
    start: u64,
    size: u64,
}

impl Part<'_> {
    /// Reads a range of the part; none if there is no such range.
    fn read(&self, offset: u64, size: u64, to: &mut Vec<u8>) -> Option<()> {
        let _ = offset.checked_add(size).filter(|end| *end <= self.size)?;
        to.resize(usize::try_from(size).ok()?, 0);
        self.file.read_exact_at(to, self.start.checked_add(offset)?).ok()
    }

    /// Reads the names of the symbols of the object that this is, and that has this header. None if it is no object for
    /// a machine of 64 bits, little-endian, or has a form that few objects have.
    ///
    /// ```c
    /// struct Elf64_Ehdr { …; uint64_t e_shoff /* at 40 */; …; uint16_t e_shentsize /* 58 */, e_shnum, e_shstrndx; };
    /// struct Elf64_Shdr { uint32_t sh_name, sh_type; uint64_t sh_flags, sh_addr, sh_offset, sh_size;
    ///                     uint32_t sh_link, sh_info; uint64_t sh_addralign, sh_entsize; };
    /// ```
    fn read_names(&self, header: &[u8], names: &mut Vec<u8>) -> Option<()> {
        const SECTION: usize = 64;
        const SYMBOLS: u64 = 2;
        names.clear();
        if !header.get(4..6)?.eq(&[2, 1]) || number(header, 58, 2)? != SECTION as u64 {
            return None;
        }
        let (offset, count) = (number(header, 40, 8)?, number(header, 60, 2)?);
        let mut sections = Vec::new();
        // Where there are more sections than the field can tell, it has 0.
        self.read(offset, count.checked_mul(SECTION as u64).filter(|size| *size != 0)?, &mut sections)?;
        let mut table = sections.chunks_exact(SECTION);
        let Some(symbols) = table.find(|section| number(section, 4, 4) == Some(SYMBOLS)) else { return Some(()) };
        let link = usize::try_from(number(symbols, 40, 4)?).ok()?;
        let texts = sections.chunks_exact(SECTION).nth(link)?;
        self.read(number(texts, 24, 8)?, number(texts, 32, 8)?, names)
    }
}

/// A little-endian number of `width` bytes.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// Reads as many bytes as there are.
fn read_some_at(file: &File, to: &mut [u8], at: u64) -> Option<usize> {
    let mut count = 0;
    while count < to.len() {
        match file.read_at(&mut to[count..], at + count as u64).ok()? {
            0 => break,
            more => count += more,
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::write_archive;

    /// An object with a table of symbols that has this name, undefined.
    fn object(name: &str) -> Vec<u8> {
        let mut object = vec![0; OBJECT_HEADER];
        object[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        object[16] = 1;
        object[20] = 1;
        let texts = [&[0], name.as_bytes(), &[0]].concat();
        let symbols = [vec![0; 24], [&[1, 0, 0, 0, 0x10][..], &[0; 19]].concat()].concat();
        let (at_symbols, at_texts) = (object.len(), object.len() + symbols.len());
        object.extend([&symbols[..], &texts].concat());
        object.resize(object.len().next_multiple_of(8), 0);
        let at_sections = object.len() as u64;
        let section = |kind: u32, at: usize, size: usize, link: u32| {
            let [at, size] = [at, size].map(|number| (number as u64).to_le_bytes());
            let entry = if kind == 2 { 24u64 } else { 0 }.to_le_bytes();
            let words = [&[0; 4][..], &kind.to_le_bytes(), &[0; 16], &at, &size, &link.to_le_bytes(), &[0; 4]].concat();
            [&words[..], &1u64.to_le_bytes(), &entry].concat()
        };
        object.extend(section(0, 0, 0, 0));
        object.extend(section(3, at_texts, texts.len(), 0));
        object.extend(section(2, at_symbols, symbols.len(), 1));
        object[40..48].copy_from_slice(&at_sections.to_le_bytes());
        object[52] = OBJECT_HEADER as u8;
        object[58..64].copy_from_slice(&[64, 0, 3, 0, 1, 0]);
        object
    }

    fn of_members(members: &[(&str, Vec<u8>)]) -> Option<NativeCode> {
        let members: Vec<_> = members.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.clone())).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), write_archive(&members).unwrap()).unwrap();
        NativeCode::of_archive(file.as_file())
    }

    #[test]
    fn the_names_of_an_archive_are_those_of_its_objects() {
        let [ours, other] = [object("__offload_thread_id_x"), object("main")];
        assert_eq!(NativeCode::of_object(&ours).used.len(), 1);
        let text = b"__offload_thread_id_x is no symbol here".to_vec();
        let long = "a_name_that_is_longer_than_sixteen_bytes.o";
        let code = of_members(&[("a.o", other.clone()), (long, ours.clone()), ("b.txt", text.clone())]).unwrap();
        assert_eq!(code.used, BTreeSet::from(["__offload_thread_id_x".to_owned()]));
        assert!(!code.is_crate && code.defined.is_empty() && code.runtime.is_empty());
        let code = of_members(&[(METADATA, object("rust_metadata")), ("a.o", [other, text].concat())]).unwrap();
        assert!(code.is_crate && code.used.is_empty());
        assert!(of_members(&[("a.o", ours.clone()), ("b.o", b"BC\xc0\xde....".to_vec())]).is_none());
    }

    #[test]
    fn damaged_archives_are_read_as_a_whole_or_not_at_all() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let whole = write_archive(&[("a.o".to_owned(), object("offloadrt_x"))]).unwrap();
        for at in 8..whole.len() {
            for bytes in [whole[..at].to_vec(), [&whole[..at], &[0xff], &whole[at + 1..]].concat()] {
                std::fs::write(file.path(), bytes).unwrap();
                let _either = NativeCode::of_archive(file.as_file());
            }
        }
        std::fs::write(file.path(), &whole).unwrap();
        assert_eq!(NativeCode::of_archive(file.as_file()).map(|code| code.runtime.len()), Some(1));
    }
}
