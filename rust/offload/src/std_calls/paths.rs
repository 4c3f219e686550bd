//! The functions of `std::fs` that have paths, after `std` has made their paths those of no generic type.

use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::environment::{folder, folder_from};
use super::{Bytes, Fault, Outcome, piece_of, too_long};
use crate::host_call::call_host;

/// Options of `std` without a pointer, of type `T`, as `std` lays them out: the host reads them as that type.
#[derive(Clone, Copy)]
pub(super) struct Options<const SIZE: usize>(MaybeUninit<[u8; SIZE]>);

impl<const SIZE: usize> Options<SIZE> {
    pub(super) fn of<T>(options: &T) -> Self {
        const { assert!(size_of::<T>() == SIZE) }
        // SAFETY: a value has so many bytes, some of which may not be initialised.
        Self(unsafe { ptr::from_ref(options).cast::<MaybeUninit<[u8; SIZE]>>().read_unaligned() })
    }

    /// # Safety
    ///
    /// `T` is the type of the options.
    pub(super) unsafe fn get<T>(&self) -> ManuallyDrop<T> {
        // SAFETY: the caller guarantees it.
        ManuallyDrop::new(unsafe { ptr::from_ref(&self.0).cast::<T>().read_unaligned() })
    }
}

/// `DirBuilder::create`, which `create_dir` and `create_dir_all` call.
#[unsafe(no_mangle)]
fn __offload_std_create_dir(builder: &DirBuilder, path: &Path) -> io::Result<()> {
    let options = Options::<{ size_of::<DirBuilder>() }>::of(builder);
    let created: Outcome<()> = call_host((options, piece_of(path)?), |(options, path)| {
        // SAFETY: they are those of a `DirBuilder`.
        let builder = unsafe { options.get::<DirBuilder>() };
        builder.create(path.as_path()).map_err(Fault::of)
    });
    created.map_err(Fault::into_error)
}

/// `remove_dir`.
#[unsafe(no_mangle)]
fn __offload_std_remove_dir(path: &Path) -> io::Result<()> {
    let removed: Outcome<()> = call_host(piece_of(path)?, |path| fs::remove_dir(path.as_path()).map_err(Fault::of));
    removed.map_err(Fault::into_error)
}

/// `remove_dir_all`.
#[unsafe(no_mangle)]
fn __offload_std_remove_dir_all(path: &Path) -> io::Result<()> {
    let removed: Outcome<()> = call_host(piece_of(path)?, |path| fs::remove_dir_all(path.as_path()).map_err(Fault::of));
    removed.map_err(Fault::into_error)
}

/// `remove_file`.
#[unsafe(no_mangle)]
fn __offload_std_remove_file(path: &Path) -> io::Result<()> {
    let removed: Outcome<()> = call_host(piece_of(path)?, |path| fs::remove_file(path.as_path()).map_err(Fault::of));
    removed.map_err(Fault::into_error)
}

/// `metadata`.
#[unsafe(no_mangle)]
fn __offload_std_metadata(path: &Path) -> io::Result<Metadata> {
    let found: Outcome<Metadata> = call_host(piece_of(path)?, |path| fs::metadata(path.as_path()).map_err(Fault::of));
    found.map_err(Fault::into_error)
}

/// `symlink_metadata`.
#[unsafe(no_mangle)]
fn __offload_std_symlink_metadata(path: &Path) -> io::Result<Metadata> {
    let found: Outcome<Metadata> =
        call_host(piece_of(path)?, |path| fs::symlink_metadata(path.as_path()).map_err(Fault::of));
    found.map_err(Fault::into_error)
}

/// `exists`.
#[unsafe(no_mangle)]
fn __offload_std_exists(path: &Path) -> io::Result<bool> {
    let found: Outcome<bool> = call_host(piece_of(path)?, |path| fs::exists(path.as_path()).map_err(Fault::of));
    found.map_err(Fault::into_error)
}

/// `canonicalize`.
#[unsafe(no_mangle)]
fn __offload_std_canonicalize(path: &Path) -> io::Result<PathBuf> {
    let path = piece_of(path)?;
    folder(|from| call_host((path, from), |(path, from)| folder_from(fs::canonicalize(path.as_path()), from)))
}

/// Two paths, one after the other.
#[derive(Clone, Copy)]
struct Paths {
    bytes: Bytes<864>,
    length_of_first: usize,
}

impl Paths {
    fn of(first: &Path, second: &Path) -> io::Result<Self> {
        let (first, second) = (first.as_os_str().as_encoded_bytes(), second.as_os_str().as_encoded_bytes());
        let mut bytes = Bytes::of(first);
        let rest = &mut bytes.bytes[bytes.length..];
        if bytes.length < first.len() || rest.len() < second.len() {
            return Err(too_long());
        }
        for (to, from) in rest.iter_mut().zip(second) {
            *to = *from;
        }
        bytes.length += second.len();
        Ok(Self { bytes, length_of_first: first.len() })
    }

    /// On the host.
    fn get(&self) -> (&Path, &Path) {
        use std::os::unix::ffi::OsStrExt as _;
        let (first, second) = self.bytes.as_slice().split_at(self.length_of_first);
        let path = |bytes| Path::new(std::ffi::OsStr::from_bytes(bytes));
        (path(first), path(second))
    }
}

/// `rename`.
#[unsafe(no_mangle)]
fn __offload_std_rename(from: &Path, to: &Path) -> io::Result<()> {
    let renamed: Outcome<()> = call_host(Paths::of(from, to)?, |paths| {
        let (from, to) = paths.get();
        fs::rename(from, to).map_err(Fault::of)
    });
    renamed.map_err(Fault::into_error)
}

/// `copy`.
#[unsafe(no_mangle)]
fn __offload_std_copy(from: &Path, to: &Path) -> io::Result<u64> {
    let copied: Outcome<u64> = call_host(Paths::of(from, to)?, |paths| {
        let (from, to) = paths.get();
        fs::copy(from, to).map_err(Fault::of)
    });
    copied.map_err(Fault::into_error)
}
