//! CUDA's fat binary: the container of PTX and machine code that libcudart and the CUDA driver read.
//!
//! NVIDIA does not publish the layout. It is that of the files that `fatbinary` of CUDA 13.5 writes without
//! compression. Numbers are little-endian, and sizes are multiples of 8:
//!
//! ```c
//! struct header { uint32_t magic; uint16_t version, header_size; uint64_t size; };   // the entries' size
//! struct entry  { uint16_t kind, version; uint32_t header_size; uint64_t size;        // the code's size
//!                 uint32_t compressed_size, options_at; uint16_t minor, major; uint32_t arch;
//!                 uint32_t name_at, name_size; uint64_t flags, reserved, uncompressed_size; };
//! struct options { uint32_t at, size; uint64_t characters; };   // after the entry of PTX: for the driver's compiler
//! ```

use goblin::elf::header::{EI_ABIVERSION, ELFMAG};

use super::bytes::{number, part, read_consecutive};
use super::{Image, ImageKind, ImageView};
use crate::contract::triples;
use crate::error::{Error, Result};

const MAGIC: u32 = 0xba55_ed50;
const VERSION: u16 = 1;
const HEADER_SIZE: usize = 16;
const ENTRY_VERSION: u16 = 0x0101;
const ENTRY_SIZE: usize = 64;
const OPTIONS_SIZE: usize = 16;
const KIND_PTX: u16 = 1;
const KIND_ELF: u16 = 2;
/// The code has 64-bit addresses, and its host is Linux.
const FLAGS: u64 = 0x11;
/// Flags of code that was compressed, by either method.
const COMPRESSED: u64 = 0x2000 | 0x8000;
/// The letters after an arch's number, and their flags.
const LETTERS: [(char, u64); 2] = [('a', 1 << 20), ('f', 1 << 21)];
const TRIPLE: &str = triples::NVIDIA;
const ALIGN: usize = 8;

/// Whether a fat binary can contain the image.
pub fn holds(image: &Image) -> bool {
    matches!(image.kind, ImageKind::Ptx | ImageKind::Cubin)
}

/// The fat binary with those images that it can contain, in this order. It must be at a multiple of 8.
pub fn write(images: &[Image]) -> Result<Vec<u8>> {
    let mut entries = Vec::new();
    for image in images.iter().filter(|image| holds(image)) {
        append(&mut entries, image)?;
    }
    let mut bytes = Vec::with_capacity(HEADER_SIZE + entries.len());
    bytes.extend(MAGIC.to_le_bytes());
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((HEADER_SIZE as u16).to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    bytes.extend(entries);
    Ok(bytes)
}

fn append(out: &mut Vec<u8>, image: &Image) -> Result<()> {
    let is_text = image.kind == ImageKind::Ptx;
    let (arch, letter) = arch_number(&image.arch)?;
    let (major, minor) = if is_text { language(image)? } else { (1, interface(image)?) };
    let (kind, header_size, options_at) =
        if is_text { (KIND_PTX, ENTRY_SIZE + OPTIONS_SIZE, ENTRY_SIZE) } else { (KIND_ELF, ENTRY_SIZE, 0) };
    // Text ends with a NUL.
    let size = (image.bytes.len() + usize::from(is_text)).next_multiple_of(ALIGN);
    let start = out.len();
    out.extend([kind, ENTRY_VERSION].map(u16::to_le_bytes).concat());
    out.extend((header_size as u32).to_le_bytes());
    out.extend((size as u64).to_le_bytes());
    out.extend([0, options_at as u32].map(u32::to_le_bytes).concat());
    out.extend([minor, major].map(u16::to_le_bytes).concat());
    out.extend([arch, 0, 0].map(u32::to_le_bytes).concat());
    out.extend((FLAGS | letter).to_le_bytes());
    out.resize(start + ENTRY_SIZE, 0);
    if is_text {
        out.extend(((ENTRY_SIZE + ALIGN) as u32).to_le_bytes());
    }
    out.resize(start + header_size, 0);
    out.extend_from_slice(&image.bytes);
    out.resize(start + header_size + size, 0);
    Ok(())
}

/// The number of an arch such as `sm_90a`, and the flag of its letter.
fn arch_number(arch: &str) -> Result<(u32, u64)> {
    let wrong = || Error::new(format!("a fat binary cannot contain an image for `{arch}`"));
    let number = arch.strip_prefix("sm_").ok_or_else(wrong)?;
    let letter = LETTERS.iter().find(|(letter, _)| number.ends_with(*letter));
    let digits = number.trim_end_matches(|letter: char| LETTERS.iter().any(|(known, _)| *known == letter));
    Ok((digits.parse().map_err(|_| wrong())?, letter.map_or(0, |(_, flag)| *flag)))
}

/// The version of the language in which a text is written, which its `.version` says.
fn language(image: &Image) -> Result<(u16, u16)> {
    let lines = image.bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let version = lines.filter_map(|line| line.trim().strip_prefix(".version")).next();
    let (major, minor) = version.and_then(|version| version.trim().split_once('.')).unwrap_or_default();
    let numbers = major.parse().ok().zip(minor.parse().ok());
    numbers.ok_or_else(|| Error::new(format!("the PTX for `{}` has no `.version`", image.arch)))
}

/// The version of the binary interface that machine code follows.
fn interface(image: &Image) -> Result<u16> {
    let version = image.bytes.get(EI_ABIVERSION).filter(|_| image.bytes.starts_with(ELFMAG));
    let wrong = || Error::new(format!("the machine code for `{}` is no ELF file", image.arch));
    Ok(u16::from(*version.ok_or_else(wrong)?))
}

/// Whether these bytes start with the magic number.
pub fn is_fatbinary(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Reads consecutive fat binaries, which may be separated by zeros for alignment.
pub fn read(bytes: &[u8]) -> Result<Vec<ImageView<'_>>> {
    read_consecutive(bytes, "fat binary", read_one)
}

/// Reads the fat binary at the start of `bytes`. Returns its size.
fn read_one<'a>(bytes: &'a [u8], images: &mut Vec<ImageView<'a>>) -> Result<usize> {
    if !is_fatbinary(bytes) {
        return Err(Error::new("its magic number is wrong"));
    }
    let (entries, size) = entries(bytes).ok_or_else(|| Error::new("it is truncated"))?;
    read_entries(entries, images).map(|()| size)
}

