//! The memory functions of devices, tested on the host: all alignments of both arguments, all lengths around those of
//! words and chunks, and all overlaps.

#![allow(unsafe_code, reason = "the functions are C's")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "the ranges are those of arrays that each test owns")]

#[path = "../../memory/functions.rs"]
#[allow(clippy::all, missing_docs, unreachable_pub, reason = "it is the text that build.rs compiles for devices")]
mod functions;

use functions::*;

const SIZE: usize = 160;

/// Bytes that differ from their neighbours, with the alignment of a chunk.
#[repr(align(16))]
struct Bytes([u8; SIZE]);

fn bytes() -> Bytes {
    Bytes(std::array::from_fn(|i| (i * 7 + 3) as u8))
}

fn lengths() -> impl Iterator<Item = usize> {
    (0..52).chain([63, 64, 65, 80])
}

#[test]
fn copies() {
    for (to, from) in (0..17).flat_map(|to| (0..17).map(move |from| (to, from))) {
        for length in lengths() {
            let source = bytes();
            let (mut found, mut wanted) = (Bytes([0xee; SIZE]), [0xee; SIZE]);
            wanted[to..to + length].copy_from_slice(&source.0[from..from + length]);
            let start = found.0[to..].as_mut_ptr();
            let given = unsafe { __offload_memcpy(start, source.0[from..].as_ptr(), length) };
            assert!(found.0 == wanted && given == start, "{to} {from} {length}");
        }
    }
}

#[test]
fn moves_over_itself() {
    for (to, from) in (0..70).flat_map(|to| (0..70).map(move |from| (to, from))) {
        for length in lengths() {
            let (mut found, mut wanted) = (bytes(), bytes().0);
            wanted.copy_within(from..from + length, to);
            let start = found.0.as_mut_ptr();
            let given = unsafe { __offload_memmove(start.add(to), start.add(from), length) };
            assert!(found.0 == wanted && given == unsafe { start.add(to) }, "{to} {from} {length}");
        }
    }
}

#[test]
fn fills() {
    for (to, length) in (0..17).flat_map(|to| lengths().map(move |length| (to, length))) {
        let (mut found, mut wanted) = (bytes(), bytes().0);
        wanted[to..to + length].fill(0xa5);
        let start = found.0[to..].as_mut_ptr();
        // Only the lowest byte of the value is used.
        let given = unsafe { __offload_memset(start, 0x1a5, length) };
        assert!(found.0 == wanted && given == start, "{to} {length}");
    }
}

#[test]
fn compares() {
    for (a, b) in (0..17).flat_map(|a| (0..17).map(move |b| (a, b))) {
        for length in lengths() {
            let (mut left, mut right) = (Bytes([1; SIZE]), Bytes([2; SIZE]));
            left.0[a..a + length].copy_from_slice(&bytes().0[..length]);
            right.0[b..b + length].copy_from_slice(&bytes().0[..length]);
            let [x, y] = [left.0[a..].as_ptr(), right.0[b..].as_ptr()];
            assert_eq!(unsafe { (__offload_memcmp(x, y, length), __offload_bcmp(x, y, length)) }, (0, 0));
            for at in 0..length {
                // Of two differences, the first one decides.
                right.0[b + at] ^= 0x81;
                right.0[b + length - 1] = right.0[b + length - 1].wrapping_add(1);
                let wanted = left.0[a..a + length].cmp(&right.0[b..b + length]) as i32;
                let [x, y] = [left.0[a..].as_ptr(), right.0[b..].as_ptr()];
                let found = unsafe { __offload_memcmp(x, y, length) };
                assert_eq!(found.signum(), wanted, "{a} {b} {length} {at}");
                assert_eq!(unsafe { __offload_bcmp(x, y, length) } != 0, wanted != 0, "{a} {b} {length} {at}");
                right.0[b..b + length].copy_from_slice(&bytes().0[..length]);
            }
        }
    }
}

#[test]
fn measures() {
    for (start, length) in (0..17).flat_map(|start| lengths().map(move |length| (start, length))) {
        for byte in [1, 0x7f, 0x80, 0x81, 0xff] {
            let mut text = Bytes([0; SIZE]);
            text.0[start..start + length].fill(byte);
            assert_eq!(unsafe { __offload_strlen(text.0[start..].as_ptr()) }, length, "{start} {byte}");
        }
    }
}
