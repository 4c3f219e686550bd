//! Accesses outside of an allocation, of freed memory, and with a wrong alignment.

use offload::{DisjointSlice, RawSlice, kernel, shared, thread};

/// The launch reserves one element less.
#[kernel]
pub fn launch_sized_off_by_one(_out: RawSlice<u32>) {
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        let tile = shared::dynamic::<u32>(64);
        tile.as_mut_ptr().add(i + 1).write(1); //~ out-of-bounds write
    }
}

/// The last thread writes the element past the end of an array, where another array may be.
#[kernel]
pub fn shared_off_by_one(out: RawSlice<u32>) {
    shared! {
        static TILE: [u32; 64];
        static OTHER: [u32; 64];
    }
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        OTHER.set(i, 2);
        thread::sync_threads();
        TILE.as_raw().as_mut_ptr().add(i + 1).write(1); //~ out-of-bounds write
        thread::sync_threads();
        out.set(i, OTHER.get(i));
    }
}

/// The first thread has no element to its left.
#[kernel]
pub fn negative_index(out: RawSlice<u32>) {
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        let left = out.as_ptr().wrapping_add(i).wrapping_sub(1).read(); //~ out-of-bounds read
        out.set(100 + i, left);
    }
}

/// The last thread has no element to its right.
#[kernel]
pub fn behind_a_host_slice(input: &[u32], mut output: DisjointSlice<u32>) {
    if let Some((sum, i)) = output.get_mut_indexed() {
        // SAFETY: wrong on purpose.
        let right = unsafe { *input.as_ptr().add(i.get() + 1) }; //~ out-of-bounds read
        *sum = input[i.get()] + right;
    }
}

/// The array of a thread has four elements.
#[kernel]
pub fn behind_a_local_array(out: RawSlice<u32>) {
    let i = thread::id::x() as usize;
    // SAFETY: wrong on purpose.
    unsafe {
        let table = [out.get(i), 1, 2, 3];
        out.set(i, *table.as_ptr().add(i % 5)); //~ out-of-bounds read
    }
}

/// The row and the column are exchanged: the image has 8 columns and 4 rows.
#[kernel]
pub fn swapped_dimensions(image: RawSlice<u32>, columns: usize) {
    let at = thread::index_2d();
    // SAFETY: wrong on purpose.
    unsafe { image.as_mut_ptr().add(at.x() * columns + at.y()).write(1) }; //~ out-of-bounds write
}

/// The thread reads a value after it has freed it.
#[kernel]
pub fn freed_box(out: RawSlice<u32>) {
    let value = Box::into_raw(Box::new(7));
    // SAFETY: wrong on purpose.
    unsafe {
        drop(Box::from_raw(value));
        out.set(0, *value); //~ use-after-free read
    }
}

/// Two elements from the second one on are not aligned for a `u64`.
#[kernel]
pub fn misaligned_pair(out: RawSlice<u32>) {
    // SAFETY: wrong on purpose.
    unsafe {
        let pair = out.as_ptr().add(1).cast::<u64>().read(); //~ misaligned read
        out.set(100, pair as u32);
    }
}
