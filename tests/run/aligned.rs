//! Locals that are aligned to more than a cache line and live across barriers: their values, and their addresses. And
//! numbers that a function makes of the address of a local, by a condition that the block shares.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 48;

#[unsafe(link_section = ".offload.shared")]
static mut LINE: [u64; THREADS] = [0; THREADS];

#[repr(align(128))]
struct Row([u64; 3]);

#[repr(align(1024))]
struct Counts([u64; 5]);

/// Gives `value` to the block and returns the value of the next thread.
fn exchange(value: u64) -> u64 {
    let thread = offload::thread_id_x() as usize;
    unsafe {
        LINE[thread] = value;
        offload::sync_threads();
        let other = LINE[(thread + 1) % THREADS];
        offload::sync_threads();
        other
    }
}

/// The work of a thread on its locals in one round.
fn step(row: &mut Row, counts: &mut Counts, round: u32, other: u64) {
    let place = (round % 3) as usize;
    row.0[place] = row.0[place].wrapping_mul(31).wrapping_add(other);
    row.0[0] ^= row.0[place] >> 3;
    counts.0[(other % 5) as usize] += u64::from(round) + 1;
}

/// The locals' values as one number each.
fn digest(row: &Row, counts: &Counts) -> [u64; 2] {
    let [a, b, c] = row.0;
    let [d, e, f, g, h] = counts.0;
    [a ^ b.rotate_left(7) ^ c.rotate_left(19), d + 3 * e + 9 * f + 27 * g + 81 * h]
}

fn start(block: usize, thread: usize) -> Row {
    Row([(thread + 100 * block) as u64, 1, 2])
}

extern "C" fn aligned(rounds: u32, out: *mut [u64; 4]) {
    let thread = offload::thread_id_x() as usize;
    let block = offload::block_id_x() as usize;
    let (mut row, mut counts) = (start(block, thread), Counts([0; 5]));
    let mut round = 0;
    while round < rounds {
        let other = exchange(row.0[0]);
        step(&mut row, &mut counts, round, other);
        round += 1;
    }
    let [one, two] = digest(&row, &counts);
    let addresses = [(&raw const row) as u64, (&raw const counts) as u64];
    unsafe { *out.add(block * THREADS + thread) = [one, two, addresses[0], addresses[1]] };
}

/// The host's own: all threads of a block take each round together.
fn expected(block: usize, rounds: u32) -> Vec<[u64; 2]> {
    let mut states: Vec<_> = (0..THREADS).map(|thread| (start(block, thread), Counts([0; 5]))).collect();
    for round in 0..rounds {
        let line: Vec<u64> = states.iter().map(|(row, _)| row.0[0]).collect();
        for (thread, (row, counts)) in states.iter_mut().enumerate() {
            step(row, counts, round, line[(thread + 1) % THREADS]);
        }
    }
    states.iter().map(|(row, counts)| digest(row, counts)).collect()
}

#[inline(never)]
fn change(row: &mut [u64; 9], x: u64) -> u64 {
    row[0] ^= x;
    row[(x % 9) as usize]
}

#[inline(never)]
fn both(a: u32, b: u32) -> u32 {
    a ^ b
}

/// Whether another function makes the same of two hashes of an address. On AMD GPUs, SCC has the condition while the
/// hashes are computed.
#[inline(never)]
fn is_hashed(x: u64) -> bool {
    let (mut row, mut other) = ([x; 9], [x ^ 1; 9]);
    let changed = change(&mut row, x) ^ change(&mut other, x);
    let address = row.as_ptr() as usize as u32;
    let turned = offload::block_id_x() > offload::block_dim_x() % 5;
    let (turn, times) = (address.reverse_bits(), address.wrapping_mul(1_234_567));
    let (one, two) = (if turned { turn } else { times }, if turned { times } else { 9 });
    both(one, two) == if turned { turn ^ times } else { times ^ 9 } && changed == 1
}

extern "C" fn hashed(out: *mut u64) {
    let at = offload::global_id_x();
    unsafe { *out.add(at as usize) = is_hashed(u64::from(at) * 9 + 5).into() };
}

fn main() {
    let (rounds, blocks) = (offload::number_argument(1, 7), 5);
    let device = Device::open();
    let out = device.upload(&vec![[0u64; 4]; blocks * THREADS]);
    let shape = Shape { grid: [blocks as u32, 1, 1], block: [THREADS as u32, 1, 1], shared_bytes: 0 };
    device.launch(kernel!(aligned), shape, &[argument(&rounds), argument(&out.as_mut_ptr())]);
    let expected: Vec<[u64; 2]> = (0..blocks).flat_map(|block| expected(block, rounds)).collect();
    let right = |([one, two, row, counts], wanted): (&[u64; 4], &[u64; 2])| {
        [*one, *two] == *wanted && row % 128 == 0 && counts % 1024 == 0
    };
    let wrong = out.read().iter().zip(&expected).filter(|pair| !right(*pair)).count();
    let hashes = device.upload(&vec![0u64; blocks * THREADS]);
    device.launch(kernel!(hashed), shape, &[argument(&hashes.as_mut_ptr())]);
    let wrong = wrong + hashes.read().iter().filter(|right| **right != 1).count();
    offload::verdict("aligned", &format!("{} threads", blocks * THREADS), wrong);
}
