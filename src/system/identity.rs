//! The identity of a file that decides an output: a program, a library, a tool.
//!
//! Programs are identified by their build id, which a linker computes from its output, and all other files by their
//! bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use goblin::elf::note::NT_GNU_BUILD_ID;
use goblin::elf::{Elf, ProgramHeader};

use crate::error::{Context as _, Result};

/// The part of a program that contains its headers and notes, in bytes.
const START: u64 = 16 << 10;

/// The shared libraries of LLVM in this process. Other programs of this offloadc use them, too.
pub fn shared_llvm() -> &'static BTreeSet<PathBuf> {
    static FOUND: OnceLock<BTreeSet<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let paths = maps.lines().filter_map(|line| Some(PathBuf::from(&line[line.find('/')?..])));
        paths.filter(|path| is_llvm(path)).collect()
    })
}

/// Whether a file is a shared library of LLVM, by its name.
pub fn is_llvm(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libLLVM"))
}

/// The identity of a program or library that runs. A link asks for it hundreds of times, and it is read once.
pub fn identity_of_running(path: &Path) -> Result<Vec<u8>> {
    static KNOWN: Mutex<BTreeMap<PathBuf, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(identity) = known.get(path) {
        return Ok(identity.clone());
    }
    let read = identity(path)?;
    let _ = known.insert(path.to_path_buf(), read.clone());
    Ok(read)
}

/// The program that compiles the jobs of archs: this one.
pub fn job_compiler() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find the path of this program")
}

/// The identity of a file: its build id, or all its bytes.
pub fn identity(path: &Path) -> Result<Vec<u8>> {
    let reading = || format!("cannot read `{}`", path.display());
    let mut start = Vec::new();
    let file = File::open(path).with_context(reading)?;
    let _ = file.take(START).read_to_end(&mut start).with_context(reading)?;
    match build_id(&start) {
        Some(id) => Ok(id),
        None => std::fs::read(path).with_context(reading),
    }
}

fn build_id(start: &[u8]) -> Option<Vec<u8>> {
    let header = Elf::parse_header(start).ok()?;
    let (offset, count) = (usize::try_from(header.e_phoff).ok()?, usize::from(header.e_phnum));
    let context = goblin::container::Ctx::new(header.container().ok()?, header.endianness().ok()?);
    let mut elf = Elf::lazy_parse(header).ok()?;
    elf.program_headers = ProgramHeader::parse(start, offset, count, context).ok()?;
    let mut notes = elf.iter_note_headers(start)?.filter_map(std::result::Result::ok);
    notes.find(|note| note.n_type == NT_GNU_BUILD_ID && note.name == "GNU").map(|note| note.desc.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_its_build_id_and_a_file_by_its_bytes() {
        let own = std::env::current_exe().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("copy");
        let _ = std::fs::copy(&own, &copy).unwrap();
        assert_eq!(identity(&copy).unwrap(), identity(&own).unwrap());
        std::fs::write(&copy, "other").unwrap();
        assert_eq!(identity(&copy).unwrap(), b"other");
        assert!(identity(&folder.path().join("none")).is_err());
    }
}
