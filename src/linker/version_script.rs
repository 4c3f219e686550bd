//! rustc's version scripts for shared libraries. They export the stand-ins of the `offload` crate for the contract's
//! builtins, which do not exist after this link, and linkers refuse to export undefined symbols.
//!
//! A library for Rust programs (`dylib`) exports the runtime. Programs that are linked with it use this runtime, so
//! that there is one table of all kernels. A library for other programs (`cdylib`) does not export its runtime.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use crate::contract::builtin::PREFIX;
use crate::error::Result;
use crate::system::scratch::Scratch;

/// The options for a version script, for a driver and for a linker.
const OPTIONS: [&str; 2] = ["-Wl,--version-script=", "--version-script="];

/// A prefix that only the exports of a `dylib` contain.
const METADATA: &[u8] = b"rust_metadata_";

/// The parts of an argument that names a script: the option, the path, and more options.
fn parts(word: &OsStr) -> Option<(&'static str, &Path, &[u8])> {
    let bytes = word.as_bytes();
    let option = OPTIONS.iter().find(|option| bytes.starts_with(option.as_bytes()))?;
    let rest = &bytes[option.len()..];
    // After `-Xlinker`, a comma belongs to the path.
    let comma = rest.iter().position(|byte| *byte == b',').filter(|_| option.starts_with("-Wl,"));
    let end = comma.unwrap_or(rest.len());
    let (path, more) = rest.split_at(end);
    Some((option, Path::new(OsStr::from_bytes(path)), more))
}

/// Whether an argument names the script of a library for Rust programs.
pub(super) fn is_of_rust_library(word: &OsStr) -> bool {
    let script = parts(word).and_then(|(_, path, _)| std::fs::read(path).ok());
    script.is_some_and(|script| script.split(|byte| *byte == b'\n').any(names_metadata))
}

/// Whether a line exports a crate's metadata.
fn names_metadata(line: &[u8]) -> bool {
    line.trim_ascii().starts_with(METADATA)
}

/// The argument itself, or an argument with a modified copy of its script.
pub(super) fn of_program(word: &OsStr, scratch: &Scratch) -> Result<OsString> {
    let Some((option, path, more)) = parts(word) else { return Ok(word.into()) };
    // The real linker reports files that cannot be read.
    let Ok(script) = std::fs::read(path) else { return Ok(word.into()) };
    let copy = scratch.file_with("version-script", &rewritten(&script))?;
    let words = [option.as_bytes(), copy.as_os_str().as_bytes(), more].concat();
    Ok(OsString::from_vec(words))
}

/// A version script without the contract's builtins, and with the runtime if it is that of a `dylib`.
pub fn rewritten(script: &[u8]) -> Vec<u8> {
    let mut lines: Vec<_> = script.split(|byte| *byte == b'\n').filter(|line| !names_contract(line)).collect();
    if lines.iter().any(|line| names_metadata(line)) {
        let global = lines.iter().position(|line| line.trim_ascii() == b"global:");
        lines.insert(global.map_or(0, |at| at + 1), b"    offloadrt_*;");
    }
    lines.join(&b'\n')
}

/// Whether a line exports exactly one function of the contract: `  __offload_arch;`.
fn names_contract(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(PREFIX.as_bytes())
        && line.iter().filter(|byte| **byte == b';').count() == 1
        && line.ends_with(b";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_contracts_names_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, "{\n  global:\n    __offload_arch;\n    run_it;\n  local:\n    *;\n};\n").unwrap();
        let scratch = Scratch::new().unwrap();
        let word = OsString::from(format!("-Wl,--version-script={},-O1", path.display()));
        let new = of_program(&word, &scratch).unwrap().into_string().unwrap();
        let copy = new.strip_prefix(OPTIONS[0]).and_then(|rest| rest.strip_suffix(",-O1")).unwrap();
        assert_eq!(std::fs::read_to_string(copy).unwrap(), "{\n  global:\n    run_it;\n  local:\n    *;\n};\n");
        std::fs::write(&path, "{\n  global:\n    rust_metadata_a;\n};\n").unwrap();
        let _ = of_program(&word, &scratch).unwrap();
        let script = std::fs::read_to_string(copy).unwrap();
        assert_eq!(script, "{\n  global:\n    offloadrt_*;\n    rust_metadata_a;\n};\n");
        assert_eq!(of_program(OsStr::new("-Wl,-O1"), &scratch).unwrap(), "-Wl,-O1");
        let path = folder.path().join("a,b");
        std::fs::write(&path, "{\n  global:\n    __offload_arch;\n};\n").unwrap();
        let word = OsString::from(format!("--version-script={}", path.display()));
        assert_ne!(of_program(&word, &scratch).unwrap(), word);
    }
}
