//! Messages for `buffer[i]` and `TILE[i]`, which cannot be references: the memory of a buffer is on the device, and
//! other threads may write shared memory.

use core::ops::Index;

use crate::buffer::DeviceBuffer;
use crate::device_copy::DeviceCopy;
use crate::shared::SharedArray;

/// The types that can index a buffer: none.
#[diagnostic::on_unimplemented(
    message = "a `DeviceBuffer` cannot be indexed",
    label = "the elements are in the memory of a device",
    note = "a part for kernels and copies is `buffer.part(a..b)`, or `buffer.part_mut(a..b)` to write it",
    note = "`to_host_vec` copies elements to the host: `buffer.part(i..=i).to_host_vec(&stream)?`"
)]
pub trait BufferIndex {
    /// Not known, so the message is the only one.
    type Output: ?Sized;

    /// There is no value.
    fn never(self) -> !;
}

impl<T: DeviceCopy, I: BufferIndex> Index<I> for DeviceBuffer<T> {
    type Output = I::Output;

    fn index(&self, index: I) -> &I::Output {
        index.never()
    }
}

/// The types that can index shared memory: none.
#[diagnostic::on_unimplemented(
    message = "a `SharedArray` cannot be indexed",
    label = "other threads of the block may write the element",
    note = "use `tile.get(i)` and `tile.set(i, value)`, or brackets on its cells: `let tile = unsafe {{ tile.cells() }};`"
)]
pub trait SharedIndex {
    /// There is no value.
    fn never(self) -> !;
}

impl<T: DeviceCopy, I: SharedIndex, const N: usize> Index<I> for SharedArray<T, N> {
    type Output = T;

    fn index(&self, index: I) -> &T {
        index.never()
    }
}
