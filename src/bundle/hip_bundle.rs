//! HIP's bundle of code objects: the format of `clang-offload-bundler` (`clang/docs/ClangOffloadBundler.rst` of LLVM
//! 22), without compression.
//!
//! Numbers are little-endian. Code objects are at multiples of 4096, because HIP maps them as they are:
//!
//! ```c
//! char magic[24];           // "__CLANG_OFFLOAD_BUNDLE__"
//! uint64_t count;           // then, for each of them:
//! struct { uint64_t offset, size, id_size; char id[id_size]; };
//! ```
//!
//! The first entry is that of the host, which is empty.

use super::bytes::{number, part, read_consecutive};
use super::{Image, ImageKind, ImageView};
use crate::contract::triples;
use crate::error::{Error, Result};
use std::borrow::Cow;

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const FIELDS_SIZE: usize = 24;
const ALIGN: usize = 4096;
/// The kind of the host's entry.
const HOST: &str = "host-";
/// The prefixes of a device's triple; the fourth version of HIP's code objects has the second one.
const KINDS: [&str; 2] = ["hip-", "hipv4-"];

/// Whether a bundle can contain the image.
pub fn holds(image: &Image) -> bool {
    image.kind == ImageKind::Object && triples::is_amd(&image.triple)
}

/// The bundle with those images that it can contain, in this order. It must be at a multiple of 4096.
pub fn write(images: &[Image]) -> Vec<u8> {
    let images: Vec<_> = images.iter().filter(|image| holds(image)).collect();
    // The bundler gives each triple four fields.
    let host = format!("{HOST}{}-", triples::X86_64_LINUX);
    let ids: Vec<String> = std::iter::once(host).chain(images.iter().map(|image| id(image))).collect();
    let table: usize = ids.iter().map(|id| FIELDS_SIZE + id.len()).sum();
    let mut at = (MAGIC.len() + 8 + table).next_multiple_of(ALIGN);
    let mut bytes = MAGIC.to_vec();
    bytes.extend((ids.len() as u64).to_le_bytes());
    let codes = || std::iter::once(&[][..]).chain(images.iter().map(|image| &*image.bytes));
    let mut offsets = Vec::new();
    for (id, code) in ids.iter().zip(codes()) {
        offsets.push(at);
        bytes.extend([at, code.len(), id.len()].map(|number| (number as u64).to_le_bytes()).concat());
        bytes.extend(id.bytes());
        at = (at + code.len()).next_multiple_of(ALIGN);
    }
    for (offset, code) in offsets.iter().zip(codes()) {
        bytes.resize(*offset, 0);
        bytes.extend_from_slice(code);
    }
    bytes
}

/// The name of an image: kind, triple with four fields, and arch with its features.
fn id(image: &Image) -> String {
    let fields = image.triple.split('-').count();
    format!("{}{}{}{}", KINDS[1], image.triple, "-".repeat(5_usize.saturating_sub(fields).max(1)), image.arch)
}

/// Whether these bytes start with the magic number.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads consecutive bundles, which are separated by zeros for alignment. The entries of hosts are left out.
pub fn read(bytes: &[u8]) -> Result<Vec<ImageView<'_>>> {
    read_consecutive(bytes, "bundle", |bytes, images| {
        if !is_bundle(bytes) {
            return Err(Error::new("its magic number is wrong"));
        }
        read_one(bytes, images).ok_or_else(|| Error::new("it is damaged or truncated"))
    })
}

/// Reads the bundle at the start of `bytes`. Returns its size.
fn read_one<'a>(bytes: &'a [u8], images: &mut Vec<ImageView<'a>>) -> Option<usize> {
    let index = |at: usize| usize::try_from(number::<8>(bytes, at)?).ok();
    let mut at = MAGIC.len() + 8;
    let mut end = at;
    for _ in 0..index(MAGIC.len())? {
        let (offset, size, id_size) = (index(at)?, index(at + 8)?, index(at + 16)?);
        let id = std::str::from_utf8(part(bytes, at + FIELDS_SIZE, id_size)?).ok()?;
        at += FIELDS_SIZE + id_size;
        // The code is after the table, so each entry makes the bundle longer than the file is, or is in it.
        let code = part(bytes, offset, size).filter(|_| size == 0 || offset >= at)?;
        end = end.max(at).max(offset + size);
        let Some(name) = KINDS.iter().find_map(|kind| id.strip_prefix(kind)) else { continue };
        // The arch follows the fourth field of the triple, which is empty.
        let arch_at = name.match_indices('-').nth(3).map(|(position, _)| position)?;
        let triple = name[..arch_at].trim_end_matches('-');
        let arch = match &name[arch_at + 1..] {
            // Newer bundlers may name the processor in the triple alone.
            "" => Cow::Owned(triples::processor_in(triple).unwrap_or_default()),
            arch => Cow::Borrowed(arch),
        };
        let kind = Some(ImageKind::Object);
        images.push(ImageView { kind, triple, arch, strings: Vec::new(), bytes: code.into(), compressed: None });
    }
    Some(end)
}

#[cfg(test)]
#[path = "hip_bundle_tests.rs"]
mod tests;
