//! The files that determine a link's output in addition to flags and inputs, as one number: offloadc itself, its LLVM,
//! the runtime's library, the tools and math libraries that options or the environment select, and the files that
//! options add to device code. Cargo compares flags, so this number is one of them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::kernel_crates::{self, CHECK};
use crate::bundle::Runtime;
use crate::contract::platform::Platform;
use crate::diagnostics::nearest::in_a_sentence;
use crate::error::Failure;
use crate::job::{UsageError, find_lld};
use crate::linker::{Link, NoLink, default_linker, report};
use crate::stages::runtime_library;
use crate::system::identity::{identity, is_llvm, shared_llvm};
use crate::system::installation::HOME;
use crate::targets::{GENERIC, MathLibrary, PORTABLE};

/// The fingerprint of links by `linker` with these options. Wrong options are reported at once.
pub(super) fn fingerprint(linker: &Path, options: &[String], platform: Platform) -> Result<u64, Failure<UsageError>> {
    let link = Link::new(options.iter().map(OsString::from).collect()).map_err(refused)?;
    Ok(hash(&files(linker, &link, platform), link.real_linker()))
}

fn hash(files: &[PathBuf], real_linker: &OsStr) -> u64 {
    let mut hash = DefaultHasher::new();
    for file in files {
        // A missing file does not influence the output, or is reported where it is needed.
        let identity = identity(file).unwrap_or_default();
        hash.write_usize(identity.len());
        hash.write(&identity);
    }
    hash.write(real_linker.as_encoded_bytes());
    hash.finish()
}

/// The files that links by a linker depend on, if the options and the environment name only archs that any LLVM has.
pub(super) struct Known {
    linker: PathBuf,
    llvm: BTreeSet<PathBuf>,
}

/// The archs that need not be looked up, and the variables that change nothing else.
const ARCHS: [&str; 3] = ["cpu", GENERIC, PORTABLE];
const VARIABLES: [&str; 11] = [
    kernel_crates::REPORT,
    kernel_crates::SHOWN,
    report::VERBOSE,
    HOME,
    "OFFLOADC_CACHE_DIR",
    "OFFLOADC_NO_CACHE",
    "OFFLOADC_LINKER",
    "OFFLOADC_LLD",
    "OFFLOADC_RUSTC_WRAPPER",
    "OFFLOADC_RUSTC_SAID",
    "OFFLOADC_PATIENCE",
];

/// The files that links by `linker` with these options depend on. None if finding them needs LLVM, or the parser of the
/// whole command line.
pub(super) fn known(linker: &Path, options: &[String]) -> Option<Known> {
    let is_known = |name: &OsStr| VARIABLES.iter().any(|known| name == *known);
    let is_plain = |name: &OsStr| !name.as_encoded_bytes().starts_with(b"OFFLOADC_") || is_known(name);
    let are_plain = std::env::vars_os().all(|(name, _)| is_plain(&name));
    let is_simple = |option: &String| match option.split_once('=') {
        Some(("--offload-arch", list)) => list.split(',').all(|arch| ARCHS.contains(&arch)),
        Some(("--offload-linker", _)) => true,
        Some(_) => false,
        None => option == CHECK,
    };
    if !are_plain || !options.iter().all(is_simple) {
        return None;
    }
    Some(Known { linker: linker.to_path_buf(), llvm: llvm_of(&linker.with_file_name("offloadc"))? })
}

impl Known {
    /// The fingerprint, which is that of [`fingerprint`].
    pub(super) fn fingerprint(&self, options: &[String], platform: Platform) -> Result<u64, Failure<UsageError>> {
        let named = options.iter().rev().find_map(|option| option.strip_prefix("--offload-linker="));
        let real_linker = named.map_or_else(default_linker, OsString::from);
        let tools = (find_lld(None), None);
        let more = self.llvm.iter().cloned();
        let files: Vec<_> = common(&self.linker, Runtime::Offloadrt, tools, platform).into_iter().chain(more).collect();
        Ok(hash(&files, &real_linker))
    }
}

