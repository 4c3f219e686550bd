//! Memory on a device, owned and typed.

use core::fmt;
use std::vec::Vec;

use crate::device::{Device, Stream};
use crate::device_copy::{DeviceCopy, Zeroable};
use crate::error::{Error, Result};
use crate::memory::{Kind, Memory};
use crate::part::Part;
use crate::part_shapes::{Layers, Rows};
use crate::pinned_parts::{PinnedPart, PinnedPartMut};
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
pub struct DeviceBuffer<T> {
    memory: Memory<T>,
}

// SAFETY: a buffer contains addresses, and the functions of the runtime may be called from any thread.
unsafe impl<T: DeviceCopy> Send for DeviceBuffer<T> {}
// SAFETY: shared memory is only read.
unsafe impl<T: DeviceCopy> Sync for DeviceBuffer<T> {}

impl<T> DeviceBuffer<T> {
    /// Allocates uninitialised memory for `len` elements.
    pub(crate) fn allocate(device: &Device, len: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
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
    pub fn from_host(stream: &Stream, elements: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
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
        self.part_mut(..).copy_from_host(stream, elements)
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
        self.part(..).copy_to_host(stream, elements)
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
        self.part(..).to_host_vec(stream)
    }

    /// Submits a copy of `elements` into the buffer, without waiting.
    ///
    /// See the example of [`PinnedBuffer`](crate::PinnedBuffer).
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    pub fn copy_from_pinned<'f>(&mut self, stream: &Stream, elements: impl Into<PinnedPart<'f, T>>) -> Result<()> {
        self.part_mut(..).copy_from_pinned(stream, elements)
    }

    /// Submits a copy of the buffer into `elements`, without waiting. The next access to `elements` waits for the copy.
    ///
    /// See the example of [`PinnedBuffer`](crate::PinnedBuffer).
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    pub fn copy_to_pinned<'t>(&self, stream: &Stream, elements: impl Into<PinnedPartMut<'t, T>>) -> Result<()> {
        self.part(..).copy_to_pinned(stream, elements)
    }

    /// Submits a copy of another buffer, or of a part of one, into this buffer, on the device, without waiting.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let from = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
    /// let mut to = DeviceBuffer::<i32>::zeroed(&stream, 3)?;
    /// to.copy_from(&stream, &from)?;
    /// to.part_mut(..2).copy_from(&stream, from.part(1..))?;
    /// assert_eq!(to.to_host_vec(&stream)?, [2, 3, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the number of elements is not [`len`](Self::len).
    #[doc(alias("cudaMemcpyDeviceToDevice", "memcpy_dtod"))]
    pub fn copy_from<'f>(&mut self, stream: &Stream, elements: impl Into<Part<'f, T>>) -> Result<()> {
        self.part_mut(..).copy_from(stream, elements)
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
        self.part_mut(..).set_zero(stream)
    }

    /// Sets all elements to `value`, without waiting for the stream.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::<f32>::zeroed(&stream, 1000)?;
    /// numbers.fill(&stream, 0.5)?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [0.5; 1000]);
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
        self.part_mut(..).fill(stream, value)
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
        Rows::new(self.part_mut(..), columns)
    }

    /// The buffer as layers of `rows` rows of `columns` elements, for a `DisjointLayers<T>` parameter.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, DisjointLayers, Grid, prelude::*, thread};
    ///
    /// fn fill(mut volume: DisjointLayers<u8>) {
    ///     if let Some(cell) = volume.get_mut(thread::index_3d()) {
    ///         *cell = 255;
    ///     }
    /// }
    ///
    /// let stream = Device::new()?.default_stream();
    /// let mut volume = DeviceBuffer::<u8>::zeroed(&stream, 10 * 6 * 5)?;
    /// fill.launch(&stream, Grid::for_layers(10, 6, 5, (4, 4, 4)), (volume.layers(10, 6),))?;
    /// assert_eq!(volume.to_host_vec(&stream)?, [255; 300]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `columns` or `rows` is 0.
    #[doc(alias("cudaMalloc3D", "cudaExtent"))]
    pub fn layers(&mut self, columns: usize, rows: usize) -> Layers<'_, T> {
        Layers::new(self.part_mut(..), columns, rows)
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

    /// Returns the address and the length, for kernels with `unsafe` accesses. The result does not keep the buffer
    /// alive, like the result of a slice's `as_ptr`: see [`RawSlice`] for the promise that the buffer exists.
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

    pub(crate) fn from_memory(memory: Memory<T>) -> Self {
        DeviceBuffer { memory }
    }

    pub(crate) fn into_memory(self) -> Memory<T> {
        self.memory
    }

    pub(crate) fn memory(&self) -> &Memory<T> {
        &self.memory
    }

    pub(crate) fn memory_mut(&mut self) -> &mut Memory<T> {
        &mut self.memory
    }
}

impl<T, const N: usize> DeviceBuffer<[T; N]> {
    /// Returns the same memory as elements, without a copy.
    ///
    /// See the example of [`into_arrays`](DeviceBuffer::into_arrays).
    ///
    /// # Panics
    ///
    /// If the elements have no bytes, and there are more of them than a `usize` counts.
    pub fn into_flattened(self) -> DeviceBuffer<T> {
        let len = self.len().checked_mul(N).expect("the length is more than a `usize` counts");
        // SAFETY: an array consists of its elements, without gaps.
        DeviceBuffer { memory: unsafe { self.memory.reshape(len) } }
    }
}

impl<T> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer").field("len", &self.len()).field("device", self.device()).finish_non_exhaustive()
    }
}
