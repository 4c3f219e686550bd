//! Memory on a device, owned and typed.

use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::ops::RangeBounds;
use std::vec::Vec;

use crate::device::{Device, Stream};
use crate::device_copy::{DeviceCopy, Zeroable};
use crate::error::{Error, Result};
use crate::ffi;
use crate::host_buffer::PinnedBuffer;
use crate::memory::{Kind, Memory};
use crate::part::{Part, PartMut, Rows, range_of};
use crate::slice::RawSlice;

/// A buffer of `len` elements of `T` in device memory. Dropping it frees the memory.
///
/// A kernel accesses it shared (`&buffer`, for a `&[T]` parameter) or exclusively (`&mut buffer`, for a
/// `DisjointSlice<T>`). Several streams of its device may use it: a write is ordered after all work that was submitted
/// before, and a read after the previous write.
///
/// ```
/// use offload::{Device, DeviceBuffer};
///
/// let stream = Device::new()?.default_stream();
/// let numbers = DeviceBuffer::from_host(&stream, &[1.0, 2.0, 3.0])?;
/// assert_eq!(numbers.to_host_vec(&stream)?, [1.0, 2.0, 3.0]);
/// # Ok::<(), offload::Error>(())
/// ```
#[doc(alias("CudaSlice", "cudaMalloc", "cuMemAlloc", "hipMalloc", "cudaFree", "DevicePtr"))]
pub struct DeviceBuffer<T: DeviceCopy> {
    memory: Memory<T>,
}

