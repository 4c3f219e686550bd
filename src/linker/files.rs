//! The files of a link: modules, libraries with modules, and files for the real linker only.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use goblin::elf::Elf;
use goblin::elf::header::ELFMAG;

pub(super) use super::native_code::NativeCode;
use super::native_code::contains_names;
use crate::contract::builtin::PREFIX;
use crate::diagnostics::Diagnostic;
use crate::error::{Context as _, Error, Result};
use crate::input::archive::{self, MAGIC, METADATA, members};
use crate::input::bitcode::is_module;
use crate::input::file::Input;
use crate::input::newer_llvm::{Caching, Reader};
use crate::input::sysroot::is_in_sysroot;
use crate::llvm::write_archive;

/// A file on the command line.
pub(super) enum File {
    /// An object that is a module.
    Module(Input),
    /// A library with modules among its members.
    Library(PathBuf, Vec<Member>),
    /// Machine code, a linker script, or an unreadable file, about which the real linker reports an error.
    Other(PathBuf),
    /// Machine code, of which the real linker gets the file itself.
    Native(PathBuf, NativeCode),
}

impl File {
    /// The machine code, and its file.
    pub(super) fn native(&self) -> Option<(&Path, &NativeCode)> {
        if let Self::Native(path, code) = self { Some((path, code)) } else { None }
    }
}

/// A member of a library, by name.
pub(super) enum Member {
    Module(String, Input),
    Object(String, Vec<u8>),
}

/// Reads a file if it contains modules. If kernels are only checked (`only_checks`), a library that names nothing of
/// the contract is a source of bodies, although it has modules.
pub(super) fn read(path: &Path, reader: &Reader, only_checks: bool) -> std::result::Result<File, Diagnostic> {
    let other = || Ok(File::Other(path.to_path_buf()));
    let Some((mut file, magic)) = first_bytes(path) else { return other() };
    let is_object = magic.starts_with(ELFMAG);
    if magic != MAGIC && !is_object && !is_module(&magic) {
        return other();
    }
    // rustc's own libraries name nothing of the contract, and to read them takes longer than the rest of a small link.
    if magic == MAGIC && is_in_sysroot(path) && has_no_module(&file) == Some(true) {
        return Ok(File::Native(path.to_path_buf(), NativeCode { is_crate: true, ..NativeCode::default() }));
    }
    if magic == MAGIC
        && let Some(native) = NativeCode::of_archive(&file)
    {
        return Ok(File::Native(path.to_path_buf(), native));
    }
    let mut bytes = magic.to_vec();
    let rest = file.read_to_end(&mut bytes).with_context(|| format!("cannot read `{}`", path.display()));
    let _ = rest.map_err(|error: Error| Diagnostic::from(&error))?;
    if is_module(&magic) {
        let input = Input::from_bytes(path, bytes, reader, Caching::No)?;
        // Files are read in parallel, and the answer is kept.
        let _ = input.names_contract();
        return Ok(File::Module(input));
    }
    let mut native = NativeCode::default();
    if is_object {
        // These names are no uses, see `without_contract`.
        if !is_exports(path) {
            native.add(&bytes);
        }
        native.is_crate = archive::bodies(&bytes).is_some();
        return Ok(File::Native(path.to_path_buf(), native));
    }
    // The file is not an archive. The real linker has a better error message.
    let Some(members) = members(&bytes) else { return other() };
    if members.iter().any(|(_, contents)| is_module(contents)) {
        if only_checks && !contains_names(&bytes) && !may_have_kernels(path) {
            return Ok(File::Native(path.to_path_buf(), NativeCode { is_crate: true, ..NativeCode::default() }));
        }
        let own = |(name, contents): &(String, &[u8])| {
            Ok(if is_module(contents) {
                Member::Module(name.clone(), Input::from_bytes(path, contents.to_vec(), reader, Caching::Yes)?)
            } else {
                Member::Object(name.clone(), contents.to_vec())
            })
        };
        let members = members.iter().map(own).collect::<std::result::Result<_, Diagnostic>>()?;
        return Ok(File::Library(path.to_path_buf(), members));
    }
    for (name, contents) in members {
        native.is_crate |= name == METADATA;
        native.add(contents);
    }
    Ok(File::Native(path.to_path_buf(), native))
}

/// Whether `offloadc-rustc` has left the mark of a library with kernels beside it.
fn may_have_kernels(library: &Path) -> bool {
    library.with_extension("offload").is_file()
}

