//! `aes` and `poly1305`: encryption, decryption and a tag; both select an implementation for the processor.

use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use aes::{Aes128, Aes256, Block};
use corpus::{mixed, Numbers};
use poly1305::Poly1305;

fn blocks(i: u32) -> u64 {
    let mut block = Block::from([7; 16]);
    Aes128::new(&[i as u8; 16].into()).encrypt_block(&mut block);
    let mut several = [Block::from([3; 16]), Block::from([4; 16]), block];
    let wide = Aes256::new(&[i as u8; 32].into());
    wide.encrypt_blocks(&mut several[..2]);
    wide.decrypt_block(&mut several[2]);
    mixed(block) ^ mixed(several.into_iter().flatten())
}

fn tagged(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let key: [u8; 32] = core::array::from_fn(|_| numbers.next() as u8);
    let message: [u8; 130] = core::array::from_fn(|_| numbers.next() as u8);
    mixed(Poly1305::new(&key.into()).compute_unpadded(&message[..i as usize]))
}

corpus::parts![blocks, tagged];
