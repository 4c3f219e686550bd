//! Parts and rows of a device buffer, as arguments of launches.

use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Bound, Range, RangeBounds};
use std::vec::Vec;

use crate::argument::Argument;
use crate::atomic::{Atomic, AtomicValue, scope::BufferScope};
use crate::binding::Binding;
use crate::device::Stream;
use crate::device_copy::DeviceCopy;
use crate::error::{Error, Result};
use crate::ffi;
use crate::memory::Memory;
use crate::rows::{DisjointRows, RowsBits};
use crate::slice::{DisjointBlocks, DisjointChunks, DisjointSlice, RawSlice};

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer) that kernels can read.
/// [`DeviceBuffer::part`](crate::DeviceBuffer::part) returns it.
///
/// See the example of [`DeviceBuffer::part`](crate::DeviceBuffer::part).
pub struct Part<'a, T: DeviceCopy> {
    pub(crate) memory: &'a Memory<T>,
    pub(crate) range: Range<usize>,
}

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer) that kernels can change.
/// [`DeviceBuffer::split_at_mut`](crate::DeviceBuffer::split_at_mut) returns it. It cannot be sent to another thread,
/// because the streams that use a buffer are recorded for the whole buffer.
///
/// See the example of [`DeviceBuffer::split_at_mut`](crate::DeviceBuffer::split_at_mut).
pub struct PartMut<'a, T: DeviceCopy> {
    pub(crate) memory: &'a Memory<T>,
    pub(crate) range: Range<usize>,
    pub(crate) exclusive: PhantomData<(&'a mut [T], *const ())>,
}

/// The elements of a range, with the meaning that ranges have for slices.
pub(crate) fn range_of(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let begin = match range.start_bound() {
        Bound::Included(begin) => *begin,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    assert!(begin <= end && end <= len, "the range {begin}..{end} is not within a buffer of {len} elements");
    begin..end
}

macro_rules! parts {
    ($($part:ident)*) => { $(
        impl<'a, T: DeviceCopy> $part<'a, T> {
            /// The number of elements.
            ///
            /// ```
            /// # use offload::{Device, DeviceBuffer};
            /// # let stream = Device::new()?.default_stream();
            /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
            /// assert_eq!((numbers.part(1..).len(), numbers.split_at_mut(1).0.len()), (2, 1));
            /// # Ok::<(), offload::Error>(())
            /// ```
            pub fn len(&self) -> usize {
                self.range.len()
            }

            /// Whether the part is empty.
            ///
            /// ```
            /// # use offload::{Device, DeviceBuffer};
            /// # let stream = Device::new()?.default_stream();
            /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
            /// assert!(numbers.part(3..).is_empty() && numbers.split_at_mut(0).0.is_empty());
            /// # Ok::<(), offload::Error>(())
            /// ```
            pub fn is_empty(&self) -> bool {
                self.range.is_empty()
            }

            /// Copies the elements to the host.
            ///
            /// ```
            /// # use offload::{Device, DeviceBuffer};
            /// # let stream = Device::new()?.default_stream();
            /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
            /// assert_eq!(numbers.part(..2).to_host_vec(&stream)?, [1, 2]);
            /// assert_eq!(numbers.split_at_mut(2).1.to_host_vec(&stream)?, [3]);
            /// # Ok::<(), offload::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// The error of earlier work in the stream.
            pub fn to_host_vec(&self, stream: &Stream) -> Result<Vec<T>> {
                let mut elements = Vec::<T>::with_capacity(self.len());
                let submission = stream.submission();
                self.memory.read_in(&submission)?;
                let (device, from) = (self.memory.device().raw(), self.raw().as_ptr().cast::<c_void>());
                let (to, bytes) = (elements.as_mut_ptr().cast(), self.len() * size_of::<T>());
                // SAFETY: the vector has room for the elements. Each was copied to the device as a `T`, or a kernel
                // wrote it as a `T`.
                Error::check(unsafe { ffi::offloadrt_copy_to_host(device, stream.raw(), to, from, bytes) })?;
                stream.synchronize()?;
                // SAFETY: the copy has initialised them.
                unsafe { elements.set_len(self.len()) };
                Ok(elements)
            }

            fn raw(&self) -> RawSlice<T> {
                // SAFETY: the range is inside the memory.
                let first = unsafe { self.memory.address().add(self.range.start) };
                RawSlice::new(first, self.range.len())
            }
        }

        // SAFETY: writing the buffer requires a part that is borrowed exclusively, and is ordered after the launch.
        unsafe impl<'a, T: DeviceCopy> Argument<&'a [T]> for &'a $part<'_, T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory.read_in(binding.submission())?;
                Ok(self.raw())
            }
        }

        impl<T: DeviceCopy> fmt::Debug for $part<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = f.debug_struct(stringify!($part));
                text.field("range", &self.range).field("device", self.memory.device()).finish_non_exhaustive()
            }
        }
    )* };
}
parts!(Part PartMut);

