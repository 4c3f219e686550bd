//! Functions of Rust's `std` for kernels that offloadc compiles with `--device-std`: each has the signature of the
//! function that it replaces, and calls the host. `src/rust_std/device_std.rs` of offloadc has the list.
//!
//! Nothing else calls these functions. Texts, paths and contents of files are copied in pieces, because a call of the
//! host has 896 bytes of arguments and of a result.

mod clocks;
mod environment;
mod files;
mod paths;
mod streams;

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::string::{String, ToString as _};

use crate::host_call::call_host;

/// The most bytes of one piece of a text, a name or a file.
const PIECE: usize = 512;

/// Up to `MOST` bytes.
#[derive(Clone, Copy)]
struct Bytes<const MOST: usize> {
    bytes: [u8; MOST],
    length: usize,
}

type Piece = Bytes<PIECE>;

impl<const MOST: usize> Bytes<MOST> {
    const EMPTY: Self = Self { bytes: [0; MOST], length: 0 };

    /// The first bytes of a slice, as many as fit.
    fn of(bytes: &[u8]) -> Self {
        let mut piece = Self::EMPTY;
        piece.length = bytes.len().min(MOST);
        for (to, from) in piece.bytes.iter_mut().zip(bytes) {
            *to = *from;
        }
        piece
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length.min(MOST)]
    }

    fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.as_slice()))
    }
}

/// The piece that contains a path. No piece contains a longer one.
fn piece_of(path: &Path) -> io::Result<Piece> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.len() > PIECE { Err(too_long()) } else { Ok(Piece::of(bytes)) }
}

/// The error of a path that is too long.
fn too_long() -> io::Error {
    /// `ENAMETOOLONG` of Linux.
    const NAME_TOO_LONG: i32 = 36;
    io::Error::from_raw_os_error(NAME_TOO_LONG)
}

/// An error of the host on its way to a kernel.
struct Fault {
    /// The number of the operating system, or 0 if the error has none.
    number: i32,
    kind: ErrorKind,
    /// The text of an error without a number.
    text: Bytes<96>,
}

type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// On the host.
    fn of(error: io::Error) -> Self {
        let number = error.raw_os_error().unwrap_or(0);
        let text = if number == 0 { Bytes::of(error.to_string().as_bytes()) } else { Bytes::EMPTY };
        Self { number, kind: error.kind(), text }
    }

    /// In the kernel.
    fn into_error(self) -> io::Error {
        if self.number == 0 {
            io::Error::new(self.kind, String::from_utf8_lossy(self.text.as_slice()))
        } else {
            io::Error::from_raw_os_error(self.number)
        }
    }
}

/// The text of an error of the operating system.
fn text_of(number: i32) -> Bytes<128> {
    call_host(number, |number| {
        let text = io::Error::from_raw_os_error(number).to_string();
        // `std` adds the number itself.
        let end = text.rfind(" (os error ").unwrap_or(text.len());
        Bytes::of(&text.as_bytes()[..end])
    })
}

/// C's `strerror_r`, with which `std` displays an error of the operating system.
///
/// # Safety
///
/// `to` leads to `capacity` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn __offload_std_strerror_r(number: i32, to: *mut u8, capacity: usize) -> i32 {
    for (i, byte) in text_of(number).as_slice().iter().chain(&[0]).enumerate().take(capacity) {
        // SAFETY: `i` is less than `capacity`.
        unsafe { to.add(i).write(*byte) };
    }
    0
}

/// The function of `std` that calls it, if `std` has not been compiled with its body.
#[unsafe(no_mangle)]
fn __offload_std_error_string(number: i32) -> String {
    String::from_utf8_lossy(text_of(number).as_slice()).into_owned()
}
