//! Fat binaries: several images, of which the driver takes the best one. The layout is that of the files that
//! `fatbinary` writes.

use std::ffi::c_void;

const WRAPPER: u32 = 0x4662_43b1;
const MAGIC: u32 = 0xba55_ed50;
const ENTRY: usize = 64;
const KIND_PTX: u16 = 1;
/// The code was compressed, by either method.
const COMPRESSED: u64 = 0x2000 | 0x8000;
const LETTERS: [(u64, &str); 2] = [(1 << 20, "a"), (1 << 21, "f")];

/// PTX in a fat binary, and the target that the fat binary says.
pub(super) struct Text {
    pub(super) target: String,
    pub(super) arch: u32,
    pub(super) bytes: Vec<u8>,
}

/// The fat binary at an image's address, or the one that the structure there refers to.
///
/// # Safety
///
/// `image` is one that begins with its magic number, or text that ends with a zero byte.
pub(super) unsafe fn find(image: *const c_void) -> Option<Vec<u8>> {
    // SAFETY: a shorter text ends with a zero, and the bytes after it are not read.
    let magic = |at: *const u8| unsafe {
        let mut bytes = [0; 4];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = *at.add(i);
            if *byte == 0 {
                break;
            }
        }
        u32::from_le_bytes(bytes)
    };
    // SAFETY: the structure has four bytes of version and then the address.
    let image = match magic(image.cast()) {
        WRAPPER => unsafe { image.cast::<*const u8>().add(1).read_unaligned() },
        MAGIC => image.cast(),
        _ => return None,
    };
    // SAFETY: the header has the size of the whole.
    unsafe {
        let size = image.add(8).cast::<u64>().read_unaligned();
        Some(std::slice::from_raw_parts(image, 16 + size as usize).to_vec())
    }
}

/// The PTX in a fat binary; an error if it is damaged or compressed.
pub(super) fn texts(bytes: &[u8]) -> Result<Vec<Text>, &'static str> {
    let mut entries = &bytes[16..];
    let mut texts = Vec::new();
    while !entries.is_empty() {
        let (text, size) = entry(entries).ok_or("the fat binary is damaged")?;
        if let Some(text) = text {
            texts.push(text?);
        }
        entries = &entries[size..];
    }
    Ok(texts)
}

type Entry = Option<Result<Text, &'static str>>;

fn entry(bytes: &[u8]) -> Option<(Entry, usize)> {
    let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let u64_at = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let header = u32_at(4).filter(|size| *size as usize >= ENTRY)? as usize;
    let size = header.checked_add(usize::try_from(u64_at(8)?).ok()?)?;
    let code = bytes.get(header..size)?;
    let flags = u64_at(40)?;
    if u32_at(0)? as u16 != KIND_PTX {
        return Some((None, size));
    }
    if flags & COMPRESSED != 0 {
        return Some((Some(Err("the PTX in the fat binary is compressed")), size));
    }
    let arch = u32_at(28)?;
    let letter = LETTERS.iter().find(|(flag, _)| flags & flag != 0).map_or("", |(_, letter)| letter);
    let end = code.iter().position(|byte| *byte == 0).unwrap_or(code.len());
    let text = Text { target: format!("sm_{arch}{letter}"), arch, bytes: code[..end].to_vec() };
    Some((Some(Ok(text)), size))
}
