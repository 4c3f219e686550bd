//! Parts of a device buffer, as arguments of launches. `buffer_parts.rs` has the methods of buffers that return them,
//! `part_copies.rs` has their copies, and `part_shapes.rs` their rows and layers.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Bound, Range, RangeBounds};

use crate::argument::Argument;
use crate::atomic::{Atomic, AtomicValue, scope::BufferScope};
use crate::binding::Binding;
use crate::chunks::DisjointChunks;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::memory::{Allocation, Memory};
use crate::slice::{DisjointBlocks, DisjointSlice, RawSlice};

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer) that kernels and copies can read, as a `&[T]` is a part of a
/// `Vec`. `&part` is an argument for a `&[T]` parameter. [`DeviceBuffer::part`](crate::DeviceBuffer::part) returns it.
///
/// See the example of [`DeviceBuffer::part`](crate::DeviceBuffer::part).
#[doc(alias("CudaView", "slice"))]
pub struct Part<'a, T> {
    pub(crate) allocation: &'a Allocation,
    pub(crate) elements: RawSlice<T>,
}

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer) that kernels and copies can change, as a `&mut [T]` is a part of a
/// `Vec`. `&mut part` is an argument for a `DisjointSlice<T>` parameter, and `&part` for a `&[T]`.
/// [`DeviceBuffer::part_mut`](crate::DeviceBuffer::part_mut) and
/// [`DeviceBuffer::split_at_mut`](crate::DeviceBuffer::split_at_mut) return it. It cannot be sent to another thread,
/// because the streams that use a buffer are recorded for the whole buffer.
///
/// See the example of [`DeviceBuffer::split_at_mut`](crate::DeviceBuffer::split_at_mut).
#[doc(alias("CudaViewMut", "slice_mut"))]
pub struct PartMut<'a, T> {
    pub(crate) allocation: &'a Allocation,
    pub(crate) elements: RawSlice<T>,
    exclusive: PhantomData<(&'a mut (), *const ())>,
}

impl<T> Clone for Part<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Part<'_, T> {}

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

/// The elements of `range`, which must be within the slice.
fn within<T>(elements: RawSlice<T>, range: Range<usize>) -> RawSlice<T> {
    RawSlice::new(elements.as_mut_ptr().wrapping_add(range.start), range.len())
}

/// The ranges of at most `size` elements, one after another.
fn chunk_ranges(len: usize, size: usize) -> impl DoubleEndedIterator<Item = Range<usize>> + ExactSizeIterator {
    assert!(size != 0, "chunks of a buffer have at least one element");
    (0..len.div_ceil(size)).map(move |chunk| {
        let begin = chunk * size;
        begin..begin + size.min(len - begin)
    })
}

impl<'a, T> Part<'a, T> {
    /// All elements of a buffer.
    pub(crate) fn all(memory: &'a Memory<T>) -> Self {
        Part { allocation: memory.allocation(), elements: memory.as_raw() }
    }

    fn of<U>(self, elements: RawSlice<U>) -> Part<'a, U> {
        Part { allocation: self.allocation, elements }
    }

    /// Returns a part of this part.
    ///
    /// See the example of [`DeviceBuffer::part`](crate::DeviceBuffer::part).
    ///
    /// # Panics
    ///
    /// If the range is not within the part.
    pub fn part(self, range: impl RangeBounds<usize>) -> Part<'a, T> {
        self.of(within(self.elements, range_of(range, self.len())))
    }

    /// Splits the part into two.
    ///
    /// See the example of [`DeviceBuffer::split_at`](crate::DeviceBuffer::split_at).
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end.
    pub fn split_at(self, middle: usize) -> (Part<'a, T>, Part<'a, T>) {
        (self.part(..middle), self.part(middle..))
    }

    /// Returns the parts of `size` elements, one after another; the last may be smaller.
    ///
    /// See the example of [`DeviceBuffer::chunks`](crate::DeviceBuffer::chunks).
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    pub fn chunks(self, size: usize) -> impl DoubleEndedIterator<Item = Part<'a, T>> + ExactSizeIterator {
        chunk_ranges(self.len(), size).map(move |range| self.of(within(self.elements, range)))
    }

    /// Returns the elements as arrays of `N`, and the elements that are left.
    ///
    /// See the example of [`DeviceBuffer::as_chunks`](crate::DeviceBuffer::as_chunks).
    pub fn as_chunks<const N: usize>(self) -> (Part<'a, [T; N]>, Part<'a, T>) {
        const { assert!(N != 0, "chunks of a buffer have at least one element") };
        let (count, elements) = (self.len() / N, self.elements);
        // An array consists of its elements, without gaps.
        (self.of(RawSlice::new(elements.as_mut_ptr().cast(), count)), self.part(count * N..))
    }
}

