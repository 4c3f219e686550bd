//! Parts of pinned memory, as ends of copies: for transfers in pieces, during which kernels work on other pieces.

use core::fmt;
use core::ops::RangeBounds;
use core::slice;

use crate::error::Result;
use crate::host_buffer::PinnedBuffer;
use crate::part::{Part, PartMut};

/// A part of a [`PinnedBuffer`] that copies can read, as a `&[T]` is a part of a `Vec`.
///
/// See the example of [`PinnedBuffer::part`].
pub struct PinnedPart<'a, T>(pub(crate) Part<'a, T>);

/// A part of a [`PinnedBuffer`] that copies can change, as a `&mut [T]` is a part of a `Vec`. Like
/// [`PartMut`](crate::PartMut), it cannot be sent to another thread.
///
/// See the example of [`PinnedBuffer::chunks_mut`].
pub struct PinnedPartMut<'a, T>(pub(crate) PartMut<'a, T>);

impl<T> Clone for PinnedPart<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PinnedPart<'_, T> {}

impl<T> PinnedBuffer<T> {
    /// Returns a part of the buffer that copies can read: it corresponds to `&x[1..3]` of a slice. Unlike a slice of
    /// the buffer, it waits for nothing.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, PinnedBuffer};
    ///
    /// let stream = Device::new()?.default_stream();
    /// let here = PinnedBuffer::from_slice(stream.device(), &[1, 2, 3, 4])?;
    /// let mut there = DeviceBuffer::<i32>::zeroed(&stream, 2)?;
    /// there.copy_from_pinned(&stream, here.part(1..3))?; // does not wait
    /// assert_eq!(there.to_host_vec(&stream)?, [2, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    pub fn part(&self, range: impl RangeBounds<usize>) -> PinnedPart<'_, T> {
        PinnedPart(Part::all(&self.memory).part(range))
    }

    /// Returns a part of the buffer that copies can change: it corresponds to `&mut x[1..3]` of a slice.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, PinnedBuffer};
    ///
    /// let stream = Device::new()?.default_stream();
    /// let there = DeviceBuffer::from_host(&stream, &[1, 2])?;
    /// let mut here = PinnedBuffer::from_slice(stream.device(), &[0; 4])?;
    /// there.copy_to_pinned(&stream, here.part_mut(1..3))?; // does not wait
    /// assert_eq!(*here, [0, 1, 2, 0]); // waits
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    pub fn part_mut(&mut self, range: impl RangeBounds<usize>) -> PinnedPartMut<'_, T> {
        PinnedPartMut(PartMut::all(&mut self.memory).into_part(range))
    }

    /// Splits the buffer into two parts, which two copies may change.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, PinnedBuffer};
    ///
    /// let stream = Device::new()?.default_stream();
    /// let there = DeviceBuffer::from_host(&stream, &[1, 2])?;
    /// let mut here = PinnedBuffer::from_slice(stream.device(), &[0; 4])?;
    /// let (low, high) = here.split_at_mut(2);
    /// there.copy_to_pinned(&stream, high)?;
    /// there.copy_to_pinned(&stream, low)?;
    /// assert_eq!(*here, [1, 2, 1, 2]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end.
    pub fn split_at_mut(&mut self, middle: usize) -> (PinnedPartMut<'_, T>, PinnedPartMut<'_, T>) {
        let (low, high) = PartMut::all(&mut self.memory).into_split(middle);
        (PinnedPartMut(low), PinnedPartMut(high))
    }

    /// Returns the parts of `size` elements, one after another; the last may be smaller.
    ///
    /// See the example of [`chunks_mut`](Self::chunks_mut).
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    pub fn chunks(&self, size: usize) -> impl DoubleEndedIterator<Item = PinnedPart<'_, T>> + ExactSizeIterator {
        Part::all(&self.memory).chunks(size).map(PinnedPart)
    }

    /// Returns the parts of `size` elements to change, one after another; the last may be smaller.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, DisjointSlice, Grid, PinnedBuffer, kernel, prelude::*, thread};
    ///
    /// #[kernel]
    /// fn double(mut values: DisjointSlice<u32>) {
    ///     if let Some(value) = values.get_mut(thread::index_1d()) {
    ///         *value *= 2;
    ///     }
    /// }
    ///
    /// // Each piece has a separate stream, so its copies run while kernels work on the others.
    /// let device = Device::new()?;
    /// let from = PinnedBuffer::from_slice(&device, &[1, 2, 3, 4, 5])?;
    /// let mut to = PinnedBuffer::<u32>::zeroed(&device, 5)?;
    /// for (from, to) in from.chunks(2).zip(to.chunks_mut(2)) {
    ///     let stream = device.new_stream()?;
    ///     let mut there = DeviceBuffer::<u32>::zeroed(&stream, from.len())?;
    ///     there.copy_from_pinned(&stream, from)?;
    ///     double.launch(&stream, Grid::for_len(from.len(), 32), (&mut there,))?;
    ///     there.copy_to_pinned(&stream, to)?;
    /// }
    /// assert_eq!(*to, [2, 4, 6, 8, 10]); // waits
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    pub fn chunks_mut(
        &mut self,
        size: usize,
    ) -> impl DoubleEndedIterator<Item = PinnedPartMut<'_, T>> + ExactSizeIterator {
        PartMut::all(&mut self.memory).into_chunks(size).map(PinnedPartMut)
    }
}

