//! Functions of Rust's `std` for kernels that offloadc compiles with `--device-std`: each has the signature of the
//! function that it replaces, and calls the host. `src/rust_std/device_std.rs` of offloadc has the list.
//!
//! Nothing else calls these functions. Text and contents of files are copied in pieces, because a call of the host has
//! 896 bytes of arguments and of a result.

use core::fmt::{self, Write as _};
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr;
use std::env::VarError;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::string::String;
use std::time::{Duration, Instant, SystemTime, SystemTimeError};
use std::vec::Vec;

use crate::host_call::call_host;

/// The most bytes of one piece of a text, a name or a file.
const PIECE: usize = 512;

/// A piece.
#[derive(Clone, Copy)]
struct Piece {
    bytes: [u8; PIECE],
    length: usize,
}

impl Piece {
    const EMPTY: Self = Self { bytes: [0; PIECE], length: 0 };

    /// The first bytes of a slice, as many as fit.
    fn of(bytes: &[u8]) -> Self {
        let mut piece = Self::EMPTY;
        piece.length = bytes.len().min(PIECE);
        for (to, from) in piece.bytes.iter_mut().zip(bytes) {
            *to = *from;
        }
        piece
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length.min(PIECE)]
    }
}

// Printing ------------------------------------------------------------------------------------------------------------

/// A text on its way to the host.
struct Text {
    piece: Piece,
    is_error: bool,
}

impl Text {
    fn write_out(&mut self) {
        call_host((self.piece, self.is_error), |(piece, is_error)| {
            let written = if is_error {
                io::stderr().write_all(piece.as_slice())
            } else {
                io::stdout().write_all(piece.as_slice())
            };
            written.expect("the text of a kernel cannot be printed");
        });
        self.piece.length = 0;
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if self.piece.length == PIECE {
                self.write_out();
            }
            self.piece.bytes[self.piece.length] = byte;
            self.piece.length += 1;
        }
        Ok(())
    }
}

fn print_to(arguments: fmt::Arguments<'_>, is_error: bool) {
    let mut text = Text { piece: Piece::EMPTY, is_error };
    // A value whose formatting fails ends the text.
    let _ = text.write_fmt(arguments);
    if text.piece.length > 0 {
        text.write_out();
    }
}

/// `std::io::_print`.
#[unsafe(no_mangle)]
fn __offload_std_print(arguments: fmt::Arguments<'_>) {
    print_to(arguments, false);
}

/// `std::io::_eprint`.
#[unsafe(no_mangle)]
fn __offload_std_eprint(arguments: fmt::Arguments<'_>) {
    print_to(arguments, true);
}

// Time ----------------------------------------------------------------------------------------------------------------

/// `Instant::now`.
#[unsafe(no_mangle)]
fn __offload_std_instant_now() -> Instant {
    call_host((), |()| Instant::now())
}

/// `Instant::elapsed`.
#[unsafe(no_mangle)]
fn __offload_std_instant_elapsed(since: &Instant) -> Duration {
    call_host(*since, |since| since.elapsed())
}

/// `Instant::duration_since`.
#[unsafe(no_mangle)]
fn __offload_std_instant_duration_since(to: &Instant, from: Instant) -> Duration {
    call_host((*to, from), |(to, from)| to.duration_since(from))
}

/// `later - earlier`.
#[unsafe(no_mangle)]
fn __offload_std_instant_sub(to: Instant, from: Instant) -> Duration {
    call_host((to, from), |(to, from)| to - from)
}

/// `instant + duration`.
#[unsafe(no_mangle)]
fn __offload_std_instant_add(from: Instant, time: Duration) -> Instant {
    call_host((from, time), |(from, time)| from + time)
}

/// `SystemTime::now`.
#[unsafe(no_mangle)]
fn __offload_std_system_time_now() -> SystemTime {
    call_host((), |()| SystemTime::now())
}

/// `SystemTime::duration_since`.
#[unsafe(no_mangle)]
fn __offload_std_system_time_duration_since(to: &SystemTime, from: SystemTime) -> Result<Duration, SystemTimeError> {
    call_host((*to, from), |(to, from)| to.duration_since(from))
}

