//! LLVM's OffloadBinary containers: the format of images in host objects. Version 1 is written, and version 2 is read,
//! too.
//!
//! A container of version 1 contains one image, and several containers follow each other. The layout is that of
//! `llvm/Object/OffloadBinary.h` in LLVM 22. Numbers are little-endian, offsets are relative to the container's start,
//! and every part is 8-byte aligned:
//!
//! ```c
//! struct header { uint8_t magic[4]; uint32_t version; uint64_t size, entry_offset, entry_size; };
//! struct entry  { uint16_t image_kind, offload_kind; uint32_t flags;
//!                 uint64_t strings_offset, string_count, image_offset, image_size; };
//! struct string { uint64_t key_offset, value_offset; };   // string_count of them, then the characters
//! ```
//!
//! LLVM 23 writes version 2, but reads this one: instead of `entry_size` there is the number of entries, which follow
//! each other, and each string has the size of its value after the offsets.

use super::bytes::{number, part, read_consecutive, string_at};
use super::{Image, ImageKind};
use crate::contract::triples;
use crate::error::{Error, Result};
use std::borrow::{Borrow, Cow};
use std::ops::Range;

const MAGIC: [u8; 4] = [0x10, 0xff, 0x10, 0xad];
const VERSION: u32 = 1;
const HEADER_SIZE: usize = 32;
const ENTRY_SIZE: usize = 40;
const STRING_SIZE: usize = 16;
const STRING_SIZE_OF_2: usize = 24;
/// Images begin at multiples of it.
pub(super) const ALIGN: usize = 8;
/// No offload language, so that LLVM's tools ignore the image.
const OFFLOAD_KIND_NONE: u16 = 0;

/// Containers, one after another.
pub struct Containers {
    /// Their bytes, which must be at a multiple of 8.
    pub bytes: Vec<u8>,
    /// The range of each image's own bytes; each starts at a multiple of 8.
    pub images: Vec<Range<usize>>,
}

/// Writes one container for each image, in this order.
pub fn write<I: Borrow<Image>>(images: &[I]) -> Containers {
    let mut containers = Containers { bytes: Vec::with_capacity(size(images)), images: Vec::new() };
    for image in images.iter().map(Borrow::borrow) {
        let start = containers.bytes.len();
        let within = append(&mut containers.bytes, image);
        containers.images.push(start + within.start..start + within.end);
    }
    containers
}

/// The size of all containers.
pub(super) fn size<I: Borrow<Image>>(images: &[I]) -> usize {
    let size = |image: &Image| {
        let characters: usize = strings(image).map(|(key, value)| key.len() + value.len() + 2).sum();
        let before = HEADER_SIZE + ENTRY_SIZE + strings(image).count() * STRING_SIZE + characters;
        (before.next_multiple_of(ALIGN) + image.bytes.len()).next_multiple_of(ALIGN)
    };
    images.iter().map(|image| size(image.borrow())).sum()
}

/// The keys and values of an image.
fn strings(image: &Image) -> impl Iterator<Item = (&str, &str)> {
    let own = [("triple", image.triple.as_str()), ("arch", image.arch.as_str())];
    own.into_iter().chain(image.strings.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}

/// Appends one container. Returns the range of the image.
fn append(out: &mut Vec<u8>, image: &Image) -> Range<usize> {
    let strings: Vec<_> = strings(image).collect();
    let mut characters = Vec::new();
    let mut offsets = Vec::new();
    let characters_at = HEADER_SIZE + ENTRY_SIZE + strings.len() * STRING_SIZE;
    for text in strings.iter().flat_map(|(key, value)| [key.as_bytes(), value.as_bytes()]) {
        offsets.push((characters_at + characters.len()) as u64);
        characters.extend_from_slice(text);
        characters.push(0);
    }
    let image_at = (characters_at + characters.len()).next_multiple_of(ALIGN);
    let size = (image_at + image.bytes.len()).next_multiple_of(ALIGN);
    let start = out.len();
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend([size, HEADER_SIZE, ENTRY_SIZE].map(|number| (number as u64).to_le_bytes()).concat());
    out.extend((image.kind as u16).to_le_bytes());
    out.extend(OFFLOAD_KIND_NONE.to_le_bytes());
    out.extend(0u32.to_le_bytes());
    let entry = [HEADER_SIZE + ENTRY_SIZE, strings.len(), image_at, image.bytes.len()];
    out.extend(entry.map(|number| (number as u64).to_le_bytes()).concat());
    out.extend(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
    out.extend(characters);
    out.resize(start + image_at, 0);
    out.extend_from_slice(&image.bytes);
    out.resize(start + size, 0);
    image_at..image_at + image.bytes.len()
}

/// An image in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageView<'a> {
    /// Its kind; none if the kind is unknown.
    pub kind: Option<ImageKind>,
    /// The value of `triple`, or "".
    pub triple: &'a str,
    /// The value of `arch`, or "".
    pub arch: Cow<'a, str>,
    /// All other keys and values.
    pub strings: Vec<(&'a str, &'a str)>,
    /// The code.
    pub bytes: Cow<'a, [u8]>,
    /// Its size in the file, if it is compressed there.
    pub compressed: Option<usize>,
}

impl ImageView<'_> {
    /// The image with its own bytes.
    pub fn to_image(&self) -> Result<Image> {
        let Self { kind, triple, arch, strings, bytes, compressed: _ } = self;
        let kind = kind.ok_or_else(|| Error::new(format!("the kind of the image for `{arch}` is not known")))?;
        let strings = strings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let (triple, arch, bytes) = ((*triple).to_owned(), arch.clone().into_owned(), bytes.to_vec());
        Ok(Image { kind, triple, arch, strings, bytes })
    }
}

