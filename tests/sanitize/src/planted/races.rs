//! Data races between the threads of a block.

use offload::atomic::{AtomicOrdering::Relaxed, scope};
use offload::{DisjointSlice, RawSlice, kernel, shared, thread};

/// The barrier between the writes and the reads is missing.
#[kernel]
pub fn missing_barrier(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        TILE.set(i, out.get(i)); //~ data-race write
        out.set(i, TILE.get(63 - i)); //~ data-race read
    }
}

/// The barrier between the reads of one round and the writes of the next round is missing.
#[kernel]
pub fn second_round(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        let mut value = out.get(i);
        for _ in 0..3 {
            TILE.set(i, value); //~ data-race write
            thread::sync_threads();
            value += TILE.get((i + 1) % 64); //~ data-race read
        }
        out.set(i, value);
    }
}

/// Each thread overwrites an element that its neighbour reads.
#[kernel]
pub fn write_after_read(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        TILE.set(i, out.get(i));
        thread::sync_threads();
        let next = TILE.get((i + 1) % 64); //~ data-race read
        TILE.set(i, next); //~ data-race write
        thread::sync_threads();
        out.set(i, TILE.get(i));
    }
}

/// The last steps of the reduction have no barriers, as if the threads of a warp were always at the same instruction.
#[kernel]
pub fn reduction_tail(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        TILE.set(i, out.get(i));
        thread::sync_threads();
        let mut step = 32;
        while step > 0 {
            if i < step {
                let other = TILE.get(i + step); //~ data-race read
                TILE.set(i, TILE.get(i) + other); //~ data-race write
            }
            if step > 16 {
                thread::sync_threads();
            }
            step /= 2;
        }
    }
}

/// Each thread writes four elements, three elements after those of the thread before it.
#[kernel]
pub fn wrong_stride(out: RawSlice<u32>) {
    let first = thread::index_1d().get() * 3;
    for j in 0..4 {
        // SAFETY: wrong on purpose.
        unsafe { out.set(first + j, j as u32) }; //~ data-race write write
    }
}

/// All threads write the same value to the same element.
#[kernel]
pub fn same_flag(out: RawSlice<u32>) {
    let i = thread::index_1d().get();
    // SAFETY: wrong on purpose.
    unsafe {
        if out.get(i) == 0 {
            out.set(100, 1); //~ data-race write write
        }
    }
}

/// The store and the load of the flag are relaxed, and there is no fence.
#[kernel]
pub fn missing_fence(out: RawSlice<u32>) {
    shared! {
        static VALUE: [u32; 1];
        static READY: [u32; 1];
    }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        if i == 0 {
            READY.set(0, 0);
        }
        thread::sync_threads();
        let ready = READY.atomic(0);
        if i == 0 {
            VALUE.set(0, 7); //~ data-race write
            ready.store(1, Relaxed);
        } else if ready.load(Relaxed) == 1 {
            out.set(i, VALUE.get(0)); //~ data-race read
        }
    }
}

/// The lanes of a warp exchange values in shared memory without waiting for each other.
#[kernel]
pub fn missing_warp_barrier(out: RawSlice<u32>) {
    shared! { static LANES: [u32; 32]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        LANES.set(i, i as u32); //~ data-race write
        out.set(i, LANES.get(i ^ 1)); //~ data-race read
    }
}

/// One thread reads the counter as if it were no atomic.
#[kernel]
pub fn plain_read_of_atomic(out: RawSlice<u32>) {
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        if i == 40 {
            out.set(i, out.get(100)); //~ data-race read
        } else {
            out.atomic::<scope::Device>(100).fetch_add(1, Relaxed); //~ data-race atomic-write
        }
    }
}

/// Two threads have the same element of a `DisjointSlice`.
#[kernel]
pub fn halved_index(mut values: DisjointSlice<u32>) {
    let i = thread::index_1d().get();
    // SAFETY: wrong on purpose.
    let element = unsafe { values.get_unchecked_mut(i / 2) };
    *element = i as u32; //~ data-race write write
}
