//! The static library of the runtime that a program is linked with.
//!
//! A library of another version cannot read the objects that this compiler makes, so the first launch would fail. The
//! versions are therefore compared before the link. The library's is part of a symbol's name, and the index of the
//! archive has the names of all symbols.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::bundle::Runtime;
use crate::contract::abi::{INTERFACE_SYMBOL, INTERFACE_VERSION};
use crate::contract::platform::Platform;
use crate::error::{Context as _, Error, Result};
use crate::input::archive::Archive;
use crate::job::{carried_runtime, is_named, own_platform, runtime_folders};
use crate::system::installation::{HOME, is_usable};

/// The linker's arguments for the runtime's library, whose version is this compiler's.
pub fn runtime_words(runtime: Runtime, platform: Platform) -> Result<Vec<OsString>> {
    let Some(path) = archive(runtime, platform)? else { return Ok(Vec::new()) };
    let mut words = vec![path.into()];
    if let Some(own) = llvm_library(runtime) {
        let lib = Path::new(env!("OFFLOADC_LLVM_PREFIX")).join("lib");
        words.extend([
            format!("-L{}", lib.display()).into(),
            format!("-l{own}").into(),
            format!("-Wl,-rpath,{}", lib.display()).into(),
        ]);
    }
    Ok(words)
}

/// The runtime's library, whose version is this compiler's. If none is installed, `offloadc` compiles the one that it
/// carries.
pub fn archive(runtime: Runtime, platform: Platform) -> Result<Option<PathBuf>> {
    let Some(name) = library(runtime) else { return Ok(None) };
    let file = format!("lib{name}.a");
    let mut folder = installed_folder(&file, platform);
    if folder.is_none() && runtime == Runtime::Offloadrt && !is_named() {
        folder = carried_runtime::folder(platform)?;
    }
    let path = folder.ok_or_else(|| missing(&file, platform))?.join(file);
    check_version(&path)?;
    Ok(Some(path))
}

/// The runtime's library, if it is installed. One that `offloadc` compiles is decided by `offloadc` itself.
pub fn installed(runtime: Runtime, platform: Platform) -> Option<PathBuf> {
    let file = format!("lib{}.a", library(runtime)?);
    Some(installed_folder(&file, platform)?.join(file))
}

/// The name of the runtime's library.
fn library(runtime: Runtime) -> Option<&'static str> {
    match runtime {
        Runtime::None | Runtime::Cuda | Runtime::Hip | Runtime::Mgpu => None,
        Runtime::Offloadrt => Some("offloadrt"),
        Runtime::Omptarget => Some("offloadrt-omptarget"),
        Runtime::Liboffload => Some("offloadrt-liboffload"),
    }
}

/// The name of LLVM's library that the runtime's library calls.
fn llvm_library(runtime: Runtime) -> Option<&'static str> {
    match runtime {
        Runtime::Omptarget => Some("omptarget"),
        Runtime::Liboffload => Some("LLVMOffload"),
        _ => None,
    }
}

/// The system libraries that a runtime calls. They are repeated after the runtime: a program that links the standard
/// library dynamically does not name even the C library, and in a static link the C library is before the code that
/// calls the runtime.
pub fn system_words(runtime: &[OsString], is_static: bool) -> &'static [&'static str] {
    const STATIC: &[&str] =
        &["-Wl,-Bstatic", "-lpthread", "-ldl", "-Wl,--start-group", "-lc", "-lgcc", "-lgcc_eh", "-Wl,--end-group"];
    match runtime {
        [] => &[],
        _ if is_static => STATIC,
        _ => &["-lpthread", "-ldl", "-lc"],
    }
}

/// The compiler driver that links programs of a platform, if this machine is of another one.
pub fn cross_linker(platform: Platform) -> Option<String> {
    (Some(platform) != own_platform()).then(|| format!("{}-gcc", platform.multiarch()))
}

/// The folder in which the runtime's static library is installed.
fn installed_folder(file: &str, platform: Platform) -> Option<PathBuf> {
    let is_there = |path: PathBuf| if is_named() { path.is_file() } else { is_usable(&path) };
    let found = runtime_folders(platform).into_iter().find(|folder| is_there(folder.join(file)))?;
    Some(found.canonicalize().unwrap_or(found))
}

fn missing(file: &str, platform: Platform) -> Error {
    let tried: Vec<_> = runtime_folders(platform).iter().map(|c| format!("`{}`", c.display())).collect();
    Error::new(format!(
        "cannot find the runtime's `{file}` for {} in {}; build it with `make {}`, or set `{HOME}` to the folder of an \
         unpacked archive of offloadc",
        platform.name(),
        tried.join(", "),
        if Some(platform) == own_platform() { "runtime" } else { "runtime-aarch64" }
    ))
}

/// Refuses a library of another version.
fn check_version(library: &Path) -> Result<()> {
    let archive = Archive::open(library).with_context(|| format!("cannot read `{}`", library.display()))?;
    let version = archive.symbols().find_map(|(name, _)| name.strip_prefix(INTERFACE_SYMBOL)?.parse::<u32>().ok());
    if version == Some(INTERFACE_VERSION) {
        return Ok(());
    }
    let theirs = match version {
        Some(version) => format!("has version {version} of the interface to the runtime"),
        None => "does not say its version of the interface to the runtime".to_owned(),
    };
    Err(Error::new(format!(
        "`{}` {theirs}, and this offloadc has version {INTERFACE_VERSION}: build the library with `make runtime`, or \
         reinstall offloadc with its runtime",
        library.display()
    )))
}
