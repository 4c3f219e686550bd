//! Barriers and shuffles that some threads do not reach.

use offload::{RawSlice, kernel, shared, thread, warp};

/// Some lanes read the value of a lane that has returned.
#[kernel]
pub fn shuffle_after_return(out: RawSlice<u32>) {
    let i = thread::id::x();
    if i >= 20 {
        return;
    }
    let other = warp::shuffle_down(i, 4); //~ inactive-lane shuffle
    // SAFETY: each thread has its own element.
    unsafe { out.set(i as usize, other) };
}

/// Even lanes read the values of odd lanes, which are not there.
#[kernel]
pub fn shuffle_in_a_branch(out: RawSlice<u32>) {
    let i = thread::id::x();
    if i.is_multiple_of(2) {
        let other = warp::shuffle_xor(i, 1); //~ inactive-lane shuffle
        // SAFETY: each thread has its own element.
        unsafe { out.set(i as usize, other) };
    }
}

/// The first thread changes the condition before the other threads have read it.
#[kernel]
pub fn changing_condition(out: RawSlice<u32>) {
    shared! { static GO: [u32; 1]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        if i == 0 {
            GO.set(0, 1);
        }
        thread::sync_threads();
        let go = GO.get(0); //~ change: data-race read
        if i == 0 {
            GO.set(0, 0); //~ change: data-race write
        }
        if go == 1 {
            thread::sync_threads(); //~ barrier barrier
        }
        out.set(i, go); //~ barrier return
    }
}

/// The same, and the threads that miss the barrier return before it.
#[kernel]
pub fn return_before_a_barrier(out: RawSlice<u32>) {
    shared! { static STOP: [u32; 1]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        if i == 0 {
            STOP.set(0, 0);
        }
        thread::sync_threads();
        let stop = STOP.get(0); //~ stop: data-race read
        if i == 0 {
            STOP.set(0, 1); //~ stop: data-race write
        }
        if stop == 1 {
            out.set(i, 7); //~ barrier return
            return;
        }
        thread::sync_threads(); //~ barrier barrier
        out.set(i, stop);
    }
}