impl<T: DeviceCopy> PartMut<'_, T> {
    /// Copies `elements` into the part.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// numbers.split_at_mut(1).1.copy_from_host(&stream, &[7, 8])?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [1, 7, 8]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    pub fn copy_from_host(&mut self, stream: &Stream, elements: &[T]) -> Result<()> {
        if elements.len() != self.len() {
            let (len, other) = (self.len(), elements.len());
            return Err(Error::Invalid(std::format!("a part of {len} elements cannot be copied from {other}")));
        }
        self.memory.write_in(stream)?;
        let (device, to) = (self.memory.device().raw(), self.raw().as_mut_ptr().cast::<c_void>());
        let from = elements.as_ptr().cast();
        // SAFETY: both have this size, and `write_in` has checked that the stream belongs to the device of the buffer.
        Error::check(unsafe { ffi::offloadrt_copy_to_device(device, stream.raw(), to, from, size_of_val(elements)) })
    }
}

macro_rules! exclusive {
    ($([$($extra:tt)*] $parameter:ty;)*) => { $(
        // SAFETY: the part is borrowed exclusively, parts of a buffer do not overlap, and later uses of the buffer are
        // ordered after the launch.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> Argument<$parameter> for &'a mut PartMut<'_, T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory.write_in(binding)?;
                Ok(self.raw())
            }
        }
    )* };
}
exclusive! {
    [] DisjointSlice<'a, T>;
    [] DisjointBlocks<'a, T>;
    [const N: usize] DisjointChunks<'a, T, N>;
}

// SAFETY: as above.
unsafe impl<'a, T: AtomicValue, S: BufferScope> Argument<&'a [Atomic<T, S>]> for &'a mut PartMut<'_, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        self.memory.write_in(binding)?;
        Ok(self.raw())
    }
}

/// The elements of a buffer as rows; see [`DeviceBuffer::rows`](crate::DeviceBuffer::rows).
///
/// See the example of [`DeviceBuffer::rows`](crate::DeviceBuffer::rows).
pub struct Rows<'a, T: DeviceCopy> {
    pub(crate) memory: &'a mut Memory<T>,
    pub(crate) columns: usize,
}

impl<'a, T: DeviceCopy> Rows<'a, T> {
    pub(crate) fn new(memory: &'a mut Memory<T>, columns: usize) -> Self {
        assert!(columns != 0, "rows without columns");
        Rows { memory, columns }
    }
}

impl<T: DeviceCopy> fmt::Debug for Rows<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("len", &self.memory.len()).field("columns", &self.columns).finish_non_exhaustive()
    }
}

// SAFETY: as for a buffer, which the rows borrow exclusively.
unsafe impl<'a, T: DeviceCopy> Argument<DisjointRows<'a, T>> for Rows<'a, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RowsBits<T>> {
        self.memory.write_in(binding)?;
        Ok(RowsBits::new(self.memory.as_raw(), self.columns))
    }
}

#[cfg(test)]
mod tests {
    use super::range_of;

    #[test]
    fn a_range_is_what_it_is_of_a_slice() {
        let ranges = [range_of(.., 5), range_of(1..3, 5), range_of(1..=3, 5), range_of(5.., 5), range_of(..=4, 5)];
        assert_eq!(ranges, [0..5, 1..3, 1..4, 5..5, 0..5]);
    }

    #[test]
    #[should_panic(expected = "the range 2..6 is not within a buffer of 5 elements")]
    fn a_part_ends_with_the_buffer() {
        let _ = range_of(2..=5, 5);
    }
}
