//! Kernels that use two features of the contract at once: their common code, and how the host runs and checks them.
//!
//! A kernel is named after its two features: `heap_recursion`. The test `every-pair` reads these names.

#![allow(dead_code, reason = "each program uses its own part of this file")]

use crate::offload::{self, argument, Device, Kernel, Shape};

pub const BLOCK: usize = 64;
pub const BLOCKS: usize = 3;
pub const N: usize = BLOCK * BLOCKS;

/// The thread that panics if a launch shall have a panic: thread 5 of block 1.
pub const FAULT: usize = BLOCK + 5;

extern "C" {
    fn __offload_lane_id() -> u32;
    fn __offload_lane_count() -> u32;
    fn __offload_shuffle(value: u32, lane: u32) -> u32;
    fn __offload_shuffle_xor(value: u32, mask: u32) -> u32;
    fn __offload_shuffle_up(value: u32, distance: u32) -> u32;
    fn __offload_ballot(vote: bool) -> u64;
    fn __offload_print(text: *const u8, length: usize);
}

macro_rules! safe {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $symbol:ident;)*) => {
        $(#[inline(always)]
        pub fn $name($($argument: $type),*) -> $result {
            unsafe { $symbol($($argument),*) }
        })*
    };
}

safe! {
    lane() -> u32 = __offload_lane_id;
    lanes() -> u32 = __offload_lane_count;
    shuffle(value: u32, lane: u32) -> u32 = __offload_shuffle;
    shuffle_xor(value: u32, mask: u32) -> u32 = __offload_shuffle_xor;
    shuffle_up(value: u32, distance: u32) -> u32 = __offload_shuffle_up;
    ballot(vote: bool) -> u64 = __offload_ballot;
}

/// The votes of the four lanes that `lane` is one of. Every device has warps of a multiple of four lanes, so this is
/// the same on all of them.
#[inline(always)]
pub fn quad(votes: u64) -> u64 {
    votes >> (lane() & !3) & 15
}

/// The number of this thread in its block, x first.
#[inline(always)]
pub fn rank() -> usize {
    let (width, height) = (offload::block_dim_x(), offload::block_dim_y());
    let rank = offload::thread_id_x() + width * (offload::thread_id_y() + height * offload::thread_id_z());
    rank as usize
}

/// The number of this thread's block in the grid, x first.
#[inline(always)]
pub fn block() -> usize {
    let (width, height) = (offload::grid_dim_x(), offload::grid_dim_y());
    (offload::block_id_x() + width * (offload::block_id_y() + height * offload::block_id_z())) as usize
}

/// The number of this thread in the launch, and its element of `input`.
#[inline(always)]
pub fn here(input: *const u32) -> (usize, u32) {
    let i = block() * BLOCK + rank();
    (i, unsafe { *input.add(i) })
}

/// Stores a result of thread `i`, or the total of the launch in place `N`.
#[inline(always)]
pub fn put(out: *mut u64, i: usize, value: u64) {
    unsafe { *out.add(i) = value }
}

#[inline(always)]
pub fn get(out: *const u64, i: usize) -> u64 {
    unsafe { *out.add(i) }
}

/// The number of steps to 1. No optimiser makes a loop of it.
#[inline(never)]
pub fn collatz(n: u32) -> u32 {
    if n < 2 {
        return 0;
    }
    let rest = collatz(if n % 2 == 0 { n / 2 } else { n % 1000 * 3 + 1 });
    rest + 1 + rest % 2
}

/// Prints `NAME NUMBER VALUE` and a line end with one call, of at most the 32 bytes that every device keeps together.
#[inline(never)]
pub fn print(name: &[u8], number: usize, value: u64) {
    let (mut bytes, mut length) = ([0_u8; 32], 0);
    for byte in name {
        bytes[length] = *byte;
        length += 1;
    }
    for number in [number as u64, value % 1_000_000] {
        bytes[length] = b' ';
        length += 1;
        let mut unit = 1;
        while number / unit > 9 {
            unit *= 10;
        }
        while unit > 0 {
            bytes[length] = b'0' + (number / unit % 10) as u8;
            length += 1;
            unit /= 10;
        }
    }
    bytes[length] = b'\n';
    unsafe { __offload_print(bytes.as_ptr(), length + 1) }
}

/// A launch, from which the host computes the expected values.
pub struct Run {
    pub input: Vec<u32>,
    /// The launches of this kernel before.
    pub round: u64,
}

impl Run {
    pub fn new(round: u64) -> Run {
        let value = |i: u32| (i + 1 + 7919 * round as u32).wrapping_mul(2_654_435_761) >> 22;
        Run { input: (0..N as u32).map(value).collect(), round }
    }

