//! `chacha20`: key streams from any position, with its portable implementation.

use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use chacha20::{ChaCha12, ChaCha20, ChaCha8};
use corpus::{mixed, Numbers};

fn encrypted<C>(i: u32) -> u64
where
    C: KeyIvInit + StreamCipher + StreamCipherSeek,
    C: chacha20::cipher::KeySizeUser<KeySize = chacha20::cipher::consts::U32>,
    C: chacha20::cipher::IvSizeUser<IvSize = chacha20::cipher::consts::U12>,
{
    let mut numbers = Numbers::new(i);
    let key: [u8; 32] = core::array::from_fn(|_| numbers.next() as u8);
    let mut cipher = C::new(&key.into(), &[i as u8; 12].into());
    let mut text: [u8; 200] = core::array::from_fn(|at| at as u8);
    cipher.apply_keystream(&mut text[i as usize..]);
    cipher.seek(u64::from(i) * 31);
    cipher.apply_keystream(&mut text);
    mixed(text) ^ cipher.current_pos::<u64>()
}

fn twenty_rounds(i: u32) -> u64 {
    encrypted::<ChaCha20>(i)
}

fn twelve_rounds(i: u32) -> u64 {
    encrypted::<ChaCha12>(i)
}

fn eight_rounds(i: u32) -> u64 {
    encrypted::<ChaCha8>(i)
}

corpus::parts![twenty_rounds, twelve_rounds, eight_rounds];
