//! `hashbrown` and `alloc`'s `BTreeMap`: maps in a kernel's own memory.

use corpus::{mixed, Numbers};
use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, Hasher};

#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    }
}

fn counted(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut map: hashbrown::HashMap<u64, u32, BuildHasherDefault<Fnv>> = Default::default();
    for k in 0..i % 50 {
        *map.entry(numbers.next() % 20).or_insert(0) += k;
    }
    map.remove(&3);
    let sum = map.iter().fold(0u64, |sum, (key, value)| sum.wrapping_add(key * 1000 + u64::from(*value)));
    sum ^ map.get(&7).map_or(1, |value| u64::from(*value)) ^ map.len() as u64
}

fn ordered(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut map = BTreeMap::new();
    for _ in 0..i % 40 {
        map.insert(numbers.next() % 64, numbers.next());
    }
    map.remove(&5);
    mixed(map.range(10..50).map(|(key, value)| key ^ value)) ^ map.first_key_value().map_or(1, |(key, _)| *key)
}

corpus::parts![counted, ordered];
