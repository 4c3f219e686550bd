//! Memory that the host reaches: pinned for copies, and unified, which kernels reach too.

use core::fmt;
use core::ops::{Deref, DerefMut};
use core::slice;

use crate::buffer::{Rows, Zeroable};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{Kind, Memory};
use crate::param::DeviceCopy;
use crate::slice::RawSlice;

/// Memory of the host from and to which copies run beside it: pinned on CUDA, HIP and OpenCL with unified shared memory,
/// plain memory elsewhere.
///
/// It is a slice: looking at it waits until no copy uses it. For many elements take the slice once.
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
/// on_device.copy_to_pinned(&stream, &mut numbers)?; // nor does this
/// assert_eq!(numbers[7], 2.0); // this does
/// # Ok(())
/// # }
/// ```
///
/// # Panics
///
/// As a slice, when the driver fails to wait; [`as_slice`](Self::as_slice) tells it as an error.
pub struct PinnedBuffer<T: DeviceCopy> {
    pub(crate) memory: Memory<T>,
}

/// Memory that kernels and the host reach at the same address, without copies ("zero copy", "managed memory").
///
/// A kernel gets it shared (`&buffer`, a `&[T]` parameter) or alone (`&mut buffer`, a `DisjointSlice<T>`), as it does a
/// [`DeviceBuffer`](crate::DeviceBuffer). For the host it is a slice: looking at it waits until no kernel writes to it, and
/// changing it until none reads it either. For many elements take the slice once.
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
/// As a slice, when the driver fails to wait; [`as_slice`](Self::as_slice) tells it as an error.
pub struct UnifiedBuffer<T: DeviceCopy> {
    pub(crate) memory: Memory<T>,
}

macro_rules! host_buffers {
    ($($name:ident: $kind:ident, $errors:literal;)*) => { $(
        // SAFETY: an address that it owns; the runtime's calls may come from any thread.
        unsafe impl<T: DeviceCopy + Send> Send for $name<T> {}
        // SAFETY: what is shared is only read.
        unsafe impl<T: DeviceCopy + Sync> Sync for $name<T> {}

        impl<T: DeviceCopy> $name<T> {
            /// A copy of `elements`, for `device`.
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
            pub fn from_slice(device: &Device, elements: &[T]) -> Result<Self> {
                let memory = Memory::<T>::allocate(device, Kind::$kind, elements.len())?;
                // SAFETY: as many elements in memory of the host's that is new.
                unsafe { memory.address().copy_from_nonoverlapping(elements.as_ptr(), elements.len()) };
                Ok($name { memory })
            }

            /// `len` elements whose bytes are all 0, for `device`.
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
                // SAFETY: so many elements in memory of the host's that is new, and all bytes 0 are one.
                unsafe { memory.address().write_bytes(0, len) };
                Ok($name { memory })
            }

            /// The number of elements; does not wait.
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

            /// Whether there are none; does not wait.
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

            /// The device it was made for.
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

            /// Waits until nothing writes to the elements, and shows them.
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
            /// [`Error::Failed`] when the driver does.
            pub fn as_slice(&self) -> Result<&[T]> {
                self.memory.finish_writing()?;
                // SAFETY: elements that are there since the buffer is, and to write them takes `&mut self`.
                Ok(unsafe { slice::from_raw_parts(self.memory.address(), self.len()) })
            }

            /// Waits until nothing uses the elements, and shows them to write to.
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
            /// [`Error::Failed`] when the driver does.
            pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
                self.memory.finish()?;
                // SAFETY: as above, and `self` is borrowed alone.
                Ok(unsafe { slice::from_raw_parts_mut(self.memory.address(), self.len()) })
            }
        }

        impl<T: DeviceCopy> Deref for $name<T> {
            type Target = [T];

            fn deref(&self) -> &[T] {
                self.as_slice().unwrap_or_else(|error| lost(&error))
            }
        }

        impl<T: DeviceCopy> DerefMut for $name<T> {
            fn deref_mut(&mut self) -> &mut [T] {
                self.as_mut_slice().unwrap_or_else(|error| lost(&error))
            }
        }

        impl<T: DeviceCopy> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = f.debug_struct(stringify!($name));
                text.field("len", &self.len()).field("device", self.device()).finish_non_exhaustive()
            }
        }
    )* };
}
host_buffers! {
    PinnedBuffer: Host, "[`Error::NoMemory`], also where the system lets no more memory be pinned.";
    UnifiedBuffer: Unified, "[`Error::NoMemory`], and [`Error::Unsupported`] where the device has no such memory.";
}

/// A slice cannot say that its memory may still be written to.
#[cold]
fn lost(error: &Error) -> ! {
    panic!("the memory cannot be looked at, as what uses it cannot be waited for: {error}")
}

impl<T: DeviceCopy> UnifiedBuffer<T> {
    /// The buffer as rows of `columns` elements, for a `DisjointRows<T>` parameter.
    ///
    /// See the example of [`DeviceBuffer::rows`](crate::DeviceBuffer::rows).
    ///
    /// # Panics
    ///
    /// When `columns` is 0.
    pub fn rows(&mut self, columns: usize) -> Rows<'_, T> {
        Rows::new(&mut self.memory, columns)
    }

    /// The address and length, for kernels that answer for themselves. It keeps nothing alive, and the buffer as a slice
    /// does not wait for such a kernel.
    ///
    /// See the example of [`Device::for_each`].
    pub fn as_raw(&self) -> RawSlice<T> {
        self.memory.as_raw()
    }

    pub(crate) fn memory(&self) -> &Memory<T> {
        &self.memory
    }
}
