//! Memory of the device, and the shared memory of blocks.

use core::cell::{Cell, RefCell};
use core::ptr;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::vec::Vec;

/// The alignment of device memory, as in `runtime-c/memory.c`. It is also the room in front of each allocation, which
/// has its size.
const ALIGN: usize = 256;

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(ALIGN)?, ALIGN).ok()
}

/// Allocates `bytes` bytes; null if there is no room.
pub(super) fn allocate(bytes: usize) -> *mut u8 {
    let Some(layout) = layout(bytes) else { return ptr::null_mut() };
    // SAFETY: the layout is not empty, and its first word is in it.
    unsafe {
        let start = alloc_zeroed(layout);
        if start.is_null() {
            return start;
        }
        start.cast::<usize>().write(bytes);
        start.add(ALIGN)
    }
}

/// # Safety
///
/// `address` must be null or come from [`allocate`], and nothing may use it afterwards.
pub(super) unsafe fn free(address: *mut u8) {
    if address.is_null() {
        return;
    }
    // SAFETY: `allocate` has written the size in front of the address, and the layout is the same.
    unsafe {
        let start = address.sub(ALIGN);
        if let Some(layout) = layout(start.cast::<usize>().read()) {
            dealloc(start, layout);
        }
    }
}

/// The shared memory of the blocks that one thread of the system runs, one after the other: an allocation for each
/// shared array, known by the address of its static, and one whose size the launch chooses.
#[derive(Default)]
pub(super) struct SharedMemory {
    arrays: RefCell<Vec<(usize, usize, Allocation)>>,
    dynamic: Cell<Option<Allocation>>,
}

#[derive(Clone, Copy)]
struct Allocation {
    start: *mut u8,
    layout: Layout,
}

impl Allocation {
    fn new(bytes: usize, align: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), align.max(16)).ok()?;
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        (!start.is_null()).then_some(Allocation { start, layout })
    }
}

impl SharedMemory {
    /// Allocates the memory whose size the launch chooses; false if there is no room.
    pub(super) fn allocate_dynamic(&self, bytes: u32) -> bool {
        if bytes != 0 {
            self.dynamic.set(Allocation::new(bytes as usize, ALIGN));
        }
        bytes == 0 || self.dynamic.get().is_some()
    }

    /// The launch-sized memory, null if the launch has none, and its size in bytes.
    pub(super) fn dynamic(&self) -> (*mut u8, usize) {
        self.dynamic.get().map_or((ptr::null_mut(), 0), |memory| (memory.start, memory.layout.size()))
    }

    /// The block's copy of the shared array at `address`. The size is a part of the key: an empty array can have the
    /// address of its neighbour.
    ///
    /// # Panics
    ///
    /// If there is no room.
    pub(super) fn array(&self, address: usize, bytes: usize, align: usize) -> *mut u8 {
        let mut arrays = self.arrays.borrow_mut();
        let known = arrays.iter().find(|(known, size, _)| (*known, *size) == (address, bytes));
        if let Some((.., memory)) = known {
            return memory.start;
        }
        let memory = Allocation::new(bytes, align).expect("out of memory for a shared array");
        arrays.push((address, bytes, memory));
        memory.start
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        let arrays = self.arrays.get_mut().iter().map(|(.., memory)| *memory);
        for memory in arrays.chain(self.dynamic.get()) {
            // SAFETY: it was allocated with this layout, and no block runs any more.
            unsafe { dealloc(memory.start, memory.layout) }
        }
    }
}
