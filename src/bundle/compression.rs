//! Compressed images: one zstd frame for the images of all archs, because they have much in common.
//!
//! The containers of the images are empty then, and say where their bytes are in the *content*. A last container holds
//! the compressed content. Everything by which a runtime chooses an image remains readable without decompression.
//! `runtime-c/objects/content.c` opens it at the first launch.

use std::borrow::{Borrow, Cow};
use std::io::{Read as _, Write as _};

use super::bytes::part;
use super::offload_binary::{self, Containers, ImageView};
use super::{Image, ImageKind};
use crate::error::{Context as _, Error, Result};

/// `--compress`, with its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Never.
    None,
    /// Always.
    Zstd,
    /// If the object becomes smaller by a quarter, and by several pages of memory.
    WhenItPays,
}

/// The key of the container with the content.
const COMPRESSION: &str = "compression";
/// The only method.
const ZSTD: &str = "zstd";
/// The keys of an image: where it is in the content.
const OFFSET: &str = "content-offset";
/// The size of an image, and in the container of the content that of the content.
const SIZE: &str = "content-size";
/// The bytes of the frame that are an image's.
const PACKED: &str = "compressed-size";
/// The lowest level of zstd that finds common parts of images far apart. The highest level makes the images of 256
/// kernels for 4 archs a seventh smaller, in twenty times the time.
const LEVEL: i32 = 9;
/// The largest distance, as a power of two, over which zstd finds common parts. Decoders refuse larger ones.
const MOST_WINDOW: u32 = 27;
/// The smallest saving that pays in bytes, and as the fraction of the size that remains.
const LEAST_SAVED: usize = 16 << 10;
/// See [`LEAST_SAVED`].
const MOST_REMAINS: f64 = 0.75;
/// The most bytes of a content that are decompressed here.
const MOST_CONTENT: usize = 2 << 30;

/// The containers of these images, compressed or not.
pub(super) fn write<I: Borrow<Image>>(images: &[I], compression: Compression) -> Result<Containers> {
    if compression == Compression::None || images.iter().all(|image| image.borrow().bytes.is_empty()) {
        return Ok(offload_binary::write(images));
    }
    let packed = pack(images).context("cannot compress the images")?;
    let packed = offload_binary::write(&packed);
    if compression == Compression::Zstd {
        return Ok(packed);
    }
    let (small, large) = (packed.bytes.len(), offload_binary::size(images));
    let pays = small + LEAST_SAVED <= large && small as f64 <= large as f64 * MOST_REMAINS;
    Ok(if pays { packed } else { offload_binary::write(images) })
}

/// The images without their bytes, and the content.
fn pack<I: Borrow<Image>>(images: &[I]) -> std::io::Result<Vec<Image>> {
    let images: Vec<&Image> = images.iter().map(Borrow::borrow).collect();
    let places: Vec<usize> = images
        .iter()
        .scan(0usize, |end, image| {
            let start = end.next_multiple_of(offload_binary::ALIGN);
            *end = start + image.bytes.len();
            Some(start)
        })
        .collect();
    let size = images.iter().zip(&places).map(|(image, start)| start + image.bytes.len()).max().unwrap_or(0);
    let (frame, shares) = compress(&images, &places, size)?;
    let mut packed: Vec<Image> = images.into_iter().zip(places).zip(shares).map(refer).collect();
    packed.push(Image {
        kind: ImageKind::None,
        triple: String::new(),
        arch: String::new(),
        strings: pairs([(COMPRESSION, ZSTD.to_owned()), (SIZE, size.to_string())]),
        bytes: frame,
    });
    Ok(packed)
}

fn pairs<const N: usize>(strings: [(&str, String); N]) -> Vec<(String, String)> {
    strings.map(|(key, value)| (key.to_owned(), value)).into()
}

/// An image that refers to its bytes.
fn refer(((image, start), share): ((&Image, usize), usize)) -> Image {
    let Image { kind, triple, arch, strings, bytes } = image;
    let mut strings = strings.clone();
    if !bytes.is_empty() {
        let numbers = [(OFFSET, start), (SIZE, bytes.len()), (PACKED, share)];
        strings.extend(pairs(numbers.map(|(key, number)| (key, number.to_string()))));
    }
    Image { kind: *kind, triple: triple.clone(), arch: arch.clone(), strings, bytes: Vec::new() }
}

/// The frame of the content, and the number of its bytes that each image takes. Each image ends with a block, so these
/// numbers are exact.
fn compress(images: &[&Image], places: &[usize], size: usize) -> std::io::Result<(Vec<u8>, Vec<usize>)> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.set_pledged_src_size(Some(size as u64))?;
    let window = usize::BITS - size.leading_zeros();
    if window > 20 {
        encoder.window_log(window.min(MOST_WINDOW))?;
    }
    let (mut written, mut before, mut shares) = (0, 0, Vec::new());
    for (image, start) in images.iter().zip(places) {
        encoder.write_all(&vec![0; start - written])?;
        encoder.write_all(&image.bytes)?;
        encoder.flush()?;
        written = start + image.bytes.len();
        let after = encoder.get_ref().len();
        shares.push(after - before);
        before = after;
    }
    Ok((encoder.finish()?, shares))
}

/// Reads consecutive containers, which may be separated by zeros for alignment. Compressed images are decompressed.
pub fn read_images(bytes: &[u8]) -> Result<Vec<ImageView<'_>>> {
    open(offload_binary::read(bytes)?)
}

