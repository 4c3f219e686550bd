//! Barriers in nested loops, in a function that is not inlined, and with many values that are live across them.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 48;

#[unsafe(link_section = ".offload.shared")]
static mut LINE: [u64; THREADS] = [0; THREADS];

/// The values of a thread for its neighbour, in a struct on its own stack.
#[derive(Clone, Copy)]
struct State {
    sums: [u64; 5],
    last: u64,
}

/// Gives `value` to the block and returns the value of the thread `distance` further on.
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

/// The first turn of a loop differs from the others, and a branch on an argument comes before the loop.
#[inline(always)]
fn sum_of_turns(start: f32, rounds: u32, values: *const f32, keep: impl Fn(f32)) -> f32 {
    let (mut sum, mut is_first, mut turn) = (0f32, true, 0);
    while turn < rounds {
        keep(sum);
        let value = start + unsafe { *values.add(turn as usize) };
        sum = if is_first { value * 100.0 } else { sum + value };
        is_first = false;
        for step in 0..20 {
            sum += (sum * 0.5 + step as f32).sqrt() * 0.125;
        }
        keep(sum);
        turn += 1;
    }
    sum
}

extern "C" fn first_turn(rounds: u32, mode: u32, values: *const f32, out: *mut f32) {
    let index = offload::global_id_x() as usize;
    if mode != 0 {
        unsafe { *out.add(index) = 3.0 }
    } else {
        unsafe { *out.add(index + 1) = 4.0 }
    }
    let keep = |sum: f32| unsafe {
        *out.add(index) = sum;
        offload::sync_threads()
    };
    sum_of_turns(index as f32 + 1.0, rounds, values, keep);
}

/// The threads fetch one value in a loop that would never end in a block of no thread.
extern "C" fn one_for_all(from: *const f32, out: *mut f32) {
    let (thread, index) = (offload::thread_id_x(), offload::global_id_x() as usize);
    let (mut i, line) = (thread, (&raw mut LINE).cast::<f32>());
    while i < 1 {
        unsafe { *line.add(i as usize) = *from.add(i as usize) };
        i += offload::block_dim_x();
    }
    offload::sync_threads();
    unsafe { *out.add(index) = *line * index as f32 };
}

fn main() {
    let (rounds, blocks) = (offload::number_argument(1, 7), 5);
    let device = Device::open();
    let out = device.upload(&vec![[0u64; 6]; blocks * THREADS]);
    let shape = Shape { grid: [blocks as u32, 1, 1], block: [THREADS as u32, 1, 1], shared_bytes: 0 };
    device.launch(kernel!(weave), shape, &[argument(&rounds), argument(&out.as_mut_ptr())]);
    let expected: Vec<[u64; 6]> = (0..blocks).flat_map(|block| expected(block, rounds)).collect();
    let mut wrong = out.read().iter().zip(&expected).filter(|(got, wanted)| got != wanted).count();
    let count = blocks * THREADS;
    let values: Vec<f32> = (0..rounds).map(|turn| turn as f32 + 0.5).collect();
    let (on_values, sums) = (device.upload(&values), device.upload(&vec![0f32; count]));
    let (from, to) = (on_values.as_ptr(), sums.as_mut_ptr());
    device.launch(kernel!(first_turn), shape, &[argument(&rounds), argument(&1u32), argument(&from), argument(&to)]);
    let sum = |i: usize| sum_of_turns(i as f32 + 1.0, rounds, values.as_ptr(), |_| {});
    wrong += sums.read().into_iter().enumerate().filter(|(i, got)| *got != sum(*i)).count();
    device.launch(kernel!(one_for_all), shape, &[argument(&from), argument(&to)]);
    wrong += sums.read().into_iter().enumerate().filter(|(i, got)| *got != values[0] * *i as f32).count();
    offload::verdict("barriers", &format!("{} threads", blocks * THREADS), wrong);
}
