//! Files of the host.

use core::mem::ManuallyDrop;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::os::fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd};
use std::path::Path;
use std::string::String;
use std::vec::Vec;

use super::paths::Options;
use super::streams::{append_pieces, append_text};
use super::{Fault, Outcome, PIECE, Piece, piece_of};
use crate::host_call::call_host;

/// Calls `work` with a file of the host, which stays open.
fn with_file<T>(number: i32, work: impl FnOnce(&mut File) -> io::Result<T>) -> Outcome<T> {
    // SAFETY: the file with this number is open as long as the `File` of the kernel lives, which has lent it.
    let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(number) });
    work(&mut file).map_err(Fault::of)
}

/// The file that the host has opened for a kernel.
fn opened(outcome: Outcome<i32>) -> io::Result<File> {
    // SAFETY: the host has just opened the file, and gives it away.
    outcome.map(|number| unsafe { File::from_raw_fd(number) }).map_err(Fault::into_error)
}

/// `OpenOptions::open` of a path that is no longer generic.
#[unsafe(no_mangle)]
fn __offload_std_open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let options = Options::<{ size_of::<OpenOptions>() }>::of(options);
    opened(call_host((options, piece_of(path)?), |(options, path)| {
        // SAFETY: they are those of an `OpenOptions`.
        let options = unsafe { options.get::<OpenOptions>() };
        options.open(path.as_path()).map(|file| file.into_raw_fd()).map_err(Fault::of)
    }))
}

/// `File::try_clone`.
#[unsafe(no_mangle)]
fn __offload_std_file_try_clone(file: &File) -> io::Result<File> {
    opened(call_host(file.as_raw_fd(), |number| {
        with_file(number, |file| file.try_clone().map(|file| file.into_raw_fd()))
    }))
}

/// The drop of the owner of a file.
#[unsafe(no_mangle)]
fn __offload_std_drop_owned_fd(owner: &mut OwnedFd) {
    __offload_std_close(owner.as_raw_fd());
}

/// C's `close`, where rustc has inlined that drop.
#[unsafe(no_mangle)]
extern "C" fn __offload_std_close(number: i32) -> i32 {
    call_host(number, |number| {
        // SAFETY: an owner is dropped once.
        drop(unsafe { OwnedFd::from_raw_fd(number) });
        0
    })
}

// Reading -------------------------------------------------------------------------------------------------------------

/// Reads a piece of a file of the host.
fn read_piece(file: &File, most: usize) -> io::Result<Piece> {
    let read: Outcome<Piece> = call_host((file.as_raw_fd(), most), |(number, most)| {
        let mut piece = Piece::EMPTY;
        let end = most.min(PIECE);
        piece.length = with_file(number, |file| file.read(&mut piece.bytes[..end]))?;
        Ok(piece)
    });
    read.map_err(Fault::into_error)
}

/// `File::read`.
#[unsafe(no_mangle)]
fn __offload_std_file_read(file: &mut File, to: &mut [u8]) -> io::Result<usize> {
    let piece = read_piece(file, to.len())?;
    to[..piece.length].copy_from_slice(piece.as_slice());
    Ok(piece.length)
}

/// `File::read_to_end`.
#[unsafe(no_mangle)]
fn __offload_std_file_read_to_end(file: &mut File, to: &mut Vec<u8>) -> io::Result<usize> {
    append_pieces(|| read_piece(file, PIECE), to)
}

/// `File::read_to_string`.
#[unsafe(no_mangle)]
fn __offload_std_file_read_to_string(file: &mut File, to: &mut String) -> io::Result<usize> {
    let mut bytes = Vec::new();
    __offload_std_file_read_to_end(file, &mut bytes)?;
    append_text(&bytes, to)
}

/// `std::fs::read` of a path that is no longer generic.
#[unsafe(no_mangle)]
fn __offload_std_read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = __offload_std_open(OpenOptions::new().read(true), path)?;
    let mut bytes = Vec::new();
    __offload_std_file_read_to_end(&mut file, &mut bytes)?;
    Ok(bytes)
}

/// `std::fs::read_to_string` of such a path.
#[unsafe(no_mangle)]
fn __offload_std_read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    append_text(&__offload_std_read(path)?, &mut text)?;
    Ok(text)
}

// Writing -------------------------------------------------------------------------------------------------------------

/// `File::write`.
#[unsafe(no_mangle)]
fn __offload_std_file_write(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    let written: Outcome<usize> = call_host((file.as_raw_fd(), Piece::of(bytes)), |(number, piece)| {
        with_file(number, |file| file.write(piece.as_slice()))
    });
    written.map_err(Fault::into_error)
}

/// `std::fs::write` of a path that is no longer generic.
#[unsafe(no_mangle)]
fn __offload_std_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = __offload_std_open(OpenOptions::new().write(true).create(true).truncate(true), path)?;
    file.write_all(bytes)
}

// The rest ------------------------------------------------------------------------------------------------------------

/// `File::seek`.
#[unsafe(no_mangle)]
fn __offload_std_file_seek(file: &mut File, to: SeekFrom) -> io::Result<u64> {
    let found: Outcome<u64> = call_host((file.as_raw_fd(), to), |(number, to)| with_file(number, |file| file.seek(to)));
    found.map_err(Fault::into_error)
}

/// `File::stream_position`.
#[unsafe(no_mangle)]
fn __offload_std_file_stream_position(file: &mut File) -> io::Result<u64> {
    __offload_std_file_seek(file, SeekFrom::Current(0))
}

/// `File::set_len`.
#[unsafe(no_mangle)]
fn __offload_std_file_set_len(file: &File, length: u64) -> io::Result<()> {
    let set: Outcome<()> =
        call_host((file.as_raw_fd(), length), |(number, length)| with_file(number, |file| file.set_len(length)));
    set.map_err(Fault::into_error)
}

/// `File::sync_all`.
#[unsafe(no_mangle)]
fn __offload_std_file_sync_all(file: &File) -> io::Result<()> {
    let synced: Outcome<()> = call_host(file.as_raw_fd(), |number| with_file(number, |file| file.sync_all()));
    synced.map_err(Fault::into_error)
}

/// `File::sync_data`.
#[unsafe(no_mangle)]
fn __offload_std_file_sync_data(file: &File) -> io::Result<()> {
    let synced: Outcome<()> = call_host(file.as_raw_fd(), |number| with_file(number, |file| file.sync_data()));
    synced.map_err(Fault::into_error)
}

/// `File::metadata`.
#[unsafe(no_mangle)]
fn __offload_std_file_metadata(file: &File) -> io::Result<Metadata> {
    let found: Outcome<Metadata> = call_host(file.as_raw_fd(), |number| with_file(number, |file| file.metadata()));
    found.map_err(Fault::into_error)
}
