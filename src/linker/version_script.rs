//! Version scripts that rustc writes for shared libraries: they export the `offload` crate's functions that stand for the
//! contract's builtins, and those are gone after a link here. Linkers refuse to export what is nowhere.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use crate::error::Result;
use crate::scratch::Scratch;

/// How a word of a command line names a version script, for a driver or a linker.
const OPTIONS: [&str; 2] = ["-Wl,--version-script=", "--version-script="];

/// What the contract's names begin with.
const CONTRACT: &[u8] = b"__offload_";

/// The word, or one that names a copy of its script without the contract's names.
pub(super) fn without_contract(word: &OsStr, scratch: &Scratch) -> Result<OsString> {
    let bytes = word.as_bytes();
    let Some(option) = OPTIONS.iter().find(|option| bytes.starts_with(option.as_bytes())) else {
        return Ok(word.into());
    };
    let rest = &bytes[option.len()..];
    let end = rest.iter().position(|byte| *byte == b',').unwrap_or(rest.len());
    let (path, more) = rest.split_at(end);
    // What cannot be read is the real linker's to complain of.
    let Ok(script) = std::fs::read(Path::new(OsStr::from_bytes(path))) else { return Ok(word.into()) };
    let lines: Vec<_> = script.split(|byte| *byte == b'\n').filter(|line| !names_contract(line)).collect();
    let copy = scratch.file_with("version-script", &lines.join(&b'\n'))?;
    let words = [option.as_bytes(), copy.as_os_str().as_bytes(), more].concat();
    Ok(OsString::from_vec(words))
}

/// Whether a line exports one of the contract's functions and nothing else: `  __offload_arch;`.
fn names_contract(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(CONTRACT) && line.iter().filter(|byte| **byte == b';').count() == 1 && line.ends_with(b";")
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
        let new = without_contract(&word, &scratch).unwrap().into_string().unwrap();
        let copy = new.strip_prefix(OPTIONS[0]).and_then(|rest| rest.strip_suffix(",-O1")).unwrap();
        assert_eq!(std::fs::read_to_string(copy).unwrap(), "{\n  global:\n    run_it;\n  local:\n    *;\n};\n");
        assert_eq!(without_contract(OsStr::new("-Wl,-O1"), &scratch).unwrap(), "-Wl,-O1");
    }
}