/// Whether these bytes start with a container's magic number.
pub fn is_container(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads consecutive containers, which may be separated by zeros for alignment. Compressed images stay so.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<ImageView<'_>>> {
    read_consecutive(bytes, "image container", read_one)
}

/// Reads the container at the start of `bytes`. Returns its size, which is positive and at most that of `bytes`.
fn read_one<'a>(bytes: &'a [u8], images: &mut Vec<ImageView<'a>>) -> Result<usize> {
    if !is_container(bytes) {
        return Err(Error::new("its magic number is wrong"));
    }
    let version = number::<4>(bytes, 4).ok_or_else(truncated)?;
    let string_size = match version {
        1 => STRING_SIZE,
        2 => STRING_SIZE_OF_2,
        _ => return Err(Error::new(format!("it is of version {version}; versions 1 and 2 can be read"))),
    };
    let field = |at| index(number::<8>(bytes, at));
    let size = field(8).filter(|size| (HEADER_SIZE..=bytes.len()).contains(size)).ok_or_else(truncated)?;
    let container = &bytes[..size];
    let count = if version == 1 { Some(1) } else { field(24) };
    let entries = count.and_then(|count| part(container, field(16)?, count.checked_mul(ENTRY_SIZE)?));
    for entry in entries.ok_or_else(damaged)?.chunks_exact(ENTRY_SIZE) {
        images.push(read_entry(container, entry, string_size)?);
    }
    Ok(size)
}

fn read_entry<'a>(container: &'a [u8], entry: &[u8], string_size: usize) -> Result<ImageView<'a>> {
    let field = |at| index(number::<8>(entry, at));
    let image = field(24).zip(field(32)).and_then(|(at, size)| part(container, at, size)).ok_or_else(damaged)?;
    let count = field(16).and_then(|count| count.checked_mul(string_size)).ok_or_else(damaged)?;
    let strings = field(8).and_then(|at| part(container, at, count)).ok_or_else(damaged)?;
    let kind = number::<2>(entry, 0).and_then(|kind| ImageKind::from_number(kind as u16));
    let (arch, bytes) = (Cow::Borrowed(""), Cow::Borrowed(image));
    let mut view = ImageView { kind, triple: "", arch, strings: Vec::new(), bytes, compressed: None };
    for pair in strings.chunks_exact(string_size) {
        let at = |at| index(number::<8>(pair, at));
        let key = at(0).and_then(|at| string_at(container, at)).ok_or_else(damaged)?;
        let value = match string_size {
            STRING_SIZE => at(8).and_then(|at| string_at(container, at)),
            // Other values than text are of no use here.
            _ => at(8).zip(at(16)).and_then(|(at, size)| part(container, at, size)).map(text_of),
        };
        match (key, value.ok_or_else(damaged)?) {
            ("triple", triple) => view.triple = triple,
            ("arch", arch) => view.arch = Cow::Borrowed(arch),
            other => view.strings.push(other),
        }
    }
    if view.arch.is_empty() {
        // Newer compilers may name AMD's processor in the triple alone.
        view.arch = Cow::Owned(triples::processor_in(view.triple).unwrap_or_default());
    }
    Ok(view)
}

