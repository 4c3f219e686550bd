//! A folder for the files that external tools read and write; gone on every way out, a crash among them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use crate::error::{Context, Result};
use crate::llvm::crash;

/// A temporary folder and the files named in it.
pub struct Scratch {
    folder: tempfile::TempDir,
    guards: RefCell<Vec<crash::Temporary>>,
}

impl Scratch {
    /// Makes an empty folder where the system keeps temporary files.
    pub fn new() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("offloadc-").tempdir();
        let folder = folder.context("cannot make a temporary folder")?;
        let guards = RefCell::new(vec![crash::temporary(folder.path())]);
        Ok(Scratch { folder, guards })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file that a tool will write.
    pub fn file(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        self.guards.borrow_mut().push(crash::temporary(&path));
        path
    }

    /// A file that holds `bytes`.
    pub fn file_with(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.file(name);
        std::fs::write(&path, bytes).with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(path)
    }
}

/// What a tool wrote.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))
}