// The environment -----------------------------------------------------------------------------------------------------

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
    let mut value = Vec::new();
    loop {
        let piece = call_host((name, value.len()), |(name, from)| {
            let value = std::env::var_os(OsStr::from_bytes(name.as_slice()))?;
            // Another thread may change the variable between two pieces.
            Some(Piece::of(value.as_encoded_bytes().get(from..).unwrap_or_default()))
        })?;
        value.extend_from_slice(piece.as_slice());
        if piece.length < PIECE {
            return Some(value);
        }
    }
}

// Files ---------------------------------------------------------------------------------------------------------------

/// The errors of the host: the number of one, or 0 for one without a number.
type Outcome<T> = Result<T, i32>;

fn number_of(error: io::Error) -> i32 {
    error.raw_os_error().unwrap_or(0)
}

fn error_of(number: i32) -> io::Error {
    if number == 0 { io::Error::from(ErrorKind::Other) } else { io::Error::from_raw_os_error(number) }
}

/// `ENAMETOOLONG` of Linux.
const NAME_TOO_LONG: i32 = 36;

/// Calls `work` with a file of the host, which stays open.
fn with_file<T>(number: i32, work: impl FnOnce(&mut File) -> io::Result<T>) -> Outcome<T> {
    // SAFETY: the file with this number is open as long as the `File` of the kernel lives, which has lent it.
    let mut file = ManuallyDrop::new(unsafe { File::from_raw_fd(number) });
    work(&mut file).map_err(number_of)
}

/// `OpenOptions::open` of a path that is no longer generic.
#[unsafe(no_mangle)]
fn __offload_std_open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    #[derive(Clone, Copy)]
    struct Bytes(MaybeUninit<[u8; size_of::<OpenOptions>()]>);
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.len() > PIECE {
        return Err(error_of(NAME_TOO_LONG));
    }
    // SAFETY: `OpenOptions` consists of flags and numbers, and the host reads it as what it is.
    let options = Bytes(unsafe { ptr::from_ref(options).cast::<MaybeUninit<[u8; size_of::<OpenOptions>()]>>().read() });
    let opened: Outcome<i32> = call_host((options, Piece::of(bytes)), |(options, path)| {
        // SAFETY: as above.
        let options = ManuallyDrop::new(unsafe { ptr::from_ref(&options.0).cast::<OpenOptions>().read_unaligned() });
        let path = Path::new(OsStr::from_bytes(path.as_slice()));
        options.open(path).map(|file| file.into_raw_fd()).map_err(number_of)
    });
    // SAFETY: the host has just opened the file, and gives it away.
    opened.map(|number| unsafe { File::from_raw_fd(number) }).map_err(error_of)
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

/// Reads a piece of a file of the host.
fn read_piece(file: &File, most: usize) -> io::Result<Piece> {
    let read: Outcome<Piece> = call_host((file.as_raw_fd(), most), |(number, most)| {
        let mut piece = Piece::EMPTY;
        let end = most.min(PIECE);
        piece.length = with_file(number, |file| file.read(&mut piece.bytes[..end]))?;
        Ok(piece)
    });
    read.map_err(error_of)
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
    let before = to.len();
    loop {
        let piece = read_piece(file, PIECE)?;
        if piece.length == 0 {
            return Ok(to.len() - before);
        }
        to.extend_from_slice(piece.as_slice());
    }
}

/// `File::read_to_string`.
#[unsafe(no_mangle)]
fn __offload_std_file_read_to_string(file: &mut File, to: &mut String) -> io::Result<usize> {
    let mut bytes = Vec::new();
    let count = __offload_std_file_read_to_end(file, &mut bytes)?;
    to.push_str(&text_of(bytes)?);
    Ok(count)
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::from(ErrorKind::InvalidData))
}

/// `File::write`.
#[unsafe(no_mangle)]
fn __offload_std_file_write(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    let written: Outcome<usize> = call_host((file.as_raw_fd(), Piece::of(bytes)), |(number, piece)| {
        with_file(number, |file| file.write(piece.as_slice()))
    });
    written.map_err(error_of)
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
    text_of(__offload_std_read(path)?)
}

/// `std::fs::write` of such a path.
#[unsafe(no_mangle)]
fn __offload_std_write(path: &Path, mut bytes: &[u8]) -> io::Result<()> {
    let mut file = __offload_std_open(OpenOptions::new().write(true).create(true).truncate(true), path)?;
    while !bytes.is_empty() {
        match __offload_std_file_write(&mut file, bytes)? {
            0 => return Err(io::Error::from(ErrorKind::WriteZero)),
            count => bytes = &bytes[count..],
        }
    }
    Ok(())
}
