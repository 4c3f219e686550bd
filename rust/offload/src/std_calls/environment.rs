//! `std::env` and `std::process`.

use core::mem;
use std::env::{self, Args, ArgsOs, VarError};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::string::String;
use std::vec::{self, Vec};

use super::{Fault, Outcome, PIECE, Piece};
use crate::host_call::call_host;

/// `std::env::var` of a name that is no longer generic.
#[unsafe(no_mangle)]
fn __offload_std_var(name: &OsStr) -> Result<String, VarError> {
    let Some(value) = variable(name) else { return Err(VarError::NotPresent) };
    String::from_utf8(value).map_err(|error| VarError::NotUnicode(OsString::from_vec(error.into_bytes())))
}

/// `std::env::var_os`.
#[unsafe(no_mangle)]
fn __offload_std_var_os(name: &OsStr) -> Option<OsString> {
    variable(name).map(OsString::from_vec)
}

/// The value of a variable of the host.
fn variable(name: &OsStr) -> Option<Vec<u8>> {
    let bytes = name.as_encoded_bytes();
    assert!(bytes.len() <= PIECE, "the name of a variable of the environment has more than 512 bytes in a kernel");
    let name = Piece::of(bytes);
    // Another thread may change the variable between two pieces.
    all_pieces(|from| {
        call_host((name, from), |(name, from)| {
            let value = env::var_os(OsStr::from_bytes(name.as_slice()))?;
            Some(piece_from(&value, from))
        })
    })
}

/// The piece of a value that begins at an offset.
fn piece_from(value: &OsStr, from: usize) -> Piece {
    Piece::of(value.as_encoded_bytes().get(from..).unwrap_or_default())
}

/// All pieces of a value. `next` returns the piece that begins at an offset.
fn all_pieces(mut next: impl FnMut(usize) -> Option<Piece>) -> Option<Vec<u8>> {
    let mut value = Vec::new();
    loop {
        let piece = next(value.len())?;
        value.extend_from_slice(piece.as_slice());
        if piece.length < PIECE {
            return Some(value);
        }
    }
}

/// `std::env::args_os`.
#[unsafe(no_mangle)]
fn __offload_std_args_os() -> ArgsOs {
    let mut arguments = Vec::new();
    let argument = |index: usize| {
        all_pieces(|from| {
            call_host((index, from), |(index, from)| env::args_os().nth(index).map(|value| piece_from(&value, from)))
        })
    };
    while let Some(bytes) = argument(arguments.len()) {
        arguments.push(OsString::from_vec(bytes));
    }
    // SAFETY: `ArgsOs` consists of this iterator, as `std` defines it for Unix; the sizes are compared.
    unsafe { mem::transmute::<vec::IntoIter<OsString>, ArgsOs>(arguments.into_iter()) }
}

/// `std::env::args`.
#[unsafe(no_mangle)]
fn __offload_std_args() -> Args {
    // SAFETY: `Args` consists of an `ArgsOs`; the sizes are compared.
    unsafe { mem::transmute::<ArgsOs, Args>(__offload_std_args_os()) }
}

/// `std::env::current_dir`.
#[unsafe(no_mangle)]
fn __offload_std_current_dir() -> io::Result<PathBuf> {
    folder(|from| call_host(from, |from| folder_from(env::current_dir(), from)))
}

/// `std::env::current_exe`.
#[unsafe(no_mangle)]
fn __offload_std_current_exe() -> io::Result<PathBuf> {
    folder(|from| call_host(from, |from| folder_from(env::current_exe(), from)))
}

/// `std::env::temp_dir`.
#[unsafe(no_mangle)]
fn __offload_std_temp_dir() -> PathBuf {
    folder(|from| call_host(from, |from| folder_from(Ok(env::temp_dir()), from))).unwrap_or_default()
}

/// On the host, the piece of a path that begins at an offset.
pub(super) fn folder_from(path: io::Result<PathBuf>, from: usize) -> Outcome<Piece> {
    path.map(|path| piece_from(path.as_os_str(), from)).map_err(Fault::of)
}

/// The path of which `next` returns the pieces.
pub(super) fn folder(mut next: impl FnMut(usize) -> Outcome<Piece>) -> io::Result<PathBuf> {
    let mut error = None;
    let path = all_pieces(|from| next(from).map_err(|fault| error = Some(fault)).ok());
    match (path, error) {
        (_, Some(fault)) => Err(fault.into_error()),
        (path, None) => Ok(PathBuf::from(OsString::from_vec(path.unwrap_or_default()))),
    }
}

/// `std::process::id`.
#[unsafe(no_mangle)]
fn __offload_std_process_id() -> u32 {
    call_host((), |()| std::process::id())
}
