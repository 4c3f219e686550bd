//! Copies whose ends are parts of buffers. The copies of whole buffers call them.

use std::vec::Vec;
use std::{format, vec};

use crate::buffer::DeviceBuffer;
use crate::device::Stream;
use crate::device_copy::{DeviceCopy, Zeroable};
use crate::error::{Error, Result};
use crate::ffi;
use crate::host_buffer::UnifiedBuffer;
use crate::memory::Allocation;
use crate::part::{Part, PartMut};
use crate::pinned_parts::{PinnedPart, PinnedPartMut};
use crate::slice::RawSlice;

/// The directions of copies, as the runtime's trace has them.
const TO_DEVICE: &str = "to_device";
const TO_HOST: &str = "to_host";
const ON_DEVICE: &str = "on_device";

fn check_len(len: usize, other: usize) -> Result<()> {
    if len == other {
        return Ok(());
    }
    Err(Error::Invalid(format!("{other} elements cannot be copied to or from {len} elements of a buffer")))
}

/// Submits a copy with the function `call` of the runtime. Both ends have the same length.
fn submit<T>(
    stream: &Stream,
    (call, direction): (ffi::Copy, &'static str),
    to: (&Allocation, RawSlice<T>),
    from: (&Allocation, RawSlice<T>),
) -> Result<()> {
    let submission = stream.submission();
    from.0.read_in(&submission)?;
    to.0.write_in(stream)?;
    let (device, bytes) = (stream.device().raw(), from.1.len() * size_of::<T>());
    // SAFETY: both ends have this size, and nothing writes to them before the copy is complete. One of them belongs to
    // the device of the stream, as the calls above have checked, and the other to the host or to the same device.
    let copy =
        || Error::check(unsafe { call(device, stream.raw(), to.1.as_mut_ptr().cast(), from.1.as_ptr().cast(), bytes) });
    within_span!("copy", stream, [direction = direction, bytes = bytes], [], copy())
}

impl<T> Part<'_, T> {
    /// Waits for the work of the stream, and copies the elements to the host.
    ///
    /// # Safety
    ///
    /// `to` must be writable for [`len`](Self::len) elements.
    pub(crate) unsafe fn read(self, stream: &Stream, to: *mut T) -> Result<()> {
        let submission = stream.submission();
        self.allocation.read_in(&submission)?;
        let (device, from) = (self.allocation.device().raw(), self.elements.as_ptr().cast());
        let bytes = self.len() * size_of::<T>();
        // SAFETY: both have this size. Every element was copied to the device as a `T`, or a kernel wrote it as a `T`.
        let copy =
            || Error::check(unsafe { ffi::offloadrt_copy_to_host(device, stream.raw(), to.cast(), from, bytes) });
        within_span!("copy", stream, [direction = TO_HOST, bytes = bytes], [], copy())?;
        stream.synchronize()
    }
}

macro_rules! from_parts {
    ($($part:ident)*) => { $(
        impl<T> $part<'_, T> {
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
                // SAFETY: the vector has room for the elements, and `read` initialises them.
                unsafe {
                    Part::from(self).read(stream, elements.as_mut_ptr())?;
                    elements.set_len(self.len());
                }
                Ok(elements)
            }

            /// Waits for all work that was submitted to the stream before, and copies the elements into `elements`.
            ///
            /// ```
            /// # use offload::{Device, DeviceBuffer};
            /// # let stream = Device::new()?.default_stream();
            /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
            /// let mut here = [0; 2];
            /// numbers.part(..2).copy_to_host(&stream, &mut here)?;
            /// numbers.part_mut(2..).copy_to_host(&stream, &mut here[..1])?;
            /// assert_eq!(here, [3, 2]);
            /// # Ok::<(), offload::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len), or the error of earlier work in
            /// the stream.
            pub fn copy_to_host(&self, stream: &Stream, elements: &mut [T]) -> Result<()> {
                check_len(self.len(), elements.len())?;
                // SAFETY: `elements` has the length of the part.
                unsafe { Part::from(self).read(stream, elements.as_mut_ptr()) }
            }

            /// Submits a copy of the part into `elements`, without waiting. The next access to `elements` waits for the
            /// copy.
            ///
            /// ```
            /// # use offload::{Device, DeviceBuffer, PinnedBuffer};
            /// # let stream = Device::new()?.default_stream();
            /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
            /// let mut here = PinnedBuffer::from_slice(stream.device(), &[0; 2])?;
            /// numbers.part(..2).copy_to_pinned(&stream, &mut here)?;
            /// assert_eq!(here[..], [1, 2]);
            /// numbers.part_mut(1..).copy_to_pinned(&stream, &mut here)?;
            /// assert_eq!(here[..], [2, 3]);
            /// # Ok::<(), offload::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
            pub fn copy_to_pinned<'t>(&self, stream: &Stream, elements: impl Into<PinnedPartMut<'t, T>>) -> Result<()> {
                let PinnedPartMut(to) = elements.into();
                check_len(self.len(), to.len())?;
                let from = (self.allocation, self.elements);
                submit(stream, (ffi::offloadrt_submit_copy_to_host, TO_HOST), (to.allocation, to.elements), from)
            }
        }

        impl<'a, T> From<&'a $part<'_, T>> for Part<'a, T> {
            fn from(part: &'a $part<'_, T>) -> Self {
                Part { allocation: part.allocation, elements: part.elements }
            }
        }
    )* };
}
from_parts!(Part PartMut);

