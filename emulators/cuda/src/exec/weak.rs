//! Loads that see stores of other threads late, with a seed (PTX ISA, "Memory Consistency Model").
//!
//! Memory itself has the newest value of each location, in the one order of all stores to it: that is coherence. The
//! values before the last few stores are kept, and a load may give one of them unless a newer one must be seen: by the
//! thread that has stored or loaded it, and by those that a fence, a barrier or an acquire makes it visible to. These
//! move a thread's view forward in time: of stores of its block, and of all.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use emulator_core::Random;

use crate::program::code::{Order, Scope};

/// How many values a location keeps.
const VALUES: usize = 4;
/// How many locations and loads are kept; beyond them all stores are seen.
const LOCATIONS: usize = 1 << 12;
const LOADS: usize = 64;
/// The bytes of a location.
const BYTES: u64 = 8;

/// The times that a release hands over with the stores after it. An acquire sees all stores up to them.
#[derive(Clone, Copy, Debug, Default)]
struct Release {
    /// For threads of the same block.
    block: u64,
    /// For all threads, where the scope of the release contains them.
    all: u64,
    /// Of stores by any thread, for threads of the same block: the stores that the releasing thread itself had to see.
    handed_on: u64,
}

impl Release {
    fn join(&mut self, other: Release) {
        self.block = self.block.max(other.block);
        self.all = self.all.max(other.all);
        self.handed_on = self.handed_on.max(other.handed_on);
    }
}

/// The stores that a thread must see.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct View {
    /// The time up to which it sees all stores of its block, and those of all blocks.
    block: u64,
    all: u64,
    /// The newest store that it has made or loaded.
    known: u64,
    /// Of its last fence, for its stores after it.
    released: Release,
    /// Of the stores that it has loaded, for its next fence.
    loaded: Release,
}

impl View {
    fn acquire(&mut self, scope: Scope) {
        self.block = self.block.max(self.loaded.block);
        self.all = self.all.max(self.loaded.handed_on);
        if scope == Scope::All {
            self.all = self.all.max(self.loaded.all);
        }
    }

    fn release(&self, scope: Scope) -> Release {
        let known = self.known.max(self.block).max(self.all);
        Release { block: known, handed_on: self.all, all: if scope == Scope::All { known } else { 0 } }
    }

    /// `fence`, `membar`.
    pub(super) fn fence(&mut self, order: Order, now: u64) {
        let Order::Fence { scope, is_sequential } = order else { return };
        self.acquire(scope);
        if is_sequential {
            self.block = now;
            self.known = now;
            if scope == Scope::All {
                self.all = now;
            }
        }
        let released = self.release(scope);
        self.released.join(released);
    }

    /// A barrier of threads of a block, one of which must see the stores of all threads up to `all`.
    pub(super) fn meet(&mut self, now: u64, all: u64) {
        self.block = now;
        self.known = now;
        self.all = self.all.max(all);
    }

    /// The time up to which it sees the stores of all threads.
    pub(super) fn seen_of_all(&self) -> u64 {
        self.all
    }
}

/// A value of a location.
struct Value {
    time: u64,
    thread: u64,
    block: u64,
    bits: u64,
    undefined: u64,
    release: Release,
}

impl Value {
    /// Whether a thread must see it, or a newer one.
    fn must_be_seen(&self, who: Who, view: &View) -> bool {
        self.thread == who.thread || self.time <= view.all || (self.block == who.block && self.time <= view.block)
    }
}

#[derive(Default)]
struct Location {
    values: VecDeque<Value>,
    /// The newest value that a thread has loaded, by its time.
    loaded: Vec<(u64, u64)>,
}

/// A thread: its number in the launch, and that of its block.
#[derive(Clone, Copy)]
pub(super) struct Who {
    pub(super) thread: u64,
    pub(super) block: u64,
}

/// The stores of a launch that some thread may not have seen.
#[derive(Default)]
pub(super) struct Weak {
    pub(super) now: u64,
    locations: HashMap<u64, Location, BuildHasherDefault<Multiply>>,
}

/// The address of the location around an address.
pub(super) fn location(address: u64) -> u64 {
    address & !(BYTES - 1)
}

impl Weak {
    /// A load of a part of a location: the whole location's bits, or none where memory has them. The load gives the
    /// newest value that the thread must see, or any later one.
    pub(super) fn load(
        &mut self,
        key: u64,
        who: Who,
        view: &mut View,
        random: Option<&mut Random>,
        order: Order,
    ) -> Option<(u64, u64)> {
        let Location { values, loaded } = self.locations.get_mut(&key)?;
        let last = values.back()?;
        let handed = |value: &Value| match value.block == who.block {
            true => value.release,
            false => Release { all: value.release.all, ..Release::default() },
        };
        let acquire_if_asked = |view: &mut View| {
            if let Order::Acquire(scope) | Order::Both(scope) = order {
                view.acquire(scope);
            }
        };
        if last.must_be_seen(who, view) {
            // Memory has it.
            view.loaded.join(handed(last));
            acquire_if_asked(view);
            return None;
        }
        let before = loaded.iter_mut().find(|(thread, _)| *thread == who.thread);
        let newest = before.as_ref().map_or(0, |(_, time)| *time);
        let must_see = |value: &Value| value.time <= newest || value.must_be_seen(who, view);
        let first = values.iter().rposition(must_see).unwrap_or(0);
        let count = values.len() - first;
        let newer = match random {
            Some(random) if count > 1 => random.below(2 * count).min(count - 1),
            _ => count - 1,
        };
        let chosen = first + newer;
        let value = &values[chosen];
        match before {
            Some((_, time)) => *time = value.time,
            None => loaded.push((who.thread, value.time)),
        }
        view.known = view.known.max(value.time);
        view.loaded.join(handed(value));
        let bits = (value.bits, value.undefined);
        acquire_if_asked(view);
        if loaded.len() > LOADS {
            loaded.clear();
            values.drain(..values.len() - 1);
        }
        Some(bits)
    }

    /// A store: the location's bits before and after it. An atomic operation hands on the release of the store before
    /// it.
    pub(super) fn store(
        &mut self,
        key: u64,
        who: Who,
        view: &mut View,
        order: Order,
        (before, after): ((u64, u64), (u64, u64)),
        is_atomic: bool,
    ) {
        if self.locations.len() >= LOCATIONS {
            self.locations.clear();
        }
        self.now += 1;
        let values = &mut self.locations.entry(key).or_default().values;
        let nobody = Value {
            time: 0,
            thread: u64::MAX,
            block: u64::MAX,
            bits: before.0,
            undefined: before.1,
            release: Release::default(),
        };
        if values.is_empty() {
            values.push_back(nobody);
        }
        let mut release = view.released;
        if let Order::Release(scope) | Order::Both(scope) = order {
            release.join(view.release(scope));
        }
        if is_atomic && let Some(last) = values.back() {
            release.join(Release { block: 0, handed_on: 0, ..last.release });
            if last.block == who.block {
                release.join(last.release);
            }
        }
        view.known = self.now;
        let Who { thread, block } = who;
        values.push_back(Value { time: self.now, thread, block, bits: after.0, undefined: after.1, release });
        if values.len() > VALUES {
            let _oldest = values.pop_front();
        }
    }
}

/// A quick hash of an address.
#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
