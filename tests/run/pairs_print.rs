//! Pairs of printing with each other feature. Threads print a line with their results. The program reads its own
//! standard output, into which the device has printed, and compares the lines.

#[macro_use]
#[path = "common/features.rs"]
mod features;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use features::{ballot, block, collatz, get, here, print, put, quad, rank, shuffle_xor, Pair, Run, BLOCK, N};
use offload::{dynamic_shared, sync_threads, Device};

#[unsafe(link_section = ".offload.shared")]
static mut SHARED: [u32; BLOCK] = [0; BLOCK];

/// Whether a thread prints: one of five, and the one that panics.
#[inline(always)]
fn prints(i: usize) -> bool {
    i % 5 == 4
}

/// Stores and prints.
#[inline(always)]
fn tell(name: &[u8], out: *mut u64, i: usize, value: u64) {
    put(out, i, value);
    if prints(i) {
        print(name, i, value);
    }
}

extern "C" fn position_print(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let at = 100 * offload::thread_id_z() + 10 * offload::thread_id_y() + offload::thread_id_x();
    tell(b"position", out, i, u64::from(own % 100 * 1000 + at));
}

/// Lines before, between and after barriers; the last one has another thread's number.
extern "C" fn barrier_print(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let mut value = u64::from(own);
    for _ in 0..2 {
        put(out, i, value);
        sync_threads();
        value += get(out, block() * BLOCK + (rank() + 1) % BLOCK);
        if prints(i) {
            print(b"between", i, value);
        }
        sync_threads();
    }
    tell(b"barrier", out, i, value);
}

/// Lanes print in a branch, then meet.
extern "C" fn warp_print(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let votes = quad(ballot(own % 2 == 0));
    if prints(i) {
        print(b"votes", i, votes);
    }
    let other = shuffle_xor(own, 1);
    tell(b"warp", out, i, u64::from(other) * 16 + votes);
}

fn votes(run: &Run, i: usize) -> u64 {
    (0..4).map(|k| u64::from(run.input[i / 4 * 4 + k] % 2 == 0) << k).sum()
}

extern "C" fn shared_print(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        SHARED[rank()] = own;
        sync_threads();
        tell(b"shared", out, i, SHARED[(rank() + 13) % BLOCK].into());
    }
}

extern "C" fn dynamic_print(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(dynamic_shared(), BLOCK - 1 - rank(), own.into());
    sync_threads();
    tell(b"dynamic", out, i, get(dynamic_shared(), rank()));
}

/// The one that comes last to a counter prints for all.
extern "C" fn atomics_print(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let cell = |at: usize| unsafe { AtomicU64::from_ptr(out.add(at)) };
    let before = cell(block() * BLOCK + 1).fetch_add(1 << 32 | u64::from(own), Relaxed);
    if before >> 32 == BLOCK as u64 - 1 {
        print(b"block", i / BLOCK, (before & 0xffff_ffff) + u64::from(own));
    }
}

/// Text in allocated memory.
extern "C" fn heap_print(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let mut name = vec![b'h'];
    name.extend((0..own % 5).map(|k| b'e' + k as u8));
    tell(&name, out, i, name.len() as u64);
}

#[inline(never)]
fn told(n: u32, i: usize) -> u64 {
    if n == 0 {
        return 7;
    }
    let below = told(n - 1, i) * 3 + u64::from(n);
    if prints(i) {
        print(b"level", i * 10 + n as usize, below);
    }
    below
}

/// Each level of a recursion prints.
extern "C" fn print_recursion(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    tell(b"recursion", out, i, told(own % 3, i));
}

const TELLERS: [fn(usize, u32) -> u64; 2] = [plainly, at_length];

#[inline(never)]
fn plainly(i: usize, own: u32) -> u64 {
    if prints(i) {
        print(b"plain", i, own.into());
    }
    1
}

#[inline(never)]
fn at_length(i: usize, own: u32) -> u64 {
    let steps = collatz(own).into();
    if prints(i) {
        print(b"at length", i, steps);
    }
    steps
}

/// Functions that values choose print.
extern "C" fn print_functions(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, TELLERS[own as usize % 2](i, own));
}

static NAMES: [&str; 3] = ["red", "green", "a long blue"];

#[unsafe(link_section = ".offload.static")]
static mut KEPT: [u32; N] = [0; N];

/// Text and a value of statics.
extern "C" fn print_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        KEPT[i] += own;
        tell(NAMES[own as usize % 3].as_bytes(), out, i, KEPT[i].into());
    }
}

fn kept(run: &Run, i: usize) -> u64 {
    (0..=run.round).map(|round| u64::from(Run::new(round).input[i])).sum()
}

/// Prints, and then panics.
extern "C" fn panic_print(input: *const u32, fault: u32, out: *mut u64) {
    let (i, own) = here(input);
    tell(b"before", out, i, own.into());
    assert!(i != fault as usize, "at fault");
    if prints(i) {
        print(b"after", i, own.into());
    }
}

