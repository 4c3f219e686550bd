//! The folder that an internal error leaves: copies of the inputs, the command line and the versions.
//!
//! All paths and texts are prepared before there is an error, because a signal handler writes them: only with fixed
//! memory and async-signal-safe functions.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_int};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The contents of a file of the folder.
#[derive(Debug)]
pub enum Contents {
    /// A copy of this file, as far as it can be read.
    Copy(PathBuf),
    /// A text.
    Text(String),
}

/// A prepared folder.
#[derive(Debug)]
struct Reproducer {
    folder: CString,
    shown: String,
    files: Vec<(CString, Source)>,
}

#[derive(Debug)]
enum Source {
    Copy(CString),
    Text(String),
}

static REPRODUCER: OnceLock<Reproducer> = OnceLock::new();

/// Prepares a folder that does not exist, with files of these names. It is only written after an internal error. Later
/// calls have no effect.
pub fn prepare(folder: &Path, files: Vec<(String, Contents)>) {
    let name = |path: PathBuf| CString::new(path.into_os_string().into_vec()).ok();
    let file = |(file, contents): (String, Contents)| {
        let source = match contents {
            Contents::Copy(path) => Source::Copy(name(path)?),
            Contents::Text(text) => Source::Text(text),
        };
        Some((name(folder.join(file))?, source))
    };
    let files = files.into_iter().filter_map(file).collect();
    if let Ok(path) = CString::new(folder.as_os_str().as_bytes()) {
        let _ = REPRODUCER.set(Reproducer { folder: path, shown: folder.display().to_string(), files });
    }
}

/// The note about a folder, before its name.
pub const NOTE: &str = "the inputs, the command line and the versions, which a report of this needs, are in ";

/// Writes the folder. Returns its name, or none if none was prepared, if it cannot be created, or in later calls.
pub fn write() -> Option<&'static str> {
    static WRITTEN: AtomicBool = AtomicBool::new(false);
    let reproducer = REPRODUCER.get()?;
    // SAFETY: async-signal-safe, with a string that lives as long as the process.
    if WRITTEN.swap(true, Ordering::SeqCst) || unsafe { libc::mkdir(reproducer.folder.as_ptr(), 0o700) } != 0 {
        return None;
    }
    for (path, source) in &reproducer.files {
        let to = Descriptor::open(path, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC);
        match (to, source) {
            (Some(to), Source::Text(text)) => to.write(text.as_bytes()),
            (Some(to), Source::Copy(from)) => copy(from, &to),
            (None, _) => {}
        }
    }
    Some(&reproducer.shown)
}

/// The memory through which files are copied.
struct Buffer(UnsafeCell<[u8; 1 << 16]>);

// SAFETY: only the one thread that writes the folder uses it.
unsafe impl Sync for Buffer {}

fn copy(from: &CStr, to: &Descriptor) {
    static BUFFER: Buffer = Buffer(UnsafeCell::new([0; 1 << 16]));
    // Opening a pipe must not wait for its writer.
    let Some(from) = Descriptor::open(from, libc::O_RDONLY | libc::O_NONBLOCK | libc::O_CLOEXEC) else { return };
    loop {
        // SAFETY: see `Buffer`; the bytes are those of a live array.
        let buffer = unsafe { &mut *BUFFER.0.get() };
        // SAFETY: the same.
        let read = unsafe { libc::read(from.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        match usize::try_from(read) {
            Ok(length) if length > 0 => to.write(&buffer[..length]),
            _ => return,
        }
    }
}

/// An open file.
struct Descriptor(c_int);

impl Descriptor {
    fn open(path: &CStr, flags: c_int) -> Option<Self> {
        // SAFETY: async-signal-safe, with a string that ends with a zero.
        let descriptor = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
        (descriptor >= 0).then_some(Self(descriptor))
    }

    /// Writes all bytes, unless there is an error, which could not be reported.
    fn write(&self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: the pointer and length are those of a live slice.
            let written = unsafe { libc::write(self.0, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(length) if length > 0 => bytes = &bytes[length..],
                _ => return,
            }
        }
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open, and used no more.
        unsafe { libc::close(self.0) };
    }
}
