//! The runtime's library that `offloadc` carries as sources. `cargo install` copies programs and nothing else, so the
//! library is compiled at its first use, and kept in the user's cache folder under a hash of the sources.
//!
//! A library in the folder is complete: it is written last, and renamed to its name. Two processes that compile it
//! write the same bytes.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::cache::users_folder;
use super::own_platform;
use crate::contract::platform::Platform;
use crate::error::{Context as _, Error, Result};
use crate::llvm::write_archive;
use crate::system::installation::HOME;
use crate::system::output::replace;
use crate::system::own_files;
use crate::system::scratch::{Scratch, read};
use crate::system::tokens::Tokens;
use crate::system::tool::Tools;

/// The name of a file, relative to `runtime-c`, and its contents.
pub type Source = (&'static str, &'static [u8]);

/// zstd's decoder, whose names are relative to the folder that `runtime-c/objects/zstd.c` searches.
const ZSTD: &[Source] = include!(concat!(env!("OUT_DIR"), "/zstd_sources.rs"));
/// The folder of these files beside those of the runtime.
const ZSTD_FOLDER: &str = "zstd";
/// The options of runtime-c/Makefile for the compiler, without debug information, which would name a temporary folder.
const OPTIONS: [&str; 6] = ["-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-fstack-clash-protection", "-pthread"];
const LIBRARY: &str = "liboffloadrt.a";
/// The program that lists devices, of this file of the runtime.
const INFO: &str = "offloadrt-info";
const INFO_SOURCE: &str = "tools/info.c";

static SOURCES: OnceLock<&[Source]> = OnceLock::new();

/// Names the runtime's sources, which are a part of the running program.
pub fn carry(sources: &'static [Source]) {
    let _ = SOURCES.set(sources);
}

/// The folder of the library for a platform, and of the program that lists devices; none if this program carries no
/// sources. The library is compiled if it is not there.
pub fn folder(platform: Platform) -> Result<Option<PathBuf>> {
    let Some(sources) = SOURCES.get() else { return Ok(None) };
    let found = kept(sources, platform).map_err(|error| {
        let what = format!("cannot compile the runtime for {} from the sources in offloadc: {error}", platform.name());
        Error::new(format!(
            "{what}; install gcc and binutils, or set `{HOME}` to the folder of an unpacked archive of offloadc"
        ))
    });
    found.map(Some)
}

/// The folder, with the library.
fn kept(sources: &[Source], platform: Platform) -> Result<PathBuf> {
    let cache = users_folder().ok_or_else(|| Error::new("neither `XDG_CACHE_HOME` nor `HOME` names a folder"))?;
    let folder = cache.join("runtime").join(name(sources, platform));
    let library = own_files::open(&folder.join(LIBRARY), OpenOptions::new().read(true)).map_err(Error::new)?;
    if library.is_none() {
        build(sources, platform, &folder)?;
    }
    Ok(folder)
}

/// A name that no other sources have.
fn name(sources: &[Source], platform: Platform) -> String {
    let mut hash = blake3::Hasher::new();
    for (name, bytes) in sources.iter().chain(ZSTD) {
        [name.as_bytes(), bytes].into_iter().for_each(|part| {
            let _ = hash.update(&(part.len() as u64).to_le_bytes()).update(part);
        });
    }
    format!("{}-{}", &hash.finalize().to_hex()[..16], platform.multiarch())
}

/// Compiles the library, and puts it into the folder.
fn build(sources: &[Source], platform: Platform, folder: &Path) -> Result<()> {
    own_files::make_folder(folder).map_err(Error::new)?;
    let compiler = Compiler::new(platform)?;
    for (name, bytes) in sources {
        compiler.add(Path::new(name), bytes)?;
    }
    for (name, bytes) in ZSTD {
        compiler.add(&Path::new(ZSTD_FOLDER).join(name), bytes)?;
    }
    let is_part = |name: &&str| name.ends_with(".c") && *name != INFO_SOURCE;
    let files: Vec<&str> = sources.iter().map(|(name, _)| *name).filter(is_part).collect();
    // All wait for the library, and this is done once: no tokens are asked for.
    let compile = |name: &str| Ok((object_of(name), compiler.compile(name)?));
    let objects: Result<Vec<_>> = Tokens::default().side_by_side(files, &compile).into_iter().collect();
    let library = write_archive(&objects?)?;
    if Some(platform) == own_platform() {
        let info = folder.join(INFO);
        replace(&info, &compiler.link(INFO_SOURCE, &library)?)?;
        let permit = std::fs::set_permissions(&info, Permissions::from_mode(0o755));
        permit.with_context(|| format!("cannot write `{}`", info.display()))?;
    }
    replace(&folder.join(LIBRARY), &library)
}

/// `drivers_cpu.o` for `drivers/cpu.c`.
fn object_of(name: &str) -> String {
    name.replace('/', "_").trim_end_matches('c').to_owned() + "o"
}

/// The compiler of a platform, with the files that it compiles.
struct Compiler {
    folder: Scratch,
    tools: Tools,
    platform: Platform,
}

impl Compiler {
    fn new(platform: Platform) -> Result<Self> {
        Ok(Self { folder: Scratch::new()?, tools: Tools::new(PathBuf::new(), None), platform })
    }

    fn add(&self, name: &Path, bytes: &[u8]) -> Result<()> {
        let path = self.folder.file("").join(name);
        let made = std::fs::create_dir_all(path.parent().unwrap_or(&path)).and_then(|()| std::fs::write(&path, bytes));
        made.with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// A tool of binutils or gcc for the platform, in the folder with the files.
    fn tool(&self, name: &str) -> Command {
        let multiarch = self.platform.multiarch();
        let is_own = Some(self.platform) == own_platform();
        let program = match name {
            "cc" if !is_own => format!("{multiarch}-gcc"),
            name if !is_own => format!("{multiarch}-{name}"),
            name => name.to_owned(),
        };
        let mut command = Command::new(program);
        let _ = command.current_dir(self.folder.folder());
        command
    }

    /// The object of a file.
    fn compile(&self, name: &str) -> Result<Vec<u8>> {
        let object = object_of(name);
        let mut command = self.tool("cc");
        let _ = command.args(OPTIONS).args(["-c", name, "-o", &object]);
        if self.platform == Platform::Aarch64 {
            // Not every linker line has gcc's library, which has the functions for atomics.
            let _ = command.arg("-mno-outline-atomics");
        }
        let is_zstd = name == "objects/zstd.c";
        if is_zstd {
            let _ = command.args(["-w", "-iquote", ZSTD_FOLDER]);
        }
        let _ = self.tools.run_command(&mut command, b"")?;
        if is_zstd {
            // A program may link another zstd.
            let mut objcopy = self.tool("objcopy");
            let _ = objcopy.args(["--keep-global-symbol=offloadrt_decompress", &object]);
            let _ = self.tools.run_command(&mut objcopy, b"")?;
        }
        read(&self.folder.file(&object))
    }

    /// The program of a file and the library.
    fn link(&self, name: &str, library: &[u8]) -> Result<Vec<u8>> {
        let library = self.folder.file_with(LIBRARY, library)?;
        let mut command = self.tool("cc");
        let _ = command.args(OPTIONS).arg(name).arg(library).args(["-ldl", "-o", INFO]);
        let _ = self.tools.run_command(&mut command, b"")?;
        read(&self.folder.file(INFO))
    }
}
