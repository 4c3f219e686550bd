//! Barriers in nested loops, in a function that is not inlined, and with many values that are live across them.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 48;

#[unsafe(link_section = ".offload.shared")]
static mut LINE: [u64; THREADS] = [0; THREADS];

/// What a thread leaves for its neighbour, in a struct on its own stack.
#[derive(Clone, Copy)]
struct State {
    sums: [u64; 5],
    last: u64,
}

/// Gives `value` to the block and takes what the thread `distance` further on gave.
#[inline(never)]
fn exchange(value: u64, distance: usize) -> u64 {
    let thread = offload::thread_id_x() as usize;
    unsafe {
        LINE[thread] = value;
        offload::sync_threads();
        let other = LINE[(thread + distance) % THREADS];
        offload::sync_threads();
        other
    }
}

/// One thread's part, given how values are exchanged; the host plays all threads through it.
#[inline(always)]
fn turns(start: u64, rounds: u32, mut exchange: impl FnMut(u64, usize) -> u64) -> State {
    let mut state = State { sums: [start; 5], last: start };
    let mut round = 0;
    while round < rounds {
        let mut step = 1;
        while step < 5 {
            let other = exchange(state.last, step);
            state.sums[step] = state.sums[step - 1].wrapping_mul(31).wrapping_add(other);
            state.last ^= state.sums[step];
            step += 1;
        }
        round += 1;
    }
    state
}

extern "C" fn weave(rounds: u32, out: *mut [u64; 6]) {
    let thread = offload::thread_id_x() as usize;
    let block = offload::block_id_x() as usize;
    let state = turns((thread + 100 * block) as u64, rounds, exchange);
    let slot = unsafe { out.add(block * THREADS + thread) };
    let mut index = 0;
    while index < 5 {
        unsafe { (*slot)[index] = state.sums[index] };
        index += 1;
    }
    unsafe { (*slot)[5] = state.last };
}

/// The host's own: all threads of a block take each exchange together.
fn expected(block: usize, rounds: u32) -> Vec<[u64; 6]> {
    let start = |thread: usize| (thread + 100 * block) as u64;
    let mut states: Vec<State> = (0..THREADS).map(|t| State { sums: [start(t); 5], last: start(t) }).collect();
    for _ in 0..rounds {
        for step in 1..5 {
            let line: Vec<u64> = states.iter().map(|state| state.last).collect();
            for (thread, state) in states.iter_mut().enumerate() {
                let other = line[(thread + step) % THREADS];
                state.sums[step] = state.sums[step - 1].wrapping_mul(31).wrapping_add(other);
                state.last ^= state.sums[step];
            }
        }
    }
    let flat = |s: &State| [s.sums[0], s.sums[1], s.sums[2], s.sums[3], s.sums[4], s.last];
    states.iter().map(flat).collect()
}

fn main() {
    let (rounds, blocks) = (offload::number_argument(1, 7), 5);
    let device = Device::open();
    let out = device.upload(&vec![[0u64; 6]; blocks * THREADS]);
    let shape = Shape { grid: [blocks as u32, 1, 1], block: [THREADS as u32, 1, 1], shared_bytes: 0 };
    device.launch(kernel!(weave), shape, &[argument(&rounds), argument(&out.as_mut_ptr())]);
    let expected: Vec<[u64; 6]> = (0..blocks).flat_map(|block| expected(block, rounds)).collect();
    let wrong = out.read().iter().zip(&expected).filter(|(got, wanted)| got != wanted).count();
    offload::verdict("barriers", &format!("{} threads", blocks * THREADS), wrong);
}
