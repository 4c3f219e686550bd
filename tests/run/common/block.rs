//! Blocks of threads on the host, for kernels whose source runs on the host and on a device: each thread of a block is
//! a thread of the host, which waits at barriers and exchanges values with the lanes of its warp.

use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};

use crate::offload;

extern "C" {
    fn __offload_is_device() -> bool;
    fn __offload_lane_id() -> u32;
    fn __offload_lane_count() -> u32;
    fn __offload_shuffle(value: u32, lane: u32) -> u32;
    fn __offload_shuffle_xor(value: u32, mask: u32) -> u32;
    fn __offload_ballot(vote: bool) -> u64;
    fn __offload_any(vote: bool) -> bool;
    fn __offload_all(vote: bool) -> bool;
}

/// The largest block.
pub const MOST: usize = 64;

/// Where a number of threads wait for each other. A thread that ends no longer counts.
struct Meeting {
    state: Mutex<(usize, usize, u64)>,
    changed: Condvar,
}

impl Meeting {
    const fn new() -> Meeting {
        Meeting { state: Mutex::new((0, 0, 0)), changed: Condvar::new() }
    }

    fn begin(&self, count: usize) {
        *self.state.lock().unwrap() = (count, 0, 0);
    }

    fn wait(&self) {
        let mut state = self.state.lock().unwrap();
        state.1 += 1;
        let round = state.2;
        if state.0 == state.1 {
            (state.1, state.2) = (0, round + 1);
            self.changed.notify_all();
        }
        while state.2 == round {
            state = self.changed.wait(state).unwrap();
        }
    }

    fn leave(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 -= 1;
        if state.0 == state.1 && state.1 > 0 {
            (state.1, state.2) = (0, state.2 + 1);
            self.changed.notify_all();
        }
    }
}

static BLOCK: Meeting = Meeting::new();
static WARPS: [Meeting; MOST] = [const { Meeting::new() }; MOST];
static VALUES: [AtomicU64; MOST] = [const { AtomicU64::new(0) }; MOST];
static PRESENT: [AtomicBool; MOST] = [const { AtomicBool::new(false) }; MOST];
static mut DYNAMIC: [u64; MOST] = [0; MOST];

/// The position of a thread of the host: its block, its thread in the block, the launch's shape, and a warp's lanes.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    thread: usize,
    threads: usize,
    grid: [u32; 3],
    dimensions: [u32; 3],
    lanes: usize,
}

impl Place {
    const ALONE: Place = Place { block: 0, thread: 0, threads: 1, grid: [1; 3], dimensions: [1; 3], lanes: 1 };
}

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place::ALONE) };
}

/// The position of number `number` in a grid or a block, along x first.
fn position_of(number: usize, [width, height, _]: [u32; 3]) -> [u32; 3] {
    let number = number as u32;
    [number % width, number / width % height, number / width / height]
}

#[inline(always)]
pub fn is_device() -> bool {
    unsafe { __offload_is_device() }
}

/// The position of the caller's block in the grid.
#[inline(always)]
pub fn block() -> [u32; 3] {
    if unsafe { __offload_is_device() } {
        [offload::block_id_x(), offload::block_id_y(), offload::block_id_z()]
    } else {
        position_of(PLACE.get().block, PLACE.get().grid)
    }
}

/// The position of the caller in its block.
#[inline(always)]
pub fn thread() -> [u32; 3] {
    if unsafe { __offload_is_device() } {
        [offload::thread_id_x(), offload::thread_id_y(), offload::thread_id_z()]
    } else {
        position_of(PLACE.get().thread, PLACE.get().dimensions)
    }
}

/// The threads of a block along each axis.
#[inline(always)]
pub fn threads() -> [u32; 3] {
    if unsafe { __offload_is_device() } {
        [offload::block_dim_x(), offload::block_dim_y(), offload::block_dim_z()]
    } else {
        PLACE.get().dimensions
    }
}

/// The numbers of the caller's block and of the caller in it, along x first, and the block's threads.
#[inline(always)]
pub fn position_in_three() -> (usize, usize, usize) {
    if unsafe { __offload_is_device() } {
        let number = |at: [u32; 3], of: [u32; 3]| (at[0] + of[0] * (at[1] + of[1] * at[2])) as usize;
        let grid = [offload::grid_dim_x(), offload::grid_dim_y(), offload::grid_dim_z()];
        (number(block(), grid), number(thread(), threads()), threads().iter().product::<u32>() as usize)
    } else {
        position()
    }
}

/// The same for a launch in one dimension.
#[inline(always)]
pub fn position() -> (usize, usize, usize) {
    if unsafe { __offload_is_device() } {
        let threads = offload::block_dim_x() as usize;
        (offload::block_id_x() as usize, offload::thread_id_x() as usize, threads)
    } else {
        let place = PLACE.get();
        (place.block, place.thread, place.threads)
    }
}

#[inline(always)]
pub fn sync_threads() {
    if unsafe { __offload_is_device() } {
        offload::sync_threads()
    } else {
        BLOCK.wait()
    }
}

