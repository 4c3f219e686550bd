//! `sha2`: digests of messages from no bytes to three blocks, with its portable implementation.

use corpus::{mixed, Numbers};
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

fn message(i: u32) -> [u8; 300] {
    let mut numbers = Numbers::new(i);
    core::array::from_fn(|_| numbers.next() as u8)
}

fn sha224(i: u32) -> u64 {
    mixed(Sha224::digest(&message(i)[..i as usize * 2]))
}

fn sha256(i: u32) -> u64 {
    let message = message(i);
    let mut hasher = Sha256::new();
    hasher.update(b"offload");
    for chunk in message.chunks(i as usize + 1) {
        hasher.update(chunk);
    }
    mixed(hasher.finalize())
}

fn sha384(i: u32) -> u64 {
    mixed(Sha384::new_with_prefix(message(i)).chain_update([i as u8; 3]).finalize())
}

fn sha512(i: u32) -> u64 {
    let mut hasher = Sha512::new();
    hasher.update(&message(i)[..i as usize]);
    let first = mixed(hasher.finalize_reset());
    hasher.update(message(i + 1));
    first ^ mixed(hasher.finalize())
}

corpus::parts![sha224, sha256, sha384, sha512];
