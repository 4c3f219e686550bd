//! A temporary folder for the files of external tools. It is removed in all cases, including a crash. A process that is
//! killed (SIGKILL) cannot remove it, so the next process does: the lock of a folder ends with its process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt as _, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;

use crate::error::{Context, Result};
use crate::llvm::temporaries::{self, Temporary};
use crate::llvm::users::effective_user;

/// The prefix of the folders' names. Only folders with such names have locks; the runtime makes some, too
/// (runtime-c/finish/jobs.c).
const PREFIX: &str = "offloadc-tmp-";

/// A temporary folder that only this user can access.
pub struct Scratch {
    folder: PathBuf,
    /// The open folder with its lock, which other programs that this one starts do not have.
    _lock: File,
    /// Dropped after the folder is removed.
    _registered: Temporary,
}

impl Scratch {
    /// Creates an empty folder in the system's folder for temporary files.
    pub fn new() -> Result<Self> {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent);
        Self::with(PREFIX, &parent)
    }

    /// Creates an empty folder in the folder of an output, where other machines may see it. They may not see its lock,
    /// so no process removes those of others there.
    pub fn beside(output: &Path) -> Result<Self> {
        let folder = output.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        Self::with(".offloadc-", folder)
    }

    fn with(prefix: &str, folder: &Path) -> Result<Self> {
        let make = |path: &Path| temporaries::create(path, make_locked);
        let made = tempfile::Builder::new().prefix(prefix).make_in(folder, make);
        let ((_registered, _lock), path) = made.context("cannot make a temporary folder")?.into_parts();
        let folder = path.keep().map_err(|error| error.error).context("cannot make a temporary folder")?;
        Ok(Scratch { folder, _lock, _registered })
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

/// Makes a folder and locks it. Another process may remove it before it has the lock: then the caller tries another
/// name. On a file system without locks, no process removes it.
fn make_locked(path: &Path) -> io::Result<File> {
    DirBuilder::new().mode(0o700).create(path)?;
    let folder = open_folder(path).and_then(|folder| match folder.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::NotFound.into()),
        _ => Ok(folder),
    });
    match folder {
        Ok(folder) if is_still_there(&folder, path) => Ok(folder),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

fn open_folder(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(path)
}

/// Whether an open folder still has its name.
fn is_still_there(folder: &File, path: &Path) -> bool {
    let number = |facts: io::Result<std::fs::Metadata>| facts.ok().map(|facts| (facts.dev(), facts.ino()));
    number(folder.metadata()).is_some_and(|opened| number(path.symlink_metadata()) == Some(opened))
}

/// Removes the temporary folders of this user's processes that have ended without removing them, once in a process.
fn remove_abandoned(parent: &Path) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| remove_all_abandoned(parent));
}

fn remove_all_abandoned(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            remove_if_abandoned(&entry.path());
        }
    }
}

fn remove_if_abandoned(path: &Path) {
    let Ok(folder) = open_folder(path) else { return };
    let is_own = folder.metadata().is_ok_and(|facts| facts.uid() == effective_user());
    // The lock is kept while the folder is removed, so that two processes do not remove a folder that a third one has
    // made.
    if is_own && folder.try_lock().is_ok() && is_still_there(&folder, path) {
        let _ = std::fs::remove_dir_all(path);
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

    #[test]
    fn only_folders_of_processes_that_have_ended_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let live = Scratch::with(PREFIX, parent.path()).unwrap();
        for name in ["offloadc-tmp-abandoned", "offloadc-older", "other"] {
            std::fs::create_dir(at(name)).unwrap();
            std::fs::write(at(name).join("file"), "").unwrap();
        }
        std::os::unix::fs::symlink("other", at("offloadc-tmp-link")).unwrap();
        remove_all_abandoned(parent.path());
        assert!(!at("offloadc-tmp-abandoned").exists());
        assert!(live.folder().exists() && at("offloadc-older").exists() && at("other/file").exists());
        assert!(at("offloadc-tmp-link").is_symlink());
    }
}