/// The text of a value; empty if it is none.
fn text_of(value: &[u8]) -> &str {
    std::str::from_utf8(value).unwrap_or_default()
}

fn truncated() -> Error {
    Error::new("it is truncated")
}

fn damaged() -> Error {
    Error::new("it is damaged")
}

/// A number as an offset or a size.
fn index(number: Option<u64>) -> Option<usize> {
    usize::try_from(number?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images() -> Vec<Image> {
        let image = |kind, triple: &str, arch: &str, bytes: &[u8]| Image {
            kind,
            triple: triple.into(),
            arch: arch.into(),
            strings: vec![("driver".into(), "450.36".into())],
            bytes: bytes.into(),
        };
        vec![
            image(ImageKind::Ptx, "nvptx64-nvidia-cuda", "sm_80", b".version 7.0\n"),
            image(ImageKind::None, "x86_64-unknown-linux-gnu", "cpu", b""),
            image(ImageKind::Spirv, "spirv64-unknown-unknown", "spirv64", &[3; 16]),
        ]
    }

    fn check_same(views: &[ImageView<'_>], images: &[Image]) {
        assert_eq!(views.len(), images.len());
        for (view, image) in views.iter().zip(images) {
            assert_eq!(view.kind, Some(image.kind));
            assert_eq!((view.triple, &*view.arch, &*view.bytes), (&*image.triple, &*image.arch, &*image.bytes));
            assert_eq!(view.strings, [("driver", "450.36")]);
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let images = images();
        let containers = write(&images);
        assert_eq!(containers.bytes.len(), size(&images));
        check_same(&read(&containers.bytes).unwrap(), &images);
        for (range, image) in containers.images.iter().zip(&images) {
            assert_eq!(range.start % ALIGN, 0);
            assert_eq!(&containers.bytes[range.clone()], &image.bytes);
        }
        let mut padded = vec![0; 16];
        padded.extend(&containers.bytes);
        padded.extend([0; 24]);
        check_same(&read(&padded).unwrap(), &images);
        assert_eq!(read(&[]).unwrap(), []);
    }

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let bytes = write(&images()[..1]).bytes;
        assert_eq!(bytes[..8], [0x10, 0xff, 0x10, 0xad, 1, 0, 0, 0]);
        let word = |at| number::<8>(&bytes, at).unwrap();
        assert_eq!([word(8), word(16), word(24)], [bytes.len() as u64, 32, 40]);
        assert_eq!((number::<2>(&bytes, 32), number::<2>(&bytes, 34)), (Some(5), Some(0)));
        assert_eq!([word(40), word(48), word(64)], [72, 3, 13]);
        assert_eq!(bytes.len() % 8, 0);
    }

    #[test]
    fn llvm_lists_the_images() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bundle.bin");
        std::fs::write(&path, write(&images()).bytes).unwrap();
        let tool = concat!(env!("OFFLOADC_LLVM_PREFIX"), "/bin/llvm-objdump");
        let output = std::process::Command::new(tool).arg("--offloading").arg(&path).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let archs: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("arch")).map(str::trim).collect();
        assert_eq!(archs, ["sm_80", "cpu", "spirv64"], "{text}");
    }

    /// Two images in one container, of which the first names its processor in the triple alone.
    #[test]
    fn containers_of_llvm_23_are_read() {
        let theirs = include_bytes!("../../tests/newer_llvm/clang/triple.offload");
        let views = read(theirs).unwrap();
        let named: Vec<_> = views.iter().map(|view| (view.triple, &*view.arch, view.bytes.len())).collect();
        let expected = [("amdgpu9.0a-amd-amdhsa", "gfx90a", 4344), (triples::AMD, "gfx90a:xnack-", 4344)];
        assert_eq!(named, expected);
        for at in 0..0x100 {
            assert!(at == 0 || read(&theirs[..at]).is_err());
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = theirs.to_vec();
                bytes[at] = value;
                let _either = read(&bytes);
            }
        }
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let good = write(&images()).bytes;
        for end in 1..good.len() {
            // A file that ends at the end of a container is valid.
            let _either = read(&good[..end]);
        }
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                let _either = read(&bytes);
            }
        }
        let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert_eq!(message(b"garbage"), "the image container at offset 0: its magic number is wrong");
        let mut newer = good.clone();
        newer[4] = 3;
        assert_eq!(
            message(&newer),
            "the image container at offset 0: it is of version 3; versions 1 and 2 can be read"
        );
        assert_eq!(message(&good[..good.len() - 8]).split(": ").last(), Some("it is truncated"));
    }
}
