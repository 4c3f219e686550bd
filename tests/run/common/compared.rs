//! Kernels that run on the device and on the host, whose results and panics are compared. Each random program includes
//! this file, and lists its kernels.

use std::sync::atomic::AtomicU64;

use crate::block;
use crate::offload::{argument, Device, Kernel, Shape};

/// The elements that each kernel reads.
pub const ELEMENTS: usize = 61;
/// Sums of all threads.
pub const COUNTERS: usize = 8;
/// The argument of a kernel, by value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Given {
    pub elements: *const u32,
    pub counters: *mut u64,
    pub small: [u16; 3],
    pub byte: u8,
    pub wide: u64,
    pub count: u32,
}

unsafe impl Sync for Given {}

/// The values that the functions of a kernel use.
#[derive(Clone, Copy)]
pub struct Context {
    pub given: Given,
    pub elements: &'static [u32],
    pub counters: &'static [AtomicU64],
    pub block: usize,
    pub thread: usize,
    pub threads: usize,
    pub global: usize,
}

impl Context {
    /// For a launch in one dimension.
    #[inline(always)]
    pub fn new(given: Given) -> Context {
        Context::at(given, block::position())
    }

    /// For a launch in three dimensions.
    #[inline(always)]
    pub fn in_three(given: Given) -> Context {
        Context::at(given, block::position_in_three())
    }

    #[inline(always)]
    fn at(given: Given, (block, thread, threads): (usize, usize, usize)) -> Context {
        let elements = unsafe { std::slice::from_raw_parts(given.elements, given.count as usize) };
        let counters = unsafe { std::slice::from_raw_parts(given.counters.cast(), COUNTERS) };
        Context { given, elements, counters, block, thread, threads, global: block * threads + thread }
    }

    #[inline(always)]
    pub fn element(self, index: u64) -> u64 {
        self.elements[(index % self.elements.len() as u64) as usize].into()
    }
}

/// A number that depends on both numbers and on their order.
#[inline(always)]
pub fn mix(sum: u64, value: u64) -> u64 {
    (sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// The smallest and the largest numbers of types, their neighbours, and numbers near powers of two, in five of six
/// cases.
#[inline(always)]
pub fn extreme(x: u64) -> u64 {
    let bits = [7, 8, 15, 16, 22, 23, 24, 31, 32, 63][(x >> 5) as usize % 10];
    match x % 12 {
        0 => 1 << bits,
        1 => (1 << bits) - 1,
        2 => (1u64 << bits).wrapping_neg(),
        3 | 4 => u64::MAX,
        5 => 1 << 32 | 3,
        6 => 1 << bits | x >> 60,
        7 => x >> 58,
        8 => x & 0xff_ffff,
        9 => (1 << bits) + 1,
        _ => x,
    }
}

/// Kernels that make text call these.
#[inline(never)]
pub fn decimal(x: u64) -> String {
    (x % 100_000).to_string()
}

#[inline(never)]
pub fn pieces(a: u16, b: i8) -> String {
    let mut text = String::from("ab");
    text.push_str(&format!("{a:x}-{b}"));
    text
}

/// A kernel of a program: its seed, its handle, its function, and the shape of its launch.
pub struct Case {
    pub seed: u64,
    pub handle: *const Kernel,
    pub function: fn(Given, *mut u64),
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub uses_lanes: bool,
    /// Whether it has launch-sized shared memory.
    pub is_dynamic: bool,
}

#[derive(Clone, Copy)]
struct Address(*mut u64);

unsafe impl Sync for Address {}

impl Address {
    fn get(self) -> *mut u64 {
        self.0
    }
}

/// Runs one kernel on both. The error is the difference.
fn compare(device: &Device, case: &Case) -> Result<(), String> {
    let random = |n: u64| mix(mix(case.seed, n), n);
    let elements: Vec<u32> = (0..ELEMENTS as u64).map(|n| random(n) as u32 >> (n % 30)).collect();
    let (grid, block) = (case.grid, case.block);
    let threads = block.iter().product::<u32>() as usize;
    let total = grid.iter().product::<u32>() as usize * threads;
    let (there, counters) = (device.upload(&elements), device.upload(&[0u64; COUNTERS]));
    let out = device.upload(&vec![0u64; total + 1]);
    let small = [random(100) as u16, 3, random(101) as u16];
    let (byte, wide, count) = (random(102) as u8, random(103), ELEMENTS as u32);
    let given = Given { elements: there.as_ptr(), counters: counters.as_mut_ptr(), small, byte, wide, count };
    let shape = Shape { grid, block, shared_bytes: if case.is_dynamic { 8 * block::MOST as u32 } else { 0 } };
    let address = out.as_mut_ptr();
    let arguments = [argument(&given), argument(&address)];
    let said = device.try_launch_with_heap(case.handle, shape, 4 << 20, &arguments);
    let on_device = out.read();
    let lanes = if case.uses_lanes && said.is_ok() { on_device[total].max(1) as usize } else { 32 };
    let mut own_counters = [0u64; COUNTERS];
    let mut own = vec![0u64; total + 1];
    let own_given = Given { elements: elements.as_ptr(), counters: own_counters.as_mut_ptr(), ..given };
    let (own_out, function) = (Address(own.as_mut_ptr()), case.function);
    let panics = block::run_blocks(&|| function(own_given, own_out.get()), grid, block, lanes);
    match said {
        Err(text) if panics.iter().any(|panic| text.ends_with(panic.as_str())) => return Ok(()),
        Err(text) => return Err(format!("the device says `{text}`, the host {panics:?}")),
        Ok(()) if !panics.is_empty() => return Err(format!("the host panics {panics:?}, the device does not")),
        Ok(()) => {}
    }
    if let Some(at) = (0..total).find(|at| own[*at] != on_device[*at]) {
        let count = (0..total).filter(|at| own[*at] != on_device[*at]).count();
        let (thread, wanted, got) = (at % threads, own[at], on_device[at]);
        let place = format!("block {}, thread {thread}", at / threads);
        return Err(format!("{place} ({lanes} lanes): {got:#x} instead of {wanted:#x}; {count} threads of {total}"));
    }
    let counted = counters.read();
    if counted != own_counters {
        return Err(format!("counters {counted:x?} instead of {own_counters:x?}"));
    }
    Ok(())
}

/// Runs the kernels whose seeds are arguments of the program, and prints a line for each.
pub fn run(cases: &[Case]) {
    std::panic::set_hook(Box::new(|_| {}));
    let device = Device::open();
    let wanted: Vec<u64> = std::env::args().skip(1).map(|seed| seed.parse().expect("a seed is a number")).collect();
    for case in cases.iter().filter(|case| wanted.contains(&case.seed)) {
        match compare(&device, case) {
            Ok(()) => println!("{}: ok", case.seed),
            Err(text) => println!("{}: {}", case.seed, text.replace('\n', " ")),
        }
    }
}
