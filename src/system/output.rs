//! Writes outputs: to standard output, or to a file that is complete or not changed at all.
//!
//! A file is written with a temporary name in the same folder, and renamed when it is complete. A special file
//! (`/dev/null`, a pipe) is written in place.

use crate::error::{Context, Error, Result};
use crate::llvm::crash;
use crate::llvm::temporaries::{self, Temporary};
use std::fmt;
use std::fs::{OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where a stage's output is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sink {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Sink {
    /// The sink for a path on the command line: `-` is standard output.
    pub fn new(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        if path == Path::new("-") { Self::Stdout } else { Self::File(path.to_path_buf()) }
    }

    /// The path, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Stdout => None,
            Self::File(path) => Some(path),
        }
    }

    /// Writes all bytes, or leaves a file unchanged. It is no error if the reader of standard output has gone.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Stdout => {
                let doing = "cannot write to standard output";
                if crash::standard_output_was_closed() {
                    return Err(Error::new("it is closed").context(doing));
                }
                let mut out = io::stdout().lock();
                match out.write_all(bytes).and_then(|()| out.flush()) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    result => result.context(doing),
                }
            }
            Self::File(path) => {
                let output = Output::create(path)?;
                output.write(bytes)?;
                output.commit()
            }
        }
    }
}

impl fmt::Display for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => f.write_str("standard output"),
            Self::File(path) => write!(f, "`{}`", path.display()),
        }
    }
}

/// A file that is being written. Without [`Output::commit`], nothing remains of it.
#[derive(Debug)]
pub struct Output {
    /// The user's path.
    path: PathBuf,
    /// The path of the file that is replaced in the end, with symbolic links resolved.
    place: PathBuf,
    /// `None` if the bytes are written to `place` directly.
    temporary: Option<NamedTempFile>,
    /// Dropped after the file is renamed or removed.
    _registered: Option<Temporary>,
}

impl Output {
    /// Creates a file; its folder must exist and be writable.
    pub fn create(path: &Path) -> Result<Self> {
        let doing = || format!("cannot write `{}`", path.display());
        let place = end_of_links(path).with_context(doing)?;
        let there = place.metadata();
        if there.as_ref().is_ok_and(|meta| meta.is_dir()) {
            return Err(Error::new("it is a directory").context(doing()));
        }
        let in_place = there.is_ok_and(|meta| !meta.is_file());
        let made = if in_place { None } else { Some(temporary_next_to(&place).with_context(doing)?) };
        let (temporary, _registered) = made.unzip();
        Ok(Self { path: path.to_path_buf(), place, temporary, _registered })
    }

    /// The temporary path, for an external tool.
    pub fn path(&self) -> &Path {
        self.temporary.as_ref().map_or(&self.place, NamedTempFile::path)
    }

    /// Replaces the contents of the file.
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        let written = match &self.temporary {
            Some(file) => file.as_file().write_all(bytes),
            None => std::fs::write(&self.place, bytes),
        };
        written.map_err(Error::from).map_err(|error| error.context(self.doing()))
    }

    /// Gives the file at least these permissions.
    pub fn permit(&self, permissions: &Permissions) -> Result<()> {
        let Some(file) = &self.temporary else { return Ok(()) };
        std::fs::set_permissions(file.path(), permissions.clone()).context(self.doing())
    }

    /// Makes the file executable.
    pub fn executable(&self) -> Result<()> {
        let Some(file) = &self.temporary else { return Ok(()) };
        // Everybody who may read it may execute it.
        let mode = temporaries::file_mode() | ((temporaries::file_mode() & 0o444) >> 2);
        std::fs::set_permissions(file.path(), Permissions::from_mode(mode)).context(self.doing())
    }

    /// Renames the file to its final name, atomically.
    pub fn commit(self) -> Result<()> {
        let doing = self.doing();
        match self.temporary {
            Some(file) => {
                // A tool may have replaced the file and made it executable.
                let mode = std::fs::metadata(file.path()).with_context(|| doing.clone())?.permissions().mode();
                let mode = Permissions::from_mode(mode | temporaries::file_mode());
                std::fs::set_permissions(file.path(), mode).with_context(|| doing.clone())?;
                file.persist(&self.place).map(drop).map_err(|error| Error::from(error.error).context(doing))
            }
            None => Ok(()),
        }
    }

    fn doing(&self) -> String {
        format!("cannot write `{}`", self.path.display())
    }
}

