//! Damaged copies of files: the same seed always makes the same copy.

/// Steele, Lea and Flood's SplitMix64: a short generator for which all seeds are good.
pub(crate) struct SplitMix(pub(crate) u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// A copy of `bytes` that differs in one to eight places.
pub(crate) fn bytes(original: &[u8], random: &mut SplitMix) -> Vec<u8> {
    let mut copy = original.to_vec();
    for _ in 0..=random.below(8) {
        damage_bytes(&mut copy, random);
    }
    copy
}

/// Flips a bit, writes a number that is often a limit, copies or removes a few bytes, or removes the end.
fn damage_bytes(copy: &mut Vec<u8>, random: &mut SplitMix) {
    if copy.is_empty() {
        return;
    }
    let at = random.below(copy.len());
    let length = (1 + random.below(32)).min(copy.len() - at);
    match random.below(16) {
        0..=8 => copy[at] ^= 1 << random.below(8),
        9..=11 => {
            let number = number(copy.len(), random).to_le_bytes();
            let width = [1, 2, 4, 8][random.below(4)].min(copy.len() - at);
            copy[at..at + width].copy_from_slice(&number[..width]);
        }
        12 | 13 => {
            let from = random.below(copy.len() - length + 1);
            copy.copy_within(from..from + length, at);
        }
        14 => drop(copy.drain(at..at + length)),
        _ if random.below(4) == 0 => copy.truncate(at),
        _ => copy[at] = 0,
    }
}

/// A number that is often a limit.
fn number(size: usize, random: &mut SplitMix) -> u64 {
    let size = size as u64;
    [0, 1, 0x7f, 0xff, 0xffff, 1 << 31, u64::MAX >> 1, u64::MAX, size, size - 1, random.next()][random.below(11)]
}

/// A copy of a text in which one to four words differ: removed, repeated, exchanged, or another number.
pub(crate) fn text(original: &[u8], random: &mut SplitMix) -> Vec<u8> {
    let text = String::from_utf8_lossy(original);
    let mut words = words(&text);
    for _ in 0..=random.below(4) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(6) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other]),
            2 => words[at] = words[other],
            3 => words.swap(at, other),
            _ => {
                let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
                let next = words.iter().skip(at).position(is_number).map(|next| at + next);
                let numbers =
                    ["0", "1", "3", "65536", "4294967295", "18446744073709551616", "-1", "99999999999999999999"];
                words[next.unwrap_or(at)] = numbers[random.below(numbers.len())];
            }
        }
    }
    words.concat().into_bytes()
}

/// The words of a text, its white space, and its other characters one by one.
fn words(text: &str) -> Vec<&str> {
    let kind = |c: char| if c.is_alphanumeric() || "_.$%@!".contains(c) { 1 } else { 2 * i32::from(c.is_whitespace()) };
    let mut words = Vec::new();
    let mut begin = 0;
    let mut last = 0;
    for (at, c) in text.char_indices() {
        if at > 0 && (kind(c) != last || last == 0) {
            words.push(&text[begin..at]);
            begin = at;
        }
        last = kind(c);
    }
    words.push(&text[begin..]);
    words
}
