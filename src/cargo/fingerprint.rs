//! The files that determine a link's output in addition to flags and inputs, as one number: offloadc itself, its LLVM,
//! the runtime's library, and the tools and math libraries that options or the environment select. Cargo compares
//! flags, so this number is one of them.
//!
//! Programs are identified by their build id, which a linker computes from its output, and all other files by their
//! bytes.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use goblin::elf::note::NT_GNU_BUILD_ID;
use goblin::elf::{Elf, ProgramHeader};

use crate::error::{Context as _, Failure, Result};
use crate::job::UsageError;
use crate::linker::{Link, NoLink};
use crate::stages::runtime_library;
use crate::targets::MathLibrary;

/// The part of a program that contains its headers and notes, in bytes.
const START: u64 = 16 << 10;

/// The fingerprint of links by `linker` with these options. Wrong options are reported at once.
pub(super) fn fingerprint(linker: &Path, options: &[String]) -> Result<u64, Failure<UsageError>> {
    let link = Link::new(options.iter().map(OsString::from).collect()).map_err(refused)?;
    let mut hash = DefaultHasher::new();
    for file in files(linker, &link) {
        // A missing file does not influence the output, or is reported where it is needed.
        let identity = identity(&file).unwrap_or_default();
        hash.write_usize(identity.len());
        hash.write(&identity);
    }
    hash.write(link.real_linker().as_encoded_bytes());
    Ok(hash.finish())
}

pub(super) fn refused(no_link: NoLink) -> Failure<UsageError> {
    Failure::Reason(match no_link {
        NoLink::Options(end) => UsageError::new(end.text.trim_start_matches("error: ").trim_end()),
        NoLink::Usage(error) => error,
    })
}

/// The files; their number and order are always the same.
fn files(linker: &Path, link: &Link) -> Vec<PathBuf> {
    let job = &link.job;
    let runtime = runtime_library::runtime_words(job.runtime).unwrap_or_default();
    let mut files = vec![linker.to_path_buf(), runtime.first().map(PathBuf::from).unwrap_or_default()];
    // It converts modules of a newer LLVM.
    files.push(linker.with_file_name("offloadc-dis"));
    // It leaves crates as bitcode.
    files.push(linker.with_file_name("offloadc-rustc"));
    files.extend([job.tools.lld.clone(), job.tools.ptxas.clone().unwrap_or_default()]);
    for arch in job.archs.iter().filter(|_| job.math.library == MathLibrary::Vendor) {
        files.push(arch.target.vendor_math(&arch.options).unwrap_or_default());
    }
    files.extend(shared_llvm());
    files
}

/// The shared libraries of LLVM in this process, which the linker uses, too.
fn shared_llvm() -> BTreeSet<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| Some(PathBuf::from(&line[line.find('/')?..])));
    paths.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libLLVM"))).collect()
}

/// The identity of a file: its build id, or all its bytes.
fn identity(path: &Path) -> Result<Vec<u8>> {
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

    #[test]
    fn what_decides_the_output_decides_the_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let linker = folder.path().join("ld");
        let of = |bytes: &str, options: &[&str]| {
            std::fs::write(&linker, bytes).unwrap();
            let options: Vec<_> =
                ["--offloadc=--runtime=none"].iter().chain(options).map(|o| (*o).to_owned()).collect();
            fingerprint(&linker, &options)
        };
        let first = of("one", &[]).unwrap();
        assert_eq!(of("one", &[]).unwrap(), first);
        assert_ne!(of("two", &[]).unwrap(), first);
        assert_ne!(of("one", &["--offload-linker=clang"]).unwrap(), first);
        let unknown = of("one", &["--offload-arch=none-such"]);
        assert!(matches!(unknown, Err(Failure::Reason(error)) if error.message.contains("unknown arch")));
        assert!(of("one", &["--offloadc=--none-such"]).is_err());
        assert!(shared_llvm().len() <= 1);
    }
}