/// Writes a file of the cache. It replaces anything that has its name: a link is not followed, and the old file need
/// not be a regular one. Other users cannot write the new file.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let doing = || format!("cannot write `{}`", path.display());
    let (file, _registered) = temporary_next_to(path).with_context(doing)?;
    file.as_file().write_all(bytes).with_context(doing)?;
    let mode = Permissions::from_mode(temporaries::file_mode() & 0o644);
    file.as_file().set_permissions(mode).with_context(doing)?;
    file.persist(path).map(drop).map_err(|error| Error::from(error.error).context(doing()))
}

/// Resolves the symbolic links of a path, whether or not the file exists.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_path_buf();
    // The same limit as the kernel's.
    for _ in 0..40 {
        if let Ok(file) = place.canonicalize() {
            return Ok(file);
        }
        let Ok(target) = place.read_link() else { return Ok(place) };
        // An absolute target replaces the whole path.
        place.pop();
        place.push(target);
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// A temporary file that only this user can read.
fn temporary_next_to(place: &Path) -> io::Result<(NamedTempFile, Temporary)> {
    let folder = match place.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let open = |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path);
    let make = |path: &Path| temporaries::create(path, open);
    let (made, path) = tempfile::Builder::new().prefix(".offloadc-").make_in(folder, make)?.into_parts();
    let (registered, file) = made;
    Ok((NamedTempFile::from_parts(file, path), registered))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    #[test]
    fn a_file_is_old_until_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.o");
        std::fs::write(&path, "old").unwrap();
        let output = Output::create(&path).unwrap();
        output.write(b"half").unwrap();
        assert_eq!(output.path().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        drop(output);
        assert_eq!(files(folder.path()), ["out.o"]);
        Sink::new(&path).write(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(files(folder.path()), ["out.o"]);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, temporaries::file_mode());
    }

    #[test]
    fn links_are_followed_and_modes_are_ordinary() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let output = Output::create(&link).unwrap();
        output.write(b"new").unwrap();
        output.executable().unwrap();
        output.commit().unwrap();
        assert_eq!(std::fs::read(&real).unwrap(), b"new");
        let mode = real.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o700, 0o700);
        assert_eq!(mode & 0o044, (mode & 0o011) << 2);
    }

    #[test]
    fn a_link_to_nothing_leads_to_a_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link, circle) =
            (folder.path().join("real"), folder.path().join("link"), folder.path().join("circle"));
        std::os::unix::fs::symlink("second", &link).unwrap();
        std::os::unix::fs::symlink(&real, folder.path().join("second")).unwrap();
        Sink::new(&link).write(b"new").unwrap();
        assert_eq!(std::fs::read(&real).unwrap(), b"new");
        assert!(link.is_symlink());
        std::os::unix::fs::symlink("circle", &circle).unwrap();
        let message = Sink::new(&circle).write(b"x").unwrap_err().to_string();
        assert!(message.ends_with("circle`: too many levels of symbolic links"), "{message}");
    }

    #[test]
    fn what_is_replaced_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (link, other) = (folder.path().join("link"), folder.path().join("other"));
        std::os::unix::fs::symlink("other", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(!link.is_symlink() && !other.exists());
        assert_eq!(std::fs::read(&link).unwrap(), b"new");
        assert_eq!(link.metadata().unwrap().permissions().mode() & 0o777, temporaries::file_mode() & 0o644);
        assert_eq!(files(folder.path()), ["link"]);
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let message = |path: &Path| Sink::new(path).write(b"x").unwrap_err().to_string();
        let shown = folder.path().display();
        assert_eq!(message(folder.path()), format!("cannot write `{shown}`: it is a directory"));
        let missing = message(&folder.path().join("no/out.o"));
        assert_eq!(missing, format!("cannot write `{shown}/no/out.o`: no such file or directory"));
        assert_eq!(message(Path::new("/dev/full")), "cannot write `/dev/full`: no space left on device");
    }
}
