//! Counts for each line of the source. `OFFLOAD_EMULATED_PROFILE` names the file to which they are appended when the
//! process ends: one line with a JSON object for each kernel of each device.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::Place;
use crate::frames::demangled;

/// The bytes of global memory that one transaction moves: a sector of a cache line.
const SECTOR: u64 = 32;
/// The number of banks of shared memory.
const BANKS: u64 = 32;
/// The bytes of a word of a bank.
const WORD: u64 = 4;
/// The bytes of shared memory that all banks together move at once.
const PHASE: usize = 128;

/// The counts of the warps' work at a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Instructions. One that a warp executes counts once, however many of its lanes are active.
    pub instructions: u64,
    /// The active lanes of all these instructions.
    pub lanes: u64,
    /// Instructions that access global memory.
    pub accesses: u64,
    /// The bytes of global memory that lanes load and store.
    pub bytes: u64,
    /// Transactions of global memory: the sectors that each access touches.
    pub transactions: u64,
    /// The further turns that shared memory needs because lanes access different words of one bank.
    pub conflicts: u64,
}

impl LineCounts {
    fn add(&mut self, other: &LineCounts) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        self.accesses += other.accesses;
        self.bytes += other.bytes;
        self.transactions += other.transactions;
        self.conflicts += other.conflicts;
    }
}

/// An access of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The lane.
    pub lane: usize,
    /// The address of the first byte.
    pub address: u64,
    /// How many bytes.
    pub size: usize,
}

impl Access {
    /// The units of some bytes that it touches.
    fn units(&self, bytes: u64) -> std::ops::Range<u64> {
        self.address / bytes..(self.address + self.size as u64).div_ceil(bytes)
    }
}

/// The counts of a launch. A place is the emulator's key for a line.
#[derive(Clone, Debug)]
pub struct Counter<P> {
    places: BTreeMap<P, LineCounts>,
}

impl<P: Ord> Default for Counter<P> {
    fn default() -> Self {
        Counter { places: BTreeMap::new() }
    }
}

impl<P: Ord> Counter<P> {
    /// A warp executes an instruction with some active lanes.
    pub fn execute(&mut self, place: P, lanes: u32) {
        let counts = self.places.entry(place).or_default();
        counts.instructions += 1;
        counts.lanes += u64::from(lanes);
    }

    /// Lanes of a warp access memory. The first ones are addresses of global memory, the others offsets in the block's
    /// shared memory.
    pub fn access(&mut self, place: P, global: &[Access], shared: &[Access]) {
        let counts = self.places.entry(place).or_default();
        counts.accesses += u64::from(!global.is_empty());
        counts.bytes += global.iter().map(|access| access.size as u64).sum::<u64>();
        counts.transactions += sectors(global);
        counts.conflicts += conflicts(shared);
    }

    /// The counts by lines of the source; `line` gives the line of a place.
    pub fn lines(self, line: impl Fn(&P) -> Option<Place>) -> Lines {
        let mut lines = Lines::new();
        for (place, counts) in self.places {
            // Line 0 stands for code without a line.
            let line = line(&place).filter(|place| place.line != 0);
            lines.entry(line.map_or_else(Default::default, |place| (place.file, place.line))).or_default().add(&counts);
        }
        lines
    }
}

/// Counts by file and line. Code without a line has no file.
pub type Lines = BTreeMap<(String, u32), LineCounts>;

/// The sectors that some accesses of one instruction touch.
fn sectors(accesses: &[Access]) -> u64 {
    units(accesses, SECTOR).len() as u64
}

/// The different units of some bytes that accesses touch.
fn units(accesses: &[Access], bytes: u64) -> BTreeSet<u64> {
    accesses.iter().flat_map(|access| access.units(bytes)).collect()
}

