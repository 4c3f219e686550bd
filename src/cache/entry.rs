//! An entry: the parts of its key, and its contents, compressed and with a checksum.

use std::cell::RefCell;
use std::io::{self, Read};

use blake3::Hash;
use zstd::bulk::Decompressor;

use super::bytes::{Reader, Writer};
use super::key::Key;
use crate::error::{Context as _, Result};

/// The first bytes of an entry. Its number changes with the layout.
const MAGIC: &[u8] = b"offloadc cache 1\n";
/// zstd's own default. Higher levels cost more time than they save.
const LEVEL: i32 = 3;
/// The most bytes of the contents of an entry.
pub(super) const MOST: usize = 2 << 30;

thread_local! {
    /// The state for reading entries. A link reads hundreds, and making it takes as long as reading a small entry.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The file of an entry.
pub fn write(key: &Key, contents: &[u8]) -> Result<Vec<u8>> {
    let compressed = zstd::bulk::compress(contents, LEVEL).context("cannot compress an entry of the cache")?;
    let mut file = head(key);
    file.number(contents.len() as u64);
    file.bytes(&compressed);
    let checksum = blake3::hash(&file.0);
    file.0.extend(checksum.as_bytes());
    Ok(file.0)
}

/// The bytes with which the file of an entry begins.
fn head(key: &Key) -> Writer {
    let mut file = Writer(MAGIC.to_vec());
    file.number(key.parts().len() as u64);
    for (name, hash) in key.parts() {
        file.bytes(name.as_bytes());
        file.0.extend(hash.as_bytes());
    }
    file
}

/// Reads the file of an entry for a key from a stream, which may be endless: not more than the size that the entry
/// announces, and nothing after the first bytes of something else. None if it is not the entry of this key.
pub fn read_file(key: &Key, from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let Writer(head) = head(key);
    let mut file = Vec::new();
    let _ = from.by_ref().take(head.len() as u64 + 16).read_to_end(&mut file)?;
    let Some(sizes) = file.strip_prefix(&head[..]) else { return Ok(None) };
    let mut sizes = Reader(sizes);
    let (Some(contents), Some(compressed)) = (sizes.number(), sizes.number()) else { return Ok(None) };
    let most = usize::try_from(contents).ok().filter(|size| *size <= MOST).map(zstd::zstd_safe::compress_bound);
    if most.is_none_or(|most| compressed > most as u64) {
        return Ok(None);
    }
    // One byte more shows that the stream does not end there.
    let rest = compressed + blake3::OUT_LEN as u64;
    let count = from.take(rest + 1).read_to_end(&mut file)?;
    Ok((count as u64 == rest).then_some(file))
}

/// The contents of the entry for a key; none if the file is damaged, or is not the entry of this key.
pub fn read(key: &Key, file: &[u8]) -> Option<Vec<u8>> {
    let (bytes, checksum) = file.split_at_checked(file.len().checked_sub(blake3::OUT_LEN)?)?;
    let whole = blake3::hash(bytes).as_bytes() == checksum;
    let mut from = Reader(bytes);
    let own = whole && read_key(&mut from)? == *key;
    let size = usize::try_from(from.number()?).ok().filter(|size| own && *size <= MOST)?;
    let compressed = from.bytes()?;
    let contents = DECOMPRESSOR.with_borrow_mut(|kept| {
        if kept.is_none() {
            *kept = Decompressor::new().ok();
        }
        kept.as_mut()?.decompress(compressed, size).ok()
    })?;
    (from.0.is_empty() && contents.len() == size).then_some(contents)
}

/// The key of an entry, from the start of its file.
pub fn key(file: &[u8]) -> Option<Key> {
    read_key(&mut Reader(file))
}

fn read_key(from: &mut Reader<'_>) -> Option<Key> {
    let is_ours = from.take(MAGIC.len())? == MAGIC;
    let count = from.count().filter(|_| is_ours)?;
    let part = |_| Some((from.text()?, Hash::from_slice(from.take(blake3::OUT_LEN)?).ok()?));
    (0..count).map(part).collect::<Option<_>>().map(Key::from_parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(part: &str) -> Key {
        Key::from_parts(vec![
            ("kind".to_owned(), blake3::hash(b"image")),
            ("part".to_owned(), blake3::hash(part.as_bytes())),
        ])
    }

    #[test]
    fn what_is_written_is_read() {
        for contents in [Vec::new(), vec![1], vec![7; 100_000]] {
            let file = write(&key_of("one"), &contents).unwrap();
            assert_eq!(read(&key_of("one"), &file), Some(contents));
            assert_eq!(key(&file), Some(key_of("one")));
            assert_eq!(read(&key_of("two"), &file), None);
        }
    }

    #[test]
    fn any_damage_is_seen() {
        let good = write(&key_of("one"), b"the contents of an entry").unwrap();
        for at in 0..good.len() {
            assert_eq!(read(&key_of("one"), &good[..at]), None);
            for bit in 0..8 {
                let mut bytes = good.clone();
                bytes[at] ^= 1 << bit;
                assert_eq!(read(&key_of("one"), &bytes), None, "byte {at}");
                let _either = key(&bytes);
            }
        }
    }

    /// A stream that gives its bytes again and again, and counts them.
    struct Endless(Vec<u8>, usize);

    impl Read for Endless {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            for byte in &mut *to {
                *byte = self.0[self.1.min(self.0.len() - 1)];
                self.1 += 1;
            }
            Ok(to.len())
        }
    }

    #[test]
    fn a_stream_is_read_as_far_as_it_announces() {
        let good = write(&key_of("one"), &[7; 1000]).unwrap();
        let read_of = |key: &str, bytes: &[u8]| read_file(&key_of(key), &mut &bytes[..]).unwrap();
        assert_eq!(read_of("one", &good).as_ref(), Some(&good));
        assert_eq!(read_of("two", &good), None);
        for length in 0..good.len() {
            assert_eq!(read_of("one", &good[..length]), None, "{length}");
        }
        assert_eq!(read_of("one", &[&good[..], b"x"].concat()), None);
        // Something else; the entry and more; one whose sizes are damaged.
        let head = head(&key_of("one")).0.len();
        let mut huge = good.clone();
        huge[head + 8..head + 16].copy_from_slice(&(1_u64 << 40).to_le_bytes());
        for (bytes, most) in [(b"<html>".to_vec(), head + 16), (good.clone(), good.len() + 1), (huge, head + 16)] {
            let mut stream = Endless(bytes, 0);
            assert_eq!(read_file(&key_of("one"), &mut stream).unwrap(), None);
            // `take` reads no byte after its limit.
            assert!(stream.1 <= most, "{} of {most}", stream.1);
        }
    }

    #[test]
    fn parts_that_differ_are_named() {
        assert_eq!(key_of("one").differences(&key_of("two")), ["part"]);
        assert!(key_of("one").differences(&key_of("one")).is_empty());
        assert_ne!(key_of("one").hash(), key_of("two").hash());
    }
}