    /// The inputs of the block of thread `i`.
    pub fn block(&self, i: usize) -> &[u32] {
        &self.input[i / BLOCK * BLOCK..][..BLOCK]
    }

    /// The input of the thread that has number `rank` in the block of thread `i`.
    pub fn beside(&self, i: usize, rank: usize) -> u64 {
        self.block(i)[rank % BLOCK].into()
    }

    /// The sum of `value` over the block of thread `i`.
    pub fn sum(&self, i: usize, value: fn(u32) -> u64) -> u64 {
        self.block(i).iter().map(|own| value(*own)).sum()
    }

    /// The sum of `value` over the launch.
    pub fn total(&self, value: fn(u32) -> u64) -> u64 {
        self.input.iter().map(|own| value(*own)).sum()
    }
}

/// A kernel with two features, and the expected values of each thread and of all together.
pub struct Pair {
    pub name: &'static str,
    pub kernel: *const Kernel,
    pub thread: fn(&Run, usize) -> u64,
    pub total: fn(&Run) -> u64,
}

/// `name: thread, total;` for each kernel: `fn(&Run, usize) -> u64` and, if it has one, `fn(&Run) -> u64`.
macro_rules! pairs {
    ($($name:ident: $thread:expr $(, $total:expr)?;)*) => {
        fn pairs() -> Vec<features::Pair> {
            vec![$(features::Pair {
                name: stringify!($name),
                kernel: kernel!($name),
                thread: $thread,
                total: pairs!(@ $($total)?),
            }),*]
        }
    };
    (@ $total:expr) => { $total };
    (@) => { |_| 0 };
}

impl Pair {
    fn has(&self, feature: &str) -> bool {
        self.name.split('_').any(|word| word == feature)
    }

    /// Threads in all dimensions, if the kernel looks at positions.
    fn shape(&self) -> Shape {
        let shared_bytes = if self.has("dynamic") { 8 * BLOCK as u32 } else { 0 };
        match self.has("position") {
            true => Shape { grid: [1, BLOCKS as u32, 1], block: [8, 4, 2], shared_bytes },
            false => Shape { grid: [BLOCKS as u32, 1, 1], block: [BLOCK as u32, 1, 1], shared_bytes },
        }
    }

    /// How a message names the thread of number `FAULT`.
    fn place(&self) -> &'static str {
        if self.has("position") {
            "(block (0, 1, 0), thread 5)"
        } else {
            "(block 1, thread 5)"
        }
    }

    /// Launches the kernel for the `round`th time. With `fault`, one thread shall panic, and the results of its block
    /// are of no interest. Returns whether all others are right, after it has shown those that are not.
    pub fn is_right(&self, device: &Device, round: u64, fault: bool) -> bool {
        let run = Run::new(round);
        let input = device.upload(&run.input);
        let out = device.upload(&[0_u64; N + 1]);
        let (input, address) = (input.as_ptr(), out.as_mut_ptr());
        let thread = if fault { FAULT as u32 } else { u32::MAX };
        let heap = if self.has("heap") { 1 << 18 } else { 0 };
        let arguments = [argument(&input), argument(&thread), argument(&address)];
        let said = device.try_launch_with_heap(self.kernel, self.shape(), heap, &arguments);
        let begin = format!("kernel `{}` panicked at tests/run/pairs_", self.name);
        let told = match &said {
            Ok(()) => !fault,
            Err(text) => fault && text.starts_with(&begin) && text.ends_with(&format!(": at fault {}", self.place())),
        };
        if !told {
            println!("{}, launch {round}: {said:?}", self.name);
        }
        told & self.stored(&run, fault, &out.read())
    }

    fn stored(&self, run: &Run, fault: bool, out: &[u64]) -> bool {
        let lost = |i: &usize| fault && (*i == N || i / BLOCK == FAULT / BLOCK);
        let wanted = |i: usize| if i == N { (self.total)(run) } else { (self.thread)(run, i) };
        let wrong: Vec<usize> = (0..=N).filter(|i| !lost(i) && out[*i] != wanted(*i)).collect();
        if let Some(&i) = wrong.first() {
            let (name, round) = (self.name, run.round);
            println!("{name}, launch {round}: {} wrong, thread {i}: {} not {}", wrong.len(), out[i], wanted(i));
        }
        wrong.is_empty()
    }
}

/// Launches each kernel twice, and prints the verdict. Statics keep their values.
pub fn check(program: &str, pairs: &[Pair]) {
    let device = Device::open();
    let wrong = pairs.iter().filter(|pair| !(0..2).all(|round| pair.is_right(&device, round, false))).count();
    offload::verdict(program, &format!("{} kernels", pairs.len()), wrong);
}
