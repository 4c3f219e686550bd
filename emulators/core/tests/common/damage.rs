//! Damaged copies of files, for the tests of both emulated GPUs: the same seed always gives the same copy.

#![allow(dead_code, reason = "each test crate needs one kind")]

/// Steele, Lea and Flood's SplitMix64: a short generator for which all seeds are good.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// A copy in which one to four bytes differ, or numbers, or that is cut.
pub(crate) fn bytes(original: &[u8], seed: u64) -> Vec<u8> {
    let mut random = SplitMix(seed);
    let mut copy = original.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(copy.len());
        let width = [1, 2, 4, 8][random.below(4)].min(copy.len() - at);
        let number = [0, 1, 0x7f, 0xffff, u64::MAX >> 1, u64::MAX, copy.len() as u64, random.next()][random.below(8)];
        match random.below(8) {
            0..=4 => copy[at] ^= 1 << random.below(8),
            5 if random.below(4) == 0 && at > 0 => copy.truncate(at),
            _ => copy[at..at + width].copy_from_slice(&number.to_le_bytes()[..width]),
        }
    }
    copy
}

/// A copy in which one to three words differ: removed, repeated, exchanged, or other numbers.
pub(crate) fn words(original: &str, seed: u64) -> String {
    let mut random = SplitMix(seed);
    let is_word = |c: char| c.is_alphanumeric() || "_.$%".contains(c);
    let mut words: Vec<&str> = Vec::new();
    let mut rest = original;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        words.push(&rest[..length]);
        rest = &rest[length..];
    }
    for _ in 0..=random.below(3) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        let numbers =
            ["0", "3", "-1", "64", "65536", "4294967295", "18446744073709551615", "0f3F800000", ".b128", "%r0"];
        match random.below(6) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other]),
            2 => words[at] = words[other],
            3 => words.swap(at, other),
            _ => {
                let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
                let next = words.iter().skip(at).position(is_number).map_or(at, |next| at + next);
                words[next] = numbers[random.below(numbers.len())];
            }
        }
    }
    words.concat()
}