// SAFETY: a buffer contains addresses, and the functions of the runtime may be called from any thread.
unsafe impl<T: DeviceCopy> Send for DeviceBuffer<T> {}
// SAFETY: shared memory is only read.
unsafe impl<T: DeviceCopy> Sync for DeviceBuffer<T> {}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Allocates uninitialised memory for `len` elements.
    pub(crate) fn allocate(device: &Device, len: usize) -> Result<Self> {
        Ok(DeviceBuffer { memory: Memory::allocate(device, Kind::Device, len)? })
    }

    /// Returns a buffer for memory that it does not own. When it is dropped, nothing may use the memory any more.
    pub(crate) fn from_mapped(address: *mut T, len: usize, device: &Device) -> Self {
        DeviceBuffer { memory: Memory::borrowed(address, len, device) }
    }

    /// Copies `elements` into a new buffer on the stream's device.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1.0, 2.0, 3.0])?;
    /// assert_eq!(numbers.len(), 3);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoMemory`], or [`Error::Failed`] if the driver fails.
    #[doc(alias("cudaMemcpy", "htod_copy", "clone_htod", "memcpy_stod"))]
    pub fn from_host(stream: &Stream, elements: &[T]) -> Result<Self> {
        let mut buffer = Self::allocate(stream.device(), elements.len())?;
        buffer.copy_from_host(stream, elements)?;
        Ok(buffer)
    }

    /// Returns a buffer of `len` elements whose bytes are all 0. The device writes them, and the call does not wait.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let counts = DeviceBuffer::<u32>::zeroed(&stream, 256)?;
    /// assert_eq!(counts.to_host_vec(&stream)?, [0; 256]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`from_host`](Self::from_host).
    #[doc(alias("alloc_zeros", "cudaMemset"))]
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        let mut buffer = Self::allocate(stream.device(), len)?;
        buffer.set_zero(stream)?;
        Ok(buffer)
    }

    /// The number of elements.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// assert_eq!(DeviceBuffer::<u32>::zeroed(&stream, 256)?.len(), 256);
    /// # Ok::<(), offload::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Whether the buffer is empty.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// assert!(DeviceBuffer::<u32>::zeroed(&stream, 0)?.is_empty());
    /// # Ok::<(), offload::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The device of the memory.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let counts = DeviceBuffer::<u32>::zeroed(&stream, 256)?;
    /// assert_eq!(counts.device().name(), stream.device().name());
    /// # Ok::<(), offload::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.memory.device()
    }

    /// Copies `elements` into the buffer.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::<u32>::zeroed(&stream, 3)?;
    /// numbers.copy_from_host(&stream, &[1, 2, 3])?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    #[doc(alias("cudaMemcpyAsync", "cudaMemcpyHostToDevice", "memcpy_htod"))]
    pub fn copy_from_host(&mut self, stream: &Stream, elements: &[T]) -> Result<()> {
        self.memory.check_len(elements.len())?;
        self.memory.write_in(stream)?;
        let from = elements.as_ptr().cast::<c_void>();
        let (device, to) = (self.device().raw(), self.memory.address().cast());
        // SAFETY: both have this size, and `write_in` has checked that the stream belongs to the device of the buffer.
        Error::check(unsafe { ffi::offloadrt_copy_to_device(device, stream.raw(), to, from, size_of_val(elements)) })
    }

    /// Waits for all work that was submitted to the stream before, and copies the buffer into `elements`.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut here = [0; 3];
    /// DeviceBuffer::from_host(&stream, &[1, 2, 3])?.copy_to_host(&stream, &mut here)?;
    /// assert_eq!(here, [1, 2, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len), or the error of earlier work in the
    /// stream.
    #[doc(alias("cudaMemcpyDeviceToHost", "memcpy_dtoh"))]
    pub fn copy_to_host(&self, stream: &Stream, elements: &mut [T]) -> Result<()> {
        self.memory.check_len(elements.len())?;
        // SAFETY: `elements` has the length of the buffer.
        unsafe { self.read(stream, elements.as_mut_ptr()) }
    }

    /// Copies the elements to the host.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The error of earlier work in the stream.
    #[doc(alias("dtoh_sync_copy", "clone_dtoh", "memcpy_dtov"))]
    pub fn to_host_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let mut elements = Vec::<T>::with_capacity(self.len());
        // SAFETY: the vector has room for the elements, and `read` initialises them.
        unsafe {
            self.read(stream, elements.as_mut_ptr())?;
            elements.set_len(self.len());
        }
        Ok(elements)
    }

    /// Waits for the work of the stream, and copies the elements to the host.
    ///
    /// # Safety
    ///
    /// `to` must be writable for [`len`](Self::len) elements.
    pub(crate) unsafe fn read(&self, stream: &Stream, to: *mut T) -> Result<()> {
        let submission = stream.submission();
        self.memory.read_in(&submission)?;
        let (device, from) = (self.device().raw(), self.memory.address().cast());
        // SAFETY: both have this size. Every element was copied to the device as a `T`, or a kernel wrote it as a `T`.
        Error::check(unsafe {
            ffi::offloadrt_copy_to_host(device, stream.raw(), to.cast(), from, self.memory.bytes())
        })?;
        stream.synchronize()
    }

    /// Submits a copy of `elements` into the buffer, without waiting.
    ///
    /// See the example of [`PinnedBuffer`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    pub fn copy_from_pinned(&mut self, stream: &Stream, elements: &PinnedBuffer<T>) -> Result<()> {
        self.submit(stream, &elements.memory, ffi::offloadrt_submit_copy_to_device)
    }

    /// Submits a copy of the buffer into `elements`, without waiting. The next access to `elements` waits for the copy.
    ///
    /// See the example of [`PinnedBuffer`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    pub fn copy_to_pinned(&self, stream: &Stream, elements: &mut PinnedBuffer<T>) -> Result<()> {
        let to = &elements.memory;
        to.check_len(self.len())?;
        let submission = stream.submission();
        to.write_in(stream)?;
        self.memory.read_in(&submission)?;
        let (device, from) = (self.device().raw(), self.memory.address().cast());
        // SAFETY: both have this size, and nothing else uses them before the copy is complete.
        Error::check(unsafe {
            ffi::offloadrt_submit_copy_to_host(device, stream.raw(), to.address().cast(), from, to.bytes())
        })
    }

    /// Submits a copy of another buffer into this one, on the device, without waiting.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let from = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// let mut to = DeviceBuffer::<i32>::zeroed(&stream, 3)?;
    /// to.copy_from(&stream, &from)?;
    /// assert_eq!(to.to_host_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    #[doc(alias("cudaMemcpyDeviceToDevice", "memcpy_dtod"))]
    pub fn copy_from(&mut self, stream: &Stream, elements: &DeviceBuffer<T>) -> Result<()> {
        self.submit(stream, &elements.memory, ffi::offloadrt_submit_copy)
    }

    /// Submits a copy of `from` into the buffer with the function `call` of the runtime.
    fn submit(&mut self, stream: &Stream, from: &Memory<T>, call: ffi::Copy) -> Result<()> {
        self.memory.check_len(from.len())?;
        let submission = stream.submission();
        from.read_in(&submission)?;
        self.memory.write_in(stream)?;
        let (device, to) = (self.device().raw(), self.memory.address().cast());
        // SAFETY: both have this size, and nothing writes to them before the copy is complete.
        Error::check(unsafe { call(device, stream.raw(), to, from.address().cast(), from.bytes()) })
    }

    /// Sets all bytes of the elements to 0 on the device, without waiting.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// numbers.set_zero(&stream)?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [0; 3]);
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
        self.memory.write_in(stream)?;
        let (device, to) = (self.device().raw(), self.memory.address().cast());
        // SAFETY: the memory has this size, and bytes that are all 0 are a valid `T`.
        Error::check(unsafe { ffi::offloadrt_submit_fill(device, stream.raw(), to, 0, self.memory.bytes()) })
    }

    /// The buffer as rows of `columns` elements, for a `DisjointRows<T>` parameter.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, DisjointRows, Grid, prelude::*, thread};
    ///
    /// fn fill(mut image: DisjointRows<u8>) {
    ///     if let Some(pixel) = image.get_mut(thread::index_2d()) {
    ///         *pixel = 255;
    ///     }
    /// }
    ///
    /// let stream = Device::new()?.default_stream();
    /// let mut image = DeviceBuffer::<u8>::zeroed(&stream, 640 * 480)?;
    /// fill.launch(&stream, Grid::for_rows(640, 480, (16, 16)), (image.rows(640),))?;
    /// assert_eq!(image.to_host_vec(&stream)?, [255; 640 * 480]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `columns` is 0.
    pub fn rows(&mut self, columns: usize) -> Rows<'_, T> {
        Rows::new(&mut self.memory, columns)
    }

    /// Returns the same memory as arrays of `N` elements, without a copy.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// let pairs = numbers.into_arrays::<2>()?;
    /// assert_eq!(pairs.to_host_vec(&stream)?, [[1, 2], [3, 4]]);
    /// assert_eq!(pairs.into_flattened().len(), 4);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not a multiple of `N`. The buffer is then freed.
    pub fn into_arrays<const N: usize>(self) -> Result<DeviceBuffer<[T; N]>> {
        let len = self.len();
        if N == 0 || !len.is_multiple_of(N) {
            return Err(Error::Invalid(std::format!("{len} elements cannot be divided into arrays of {N}")));
        }
        // SAFETY: an array consists of its elements, without gaps.
        Ok(DeviceBuffer { memory: unsafe { self.memory.reshape(len / N) } })
    }

    /// Returns a part of the buffer that kernels can read: `&part` is an argument for `&[T]`.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, Grid, prelude::*};
    ///
    /// let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// let kernel = |values: &[i32]| assert!(values == [2, 3]);
    /// kernel.launch(&stream, Grid::for_len(1, 1), (&numbers.part(1..3),))?;
    /// assert_eq!(numbers.part(2..).to_host_vec(&stream)?, [3, 4]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    #[doc(alias("slice", "CudaView"))]
    pub fn part(&self, range: impl RangeBounds<usize>) -> Part<'_, T> {
        let range = range_of(range, self.len());
        Part { memory: &self.memory, range }
    }

    /// Splits the buffer into two parts that kernels can change: `&mut part` is an argument for `DisjointSlice<T>`, and
    /// one launch may use both.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};
    ///
    /// #[kernel]
    /// fn swap(mut a: DisjointSlice<u32>, mut b: DisjointSlice<u32>) {
    ///     let i = thread::index_1d();
    ///     if let (Some(a), Some(b)) = (a.get_mut(i), b.get_mut(i)) {
    ///         core::mem::swap(a, b);
    ///     }
    /// }
    ///
    /// let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// let (mut a, mut b) = numbers.split_at_mut(2);
    /// swap.launch(&stream, Grid::for_len(2, 32), (&mut a, &mut b))?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [3, 4, 1, 2]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end of the buffer.
    #[doc(alias = "CudaViewMut")]
    pub fn split_at_mut(&mut self, middle: usize) -> (PartMut<'_, T>, PartMut<'_, T>) {
        let len = self.len();
        assert!(middle <= len, "a buffer of {len} elements cannot be split at {middle}");
        let part = |range| PartMut { memory: &self.memory, range, exclusive: PhantomData };
        (part(0..middle), part(middle..len))
    }

    /// Returns the address and the length, for kernels with `unsafe` accesses. The result does not keep the buffer
    /// alive.
    ///
    /// See the example of [`Device::for_each`].
    pub fn as_raw(&self) -> RawSlice<T> {
        self.memory.as_raw()
    }

    /// Returns the address on the device, for a call of another library or for a struct of pointers. The address does
    /// not keep the buffer alive, and its uses are not ordered with other work.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// assert_eq!(numbers.device_ptr(), numbers.as_raw().as_ptr());
    /// # Ok::<(), offload::Error>(())
    /// ```
    #[doc(alias = "CUdeviceptr")]
    pub fn device_ptr(&self) -> *const T {
        self.memory.address()
    }

    /// Returns the same address, for writing.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// assert_eq!(numbers.device_ptr_mut(), numbers.as_raw().as_mut_ptr());
    /// # Ok::<(), offload::Error>(())
    /// ```
    pub fn device_ptr_mut(&mut self) -> *mut T {
        self.memory.address()
    }

    /// Waits on the host for the work of other streams with this memory.
    pub(crate) fn wait_for_others(&self, stream: &Stream) -> Result<()> {
        self.memory.wait_for_others(stream)
    }

    pub(crate) fn memory(&self) -> &Memory<T> {
        &self.memory
    }
}

impl<T: DeviceCopy, const N: usize> DeviceBuffer<[T; N]> {
    /// Returns the same memory as elements, without a copy.
    ///
    /// See the example of [`into_arrays`](DeviceBuffer::into_arrays).
    pub fn into_flattened(self) -> DeviceBuffer<T> {
        let len = self.len() * N;
        // SAFETY: an array consists of its elements, without gaps.
        DeviceBuffer { memory: unsafe { self.memory.reshape(len) } }
    }
}

impl<T: DeviceCopy> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer").field("len", &self.len()).field("device", self.device()).finish_non_exhaustive()
    }
}
