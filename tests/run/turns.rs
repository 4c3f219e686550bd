//! Loops whose turns begin with a barrier and end with a write to the block's memory: the barrier waits for the writes
//! of the turn before. Nothing is pending where the loop begins. `tests/compiler/amd_waits.rs` looks for these waits in
//! the code for AMD GPUs.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const THREADS: usize = 96;

#[unsafe(link_section = ".offload.shared")]
static mut TILE: [[u32; THREADS]; 2] = [[0; THREADS]; 2];

fn mixed(left: u32, right: u32) -> u32 {
    left.wrapping_mul(3).wrapping_add(right)
}

/// Both barriers are before the write.
extern "C" fn smooth(turns: u32, values: *mut u32) {
    let thread = offload::thread_id_x() as usize;
    unsafe { TILE[0][thread] = *values.add(thread) };
    offload::sync_threads();
    for _ in 0..turns {
        offload::sync_threads();
        let value = unsafe { mixed(TILE[0][(thread + 1) % THREADS], TILE[0][(thread + 77) % THREADS]) };
        offload::sync_threads();
        unsafe { TILE[0][thread] = value };
    }
    offload::sync_threads();
    unsafe { *values.add(thread) = TILE[0][(thread + 9) % THREADS] };
}

/// One of two tiles is written, and every third turn writes nothing.
extern "C" fn alternate(turns: u32, values: *mut u32) {
    let thread = offload::thread_id_x() as usize;
    unsafe { TILE[0][thread] = *values.add(thread) };
    offload::sync_threads();
    let mut from = 0;
    for turn in 0..turns {
        offload::sync_threads();
        if turn % 3 == 2 {
            continue;
        }
        let value = unsafe { mixed(TILE[from][(thread + 5) % THREADS], turn) };
        from = 1 - from;
        unsafe { TILE[from][thread] = value };
    }
    offload::sync_threads();
    unsafe { *values.add(thread) = TILE[from][(thread + 9) % THREADS] };
}

/// The writes are in an inner loop, which contains no barrier.
extern "C" fn nested(turns: u32, values: *mut u32) {
    let thread = offload::thread_id_x() as usize;
    unsafe { TILE[0][thread] = *values.add(thread) };
    offload::sync_threads();
    for _ in 0..turns {
        offload::sync_threads();
        let next = unsafe { TILE[0][(thread + 1) % THREADS] };
        offload::sync_threads();
        let mut count = next % 4;
        loop {
            if count == 0 {
                break;
            }
            unsafe { TILE[0][thread] = mixed(TILE[0][thread], next.wrapping_add(count)) };
            count -= 1;
        }
    }
    offload::sync_threads();
    unsafe { *values.add(thread) = TILE[0][(thread + 9) % THREADS] };
}

/// The same on the host, with a function that makes the values of a turn of those before it.
fn on_the_host(turns: u32, start: &[u32], turn_of: impl Fn(u32, &[u32]) -> Vec<u32>) -> Vec<u32> {
    let last = (0..turns).fold(start.to_vec(), |values, turn| turn_of(turn, &values));
    (0..THREADS).map(|thread| last[(thread + 9) % THREADS]).collect()
}

fn main() {
    let device = Device::open();
    let start: Vec<u32> = (0..THREADS as u32).map(|at| at * at % 1013).collect();
    let (turns, mut wrong) = (20u32, 0);
    let shape = Shape { grid: [1; 3], block: [THREADS as u32, 1, 1], shared_bytes: 0 };
    let mut compare = |handle, expected: Vec<u32>| {
        let values = device.upload(&start);
        device.launch(handle, shape, &[argument(&turns), argument(&values.as_mut_ptr())]);
        wrong += values.read().iter().zip(&expected).filter(|(found, expected)| found != expected).count();
    };
    let each = |of_thread: &dyn Fn(usize) -> u32| (0..THREADS).map(of_thread).collect::<Vec<_>>();
    let smoothed = on_the_host(turns, &start, |_, values| {
        each(&|thread| mixed(values[(thread + 1) % THREADS], values[(thread + 77) % THREADS]))
    });
    compare(kernel!(smooth), smoothed);
    let alternated = on_the_host(turns, &start, |turn, values| match turn % 3 {
        2 => values.to_vec(),
        _ => each(&|thread| mixed(values[(thread + 5) % THREADS], turn)),
    });
    compare(kernel!(alternate), alternated);
    let of_nested = on_the_host(turns, &start, |_, values| {
        each(&|thread| {
            let next = values[(thread + 1) % THREADS];
            (1..=next % 4).rev().fold(values[thread], |value, count| mixed(value, next.wrapping_add(count)))
        })
    });
    compare(kernel!(nested), of_nested);
    offload::verdict("turns", "three kernels", wrong);
}