/// The entries of the fat binary at the start of `bytes`, and its size.
fn entries(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let header_size = usize::try_from(number::<2>(bytes, 6)?).ok().filter(|size| *size >= HEADER_SIZE)?;
    let size = usize::try_from(number::<8>(bytes, 8)?).ok()?;
    Some((part(bytes, header_size, size)?, header_size + size))
}

fn read_entries<'a>(mut entries: &'a [u8], images: &mut Vec<ImageView<'a>>) -> Result<()> {
    while !entries.is_empty() {
        let (image, size) = read_entry(entries).ok_or_else(|| Error::new("an entry is damaged"))?;
        images.push(image);
        entries = &entries[size..];
    }
    Ok(())
}

/// The image at the start of `bytes`, and the size of its entry. The kind is none if it is unknown, or if the code is
/// compressed.
fn read_entry(bytes: &[u8]) -> Option<(ImageView<'_>, usize)> {
    let header_size = number::<4>(bytes, 4)? as usize;
    let header = part(bytes, 0, header_size).filter(|header| header.len() >= ENTRY_SIZE)?;
    let code = part(bytes, header_size, usize::try_from(number::<8>(header, 8)?).ok()?)?;
    let flags = number::<8>(header, 40)?;
    let letter =
        LETTERS.iter().find(|(_, flag)| flags & flag != 0).map_or(String::new(), |(letter, _)| letter.to_string());
    let kind = match number::<2>(header, 0)? as u16 {
        _ if flags & COMPRESSED != 0 => None,
        KIND_PTX => Some(ImageKind::Ptx),
        KIND_ELF => Some(ImageKind::Cubin),
        _ => None,
    };
    let end = code.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let image = if kind == Some(ImageKind::Ptx) { &code[..end] } else { code };
    let arch = format!("sm_{}{letter}", number::<4>(header, 28)?).into();
    let view = ImageView { kind, triple: TRIPLE, arch, strings: Vec::new(), bytes: image.into(), compressed: None };
    Some((view, header_size + code.len()))
}

#[cfg(test)]
#[path = "fatbinary_tests.rs"]
mod tests;
