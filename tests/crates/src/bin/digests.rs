//! `md-5`, `sha1` and `blake2`: digests; `sha1` selects an implementation for the processor.

use blake2::{Blake2b512, Blake2s256};
use corpus::{mixed, Numbers};
use md5::{Digest, Md5};
use sha1::Sha1;

fn message(i: u32) -> [u8; 200] {
    let mut numbers = Numbers::new(i);
    core::array::from_fn(|_| numbers.next() as u8)
}

fn short(i: u32) -> u64 {
    mixed(Md5::digest(&message(i)[..i as usize])) ^ mixed(Sha1::digest(&message(i)[..i as usize]))
}

fn long(i: u32) -> u64 {
    mixed(Blake2b512::digest(&message(i)[..i as usize])) ^ mixed(Blake2s256::digest(message(i)))
}

corpus::parts![short, long];
