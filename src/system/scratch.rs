//! A temporary folder for the files of external tools. It is removed in all cases, including a crash.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{Read as _, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{Context, Result};
use crate::llvm::temporaries::{self, Temporary};

/// A temporary folder that only this user can access.
pub struct Scratch {
    folder: PathBuf,
    /// Dropped after the folder is removed.
    _registered: Temporary,
}

impl Scratch {
    /// Creates an empty folder in the system's folder for temporary files.
    pub fn new() -> Result<Self> {
        Self::with("offloadc-", &std::env::temp_dir())
    }

    /// Creates an empty folder in the folder of an output, where other machines may see it.
    pub fn beside(output: &Path) -> Result<Self> {
        let folder = output.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        Self::with(".offloadc-", folder)
    }

    fn with(prefix: &str, folder: &Path) -> Result<Self> {
        let make = |path: &Path| temporaries::create(path, |path| DirBuilder::new().mode(0o700).create(path));
        let made = tempfile::Builder::new().prefix(prefix).make_in(folder, make);
        let ((_registered, ()), path) = made.context("cannot make a temporary folder")?.into_parts();
        let folder = path.keep().map_err(|error| error.error).context("cannot make a temporary folder")?;
        Ok(Scratch { folder, _registered })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path of a file that a tool will write.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Creates a file with the contents `bytes`.
    pub fn file_with(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.file(name);
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
        file.and_then(|mut file| file.write_all(bytes))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If the folder cannot be removed now, nothing else will remove it.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The bytes of a file; `-` is standard input.
pub fn read_or_stdin(path: &Path) -> Result<Vec<u8>> {
    if path != Path::new("-") {
        return read(path);
    }
    let mut bytes = Vec::new();
    let _ = std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(bytes)
}

/// Reads the output of a tool.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn nobody_else_looks_into_it() {
        let scratch = Scratch::new().unwrap();
        let file = scratch.file_with("a", b"x").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(scratch.folder()), mode(&file)), (0o700, 0o600));
        let folder = scratch.folder().to_path_buf();
        drop(scratch);
        assert!(!folder.exists());
    }
}
