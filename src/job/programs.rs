//! The programs and libraries that a job needs from the system: LLVM's linker, NVIDIA's assembler, a newer LLVM, and a
//! distributor.

use std::path::{Path, PathBuf};

use crate::cli::options::{MessageFormat, Options};
use crate::distribution::Distributor;
use crate::input::newer_llvm::{Reader, Toolchain};
use crate::system::installation::places;
use crate::system::tool::{Echo, Tools, in_path};

/// Converted modules are stored in the folder that the environment names. `cargo offloadc` names one within the target
/// folder.
pub(super) fn reader(options: &Options) -> Reader {
    let echo = options.verbose || options.dry_run;
    let toolchain = Toolchain { library: options.rustc_llvm.clone(), sysroot: options.sysroot.clone(), echo };
    let cache = std::env::var_os("OFFLOADC_CACHE_DIR").filter(|folder| !folder.is_empty());
    Reader::new(toolchain, cache.map(|folder| Path::new(&folder).join("converted")))
}

/// The tools that the options name, or that are found.
pub(super) fn tools(options: &Options) -> Tools {
    let echo = match (options.dry_run, options.verbose) {
        (true, _) => Echo::Only,
        (false, true) => Echo::Say,
        (false, false) => Echo::Quiet,
    };
    Tools::new(find_lld(options.lld.as_deref()), options.ptxas.clone().map(found)).with_echo(echo)
}

/// The distributor that the options name, for a build with this output.
pub(super) fn distributor(options: &Options, output: PathBuf) -> Option<Distributor> {
    Some(Distributor {
        program: options.distribution.distributor.clone()?,
        arguments: options.distribution.distributor_arg.clone(),
        lld: options.lld.clone(),
        json: options.message_format == MessageFormat::Json,
        output,
    })
}

/// The file of a program whose name stands alone, as the system would find it. The outputs depend on this file.
fn found(program: PathBuf) -> PathBuf {
    let name = program.to_str().filter(|name| !name.contains('/'));
    name.and_then(in_path).unwrap_or(program)
}

/// LLVM's linker: the one that an option names, or the first one found. If none is found, the place beside LLVM, so
/// that running it fails with that place.
pub fn find_lld(option: Option<&Path>) -> PathBuf {
    let asked = option.map(Path::to_path_buf).or_else(|| std::env::var_os("OFFLOADC_LLD").map(PathBuf::from));
    asked.map(found).unwrap_or_else(|| {
        let major = env!("OFFLOADC_LLVM_VERSION").split('.').next().unwrap_or_default();
        let beside_llvm = Path::new(env!("OFFLOADC_LLVM_PREFIX")).join("bin/ld.lld");
        let own = own_lld().or_else(|| in_path(&format!("ld.lld-{major}")));
        own.or_else(|| in_path("ld.lld")).unwrap_or(beside_llvm)
    })
}

/// The linker in the archive of offloadc.
fn own_lld() -> Option<PathBuf> {
    // The file is a link to `offloadc`, which must see this name.
    let folders = places("lib/offloadc", None).into_iter().filter_map(|folder| folder.canonicalize().ok());
    folders.map(|folder| folder.join("ld.lld")).find(|lld| lld.is_file())
}