/// Gives images their bytes, and leaves out the containers of contents. A content belongs to the images before it and
/// after the content before.
fn open(views: Vec<ImageView<'_>>) -> Result<Vec<ImageView<'_>>> {
    let (mut opened, mut first) = (Vec::with_capacity(views.len()), 0);
    for view in views {
        match take(&view, COMPRESSION) {
            None => opened.push(view),
            Some(ZSTD) => {
                let content = decompress(&view).context("the compressed images")?;
                opened[first..].iter_mut().try_for_each(|image| cut(image, &content))?;
                first = opened.len();
            }
            Some(other) => return Err(Error::new(format!("the images are compressed with `{other}`"))),
        }
    }
    match opened[first..].iter().find(|image| take(image, OFFSET).is_some()) {
        Some(image) => Err(Error::new(format!("the compressed bytes of the image for `{}` are missing", image.arch))),
        None => Ok(opened),
    }
}

fn take<'a>(view: &ImageView<'a>, wanted: &str) -> Option<&'a str> {
    view.strings.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value)
}

fn number(view: &ImageView<'_>, key: &str) -> Result<usize> {
    let number = take(view, key).and_then(|text| text.parse().ok());
    number.ok_or_else(|| Error::new(format!("the image for `{}` has no valid `{key}`", view.arch)))
}

fn decompress(view: &ImageView<'_>) -> Result<Vec<u8>> {
    let size = number(view, SIZE)?;
    if size > MOST_CONTENT {
        return Err(Error::new(format!("they have {size} bytes, and at most {MOST_CONTENT} are read")));
    }
    let mut content = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(&*view.bytes).context("zstd")?.single_frame();
    let read = decoder.take(size as u64 + 1).read_to_end(&mut content);
    if read.is_err() || content.len() != size {
        return Err(Error::new("they are damaged"));
    }
    Ok(content)
}

/// Gives an image its part of the content.
fn cut(image: &mut ImageView<'_>, content: &[u8]) -> Result<()> {
    if take(image, OFFSET).is_none() {
        return Ok(());
    }
    let (at, size, packed) = (number(image, OFFSET)?, number(image, SIZE)?, number(image, PACKED)?);
    let bytes = part(content, at, size).ok_or_else(|| Error::new("the image container is damaged"))?;
    image.bytes = Cow::Owned(bytes.to_vec());
    image.compressed = Some(packed);
    image.strings.retain(|(key, _)| ![OFFSET, SIZE, PACKED].contains(key));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images() -> Vec<Image> {
        let text = |n: u32| (0..4000u32).flat_map(|i| format!("add.s32 %r{}, %r{n};\n", i % 97).into_bytes()).collect();
        let image = |arch: &str, bytes| Image {
            kind: ImageKind::Ptx,
            triple: "nvptx64-nvidia-cuda".into(),
            arch: arch.into(),
            strings: vec![("ptx".into(), "7.0".into())],
            bytes,
        };
        vec![image("sm_70", text(1)), image("sm_80", text(2)), image("sm_90", b"odd".to_vec()), image("none", vec![])]
    }

    #[test]
    fn what_is_compressed_is_read() {
        let images = images();
        let plain = write(&images, Compression::None).unwrap().bytes;
        let packed = write(&images, Compression::Zstd).unwrap().bytes;
        assert!(packed.len() * 4 < plain.len(), "{} {}", packed.len(), plain.len());
        assert_eq!(packed, write(&images, Compression::WhenItPays).unwrap().bytes);
        // A linked program has the containers of several objects, and not all of them are compressed.
        let both = [&*packed, &plain, &packed].concat();
        let views = read_images(&both).unwrap();
        let wanted = [&images, &images, &images].into_iter().flatten();
        assert_eq!(views.len(), 12);
        for (view, image) in views.iter().zip(wanted) {
            assert_eq!((&*view.arch, &*view.bytes), (&*image.arch, &*image.bytes));
            assert_eq!(view.strings, [("ptx", "7.0")]);
        }
        let shares: Vec<_> = views[..4].iter().map(|view| view.compressed).collect();
        assert!(shares[0] > shares[1] && shares[1] > shares[2] && shares[3].is_none(), "{shares:?}");
    }

    #[test]
    fn it_must_pay() {
        let small = &images()[2..];
        let plain = write(small, Compression::None).unwrap().bytes;
        assert_eq!(write(small, Compression::WhenItPays).unwrap().bytes, plain);
        assert_ne!(write(small, Compression::Zstd).unwrap().bytes, plain);
        let empty = &images()[3..];
        assert_eq!(write(empty, Compression::Zstd).unwrap().bytes, write(empty, Compression::None).unwrap().bytes);
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let good = write(&images(), Compression::Zstd).unwrap().bytes;
        let message = |bytes: &[u8]| read_images(bytes).unwrap_err().to_string();
        let end = good.len() - 40;
        let mut damaged = good.clone();
        damaged[end] ^= 4;
        assert_eq!(message(&damaged), "the compressed images: they are damaged");
        let containers = offload_binary::write(&images()).bytes;
        let place = memchr::memmem::find(&good, b"compression").unwrap();
        damaged = good.clone();
        damaged[place] = b'C';
        assert_eq!(message(&damaged), "the compressed bytes of the image for `sm_70` are missing");
        assert!(containers.len() > end);
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << (at % 8);
            let _either = read_images(&bytes);
        }
    }
}
