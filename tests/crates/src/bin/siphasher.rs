//! `siphasher`: hashes of bytes and of types that derive `Hash`.

use core::hash::{Hash, Hasher};
use corpus::{mix, Numbers};
use siphasher::sip::{SipHasher13, SipHasher24};
use siphasher::sip128::{Hasher128, SipHasher13 as Wide};

#[derive(Hash)]
enum Shape {
    Point,
    Circle { radius: u32 },
    Named(&'static str, [u16; 3], Option<i64>),
}

fn shape(i: u32) -> Shape {
    match i % 3 {
        0 => Shape::Point,
        1 => Shape::Circle { radius: i },
        _ => Shape::Named("polygon", [1, 2, i as u16], i.is_multiple_of(2).then_some(-i64::from(i))),
    }
}

fn bytes(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let message: [u8; 130] = core::array::from_fn(|_| numbers.next() as u8);
    let short = SipHasher13::new_with_keys(u64::from(i), 7).hash(&message[..i as usize]);
    let mut hasher = SipHasher24::new_with_key(&[3; 16]);
    message.chunks(i as usize % 11 + 1).for_each(|chunk| hasher.write(chunk));
    mix(short, hasher.finish())
}

fn derived(i: u32) -> u64 {
    let mut hasher = SipHasher13::new();
    (shape(i), "text", i as u8, [Some(i), None]).hash(&mut hasher);
    hasher.finish()
}

fn wide(i: u32) -> u64 {
    let mut hasher = Wide::new_with_keys(1, u64::from(i));
    shape(i).hash(&mut hasher);
    let hash = hasher.finish128();
    mix(hash.h1, hash.h2) ^ hash.as_u128() as u64
}

corpus::parts![bytes, derived, wide];