/// The additional turns that conflicts cause for some accesses of one instruction. Lanes that access the same word
/// share it. Accesses of 8 and 16 bytes go in turns of half and of a quarter of the lanes.
fn conflicts(accesses: &[Access]) -> u64 {
    let size = accesses.iter().map(|access| access.size).max().unwrap_or(0).clamp(WORD as usize, PHASE);
    let turn = |access: &Access| access.lane / (PHASE / size);
    let turns = accesses.chunk_by(|one, other| turn(one) == turn(other)).map(|turn| {
        let mut banks = [0; BANKS as usize];
        units(turn, WORD).into_iter().for_each(|word| banks[(word % BANKS) as usize] += 1);
        banks.into_iter().max().unwrap_or(0u64).saturating_sub(1)
    });
    turns.sum()
}

/// All launches of a kernel on a device.
#[derive(Default)]
struct Kernel {
    launches: u64,
    warps: u64,
    lines: Lines,
}

/// The kernels by device and symbol.
type Kernels = BTreeMap<(String, String), Kernel>;

/// The file, and all kernels.
static KERNELS: Mutex<(String, Kernels)> = Mutex::new((String::new(), BTreeMap::new()));

unsafe extern "C" {
    /// C's function, which the process or `dlclose` calls.
    fn atexit(function: extern "C" fn()) -> c_int;
}

/// Adds the counts of a launch that has run. The first one arranges that the file is written when the process ends.
pub fn add(file: &str, device: &str, kernel: &str, warps: u64, lines: &Lines) {
    let mut all = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    if all.0.is_empty() {
        file.clone_into(&mut all.0);
        // SAFETY: the function lives as long as this library, whose end calls it.
        let _full = unsafe { atexit(write) };
    }
    let known = all.1.entry((device.to_owned(), kernel.to_owned())).or_default();
    known.launches += 1;
    known.warps += warps;
    for (line, counts) in lines {
        known.lines.entry(line.clone()).or_default().add(counts);
    }
}

/// Appends the counts to the file.
extern "C" fn write() {
    let all = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    let (file, kernels) = &*all;
    let text: String = kernels.iter().map(|((device, symbol), kernel)| json(device, symbol, kernel)).collect();
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
    // One call, because several processes may share the file.
    if let Err(error) = opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        eprintln!("emulated GPUs: cannot write `{file}`, which `OFFLOAD_EMULATED_PROFILE` names: {error}");
    }
}

