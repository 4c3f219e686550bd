//! Memory that the host can access: pinned memory for copies, and unified memory, which kernels can access too.

use core::fmt;
use core::ops::{Deref, DerefMut};
use core::slice;

use crate::device::Device;
use crate::device_copy::{DeviceCopy, Zeroable};
use crate::error::{Error, Result};
use crate::memory::{Kind, Memory};
use crate::part_shapes::{Layers, Rows};
use crate::slice::RawSlice;

/// Memory of the host for copies that run while the host continues. It is pinned memory on CUDA, on HIP and on OpenCL
/// with unified shared memory, and plain memory elsewhere.
///
/// The buffer dereferences to a slice. Reading the slice waits until no copy writes it; writing waits until no copy
/// uses it. Every access checks this, so take the slice once if you access many elements.
///
/// ```
/// # use offload::{Device, DeviceBuffer, PinnedBuffer};
/// # fn main() -> offload::Result<()> {
/// let device = Device::new()?;
/// let stream = device.default_stream();
/// let mut numbers = PinnedBuffer::from_slice(&device, &[1.0_f32; 1000])?;
/// numbers[7] = 2.0;
/// let mut on_device = DeviceBuffer::<f32>::zeroed(&stream, 1000)?;
/// on_device.copy_from_pinned(&stream, &numbers)?; // does not wait
/// on_device.copy_to_pinned(&stream, &mut numbers)?; // does not wait
/// assert_eq!(numbers[7], 2.0); // waits for the copies
/// # Ok(())
/// # }
/// ```
///
/// # Panics
///
/// Dereferencing panics if the driver fails to wait. [`as_slice`](Self::as_slice) returns this as an error.
#[doc(alias("cudaMallocHost", "cudaHostAlloc", "PinnedHostSlice"))]
pub struct PinnedBuffer<T> {
    pub(crate) memory: Memory<T>,
}

/// Memory that kernels and the host access at the same address, without copies ("zero copy", "managed memory").
///
/// A kernel accesses it shared (`&buffer`, for a `&[T]` parameter) or exclusively (`&mut buffer`, for a
/// `DisjointSlice<T>`), like a [`DeviceBuffer`](crate::DeviceBuffer). For the host, the buffer dereferences to a slice.
/// Reading the slice waits until no kernel writes the memory; writing waits until no kernel uses it. Every access
/// checks this, so take the slice once if you access many elements.
///
/// ```
/// # use offload::{Device, DisjointSlice, Grid, UnifiedBuffer, prelude::*, thread};
/// # fn double(mut values: DisjointSlice<u32>) {
/// #     if let Some(value) = values.get_mut(thread::index_1d()) { *value *= 2; }
/// # }
/// # fn main() -> offload::Result<()> {
/// let device = Device::new()?;
/// let stream = device.default_stream();
/// let mut values = UnifiedBuffer::from_slice(&device, &[21_u32; 1000])?;
/// double.launch(&stream, Grid::for_len(1000, 256), (&mut values,))?;
/// assert_eq!(values[7], 42);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
///
/// Dereferencing panics if the driver fails to wait. [`as_slice`](Self::as_slice) returns this as an error.
#[doc(alias("cudaMallocManaged", "UnifiedSlice", "__managed__"))]
pub struct UnifiedBuffer<T> {
    pub(crate) memory: Memory<T>,
}

