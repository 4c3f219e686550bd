//! `fastrand`: generators with a seed, ranges of every type, shuffling and choice.

use corpus::{mix, mixed};
use fastrand::Rng;

fn ranges(i: u32) -> u64 {
    let mut rng = Rng::with_seed(u64::from(i));
    let small = mixed([rng.u8(..), rng.u8(3..=9), rng.alphanumeric() as u8, rng.lowercase() as u8]);
    let wide = rng.u128(..) ^ rng.i128(..) as u128;
    let signed = rng.i64(-5..1_000_000_007) as u64 ^ rng.i32(..) as u64 ^ u64::from(rng.u16(..77));
    mixed([small, wide as u64, (wide >> 64) as u64, signed, rng.usize(..1000) as u64, u64::from(rng.bool())])
}

fn wide_ranges(i: u32) -> u64 {
    let mut rng = Rng::with_seed(u64::from(i));
    let (a, b) = (rng.u128(5..1_000_000_000_000_000_000_000_000), rng.i128(-7..=1 << 100) as u128);
    mixed([a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64])
}

fn floats(i: u32) -> u64 {
    let mut rng = Rng::with_seed(u64::from(i));
    let letter = rng.char('a'..='\u{10ffff}');
    mix(rng.f64().to_bits(), u64::from(rng.f32().to_bits())) ^ u64::from(u32::from(letter))
}

fn shuffled(i: u32) -> u64 {
    let mut rng = Rng::with_seed(u64::from(i));
    let mut fork = rng.fork();
    let mut cards: [u8; 52] = core::array::from_fn(|card| card as u8);
    rng.shuffle(&mut cards);
    let mut noise = [0; 21];
    fork.fill(&mut noise);
    let chosen = fork.choice(cards.iter()).copied().unwrap_or(99);
    mixed(cards) ^ mixed(noise) ^ u64::from(chosen) ^ rng.get_seed()
}

corpus::parts![ranges, wide_ranges, floats, shuffled];
