//! Values that were never written, and that decide a branch or an address.

use std::mem::MaybeUninit;

use offload::{DisjointSlice, RawSlice, kernel, shared, thread};

/// The last element is not written.
#[kernel]
pub fn unwritten_shared(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        if i < 63 {
            TILE.set(i, i as u32);
        }
        thread::sync_threads();
        let value = TILE.get(63 - i);
        if value > 3 {
            //~^ uninitialized branch
            out.set(i, 1);
        }
    }
}

/// The index is written only if the buffer has a certain value.
#[kernel]
pub fn unwritten_index(out: RawSlice<u32>) {
    let mut index = MaybeUninit::<usize>::uninit();
    // SAFETY: wrong on purpose.
    unsafe {
        if out.get(0) == 1 {
            index.write(5);
        }
        let near = index.assume_init() & 63;
        out.as_mut_ptr().add(near).write(1); //~ uninitialized address
    }
}

/// The memory of the box is not written.
#[kernel]
pub fn unwritten_box(out: RawSlice<u32>) {
    let value = Box::<u32>::new_uninit();
    // SAFETY: wrong on purpose.
    unsafe {
        let value = *value.assume_init();
        if value == 7 {
            //~^ uninitialized branch
            out.set(0, 1);
        }
    }
}

/// The kernel reads memory that it must write.
#[kernel]
pub fn unwritten_output(mut output: DisjointSlice<MaybeUninit<u32>>) {
    if let Some(element) = output.get_mut(thread::index_1d()) {
        // SAFETY: wrong on purpose.
        let value = unsafe { element.assume_init() };
        element.write(0);
        if value > 3 {
            //~^ uninitialized branch
            element.write(1);
        }
    }
}

/// The optimiser makes a choice of the branch, and keeps the store.
#[kernel]
pub fn unwritten_condition(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 32]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        out.set(i, if TILE.get(i) > 3 { 5 } else { 7 }); //~ uninitialized branch
    }
}

/// The optimiser makes `llvm.umin` of the comparison.
#[kernel]
pub fn unwritten_minimum(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 32]; }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        out.set(i, TILE.get(i).min(5)); //~ uninitialized branch
    }
}