macro_rules! host_buffers {
    ($($name:ident: $kind:ident, $errors:literal;)*) => { $(
        // SAFETY: the buffer owns its memory, and the functions of the runtime may be called from any thread.
        unsafe impl<T: DeviceCopy + Send> Send for $name<T> {}
        // SAFETY: shared memory is only read.
        unsafe impl<T: DeviceCopy + Sync> Sync for $name<T> {}

        impl<T> $name<T> {
            /// Copies `elements` into a new buffer for `device`.
            ///
            /// ```
            #[doc = concat!("use offload::{Device, ", stringify!($name), "};")]
            ///
            #[doc = concat!("let numbers = ", stringify!($name), "::from_slice(&Device::new()?, &[1, 2, 3])?;")]
            /// assert_eq!(numbers[1], 2);
            /// # Ok::<(), offload::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            #[doc = $errors]
            #[doc(alias = "from_host")]
            pub fn from_slice(device: &Device, elements: &[T]) -> Result<Self>
            where
                T: DeviceCopy,
            {
                let memory = Memory::<T>::allocate(device, Kind::$kind, elements.len())?;
                // SAFETY: the memory is new, belongs to the host, and has room for as many elements.
                unsafe { memory.address().copy_from_nonoverlapping(elements.as_ptr(), elements.len()) };
                Ok($name { memory })
            }

            /// Returns a buffer for `device` of `len` elements whose bytes are all 0.
            ///
            /// ```
            #[doc = concat!("use offload::{Device, ", stringify!($name), "};")]
            ///
            #[doc = concat!("let counts = ", stringify!($name), "::<u32>::zeroed(&Device::new()?, 256)?;")]
            /// assert_eq!(*counts, [0; 256]);
            /// # Ok::<(), offload::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            #[doc = $errors]
            pub fn zeroed(device: &Device, len: usize) -> Result<Self>
            where
                T: Zeroable,
            {
                let memory = Memory::<T>::allocate(device, Kind::$kind, len)?;
                // SAFETY: as above, and bytes that are all 0 are a `T`.
                unsafe { memory.address().write_bytes(0, len) };
                Ok($name { memory })
            }

            /// The number of elements. Does not wait.
            ///
            /// ```
            #[doc = concat!("# use offload::{Device, ", stringify!($name), "};")]
            #[doc = concat!("let counts = ", stringify!($name), "::<u32>::zeroed(&Device::new()?, 256)?;")]
            /// assert_eq!(counts.len(), 256);
            /// # Ok::<(), offload::Error>(())
            /// ```
            pub fn len(&self) -> usize {
                self.memory.len()
            }

            /// Whether the buffer is empty. Does not wait.
            ///
            /// ```
            #[doc = concat!("# use offload::{Device, ", stringify!($name), "};")]
            #[doc = concat!("let counts = ", stringify!($name), "::<u32>::zeroed(&Device::new()?, 256)?;")]
            /// assert!(!counts.is_empty());
            /// # Ok::<(), offload::Error>(())
            /// ```
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The device that the buffer was made for.
            ///
            /// ```
            #[doc = concat!("# use offload::{Device, ", stringify!($name), "};")]
            /// let device = Device::open("cpu")?;
            #[doc = concat!("let counts = ", stringify!($name), "::<u32>::zeroed(&device, 256)?;")]
            /// assert_eq!(counts.device().name(), "cpu");
            /// # Ok::<(), offload::Error>(())
            /// ```
            pub fn device(&self) -> &Device {
                self.memory.device()
            }

            /// Waits until no copy or kernel writes the elements, and returns them.
            ///
            /// ```
            #[doc = concat!("# use offload::{Device, ", stringify!($name), "};")]
            #[doc = concat!("let numbers = ", stringify!($name), "::from_slice(&Device::new()?, &[1, 2, 3])?;")]
            /// assert_eq!(numbers.as_slice()?, [1, 2, 3]);
            /// # Ok::<(), offload::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`Error::Failed`] if the driver fails.
            pub fn as_slice(&self) -> Result<&[T]> {
                self.memory.finish_writing()?;
                // SAFETY: the elements are initialised, and writing them requires `&mut self`.
                Ok(unsafe { slice::from_raw_parts(self.memory.address(), self.len()) })
            }

            /// Waits until no copy or kernel uses the elements, and returns them for writing.
            ///
            /// ```
            #[doc = concat!("# use offload::{Device, ", stringify!($name), "};")]
            #[doc = concat!("let mut numbers = ", stringify!($name), "::from_slice(&Device::new()?, &[1, 2, 3])?;")]
            /// numbers.as_mut_slice()?.fill(7);
            /// assert_eq!(numbers.as_slice()?, [7; 3]);
            /// # Ok::<(), offload::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`Error::Failed`] if the driver fails.
            pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
                self.memory.finish()?;
                // SAFETY: as above, and `self` is borrowed exclusively.
                Ok(unsafe { slice::from_raw_parts_mut(self.memory.address(), self.len()) })
            }
        }

        impl<T> Deref for $name<T> {
            type Target = [T];

            fn deref(&self) -> &[T] {
                self.as_slice().unwrap_or_else(|error| lost(&error))
            }
        }

        impl<T> DerefMut for $name<T> {
            fn deref_mut(&mut self) -> &mut [T] {
                self.as_mut_slice().unwrap_or_else(|error| lost(&error))
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = f.debug_struct(stringify!($name));
                text.field("len", &self.len()).field("device", self.device()).finish_non_exhaustive()
            }
        }
    )* };
}
host_buffers! {
    PinnedBuffer: Host, "[`Error::NoMemory`], also if the system does not allow more memory to be pinned.";
    UnifiedBuffer: Unified, "[`Error::NoMemory`], or [`Error::Unsupported`] if the device has no such memory.";
}

/// Dereferencing cannot return an error, so it panics.
#[cold]
fn lost(error: &Error) -> ! {
    panic!("cannot wait for the work that uses this memory: {error}")
}

impl<T> UnifiedBuffer<T> {
    /// The buffer as rows of `columns` elements, for a `DisjointRows<T>` parameter.
    ///
    /// See the example of [`DeviceBuffer::rows`](crate::DeviceBuffer::rows).
    ///
    /// # Panics
    ///
    /// If `columns` is 0.
    pub fn rows(&mut self, columns: usize) -> Rows<'_, T> {
        Rows::new(self.part_mut(..), columns)
    }

    /// The buffer as layers of `rows` rows of `columns` elements, for a `DisjointLayers<T>` parameter.
    ///
    /// See the example of [`DeviceBuffer::layers`](crate::DeviceBuffer::layers).
    ///
    /// # Panics
    ///
    /// If `columns` or `rows` is 0.
    pub fn layers(&mut self, columns: usize, rows: usize) -> Layers<'_, T> {
        Layers::new(self.part_mut(..), columns, rows)
    }

    /// Returns the address and length, for kernels that are responsible for their own accesses. The value does not keep
    /// the memory alive, and an access by the host does not wait for such a kernel.
    ///
    /// See the example of [`Device::for_each`].
    pub fn as_raw(&self) -> RawSlice<T> {
        self.memory.as_raw()
    }

    pub(crate) fn memory(&self) -> &Memory<T> {
        &self.memory
    }
}