macro_rules! parts {
    ($($part:ident)*) => { $(
        impl<T> $part<'_, T> {
            /// The number of elements. Does not wait.
            ///
            /// See the example of [`PinnedBuffer::chunks_mut`].
            pub fn len(&self) -> usize {
                self.0.len()
            }

            /// Whether the part is empty. Does not wait.
            ///
            /// ```
            /// # use offload::{Device, PinnedBuffer};
            /// let mut numbers = PinnedBuffer::from_slice(&Device::new()?, &[1, 2, 3])?;
            /// assert!(numbers.part(3..).is_empty() && numbers.split_at_mut(0).0.is_empty());
            /// # Ok::<(), offload::Error>(())
            /// ```
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }

            /// Waits until no copy writes the buffer, and returns the elements of the part.
            ///
            /// ```
            /// # use offload::{Device, PinnedBuffer};
            /// let mut numbers = PinnedBuffer::from_slice(&Device::new()?, &[1, 2, 3])?;
            /// assert_eq!(numbers.part(1..).as_slice()?, [2, 3]);
            /// assert_eq!(numbers.part_mut(..1).as_slice()?, [1]);
            /// # Ok::<(), offload::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`Error::Failed`](crate::Error::Failed) if the driver fails.
            pub fn as_slice(&self) -> Result<&[T]> {
                self.0.allocation.finish_writing()?;
                // SAFETY: the elements are initialised, and writing them requires the part, or the buffer, exclusively.
                Ok(unsafe { slice::from_raw_parts(self.0.elements.as_ptr(), self.len()) })
            }
        }

        impl<T> fmt::Debug for $part<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = f.debug_struct(stringify!($part));
                text.field("len", &self.len()).field("device", self.0.allocation.device()).finish_non_exhaustive()
            }
        }
    )* };
}
parts!(PinnedPart PinnedPartMut);

impl<T> PinnedPartMut<'_, T> {
    /// Waits until no copy uses the buffer, and returns the elements of the part for writing.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer, PinnedBuffer};
    /// let stream = Device::new()?.default_stream();
    /// let mut there = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
    /// let mut numbers = PinnedBuffer::from_slice(stream.device(), &[1, 2, 3])?;
    /// let mut part = numbers.part_mut(1..);
    /// part.as_mut_slice()?.fill(7);
    /// there.copy_from_pinned(&stream, &part)?;
    /// assert_eq!((there.to_host_vec(&stream)?, &*numbers), (vec![7, 7], &[1, 7, 7][..]));
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Failed`](crate::Error::Failed) if the driver fails.
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        self.0.allocation.finish()?;
        // SAFETY: the elements are initialised, and the part is borrowed exclusively.
        Ok(unsafe { slice::from_raw_parts_mut(self.0.elements.as_mut_ptr(), self.len()) })
    }
}

impl<'a, T> From<&'a PinnedBuffer<T>> for PinnedPart<'a, T> {
    fn from(buffer: &'a PinnedBuffer<T>) -> Self {
        buffer.part(..)
    }
}

impl<'a, T> From<&'a PinnedPart<'_, T>> for PinnedPart<'a, T> {
    fn from(part: &'a PinnedPart<'_, T>) -> Self {
        *part
    }
}

impl<'a, T> From<&'a PinnedPartMut<'_, T>> for PinnedPart<'a, T> {
    fn from(part: &'a PinnedPartMut<'_, T>) -> Self {
        PinnedPart(Part::from(&part.0))
    }
}

impl<'a, T> From<&'a mut PinnedBuffer<T>> for PinnedPartMut<'a, T> {
    fn from(buffer: &'a mut PinnedBuffer<T>) -> Self {
        buffer.part_mut(..)
    }
}

impl<'a, T> From<&'a mut PinnedPartMut<'_, T>> for PinnedPartMut<'a, T> {
    fn from(part: &'a mut PinnedPartMut<'_, T>) -> Self {
        PinnedPartMut(part.0.again())
    }
}