pairs! {
    position_print: |run, i| {
        u64::from(run.input[i] % 100) * 1000 + ((i / 32 % 2) * 100 + i / 8 % 4 * 10 + i % 8) as u64
    };
    barrier_print: |run, i| run.beside(i, i) + 2 * run.beside(i, i + 1) + run.beside(i, i + 2);
    warp_print: |run, i| u64::from(run.input[i ^ 1]) * 16 + votes(run, i);
    shared_print: |run, i| run.beside(i, i + 13);
    dynamic_print: |run, i| run.beside(i, BLOCK - 1 - i % BLOCK);
    atomics_print: |run, i| if i % BLOCK == 1 { (BLOCK as u64) << 32 | run.sum(i, u64::from) } else { 0 };
    heap_print: |run, i| u64::from(1 + run.input[i] % 5);
    print_recursion: |run, i| levels(run.input[i] % 3);
    print_functions: |run, i| if run.input[i] % 2 == 0 { 1 } else { collatz(run.input[i]).into() };
    print_statics: kept;
    panic_print: |run, i| run.input[i].into();
}

fn levels(n: u32) -> u64 {
    (1..=n).fold(7, |sum, n| sum * 3 + u64::from(n))
}

/// The lines that the launch of a kernel prints, of one thread.
fn lines(pair: &Pair, run: &Run, i: usize) -> Vec<String> {
    let (own, value) = (run.input[i], (pair.thread)(run, i));
    let line = |name: &str, number: usize, value: u64| format!("{name} {number} {}", value % 1_000_000);
    let last = |name: &str| line(name, i, value);
    match pair.name {
        "atomics_print" if i % BLOCK == 0 => vec![line("block", i / BLOCK, run.sum(i, u64::from))],
        "atomics_print" => vec![],
        _ if !prints(i) => vec![],
        "barrier_print" => {
            let first = run.beside(i, i) + run.beside(i, i + 1);
            vec![line("between", i, first), line("between", i, value), last("barrier")]
        }
        "warp_print" => vec![line("votes", i, votes(run, i)), last("warp")],
        "heap_print" => vec![last(&"hefghi"[..value as usize])],
        "print_recursion" => {
            let level = |n| line("level", i * 10 + n as usize, levels(n));
            (1..=own % 3).map(level).chain([last("recursion")]).collect()
        }
        "print_functions" if own % 2 == 0 => vec![line("plain", i, own.into())],
        "print_functions" => vec![last("at length")],
        "print_statics" => vec![last(NAMES[own as usize % 3])],
        "panic_print" => vec![last("before"), last("after")],
        name => vec![last(name.split('_').next().unwrap())],
    }
}

extern "C" {
    fn memfd_create(name: *const u8, flags: u32) -> c_int;
    fn dup(file: c_int) -> c_int;
    fn dup2(file: c_int, other: c_int) -> c_int;
    fn close(file: c_int) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
}

/// The result of `call`, and its output.
fn captured<T>(call: impl FnOnce() -> T) -> (T, String) {
    unsafe {
        fflush(std::ptr::null_mut());
        let (output, file) = (dup(1), memfd_create(c"output".as_ptr().cast(), 0));
        dup2(file, 1);
        let value = call();
        fflush(std::ptr::null_mut());
        dup2(output, 1);
        close(output);
        let (mut file, mut bytes) = (File::from_raw_fd(file), Vec::new());
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("a file in memory can be read");
        (value, String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Whether the kernel has stored and printed the expected values. Of the block of a panic, some lines may be absent.
fn is_right(pair: &Pair, device: &Device, round: u64, fault: bool) -> bool {
    let (right, text) = captured(|| pair.is_right(device, round, fault));
    let run = Run::new(round);
    let of = |blocks: &dyn Fn(usize) -> bool| {
        let mut lines: Vec<_> = (0..N).filter(|i| blocks(i / BLOCK)).flat_map(|i| lines(pair, &run, i)).collect();
        lines.sort();
        lines
    };
    let optional = of(&|block| fault && block == features::FAULT / BLOCK);
    let wanted = of(&|block| !fault || block != features::FAULT / BLOCK);
    let mut found: Vec<&str> = text.lines().filter(|line| !optional.iter().any(|other| other == line)).collect();
    found.sort();
    if !right || found != wanted {
        println!("{}, launch {round}:\n{text}", pair.name);
    }
    right && found == wanted
}

fn main() {
    let device = Device::open();
    let pairs = pairs();
    let right = |pair: &&Pair| {
        let first = is_right(pair, &device, 0, false) && is_right(pair, &device, 1, pair.name == "panic_print");
        first && is_right(pair, &device, 2, false)
    };
    let wrong = pairs.len() - pairs.iter().filter(right).count();
    offload::verdict("pairs_print", &format!("{} kernels", pairs.len()), wrong);
}