/// Launch-sized shared memory.
#[inline(always)]
pub fn dynamic_shared() -> *mut u64 {
    if unsafe { __offload_is_device() } {
        offload::dynamic_shared::<u64>()
    } else {
        std::ptr::addr_of_mut!(DYNAMIC).cast()
    }
}

/// The number of lanes of a warp.
#[inline(always)]
pub fn lane_count() -> u32 {
    if unsafe { __offload_is_device() } {
        unsafe { __offload_lane_count() }
    } else {
        PLACE.get().lanes as u32
    }
}

/// The lane of the caller.
#[inline(always)]
pub fn lane() -> u32 {
    if unsafe { __offload_is_device() } {
        unsafe { __offload_lane_id() }
    } else {
        (PLACE.get().thread % PLACE.get().lanes) as u32
    }
}

/// The values of the warp's lanes; none for a lane that is not there.
fn exchange(value: u64) -> Vec<Option<u64>> {
    let place = PLACE.get();
    let (warp, first) = (&WARPS[place.thread / place.lanes], place.thread / place.lanes * place.lanes);
    VALUES[place.thread].store(value, SeqCst);
    warp.wait();
    let one = |at: usize| (at < place.threads && PRESENT[at].load(SeqCst)).then(|| VALUES[at].load(SeqCst));
    let values = (first..first + place.lanes).map(one).collect();
    warp.wait();
    values
}

/// The value of another lane, or the caller's own where that lane is not there.
#[inline(always)]
pub fn shuffle(value: u32, from: u32) -> u32 {
    if unsafe { __offload_is_device() } {
        unsafe { __offload_shuffle(value, from) }
    } else {
        exchange(value.into())[from as usize].map_or(value, |value| value as u32)
    }
}

#[inline(always)]
pub fn shuffle_xor(value: u32, mask: u32) -> u32 {
    if unsafe { __offload_is_device() } {
        unsafe { __offload_shuffle_xor(value, mask) }
    } else {
        exchange(value.into())[(lane() ^ mask) as usize].map_or(value, |value| value as u32)
    }
}

/// The ballot of the lanes for which `there` holds; nothing in the others.
#[inline(always)]
pub fn ballot_where(there: bool, vote: bool) -> u64 {
    if unsafe { __offload_is_device() } {
        if there {
            unsafe { __offload_ballot(vote) }
        } else {
            0
        }
    } else {
        let votes = exchange(u64::from(there && vote));
        let bits = votes.iter().enumerate().map(|(at, vote)| vote.unwrap_or(0) << at).sum();
        if there {
            bits
        } else {
            0
        }
    }
}

/// Whether any lane has the condition, and whether all have.
#[inline(always)]
pub fn any_all(vote: bool) -> (bool, bool) {
    if unsafe { __offload_is_device() } {
        unsafe { (__offload_any(vote), __offload_all(vote)) }
    } else {
        let votes = exchange(vote.into());
        (votes.contains(&Some(1)), !votes.contains(&Some(0)))
    }
}

/// Runs one thread. The error is its panic.
fn run_thread(kernel: &(dyn Fn() + Sync), place: Place) -> Option<String> {
    PLACE.set(place);
    let said = catch_unwind(AssertUnwindSafe(kernel)).err();
    PRESENT[place.thread].store(false, SeqCst);
    WARPS[place.thread / place.lanes].leave();
    BLOCK.leave();
    let said = said?;
    let text = said.downcast_ref::<String>().cloned();
    let text = text.or_else(|| said.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    let text = text.unwrap_or_default();
    let (block, thread) = (position_of(place.block, place.grid), position_of(place.thread, place.dimensions));
    Some(format!("{text} (block {}, thread {})", named(block), named(thread)))
}

/// A position in an error of a launch.
fn named([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (0, 0) => x.to_string(),
        _ => format!("({x}, {y}, {z})"),
    }
}

/// Runs blocks of threads, one block after the other. Returns the panics.
pub fn run_blocks(kernel: &(dyn Fn() + Sync), grid: [u32; 3], dimensions: [u32; 3], lanes: usize) -> Vec<String> {
    let count = |of: [u32; 3]| of.iter().product::<u32>() as usize;
    let (blocks, threads) = (count(grid), count(dimensions));
    let mut panics = Vec::new();
    for block in 0..blocks {
        BLOCK.begin(threads);
        for (warp, first) in (0..threads).step_by(lanes).enumerate() {
            WARPS[warp].begin(lanes.min(threads - first));
        }
        PRESENT.iter().enumerate().for_each(|(at, present)| present.store(at < threads, SeqCst));
        let place = |thread| Place { block, thread, threads, grid, dimensions, lanes };
        std::thread::scope(|scope| {
            let running: Vec<_> =
                (0..threads).map(|thread| scope.spawn(move || run_thread(kernel, place(thread)))).collect();
            panics.extend(running.into_iter().filter_map(|thread| thread.join().unwrap()));
        });
    }
    panics
}
