//! The hash of a package's source, by which a file of baked kernels is known to be of that source.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The hash of all Rust files below `src/` that a library can consist of, as 16 hexadecimal digits.
pub(crate) fn hash() -> Result<String, String> {
    let folder =
        env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).ok_or("cargo did not name the package's folder")?;
    hash_of_files(&folder, None)
}

/// The same for a package that this one depends on. Its build script decides its conditions.
pub(crate) fn hash_of_dependency(folder: &Path) -> Result<String, String> {
    let script = folder.join("build.rs");
    hash_of_files(folder, script.is_file().then_some(script))
}

fn hash_of_files(folder: &Path, more: Option<PathBuf>) -> Result<String, String> {
    let source = folder.join("src");
    let unread = |error: io::Error| format!("cannot read `{}`: {error}", source.display());
    let mut files = Vec::new();
    list(&source, &mut files).map_err(unread)?;
    let mut named = Vec::new();
    for file in files {
        let name = file.strip_prefix(&source).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        // Programs of the package are not part of the library.
        if name != "main.rs" && !name.starts_with("bin/") {
            named.push((name, fs::read(&file).map_err(unread)?));
        }
    }
    if let Some(file) = more {
        named.push(("../build.rs".to_owned(), fs::read(file).map_err(unread)?));
    }
    named.sort();
    let mut state = OFFSET;
    for (name, bytes) in &named {
        for part in [name.as_bytes(), bytes] {
            // The length separates a part from the next one.
            state = part.iter().chain(&part.len().to_le_bytes()).fold(state, |state, byte| step(state, *byte));
        }
    }
    Ok(format!("{state:016x}"))
}

/// The hash of bytes.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    format!("{:016x}", bytes.iter().fold(OFFSET, |state, byte| step(state, *byte)))
}

/// The start of the 64-bit FNV-1a hash (Fowler, Noll, Vo; RFC 9923). It must find edits, and nobody attacks it: who can
/// change the source can also change the file.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a byte, as FNV-1a does.
fn step(state: u64, byte: u8) -> u64 {
    (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let hash = |text: &str| text.bytes().fold(OFFSET, step);
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