/// Whether no member of an archive is a module, by the first bytes of each member. None if the archive is broken, or
/// has names in front of its members.
fn has_no_module(archive: &fs::File) -> Option<bool> {
    const HEADER: usize = 60;
    let (length, mut at) = (archive.metadata().ok()?.len(), MAGIC.len() as u64);
    while at < length {
        let mut start = [0; HEADER + MAGIC.len()];
        let count = archive.read_at(&mut start, at).ok()?;
        let (header, contents) = start.get(..count)?.split_at_checked(HEADER)?;
        if !header.ends_with(b"`\n") || header.starts_with(b"#1/") {
            return None;
        }
        if is_module(contents) {
            return Some(false);
        }
        let size: u64 = std::str::from_utf8(header.get(48..58)?).ok()?.trim_end().parse().ok()?;
        at = at.checked_add(HEADER as u64)?.checked_add(size)?.checked_next_multiple_of(2)?;
    }
    Some(true)
}

/// The machine code in a file: an object's, or that of an archive's members.
pub(super) fn native_code(path: &Path) -> NativeCode {
    let mut code = NativeCode::default();
    let Some((mut file, magic)) = first_bytes(path) else { return code };
    if magic != MAGIC && !magic.starts_with(ELFMAG) {
        return code;
    }
    let mut bytes = magic.to_vec();
    // The linker reports files that cannot be read.
    if file.read_to_end(&mut bytes).is_err() {
        return code;
    }
    match members(&bytes) {
        Some(members) => members.into_iter().for_each(|(name, contents)| {
            code.is_crate |= name == METADATA;
            code.add(contents);
        }),
        None => {
            code.is_crate = archive::bodies(&bytes).is_some();
            code.add(&bytes);
        }
    }
    code
}

/// Whether a file is rustc's list of exports, whose names are no uses.
pub(super) fn is_exports(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == EXPORTS)
}

/// Opens a file and reads its first bytes, as many as an archive's magic number has; none if it is not a file.
fn first_bytes(path: &Path) -> Option<(fs::File, [u8; 8])> {
    let (mut file, mut magic) = (fs::File::open(path).ok()?, [0; 8]);
    file.read_exact(&mut magic).ok()?;
    Some((file, magic))
}

/// rustc's name for the object that lists the exports of a shared library.
const EXPORTS: &str = "symbols.o";

/// If `path` is such an object, returns it with weak references to the contract's names. The stand-ins for the
/// contract's builtins do not exist after this link, and strong references to them would make later links with the
/// library fail.
///
/// ```c
/// struct Elf64_Sym { uint32_t st_name; uint8_t st_info, st_other; uint16_t st_shndx; uint64_t st_value, st_size; };
/// ```
pub(super) fn without_contract(path: &Path) -> Option<Vec<u8>> {
    let bytes = path.file_name().filter(|name| *name == EXPORTS).and_then(|_| fs::read(path).ok())?;
    let elf = Elf::parse(&bytes).ok()?;
    let table =
        elf.section_headers.iter().find(|section| section.sh_type == goblin::elf::section_header::SHT_SYMTAB)?;
    let (start, size) = (usize::try_from(table.sh_offset).ok()?, usize::try_from(table.sh_entsize).ok()?);
    let named = |symbol: &goblin::elf::Sym| elf.strtab.get_at(symbol.st_name).is_some_and(|n| n.starts_with(PREFIX));
    let ours = |(_, symbol): &(usize, goblin::elf::Sym)| symbol.st_shndx == 0 && named(symbol);
    let places: Vec<_> = elf.syms.iter().enumerate().filter(ours).map(|(number, s)| (number, s.st_type())).collect();
    let mut weak = bytes.clone();
    for (number, kind) in &places {
        let place = number.checked_mul(size)?.checked_add(start)?.checked_add(4)?;
        *weak.get_mut(place)? = goblin::elf::sym::STB_WEAK << 4 | kind;
    }
    (!places.is_empty()).then_some(weak)
}

/// An archive of the members, without rustc's metadata.
pub(super) fn library<'a>(members: impl Iterator<Item = Result<(String, &'a [u8])>>) -> Result<Vec<u8>> {
    let members: Vec<_> = members.filter(|m| !matches!(m, Ok((name, _)) if name == METADATA)).collect::<Result<_>>()?;
    write_archive(&members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_among_members_is_seen_by_its_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.rlib");
        let has_none = |members: &[(&str, &[u8])]| {
            let members: Vec<_> = members.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
            std::fs::write(&path, write_archive(&members).unwrap()).unwrap();
            has_no_module(&fs::File::open(&path).unwrap())
        };
        let long = "a_name_that_is_longer_than_sixteen_bytes.o";
        assert_eq!(has_none(&[("a.o", b"odd"), (long, b"code")]), Some(true));
        assert_eq!(has_none(&[("a.o", b"odd"), (long, b"BC\xc0\xde....")]), Some(false));
        std::fs::write(&path, "!<arch>\nno header").unwrap();
        assert_eq!(has_no_module(&fs::File::open(&path).unwrap()), None);
    }
}