impl<'a, T, const N: usize> Part<'a, [T; N]> {
    /// Returns the elements of the arrays.
    ///
    /// See the example of [`DeviceBuffer::as_chunks`](crate::DeviceBuffer::as_chunks).
    pub fn as_flattened(self) -> Part<'a, T> {
        self.of(RawSlice::new(self.elements.as_mut_ptr().cast(), self.len() * N))
    }
}

impl<'a, T> PartMut<'a, T> {
    /// All elements of a buffer.
    pub(crate) fn all(memory: &'a mut Memory<T>) -> Self {
        let elements = memory.as_raw();
        PartMut { allocation: memory.allocation(), elements, exclusive: PhantomData }
    }

    /// Returns a part with these elements of this part.
    ///
    /// # Safety
    ///
    /// While the result exists, nothing else may use these elements.
    unsafe fn of<'b, U>(&self, elements: RawSlice<U>) -> PartMut<'b, U>
    where
        'a: 'b,
    {
        PartMut { allocation: self.allocation, elements, exclusive: PhantomData }
    }

    /// Splits the part for the rest of its life.
    pub(crate) fn into_split(self, middle: usize) -> (PartMut<'a, T>, PartMut<'a, T>) {
        let (first, rest) = (range_of(..middle, self.len()), range_of(middle.., self.len()));
        // SAFETY: the ranges do not overlap, and the value is gone.
        unsafe { (self.of(within(self.elements, first)), self.of(within(self.elements, rest))) }
    }

    /// Narrows the part for the rest of its life.
    pub(crate) fn into_part(self, range: impl RangeBounds<usize>) -> PartMut<'a, T> {
        // SAFETY: the value is gone.
        unsafe { self.of(within(self.elements, range_of(range, self.len()))) }
    }

    /// Divides the part for the rest of its life.
    pub(crate) fn into_chunks(
        self,
        size: usize,
    ) -> impl DoubleEndedIterator<Item = PartMut<'a, T>> + ExactSizeIterator {
        // SAFETY: the ranges do not overlap, each comes once, and only the iterator has the value.
        chunk_ranges(self.len(), size).map(move |range| unsafe { self.of(within(self.elements, range)) })
    }

    /// Regroups the part for the rest of its life.
    pub(crate) fn into_arrays<const N: usize>(self) -> (PartMut<'a, [T; N]>, PartMut<'a, T>) {
        let (arrays, rest) = self.as_part().as_chunks::<N>();
        // SAFETY: these elements do not overlap, and the value is gone.
        unsafe { (self.of(arrays.elements), self.of(rest.elements)) }
    }

    /// The same part with a shorter life, in which the longer one cannot be used.
    pub(crate) fn again(&mut self) -> PartMut<'_, T> {
        // SAFETY: `self` is borrowed exclusively as long as the result exists.
        unsafe { self.of(self.elements) }
    }

    fn as_part(&self) -> Part<'_, T> {
        Part { allocation: self.allocation, elements: self.elements }
    }

    /// Returns a part of this part to read.
    ///
    /// See the example of [`DeviceBuffer::part`](crate::DeviceBuffer::part).
    ///
    /// # Panics
    ///
    /// If the range is not within the part.
    pub fn part(&self, range: impl RangeBounds<usize>) -> Part<'_, T> {
        self.as_part().part(range)
    }

    /// Returns a part of this part to change.
    ///
    /// See the example of [`DeviceBuffer::part_mut`](crate::DeviceBuffer::part_mut).
    ///
    /// # Panics
    ///
    /// If the range is not within the part.
    pub fn part_mut(&mut self, range: impl RangeBounds<usize>) -> PartMut<'_, T> {
        self.again().into_part(range)
    }

    /// Splits the part into two, which one launch may use.
    ///
    /// See the example of [`DeviceBuffer::split_at_mut`](crate::DeviceBuffer::split_at_mut).
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end.
    pub fn split_at_mut(&mut self, middle: usize) -> (PartMut<'_, T>, PartMut<'_, T>) {
        self.again().into_split(middle)
    }

    /// Returns the parts of `size` elements, one after another; the last may be smaller.
    ///
    /// See the example of [`DeviceBuffer::chunks_mut`](crate::DeviceBuffer::chunks_mut).
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    pub fn chunks_mut(&mut self, size: usize) -> impl DoubleEndedIterator<Item = PartMut<'_, T>> + ExactSizeIterator {
        self.again().into_chunks(size)
    }

    /// Returns the elements as arrays of `N`, and the elements that are left.
    ///
    /// See the example of [`DeviceBuffer::as_chunks_mut`](crate::DeviceBuffer::as_chunks_mut).
    pub fn as_chunks_mut<const N: usize>(&mut self) -> (PartMut<'_, [T; N]>, PartMut<'_, T>) {
        self.again().into_arrays()
    }
}

