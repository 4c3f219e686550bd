//! `cargo offloadc doctor`: the tools that a build would use, and missing ones.

use std::path::Path;
use std::process::Command;

use crate::error::Result;
use crate::input::newer_llvm;
use crate::linker::Link;
use crate::stages::runtime_library;

const REAL_LINKER: &str = "install a compiler driver, or name one with `--offload-linker`";
const LLD: &str = "install LLVM's linker, or name it with `OFFLOADC_LLD`";

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
    ];
    let whole = rows.iter().all(|row| row.found.is_ok());
    (rows.iter().map(Row::text).collect(), whole)
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
    let words = runtime_library::runtime_words(link.job.runtime).map_err(|error| error.to_string())?;
    Ok(words.first().map_or("none".to_owned(), |library| shown(Path::new(library))))
}

/// A program that runs, with the first line of its output.
fn program(path: &Path, help: &str) -> std::result::Result<String, String> {
    let answer = Command::new(path).arg("--version").output();
    let answer = answer.map_err(|_| format!("{} does not run; {help}", shown(path)))?;
    let said = String::from_utf8_lossy(&answer.stdout);
    Ok(format!("{}: {}", shown(path), said.lines().next().unwrap_or_default()))
}
