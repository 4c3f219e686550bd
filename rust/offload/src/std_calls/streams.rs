//! Printing, and the standard streams.

use core::fmt::{self, Write as _};
use std::io::{self, BufRead as _, Read as _, Stderr, Stdin, Stdout, Write};
use std::string::String;
use std::vec::Vec;

use super::{Bytes, Fault, Outcome, PIECE, Piece};
use crate::host_call::call_host;

// Output --------------------------------------------------------------------------------------------------------------

/// Writes bytes to a stream of the host.
fn write_to(is_error: bool, piece: Piece) -> Outcome<()> {
    call_host((piece, is_error), |(piece, is_error)| {
        let bytes = piece.as_slice();
        let written = if is_error { io::stderr().write_all(bytes) } else { io::stdout().write_all(bytes) };
        written.map_err(Fault::of)
    })
}

fn write_all_to(is_error: bool, bytes: &[u8]) -> io::Result<()> {
    bytes.chunks(PIECE).try_for_each(|chunk| write_to(is_error, Piece::of(chunk))).map_err(Fault::into_error)
}

/// A text on its way to the host.
struct Text {
    piece: Piece,
    is_error: bool,
    outcome: Outcome<()>,
}

impl Text {
    fn write_out(&mut self) {
        if self.outcome.is_ok() {
            self.outcome = write_to(self.is_error, self.piece);
        }
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

fn format_to(is_error: bool, arguments: fmt::Arguments<'_>) -> Outcome<()> {
    let mut text = Text { piece: Bytes::EMPTY, is_error, outcome: Ok(()) };
    let formatted = text.write_fmt(arguments);
    if text.piece.length > 0 {
        text.write_out();
    }
    // As in `std`, an error of a value is a panic.
    let is_of_value = formatted.is_err() && text.outcome.is_ok();
    assert!(!is_of_value, "a formatting trait implementation returned an error when the underlying stream did not");
    text.outcome
}

/// `std::io::_print`.
#[unsafe(no_mangle)]
fn __offload_std_print(arguments: fmt::Arguments<'_>) {
    assert!(format_to(false, arguments).is_ok(), "the text of a kernel cannot be printed");
}

/// `std::io::_eprint`.
#[unsafe(no_mangle)]
fn __offload_std_eprint(arguments: fmt::Arguments<'_>) {
    assert!(format_to(true, arguments).is_ok(), "the text of a kernel cannot be printed");
}

/// `io::stdout`. The kernel only passes the value to the functions below.
#[unsafe(no_mangle)]
fn __offload_std_stdout() -> Stdout {
    call_host((), |()| io::stdout())
}

/// `io::stderr`.
#[unsafe(no_mangle)]
fn __offload_std_stderr() -> Stderr {
    call_host((), |()| io::stderr())
}

/// `Stdout::write_fmt`.
#[unsafe(no_mangle)]
fn __offload_std_stdout_write_fmt(_: &mut Stdout, arguments: fmt::Arguments<'_>) -> io::Result<()> {
    format_to(false, arguments).map_err(Fault::into_error)
}

/// `Stderr::write_fmt`.
#[unsafe(no_mangle)]
fn __offload_std_stderr_write_fmt(_: &mut Stderr, arguments: fmt::Arguments<'_>) -> io::Result<()> {
    format_to(true, arguments).map_err(Fault::into_error)
}

/// `Stdout::write_all`.
#[unsafe(no_mangle)]
fn __offload_std_stdout_write_all(_: &mut Stdout, bytes: &[u8]) -> io::Result<()> {
    write_all_to(false, bytes)
}

/// `Stderr::write_all`.
#[unsafe(no_mangle)]
fn __offload_std_stderr_write_all(_: &mut Stderr, bytes: &[u8]) -> io::Result<()> {
    write_all_to(true, bytes)
}

/// `Stdout::write`.
#[unsafe(no_mangle)]
fn __offload_std_stdout_write(_: &mut Stdout, bytes: &[u8]) -> io::Result<usize> {
    write_all_to(false, bytes).map(|()| bytes.len())
}

/// `Stderr::write`.
#[unsafe(no_mangle)]
fn __offload_std_stderr_write(_: &mut Stderr, bytes: &[u8]) -> io::Result<usize> {
    write_all_to(true, bytes).map(|()| bytes.len())
}

/// `Stdout::flush`.
#[unsafe(no_mangle)]
fn __offload_std_stdout_flush(_: &mut Stdout) -> io::Result<()> {
    let flushed: Outcome<()> = call_host((), |()| io::stdout().flush().map_err(Fault::of));
    flushed.map_err(Fault::into_error)
}

// Input ---------------------------------------------------------------------------------------------------------------

/// `io::stdin`. The kernel only passes the value to the functions below.
#[unsafe(no_mangle)]
fn __offload_std_stdin() -> Stdin {
    call_host((), |()| io::stdin())
}

fn read_input(most: usize) -> io::Result<Piece> {
    let read: Outcome<Piece> = call_host(most, |most| {
        let mut piece = Piece::EMPTY;
        piece.length = io::stdin().read(&mut piece.bytes[..most.min(PIECE)]).map_err(Fault::of)?;
        Ok(piece)
    });
    read.map_err(Fault::into_error)
}

/// Reads the rest of a line, or as much of it as the host has and a piece contains. Nothing is the end of the input.
fn read_line_piece() -> io::Result<Piece> {
    let read: Outcome<Piece> = call_host((), |()| {
        let mut input = io::stdin().lock();
        let bytes = loop {
            match input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                filled => break filled.map_err(Fault::of)?,
            }
        };
        let line = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes, |end| &bytes[..=end]);
        let piece = Piece::of(line);
        input.consume(piece.length);
        Ok(piece)
    });
    read.map_err(Fault::into_error)
}