macro_rules! from_buffers {
    ($($buffer:ident)*) => { $(
        impl<'a, T> From<&'a $buffer<T>> for Part<'a, T> {
            fn from(buffer: &'a $buffer<T>) -> Self {
                Part::all(buffer.memory())
            }
        }
    )* };
}
from_buffers!(DeviceBuffer UnifiedBuffer);

impl<T> PartMut<'_, T> {
    /// Copies `elements` into the part.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// numbers.part_mut(1..).copy_from_host(&stream, &[7, 8])?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [1, 7, 8]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    pub fn copy_from_host(&mut self, stream: &Stream, elements: &[T]) -> Result<()> {
        check_len(self.len(), elements.len())?;
        self.allocation.write_in(stream)?;
        let (device, to) = (self.allocation.device().raw(), self.elements.as_mut_ptr().cast());
        let (from, bytes) = (elements.as_ptr().cast(), size_of_val(elements));
        // SAFETY: both have this size, and `write_in` has checked that the stream belongs to the device of the buffer.
        let copy = || Error::check(unsafe { ffi::offloadrt_copy_to_device(device, stream.raw(), to, from, bytes) });
        within_span!("copy", stream, [direction = TO_DEVICE, bytes = bytes], [], copy())
    }

    /// Submits a copy of `elements` into the part, without waiting.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer, PinnedBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
    /// let more = PinnedBuffer::from_slice(stream.device(), &[7, 8])?;
    /// numbers.part_mut(1..).copy_from_pinned(&stream, &more)?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [0, 7, 8]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    pub fn copy_from_pinned<'f>(&mut self, stream: &Stream, elements: impl Into<PinnedPart<'f, T>>) -> Result<()> {
        let PinnedPart(from) = elements.into();
        check_len(self.len(), from.len())?;
        let to = (self.allocation, self.elements);
        submit(stream, (ffi::offloadrt_submit_copy_to_device, TO_DEVICE), to, (from.allocation, from.elements))
    }

    /// Submits a copy of a buffer or of a part into this one, on the device, without waiting.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// let (mut a, b) = numbers.split_at_mut(2);
    /// a.copy_from(&stream, &b)?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [3, 4, 3, 4]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    pub fn copy_from<'f>(&mut self, stream: &Stream, elements: impl Into<Part<'f, T>>) -> Result<()> {
        let from = elements.into();
        check_len(self.len(), from.len())?;
        let to = (self.allocation, self.elements);
        submit(stream, (ffi::offloadrt_submit_copy, ON_DEVICE), to, (from.allocation, from.elements))
    }

    /// Sets all bytes of the elements to 0 on the device, without waiting.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// numbers.part_mut(1..).set_zero(&stream)?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [1, 0, 0]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] if the stream belongs to another device.
    #[doc(alias("cudaMemset", "memset_zeros"))]
    pub fn set_zero(&mut self, stream: &Stream) -> Result<()>
    where
        T: Zeroable,
    {
        self.allocation.write_in(stream)?;
        let (device, to) = (self.allocation.device().raw(), self.elements.as_mut_ptr().cast());
        let bytes = self.len() * size_of::<T>();
        // SAFETY: the memory has this size, and bytes that are all 0 are a valid `T`.
        let fill = || Error::check(unsafe { ffi::offloadrt_submit_fill(device, stream.raw(), to, 0, bytes) });
        within_span!("fill", stream, [bytes = bytes], [], fill())
    }

    /// Sets all elements to `value`, without waiting for the stream.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1.0, 2.0, 3.0])?;
    /// numbers.part_mut(1..).fill(&stream, 0.5)?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [1.0, 0.5, 0.5]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] if the stream belongs to another device.
    #[doc(alias("cudaMemset", "cuMemsetD32"))]
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()>
    where
        T: DeviceCopy,
    {
        // No driver repeats values of any size: the host sends the first ones, and each copy doubles their number.
        const BYTES_OF_HOST: usize = 1 << 16;
        let mut filled = (BYTES_OF_HOST / size_of::<T>().max(1)).max(1).min(self.len());
        self.part_mut(..filled).copy_from_host(stream, &vec![value; filled])?;
        while filled < self.len() {
            let count = filled.min(self.len() - filled);
            let (from, mut rest) = self.split_at_mut(filled);
            rest.part_mut(..count).copy_from(stream, from.part(..count))?;
            filled += count;
        }
        Ok(())
    }
}