impl<T, const N: usize> PartMut<'_, [T; N]> {
    /// Returns the elements of the arrays.
    ///
    /// See the example of [`DeviceBuffer::as_chunks_mut`](crate::DeviceBuffer::as_chunks_mut).
    pub fn as_flattened_mut(&mut self) -> PartMut<'_, T> {
        let elements = self.as_part().as_flattened().elements;
        // SAFETY: `self` is borrowed exclusively as long as the result exists.
        unsafe { self.of(elements) }
    }
}

macro_rules! parts {
    ($($part:ident)*) => { $(
        impl<'a, T> $part<'a, T> {
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
                self.elements.len()
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
                self.elements.is_empty()
            }

            /// Returns the address and length, for kernels that are responsible for their own accesses. The value does
            /// not keep the memory alive.
            ///
            /// ```
            /// # use offload::{Device, DeviceBuffer};
            /// # let stream = Device::new()?.default_stream();
            /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
            /// assert_eq!((numbers.part(1..).as_raw().len(), numbers.part_mut(..1).as_raw().len()), (2, 1));
            /// # Ok::<(), offload::Error>(())
            /// ```
            pub fn as_raw(&self) -> RawSlice<T> {
                self.elements
            }
        }

        // SAFETY: writing the buffer requires a part that is borrowed exclusively, and is ordered after the launch.
        unsafe impl<'a, T: DeviceCopy> Argument<&'a [T]> for &'a $part<'_, T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.allocation.read_in(binding.submission())?;
                Ok(self.elements)
            }
        }

        impl<T> fmt::Debug for $part<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = f.debug_struct(stringify!($part));
                text.field("len", &self.len()).field("device", self.allocation.device()).finish_non_exhaustive()
            }
        }
    )* };
}
parts!(Part PartMut);

macro_rules! exclusive {
    ($([$($extra:tt)*] $parameter:ty;)*) => { $(
        // SAFETY: the part is borrowed exclusively, parts of a buffer do not overlap, and later uses of the buffer are
        // ordered after the launch.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> Argument<$parameter> for &'a mut PartMut<'_, T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.allocation.write_in(binding)?;
                Ok(self.elements)
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
        self.allocation.write_in(binding)?;
        Ok(self.elements)
    }
}

#[cfg(test)]
mod tests {
    use super::{chunk_ranges, range_of};

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

    #[test]
    fn the_last_chunk_may_be_smaller() {
        assert!(chunk_ranges(5, 2).eq([0..2, 2..4, 4..5]) && chunk_ranges(4, 2).eq([0..2, 2..4]));
        assert!(chunk_ranges(0, 2).len() == 0 && chunk_ranges(3, usize::MAX).next() == Some(0..3));
    }
}
