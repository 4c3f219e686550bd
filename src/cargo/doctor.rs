//! `cargo offloadc doctor`: the tools that a build would use, missing ones, and the devices of this machine.

use std::path::Path;
use std::process::Command;

use super::described::{Described, OPTIONS};
use crate::error::Result;
use crate::input::newer_llvm;
use crate::linker::Link;
use crate::stages::runtime_library;
use crate::system::own_files::is_installed;

pub(super) const DESCRIBED: Described = Described {
    name: "doctor",
    does: "Shows the tools that a build uses, those that are missing, and the devices",
    usage: "[OPTIONS]",
    options: OPTIONS,
    notes: "The exit status is 1 if a tool is missing that a build with these options needs.\n",
    example: "doctor --offload-arch=sm_80",
};

const REAL_LINKER: &str = "install a compiler driver, or name one with `--offload-linker`";
const LLD: &str = "install LLVM's linker, or name it with `OFFLOADC_LLD`";

const PACKAGE: &str = "offload-kernels";
const NO_PTXAS: &str = "the driver assembles kernels when a program starts; `--ptxas` names NVIDIA's assembler";

/// One requirement of a build.
struct Row {
    name: &'static str,
    /// The tool that was found, or the problem and its remedy.
    found: std::result::Result<String, String>,
}

/// The rows as text, and whether all requirements are met.
pub(super) fn doctor(link: &Link, linker: Result<std::path::PathBuf>) -> (String, bool) {
    let rows = [
        Row { name: "offloadc", found: Ok(format!("{}, LLVM {}", env!("CARGO_PKG_VERSION"), newer_llvm::OURS)) },
        Row { name: "rustc", found: rustc() },
        Row { name: "bitcode", found: bitcode(link) },
        Row { name: "linker", found: linker.map(|path| shown(&path)).map_err(|error| error.to_string()) },
        Row { name: "real linker", found: program(Path::new(link.real_linker()), REAL_LINKER) },
        Row { name: "runtime", found: runtime(link) },
        Row { name: "ld.lld", found: program(&link.job.tools.lld, LLD) },
        Row { name: "crate", found: package() },
    ];
    let whole = rows.iter().all(|row| row.found.is_ok());
    let text = rows.iter().map(Row::text).chain([ptxas(link), devices(link)]).collect();
    (text, whole)
}

impl Row {
    fn text(&self) -> String {
        match &self.found {
            Ok(found) => format!("{:12} {found}\n", self.name),
            Err(missing) => format!("{:12} missing: {missing}\n", self.name),
        }
    }
}

fn shown(path: &Path) -> String {
    format!("`{}`", path.display())
}

/// `1.99.1 (58cf8f9c3 2026-10-13), LLVM 23.1.1`.
fn rustc() -> std::result::Result<String, String> {
    let said = super::rustc(&["-vV"]).map_err(|error| error.to_string())?;
    let version = said.lines().next().unwrap_or_default().trim_start_matches("rustc ");
    let llvm = said.lines().find_map(|line| line.strip_prefix("LLVM version: ")).unwrap_or("of an unknown version");
    Ok(format!("{version}, LLVM {llvm}"))
}

/// How bitcode of rustc is read.
fn bitcode(link: &Link) -> std::result::Result<String, String> {
    let said = rustc()?;
    let theirs = said.rsplit("LLVM ").next().unwrap_or_default();
    if !newer_llvm::is_newer_version(theirs) {
        return Ok(format!("read by offloadc's LLVM {}", newer_llvm::OURS));
    }
    link.job.reader.describe().map(|llvm| format!("converted by rustc's {llvm}"))
}

fn runtime(link: &Link) -> std::result::Result<String, String> {
    let words =
        runtime_library::runtime_words(link.job.runtime, link.job.platform).map_err(|error| error.to_string())?;
    Ok(words.first().map_or("none".to_owned(), |library| shown(Path::new(library))))
}

/// The version of the crate in the package of the current folder.
fn package() -> std::result::Result<String, String> {
    let metadata = match metadata(&["--offline"]).or_else(|_| metadata(&[])) {
        Ok(metadata) => metadata,
        Err(said) if said.contains("could not find `Cargo.toml`") => return Ok("no package in this folder".to_owned()),
        Err(said) => return Err(format!("a package that cargo can read: {}", said.trim_start_matches("error: "))),
    };
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let versions = packages.filter(|package| package["name"] == PACKAGE);
    let versions: Vec<_> = versions.map(|package| package["version"].as_str().unwrap_or_default()).collect();
    match versions[..] {
        [] => Ok(format!("this package does not use {PACKAGE}")),
        [env!("CARGO_PKG_VERSION")] => Ok(format!("{PACKAGE} {}", env!("CARGO_PKG_VERSION"))),
        _ => {
            let ours = env!("CARGO_PKG_VERSION");
            let theirs = versions.join(", ");
            Err(format!("{PACKAGE} {ours}; the package has {theirs}: `cargo update {PACKAGE} --precise {ours}`"))
        }
    }
}

/// The packages that a build of the current folder uses, or the first line of cargo's error. Without its lists of
/// crates, cargo has an answer only if it may fetch them.
fn metadata(words: &[&str]) -> std::result::Result<serde_json::Value, String> {
    let answer = Command::new(super::cargo()).args(["metadata", "--format-version=1"]).args(words).output();
    let answer = answer.map_err(|error| format!("cargo does not run: {error}"))?;
    serde_json::from_slice(&answer.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&answer.stderr).into_owned();
        said.lines().find(|line| line.starts_with("error")).unwrap_or("cargo says nothing").to_owned()
    })
}

/// NVIDIA's assembler, without which the driver assembles kernels when a program starts.
fn ptxas(link: &Link) -> String {
    let path = link.job.tools.ptxas.as_deref().unwrap_or(Path::new("ptxas"));
    let found = Command::new(path).arg("--version").output().ok();
    let said = found.map(|answer| String::from_utf8_lossy(&answer.stdout).into_owned());
    let version = said.as_deref().and_then(|said| said.lines().find(|line| line.contains("release")));
    let found = version.map(|version| format!("{}: {version}", shown(path)));
    format!("{:12} {}\n", "ptxas", found.unwrap_or_else(|| format!("none: {NO_PTXAS}")))
}

/// The runtime's list of this machine's devices.
fn devices(link: &Link) -> String {
    let library = runtime_library::runtime_words(link.job.runtime, link.job.platform)
        .ok()
        .and_then(|words| words.into_iter().next());
    let said = library
        .map(|library| Path::new(&library).with_file_name("offloadrt-info"))
        .filter(|path| is_installed(path))
        .and_then(|path| {
            let answer = Command::new(path).output().ok()?;
            Some(String::from_utf8_lossy(&answer.stdout).into_owned())
        });
    said.unwrap_or_else(|| "devices      unknown: `offloadrt-info` is not beside the runtime\n".to_owned())
}

/// A program that runs, with the first line of its output.
fn program(path: &Path, help: &str) -> std::result::Result<String, String> {
    let answer = Command::new(path).arg("--version").output();
    let answer = answer.map_err(|_| format!("{} does not run; {help}", shown(path)))?;
    let said = String::from_utf8_lossy(&answer.stdout);
    Ok(format!("{}: {}", shown(path), said.lines().next().unwrap_or_default()))
}
