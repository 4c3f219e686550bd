//! Numbers, strings and parts in the bytes of a file, and files with several containers.

use super::ImageView;
use crate::error::Result;

/// The little-endian number in the `N` bytes at `at`.
pub(super) fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut number = [0; 8];
    number[..N].copy_from_slice(part(bytes, at, N)?);
    Some(u64::from_le_bytes(number))
}

/// `size` bytes at `at`, if they exist.
pub(super) fn part(bytes: &[u8], at: usize, size: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(size)?)
}

/// The NUL-terminated UTF-8 string at `at`.
pub(super) fn string_at(bytes: &[u8], at: usize) -> Option<&str> {
    let text = bytes.get(at..)?;
    let end = text.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&text[..end]).ok()
}

/// Reads containers that follow each other, and may be separated by zeros for alignment. `read_one` adds the images of
/// the container at the start of its bytes, and returns the container's size. `what` names a container in errors.
pub(super) fn read_consecutive<'a>(
    mut bytes: &'a [u8],
    what: &str,
    read_one: impl Fn(&'a [u8], &mut Vec<ImageView<'a>>) -> Result<usize>,
) -> Result<Vec<ImageView<'a>>> {
    let mut images = Vec::new();
    let start = bytes.len();
    loop {
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes = &bytes[zeros..];
        if bytes.is_empty() {
            return Ok(images);
        }
        let size = read_one(bytes, &mut images)
            .map_err(|error| error.context(format!("the {what} at offset {}", start - bytes.len())))?;
        bytes = &bytes[size..];
    }
}
