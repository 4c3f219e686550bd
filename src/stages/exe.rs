//! Links a whole program: the host object, Rust's standard library and the runtime, through rustc.
//!
//! rustc compiles an empty `#![no_main]` crate with the object as a static library before all others. The standard
//! library is therefore linked statically, and rustc uses the linker that it always uses. The input defines `main`. The
//! crates that the host code calls are dependencies of the empty crate, so rustc finds their own dependencies and the
//! native libraries that they name.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bundle::Runtime;
use crate::contract::platform::Platform;
use crate::error::{Context as _, Error, Result};
use crate::input::library_folders::{folders, rlibs};
use crate::job::Job;
use crate::stage::Stage;
use crate::stages::called_crates::{definers, named_crates, undefined_symbols};
use crate::stages::runtime_library::{cross_linker, runtime_words, system_words};
use crate::system::output::Output;
use crate::system::scratch::{self, Scratch};
use crate::system::tool::Tools;

/// Links `object`, and writes the program to the output of `--emit=exe`. The object contains the code of `compiled`,
/// the libraries of crates.
pub fn link(job: &Job, tools: &Tools, platform: Platform, object: &[u8], compiled: &[PathBuf]) -> Result<()> {
    for sink in job.sinks(Stage::Exe, None, None) {
        let path = sink.path().ok_or_else(|| Error::new("a program cannot be written to standard output"))?;
        let output = Output::create(path)?;
        let scratch = Scratch::new()?;
        scratch.file_with("program.o", object)?;
        // If rustc fails to write a file, it leaves temporary files next to it, so it writes into a scratch folder.
        let program = scratch.file("program");
        let mut command = rustc(job, platform, scratch.folder(), &program)?;
        let crates = called_crates(job, object, compiled)?;
        name_crates(&mut command, job, &crates)?;
        let source: Vec<_> = (0..crates.len()).map(|n| format!("extern crate dependency{n} as _;\n")).collect();
        let source = format!("#![no_main]\n{}", source.concat());
        if tools.run_command(&mut command, source.as_bytes())? {
            output.write(&scratch::read(&program)?)?;
            output.executable()?;
            output.commit()?;
        }
    }
    Ok(())
}

/// The link command. The source of the crate is read from standard input.
fn rustc(job: &Job, platform: Platform, folder: &Path, output: &Path) -> Result<Command> {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let _ = command
        .args(["--crate-name", "program", "--edition", "2021", "-l", "static:+verbatim=program.o", "-L"])
        .arg(format!("native={}", folder.display()))
        .args(platform_arguments(platform))
        .args(runtime_arguments(job.runtime, platform)?)
        .arg("-o")
        .arg(output)
        .arg("-")
        // rustc's temporary files, which remain if it is killed.
        .env("TMPDIR", folder);
    Ok(command)
}

/// The target and the linker of a program for another platform than this machine's. rustc's own linker for it would be
/// `cc`, which links programs of this machine.
fn platform_arguments(platform: Platform) -> Vec<OsString> {
    let Some(linker) = cross_linker(platform) else { return Vec::new() };
    let linker = std::env::var_os("OFFLOADC_LINKER").filter(|name| !name.is_empty()).unwrap_or_else(|| linker.into());
    let linker: OsString = [OsString::from("linker="), linker].into_iter().collect();
    vec!["--target".into(), platform.triple().into(), "-C".into(), linker]
}

/// The libraries that define symbols which the host code lacks. Those that the crates in `compiled` call may be in the
/// same folders as these, where rustc looks for the dependencies of a crate.
fn called_crates(job: &Job, object: &[u8], compiled: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut candidates = named_crates(job)?;
    for folder in compiled.iter().map(|library| folder_of(library)).collect::<BTreeSet<_>>() {
        candidates.extend(rlibs(&folder)?);
    }
    candidates.retain(|path| !compiled.contains(path));
    definers(&candidates, &mut undefined_symbols(object)?)
}

/// The folder of a library.
fn folder_of(library: &Path) -> PathBuf {
    match library.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Makes `crates` dependencies of the program. Their names are unique, because two of them may be versions of the same
/// crate.
fn name_crates(command: &mut Command, job: &Job, crates: &[PathBuf]) -> Result<()> {
    let mut searched = Vec::new();
    for folder in &job.library_folders {
        searched.extend(folders(folder).with_context(|| format!("cannot read `{}`", folder.display()))?);
    }
    searched.extend(job.libraries.iter().chain(&job.inputs).map(|path| folder_of(path)));
    for folder in searched {
        let _ = command.arg("-L").arg(format!("dependency={}", folder.display()));
    }
    for (number, path) in crates.iter().enumerate() {
        // Newer versions of cargo leave the metadata of a crate out of its rlib.
        let metadata = Some(path.with_extension("rmeta")).filter(|path| path.is_file());
        for path in [Some(path), metadata.as_ref()].into_iter().flatten() {
            let _ = command.arg("--extern").arg(format!("dependency{number}={}", path.display()));
        }
    }
    Ok(())
}

/// The arguments for rustc. They are after all others, because the dependencies call the runtime too, and not every
/// linker searches earlier libraries again.
fn runtime_arguments(runtime: Runtime, platform: Platform) -> Result<Vec<OsString>> {
    let words = runtime_words(runtime, platform)?;
    let system = system_words(&words, false);
    let words = words.into_iter().chain(system.iter().map(OsString::from));
    Ok(words.flat_map(|word| ["-C".into(), [OsString::from("link-arg="), word].into_iter().collect()]).collect())
}
