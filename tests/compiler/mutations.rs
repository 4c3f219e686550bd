//! Five hundred damaged copies of rustc's bitcode: each ends in success, a diagnostic, or a reported internal error.
//!
//! LLVM's reader aborts on some and crashes on others. The user must never see a signal, a Rust panic, a partly written
//! file or a remaining temporary file. The damage is the same in every run.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harness::program::{self, FLAG_SETS};
use harness::run_within;

const MUTATIONS: usize = 500;
/// One of this number of copies is optimised. This takes the most time and rarely finds errors that reading does not
/// find.
const OPTIMISED: usize = 4;

/// Steele, Lea and Flood's SplitMix64: a short generator for which all seeds are good.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// A copy of `bytes` with one to eight bits flipped.
fn damaged(bytes: &[u8], seed: usize) -> Vec<u8> {
    let mut random = SplitMix(seed as u64);
    let mut copy = bytes.to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(copy.len());
        copy[at] ^= 1 << random.below(8);
    }
    copy
}

/// The number of runs with each status.
type Tally = Mutex<BTreeMap<i32, usize>>;

/// The fault in offloadc's reaction to the damaged copy with number `seed`, if there is one.
fn fault(bytes: &[u8], seed: usize, tally: &Tally) -> Option<String> {
    let (folder, temporary) = (harness::scratch(), harness::scratch());
    let input = folder.path().join("damaged.bc");
    std::fs::write(&input, damaged(bytes, seed)).expect("the folder can be written");
    let mut command = Command::new(harness::offloadc());
    let level = if (seed / 3).is_multiple_of(OPTIMISED) { "-O2" } else { "-O0" };
    command
        .args(["damaged.bc", "-j1", level, "-o", "out.o"])
        .current_dir(folder.path())
        .env("TMPDIR", temporary.path());
    let outcome = run_within(&mut command, Duration::from_secs(60));
    *tally.lock().expect("counting does not panic").entry(outcome.code()).or_default() += 1;
    let said = outcome.stderr();
    let complaint = match outcome.code() {
        _ if said.contains("panicked at") => "a Rust panic",
        1 | 70 if !said.lines().any(|line| line.starts_with("error")) => "no error is printed",
        1 | 70 if folder.path().join("out.o").exists() => "an output in spite of the failure",
        0 if !folder.path().join("out.o").exists() => "no output in spite of the success",
        0 | 1 | 70 if count(temporary.path()) + count(folder.path()) > 2 => "a file left behind",
        1 if count(folder.path()) > 1 => "a file left behind",
        0 | 1 | 70 => return None,
        _ => "the status is none of 0, 1 and 70",
    };
    Some(format!("mutation {seed}: {complaint}\n{}", outcome.report()))
}

fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder).expect("the folder can be listed").count()
}

#[test]
fn damaged_bitcode_never_crashes() {
    let folder = harness::scratch();
    let sources = ["examples/contract/saxpy.rs", "examples/contract/histogram.rs", "examples/contract/reduction.rs"];
    let bitcode = |(source, set)| std::fs::read(program::bitcode(source, set, folder.path())).expect("rustc wrote it");
    let originals: Vec<Vec<u8>> =
        sources.into_iter().zip([FLAG_SETS[0], FLAG_SETS[2], FLAG_SETS[1]]).map(bitcode).collect();
    let next = AtomicUsize::new(0);
    let tally = Tally::default();
    let work = || {
        let mut faults = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= MUTATIONS {
                return faults;
            }
            faults.extend(fault(&originals[seed % originals.len()], seed, &tally));
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a mutation ran too long; see above")).collect()
    });
    println!("runs by exit status: {tally:?}");
    let shown: Vec<&String> = faults.iter().take(5).collect();
    assert!(faults.is_empty(), "{} of {MUTATIONS} mutations went wrong, among them:\n{shown:#?}", faults.len());
}
