//! Data races between blocks and between launches.

use offload::atomic::{AtomicOrdering::Relaxed, scope};
use offload::{RawSlice, kernel, thread};

/// The blocks share a counter whose scope is the block.
#[kernel]
pub fn block_scope(out: RawSlice<u32>) {
    // SAFETY: wrong on purpose.
    let counter = unsafe { out.atomic::<scope::Block>(0) };
    counter.fetch_add(1, Relaxed); //~ data-race atomic-write atomic-write
}

/// Each block reads an element that another block writes.
#[kernel]
pub fn result_of_other_block(out: RawSlice<u32>) {
    let (block, blocks) = (thread::block_id::x() as usize, thread::grid_dim::x() as usize);
    if thread::id::x() == 0 {
        // SAFETY: wrong on purpose.
        unsafe {
            out.set(block, 1); //~ data-race write
            out.set(100 + block, out.get((block + 1) % blocks)); //~ data-race read
        }
    }
}

/// The last block sums up the results of all blocks, but counting the blocks does not order their writes.
#[kernel]
pub fn last_block_relaxed(out: RawSlice<u32>) {
    let (block, blocks) = (thread::block_id::x() as usize, thread::grid_dim::x());
    if thread::id::x() == 0 {
        // SAFETY: wrong on purpose.
        unsafe {
            out.set(block, 1); //~ data-race write
            let done = out.atomic::<scope::Device>(200).fetch_add(1, Relaxed);
            if done + 1 == blocks {
                let mut sum = 0;
                for block in 0..blocks as usize {
                    sum += out.get(block); //~ data-race read
                }
                out.set(201, sum);
            }
        }
    }
}

/// The counters are no atomics.
#[kernel]
pub fn histogram(out: RawSlice<u32>) {
    let class = thread::index_1d().get() % 4;
    // SAFETY: wrong on purpose.
    unsafe {
        let count = out.get(class); //~ before: data-race read
        out.set(class, count + 1); //~ before: data-race write //~ both: data-race write write
    }
}

/// Each thread overwrites the element that the thread before it reads.
#[kernel]
pub fn stencil_in_place(out: RawSlice<u32>) {
    let i = thread::index_1d().get();
    // SAFETY: wrong on purpose.
    unsafe {
        let right = out.get(i + 1); //~ data-race read
        out.set(i, right); //~ data-race write
    }
}

/// The two slices are the same memory.
#[kernel]
pub fn overlapping_slices(from: RawSlice<u32>, to: RawSlice<u32>) {
    let i = thread::index_1d().get();
    // SAFETY: wrong on purpose.
    unsafe {
        let value = from.get(i); //~ data-race read
        to.set(i + 1, value); //~ data-race write
    }
}

/// Is launched in two streams that do not wait for each other.
#[kernel]
pub fn unordered_streams(out: RawSlice<u32>) {
    let i = thread::index_1d().get();
    // SAFETY: wrong on purpose.
    unsafe { out.set(i, 1) }; //~ data-race write write
}

/// The stream of this launch is not waited for.
#[kernel]
pub fn unordered_write(out: RawSlice<u32>) {
    let i = thread::index_1d().get();
    // SAFETY: wrong on purpose.
    unsafe { out.set(i, 1) }; //~ early: data-race write
}

/// Reads an element that another launch writes.
#[kernel]
pub fn unordered_read(from: RawSlice<u32>, to: RawSlice<u32>) {
    let i = thread::index_1d().get();
    // SAFETY: wrong on purpose.
    unsafe {
        let value = from.get(i); //~ early: data-race read
        to.set(i, value);
    }
}
