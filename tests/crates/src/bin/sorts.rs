//! The standard library's sorts, of numbers and pairs, at the lengths at which they choose other methods: insertion up
//! to 20 elements, networks and merges in both directions up to 32, then quicksort and runs.

use corpus::{mixed, Numbers};

fn filled<T: Copy, const N: usize>(i: u32, of: fn(u64) -> T) -> [T; N] {
    let mut numbers = Numbers::new(i);
    std::array::from_fn(|_| of(numbers.next()))
}

fn stable(i: u32) -> u64 {
    let (mut short, mut long): ([u16; 20], [u16; 33]) = (filled(i, |n| n as u16), filled(i, |n| n as u16));
    short.sort_by_key(|n| n & 0xff);
    long.sort_by_key(|n| std::cmp::Reverse(n & 0xff));
    let mut many: [u64; 100] = filled(i, |n| n >> 3);
    many.sort_by(|a, b| b.cmp(a));
    mixed(short) ^ mixed(long) ^ mixed(many)
}

fn unstable(i: u32) -> u64 {
    let mut numbers: [u32; 33] = filled(i, |n| n as u32);
    numbers.sort_unstable();
    let mut pairs: [(u64, u64); 32] = filled(i, |n| (n & 7, n >> 8));
    pairs.sort_unstable();
    mixed(numbers) ^ mixed(pairs.map(|(a, b)| a ^ b))
}

fn of_floats(i: u32) -> u64 {
    let mut numbers: [f32; 64] = filled(i, |n| n as i16 as f32);
    numbers.sort_by(|a, b| a.total_cmp(b));
    let mut cached: [u32; 24] = filled(i, |n| n as u32);
    cached.sort_by_cached_key(|n| n.rotate_left(7));
    let (_, middle, _) = numbers.select_nth_unstable_by(31, f32::total_cmp);
    u64::from(middle.to_bits()) ^ mixed(cached)
}

corpus::parts![stable, unstable, of_floats];