/// The line of a kernel.
fn json(device: &str, symbol: &str, kernel: &Kernel) -> String {
    let (number, arch) = device.split_once(' ').unwrap_or((device, ""));
    let arch = arch.trim_matches(['(', ')']);
    let lines = kernel.lines.iter().map(|((file, line), counts)| {
        let LineCounts { instructions, lanes, accesses, bytes, transactions, conflicts } = counts;
        format!(
            "{{\"file\": {}, \"line\": {line}, \"instructions\": {instructions}, \"lanes\": {lanes}, \"accesses\": \
             {accesses}, \"bytes\": {bytes}, \"transactions\": {transactions}, \"conflicts\": {conflicts}}}",
            quoted(file)
        )
    });
    format!(
        "{{\"device\": {}, \"arch\": {}, \"kernel\": {}, \"symbol\": {}, \"launches\": {}, \"warps\": {}, \"lines\": [{}]}}\n",
        quoted(number),
        quoted(arch),
        quoted(&demangled(symbol)),
        quoted(symbol),
        kernel.launches,
        kernel.warps,
        lines.collect::<Vec<_>>().join(", ")
    )
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c < ' ' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{Access, Counter, Kernel, LineCounts, Lines, conflicts, json, sectors};
    use crate::Place;

    /// The accesses of some lanes, which begin at `first` and are `stride` bytes apart.
    fn lanes(count: usize, first: u64, stride: u64, size: usize) -> Vec<Access> {
        (0..count).map(|lane| Access { lane, address: first + stride * lane as u64, size }).collect()
    }

    #[test]
    fn a_transaction_is_a_sector_of_32_bytes() {
        for (expected, count, first, stride, size) in [
            (4, 32, 0x1000, 4, 4),
            (8, 32, 0x1000, 8, 4),
            (32, 32, 0x1000, 32, 4),
            (32, 32, 0x1000, 4096, 4),
            // Lanes that read one word, or the bytes of few sectors.
            (1, 32, 0x1004, 0, 4),
            (1, 32, 0x1000, 1, 1),
            // An array that begins within a sector reaches into one more.
            (5, 32, 0x1004, 4, 4),
            // A part of a warp.
            (1, 8, 0x1000, 4, 4),
            (2, 9, 0x1000, 4, 4),
            (0, 0, 0x1000, 4, 4),
            // Wider values, and a warp of 64 lanes.
            (8, 32, 0x1000, 8, 8),
            (16, 32, 0x1000, 16, 16),
            (8, 64, 0x1000, 4, 4),
            // A value across the border of two sectors.
            (2, 1, 0x101c, 0, 8),
        ] {
            assert_eq!(sectors(&lanes(count, first, stride, size)), expected, "{count} {first:#x} {stride} {size}");
        }
        // The order of the lanes does not matter.
        let turned: Vec<_> = lanes(32, 0x1000, 4, 4).into_iter().rev().collect();
        assert_eq!(sectors(&turned), 4);
    }

    #[test]
    fn lanes_conflict_at_different_words_of_a_bank() {
        for (expected, count, stride, size) in [
            (0, 32, 4, 4),
            (1, 32, 8, 4),
            (31, 32, 128, 4),
            // A row of 33 words has no conflicts.
            (0, 32, 132, 4),
            // The same word, and bytes of the same words.
            (0, 32, 0, 4),
            (0, 32, 1, 1),
            // Half of the lanes at once, and a quarter; with 16 bytes between, each half touches half of the banks.
            (0, 32, 8, 8),
            (0, 32, 16, 16),
            (2, 32, 16, 8),
            // Each half of a warp of 64 lanes.
            (2, 64, 8, 4),
            (0, 0, 4, 4),
        ] {
            assert_eq!(conflicts(&lanes(count, 0, stride, size)), expected, "{count} {stride} {size}");
        }
        // The halves of a warp of 64 lanes take turns, however many of their lanes are active.
        let both: Vec<_> = lanes(64, 0, 64, 4).into_iter().filter(|access| access.lane % 2 == 0).collect();
        assert_eq!(conflicts(&both), 2 * 15);
    }

    #[test]
    fn places_of_a_line_are_added() {
        let mut counter = Counter::default();
        counter.execute(1, 32);
        counter.execute(2, 7);
        counter.access(2, &lanes(7, 0x1000, 4, 4), &[]);
        counter.execute(3, 1);
        let place = |line| Place { file: "src/main.rs".to_owned(), line };
        let lines = counter.lines(|place_of| match place_of {
            1 | 2 => Some(place(5)),
            _ => Some(place(0)),
        });
        let both = LineCounts { instructions: 2, lanes: 39, accesses: 1, bytes: 28, transactions: 1, conflicts: 0 };
        let none = LineCounts { instructions: 1, lanes: 1, ..LineCounts::default() };
        assert_eq!(lines, Lines::from([((String::new(), 0), none), (("src/main.rs".to_owned(), 5), both)]));
        let text = json("cuda:0 (sm_80)", "_RNvCs1234_3app1f", &Kernel { launches: 2, warps: 8, lines });
        let expected = "{\"device\": \"cuda:0\", \"arch\": \"sm_80\", \"kernel\": \"app::f\", \"symbol\": \"_RNvCs1234_3app1f\", \
            \"launches\": 2, \"warps\": 8, \"lines\": [{\"file\": \"\", \"line\": 0, \"instructions\": 1, \"lanes\": 1, \"accesses\": 0, \
            \"bytes\": 0, \"transactions\": 0, \"conflicts\": 0}, {\"file\": \"src/main.rs\", \"line\": 5, \
            \"instructions\": 2, \"lanes\": 39, \"accesses\": 1, \"bytes\": 28, \"transactions\": 1, \"conflicts\": 0}]}\n";
        assert_eq!(text, expected);
    }
}