/// The shared libraries of LLVM with which a program would start now: none if LLVM is a part of it. The loader lists
/// them, and does not run the program.
fn llvm_of(program: &Path) -> Option<BTreeSet<PathBuf>> {
    let listed = Command::new(program).env("LD_TRACE_LOADED_OBJECTS", "1").stdin(Stdio::null()).output().ok()?;
    let listed = String::from_utf8(listed.stdout).ok().filter(|_| listed.status.success())?;
    // `	libLLVM.so.22.1 => /lib/x86_64-linux-gnu/libLLVM.so.22.1 (0x00007f…)`
    // A program without any library is not one of ours.
    let _ = listed.lines().next()?;
    let paths = listed.lines().filter_map(|line| Some(line.split_once(" => ")?.1.rsplit_once(" (")?.0));
    Some(paths.map(PathBuf::from).filter(|path| is_llvm(path)).collect())
}

pub(super) fn refused(no_link: NoLink) -> Failure<UsageError> {
    let end = match no_link {
        NoLink::Options(end) => end,
        NoLink::Usage(error) => return Failure::Reason(error),
    };
    // clap's hints are about the command line of `offloadc`, which the user has not typed.
    let (text, near) = match end.unknown {
        Some((name, near)) => (format!("offloadc has no option `{name}`"), near),
        None => {
            let text = end.text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
            (text.trim_end().replace('\'', "`"), Vec::new())
        }
    };
    let error = in_a_sentence(&near).into_iter().fold(UsageError::new(text), UsageError::help);
    Failure::Reason(error.help("`offloadc --help` lists the options of `--offloadc=OPTION`"))
}

/// The files; their number and order are always the same.
fn files(linker: &Path, link: &Link, platform: Platform) -> Vec<PathBuf> {
    let job = &link.job;
    let mut files = common(linker, job.runtime, (job.tools.lld.clone(), job.tools.ptxas.clone()), platform);
    for arch in job.archs.iter().filter(|_| job.math.library == MathLibrary::Vendor) {
        files.push(arch.target.vendor_math(&arch.options).unwrap_or_default());
    }
    files.extend(job.device_bitcode.iter().map(|file| file.path.clone()));
    files.extend(job.pass_plugins.iter().map(|plugin| plugin.path.clone()));
    files.extend(shared_llvm().iter().cloned());
    files
}

/// The files of every link: the linker, the runtime, the programs beside the linker, and the tools.
fn common(
    linker: &Path,
    runtime: Runtime,
    (lld, ptxas): (PathBuf, Option<PathBuf>),
    platform: Platform,
) -> Vec<PathBuf> {
    let runtime = runtime_library::installed(runtime, platform).unwrap_or_default();
    // `offloadc-dis` loads the LLVM of rustc, `offloadc-rustc` leaves crates as bitcode, and `offloadc` does jobs.
    let [converter, wrapper, compiler] =
        ["offloadc-dis", "offloadc-rustc", "offloadc"].map(|name| linker.with_file_name(name));
    vec![linker.to_path_buf(), runtime, converter, wrapper, compiler, lld, ptxas.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_the_output_decides_the_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let linker = folder.path().join("ld");
        let of = |bytes: &str, options: &[&str]| {
            std::fs::write(&linker, bytes).unwrap();
            let options: Vec<_> =
                ["--offloadc=--runtime=none"].iter().chain(options).map(|o| (*o).to_owned()).collect();
            fingerprint(&linker, &options, Platform::default())
        };
        let first = of("one", &[]).unwrap();
        assert_eq!(of("one", &[]).unwrap(), first);
        assert_ne!(of("two", &[]).unwrap(), first);
        assert_ne!(of("one", &["--offload-linker=clang"]).unwrap(), first);
        for beside in ["offloadc", "offloadc-dis", "offloadc-rustc"] {
            std::fs::write(folder.path().join(beside), "other").unwrap();
            assert_ne!(of("one", &[]).unwrap(), first, "{beside}");
            std::fs::remove_file(folder.path().join(beside)).unwrap();
        }
        let unknown = of("one", &["--offload-arch=none-such"]);
        assert!(matches!(unknown, Err(Failure::Reason(error)) if error.message.contains("unknown arch")));
        assert!(of("one", &["--offloadc=--none-such"]).is_err());
        assert!(shared_llvm().len() <= 1);
    }
}
