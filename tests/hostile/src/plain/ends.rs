//! Stacks of threads that wait when their block fails, and stacks that are full.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use offload::{DisjointSlice, Error, Grid, Result, Stream, kernel, prelude::*, thread};

static STOP: AtomicBool = AtomicBool::new(false);
static WRITES: AtomicU64 = AtomicU64::new(0);

/// Lends its stack to a thread of the host, and waits.
#[kernel]
fn lend(y: DisjointSlice<u32>) {
    assert!(thread::index_1d() < 1, "the second thread gives up");
    let mut own = [0_u64; 4096];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !STOP.load(SeqCst) {
                own.iter_mut().for_each(|word| *word = 0x4141_4141_4141_4141);
                WRITES.fetch_add(1, SeqCst);
            }
        });
        thread::sync_threads();
    });
    let _ = y.len();
}

struct Ends<'a>(&'a AtomicU64);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

static ENDED: AtomicU64 = AtomicU64::new(0);

/// The last thread panics while all others wait, and each owns memory.
#[kernel]
fn own_memory(y: DisjointSlice<u32>) {
    let _ends = Ends(&ENDED);
    let own = vec![1_u8; 5000];
    assert!(thread::id::x() + 1 < thread::block_dim::x(), "the last one gives up");
    thread::sync_threads();
    drop((own, y));
}

/// A panic whose payload panics when it is dropped.
#[kernel]
fn throw(y: DisjointSlice<u32>) {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the payload ends");
        }
    }
    thread::sync_threads();
    if y.len() == 4 {
        std::panic::panic_any(Bomb);
    }
}

#[kernel]
fn recurse(depth: u32, mut y: DisjointSlice<u32>) {
    fn deep(depth: u32) -> u32 {
        let words = std::hint::black_box([depth; 1000]);
        if depth == 0 { 0 } else { deep(depth - 1).wrapping_add(words[depth as usize % 1000]) }
    }
    y[thread::index_1d()] = deep(depth);
}

/// The number of ranges of addresses, of which each stack has two.
fn ranges() -> usize {
    std::fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count())
}

fn bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).map_or(0, |pages: usize| pages * 4096)
}

/// All of it.
pub fn check(stream: &Stream) -> Result<()> {
    let mut y = [0_u32; 64];

    // Promise: a thread in a scope does not outlive it. It broke: the stack was given back, and written.
    let watch = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(200));
        STOP.store(true, SeqCst);
    });
    let launched = lend.launch(stream, Grid::for_len(2, 2), (&mut y[..2],));
    let before = WRITES.load(SeqCst);
    assert!(matches!(launched, Err(Error::Panicked(_))) && STOP.load(SeqCst), "{launched:?}");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(WRITES.load(SeqCst), before);
    watch.join().unwrap();

    // Promise: the values that a thread owns are dropped once, and a program may fail as often as it likes.
    let start = (ranges(), bytes());
    for _ in 0..1000 {
        assert!(own_memory.launch(stream, Grid::for_len(64, 64), (&mut y[..],)).is_err());
    }
    assert_eq!(ENDED.load(SeqCst), 64_000);
    let end = (ranges(), bytes());
    assert!(end.0 < start.0 + 100 && end.1 < start.1 + (16 << 20), "{start:?} {end:?}");

    // Promise: a panic ends in its launch, with any payload. It broke: the program was aborted.
    let thrown = throw.launch(stream, Grid::for_len(4, 4), (&mut y[..4],));
    assert!(matches!(thrown, Err(Error::Panicked(_))), "{thrown:?}");
    recurse.launch(stream, Grid::for_len(2, 2), (100, &mut y[..2]))
}

/// Promise: a full stack ends the program before it reaches other memory. It did, without a word.
pub fn overflow(stream: &Stream) -> Result<()> {
    recurse.launch(stream, Grid::for_len(2, 2), (100_000, &mut [0; 2]))
}
