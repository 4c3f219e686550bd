//! `arrayvec`: vectors and text of a fixed capacity, with destructors.

use arrayvec::{ArrayString, ArrayVec};
use core::cell::Cell;
use corpus::{mixed, Numbers};

struct Counted<'a>(&'a Cell<u64>, u64);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() * 3 + self.1);
    }
}

fn vectors(i: u32) -> u64 {
    let mut numbers = Numbers::new(i);
    let mut vector: ArrayVec<u64, 32> = (0..20).map(|_| numbers.next() % 100).collect();
    let drained: ArrayVec<u64, 32> = vector.drain(3..i as usize % 10 + 5).collect();
    vector.swap(1, i as usize % 5);
    let full = vector.try_extend_from_slice(&[1; 30]).is_err();
    vector.insert(2, u64::from(full));
    vector.truncate(15);
    mixed(vector) ^ mixed(drained)
}

fn destructors(i: u32) -> u64 {
    let dropped = Cell::new(1);
    let mut vector: ArrayVec<Counted<'_>, 8> = (0..6).map(|k| Counted(&dropped, k + u64::from(i))).collect();
    drop(vector.remove(i as usize % 6));
    vector.retain(|counted| counted.1 % 2 == 0);
    let refused = vector.try_push(Counted(&dropped, 50)).is_err();
    drop(vector.into_iter().nth(1));
    dropped.get() ^ u64::from(refused) << 60
}

fn text(i: u32) -> u64 {
    let mut line = ArrayString::<20>::new();
    let fits = line.try_push_str("<ab|").is_ok() && line.try_push('ö').is_ok();
    let rest = line.try_push_str(&"0123456789äöü"[..i as usize % 11]).is_ok();
    line.truncate(9);
    mixed(line.bytes()) ^ u64::from(fits) << 1 ^ u64::from(rest) ^ u64::from(line.contains('|')) << 2
}

corpus::parts![vectors, destructors, text];
