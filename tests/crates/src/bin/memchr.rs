//! `memchr`: searches for bytes and text in 16 bytes at once, with its implementation for every x86-64 processor.

use corpus::{mixed, Numbers};

fn bytes(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let hay: [u8; 200] = core::array::from_fn(|_| numbers.next() as u8 % 20);
    let last = memchr::memrchr2(4, 5, &hay).unwrap_or(999) as u64;
    mixed([memchr::memchr(3, &hay).unwrap_or(999) as u64, last, memchr::memchr_iter(7, &hay).count() as u64])
}

fn text(i: u32) -> u64 {
    let hay = b"the quick brown fox jumps over the lazy dog and the end of the quick line";
    let needle = ["quick", "the ", "zzz", "lazy dog and the end", "e", "", "of the quick line", "x"][i as usize % 8];
    memchr::memmem::find(hay, needle.as_bytes()).unwrap_or(999) as u64
}

corpus::parts![bytes, text];
