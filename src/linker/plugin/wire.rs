//! The messages between the plugin and `offloadc`. A message is a letter, a length in 4 bytes, and texts that each end
//! in a NUL; `linker-plugin/child.c` has the other side.

use std::ffi::OsString;
use std::io::{ErrorKind, Read as _, Result, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use super::reported::Reported;

/// The socket.
pub(super) struct Wire(UnixStream);

/// A request of the plugin.
pub(super) enum Request {
    /// The symbols of a module: a file, or a part of an archive.
    Claim { path: PathBuf, offset: u64, size: u64 },
    /// The objects of the program. There is a resolution for each module that was claimed, in this order.
    Link { version: u32, resolutions: Vec<Resolution> },
}

/// The linker's answer about a module: none if the program does not have it, or else a number for each symbol, as of
/// `enum ld_plugin_symbol_resolution`.
pub(super) type Resolution = Option<Vec<u8>>;

/// The answer to a request.
pub(super) enum Answer {
    Symbols(Vec<Reported>),
    Objects(Vec<PathBuf>),
    /// Why the link ends.
    Error(String),
}

impl Wire {
    pub(super) fn new(connection: UnixStream) -> Self {
        Self(connection)
    }

    /// The next request; none if the plugin has closed the socket.
    pub(super) fn read(&mut self) -> Result<Option<Request>> {
        let mut head = [0; 5];
        if self.0.read(&mut head[..1])? == 0 {
            return Ok(None);
        }
        self.0.read_exact(&mut head[1..])?;
        let length = u32::from_ne_bytes([head[1], head[2], head[3], head[4]]);
        let mut bytes = Vec::new();
        let _ = (&mut self.0).take(length.into()).read_to_end(&mut bytes)?;
        let texts: Vec<_> = bytes.split(|byte| *byte == 0).collect();
        request(head[0], &texts).map(Some).ok_or_else(|| ErrorKind::InvalidData.into())
    }

    pub(super) fn write(&mut self, answer: &Answer) -> Result<()> {
        let (kind, texts) = match answer {
            Answer::Symbols(symbols) => (b'S', symbols.iter().flat_map(Reported::texts).collect()),
            Answer::Objects(paths) => (b'O', paths.iter().map(|path| path.as_os_str().to_owned()).collect()),
            Answer::Error(text) => (b'E', vec![OsString::from(text)]),
        };
        let mut bytes = Vec::new();
        for text in texts {
            bytes.extend(text.as_bytes().iter().filter(|byte| **byte != 0));
            bytes.push(0);
        }
        let length = u32::try_from(bytes.len()).map_err(|_| ErrorKind::InvalidData)?;
        self.0.write_all(&[&[kind][..], &length.to_ne_bytes(), &bytes].concat())
    }
}

fn request(kind: u8, texts: &[&[u8]]) -> Option<Request> {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse().ok();
    match (kind, texts) {
        (b'C', [path, offset, size, ..]) => Some(Request::Claim {
            path: OsString::from_vec(path.to_vec()).into(),
            offset: number(offset)?,
            size: number(size)?,
        }),
        (b'L', [version, modules @ .., _]) => {
            let resolution = |text: &&[u8]| match text {
                [b'=', digits @ ..] => Some(digits.iter().map(|digit| digit.wrapping_sub(b'0')).collect()),
                _ => None,
            };
            let version = u32::try_from(number(version)?).ok()?;
            Some(Request::Link { version, resolutions: modules.iter().map(resolution).collect() })
        }
        _ => None,
    }
}