/// `Stdin::read_line`.
#[unsafe(no_mangle)]
fn __offload_std_stdin_read_line(_: &Stdin, to: &mut String) -> io::Result<usize> {
    let mut line = Vec::new();
    loop {
        let piece = read_line_piece()?;
        line.extend_from_slice(piece.as_slice());
        if piece.length == 0 || line.last() == Some(&b'\n') {
            return append_text(&line, to);
        }
    }
}

/// Appends bytes that must be UTF-8, with the error of `std`.
pub(super) fn append_text(mut bytes: &[u8], to: &mut String) -> io::Result<usize> {
    bytes.read_to_string(to)
}

/// Appends pieces up to an empty one, which is the end. Returns the number of bytes.
pub(super) fn append_pieces(mut read: impl FnMut() -> io::Result<Piece>, to: &mut Vec<u8>) -> io::Result<usize> {
    let before = to.len();
    loop {
        let piece = match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if piece.length == 0 {
            return Ok(to.len() - before);
        }
        to.extend_from_slice(piece.as_slice());
    }
}

/// `Stdin::read`.
#[unsafe(no_mangle)]
fn __offload_std_stdin_read(_: &mut Stdin, to: &mut [u8]) -> io::Result<usize> {
    let piece = read_input(to.len())?;
    to[..piece.length].copy_from_slice(piece.as_slice());
    Ok(piece.length)
}

/// `Stdin::read_to_end`.
#[unsafe(no_mangle)]
fn __offload_std_stdin_read_to_end(_: &mut Stdin, to: &mut Vec<u8>) -> io::Result<usize> {
    append_pieces(|| read_input(PIECE), to)
}

/// `Stdin::read_to_string`.
#[unsafe(no_mangle)]
fn __offload_std_stdin_read_to_string(input: &mut Stdin, to: &mut String) -> io::Result<usize> {
    let mut bytes = Vec::new();
    __offload_std_stdin_read_to_end(input, &mut bytes)?;
    append_text(&bytes, to)
}
