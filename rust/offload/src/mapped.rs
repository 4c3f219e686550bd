//! Host memory as arguments of launches: slices for one launch, guards for several.

use core::ffi::c_void;
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, RangeBounds};
use std::vec::Vec;

use crate::argument::Argument;
use crate::binding::{Binding, Mapping, both_ways};
use crate::buffer::DeviceBuffer;
use crate::chunks::DisjointChunks;
use crate::device::{Device, Stream};
use crate::device_copy::DeviceCopy;
use crate::error::{Error, Result};
use crate::ffi;
use crate::part::PartMut;
use crate::part_shapes::{Layers, Rows};
use crate::slice::{DisjointBlocks, DisjointSlice, RawSlice};

macro_rules! host_slices {
    ($([$($extra:tt)*] $host:ty),*) => { $(
        // SAFETY: the bits lead to a copy, or to memory that is borrowed until the launch returns, which waits for the
        // kernel.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> Argument<&'a [T]> for &'a $host {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                binding.map(self.as_ptr().cast_mut(), self.len(), ffi::MAP_TO)
            }
        }

        // SAFETY: as above, and exclusively.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> Argument<DisjointSlice<'a, T>> for &'a mut $host {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                binding.map_mut(self)
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> Argument<DisjointBlocks<'a, T>> for &'a mut $host {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                binding.map_mut(self)
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy, const C: usize, $($extra)*> Argument<DisjointChunks<'a, T, C>> for &'a mut $host {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                binding.map_mut(self)
            }
        }
    )* };
}
host_slices!([] [T], [] Vec<T>, [const N: usize] [T; N]);

/// The device's side of a guard: memory like that of a buffer, which the table of mapped memory owns.
struct Side<T: DeviceCopy> {
    buffer: ManuallyDrop<DeviceBuffer<T>>,
    mapping: Mapping,
}

impl<T: DeviceCopy> Side<T> {
    fn begin(device: &Device, host: *mut T, len: usize, flags: u32) -> Result<Self> {
        let stream = device.default_stream();
        let (mapping, address) = Mapping::begin(&stream, host, len, flags)?;
        let side = Side { buffer: ManuallyDrop::new(DeviceBuffer::from_mapped(address, len, device)), mapping };
        // The copy may still be running: other streams must wait for it.
        side.buffer.memory().write_in(&stream)?;
        Ok(side)
    }

    /// Returns the default stream after the work of other streams with this memory has ended.
    fn stream(&self) -> Result<Stream> {
        let stream = self.buffer.device().default_stream();
        self.buffer.wait_for_others(&stream)?;
        Ok(stream)
    }

    fn update(&self, update: Update) -> Result<()> {
        let stream = self.stream()?;
        // SAFETY: the mapping has not ended, and the guard has borrowed the host's memory.
        Error::check(unsafe { update(stream.device().raw(), stream.raw(), self.mapping.host, self.mapping.bytes) })
    }

    /// Ends the mapping. Must be called only once.
    fn end(&mut self) -> Result<()> {
        let waited = self.stream().and_then(|stream| stream.synchronize());
        let ended = self.mapping.end(&self.buffer.device().default_stream());
        // SAFETY: this is called once, and the guard is not used afterwards. The buffer does not own its memory.
        drop(unsafe { ManuallyDrop::take(&mut self.buffer) });
        waited.and(ended)
    }
}

type Update = unsafe extern "C" fn(*mut ffi::RawDevice, *mut ffi::RawStream, *mut c_void, usize) -> core::ffi::c_int;

/// A guard that keeps a copy of a host slice on a device, for kernels to read. [`Device::map`] makes it. `&guard` is an
/// argument for a `&[T]` parameter, in any number of launches. The slice is copied once.
///
/// The guard dereferences to the [`DeviceBuffer`] of the copy.
///
/// See the example of [`Device::map`].
pub struct Mapped<'a, T: DeviceCopy> {
    side: Side<T>,
    host: PhantomData<&'a [T]>,
}

// SAFETY: a guard contains addresses, and the functions of the runtime may be called from any thread.
unsafe impl<T: DeviceCopy + Sync> Send for Mapped<'_, T> {}
// SAFETY: shared memory is only read.
unsafe impl<T: DeviceCopy + Sync> Sync for Mapped<'_, T> {}

/// A guard that keeps a copy of a host slice on a device, for kernels to change. [`Device::map_mut`] makes it. Dropping
/// the guard copies the elements back. `&mut guard` is an argument for a `DisjointSlice<T>` parameter, and `&guard` for
/// `&[T]`.
///
/// While the guard exists, the host can access its own elements only through the guard. They have the values of the
/// last [`update_host`] or [`update_device`]. On the device `cpu`, whose kernels work in the host's memory, they may be
/// newer.
///
/// The guard dereferences to the [`DeviceBuffer`] of the copy.
///
/// [`update_host`]: Self::update_host
/// [`update_device`]: Self::update_device
///
/// See the example of [`Device::map`].
pub struct MappedMut<'a, T: DeviceCopy> {
    side: Side<T>,
    host: PhantomData<&'a mut [T]>,
}

// SAFETY: a guard contains addresses, and the functions of the runtime may be called from any thread.
unsafe impl<T: DeviceCopy + Send> Send for MappedMut<'_, T> {}
// SAFETY: shared memory is only read.
unsafe impl<T: DeviceCopy + Sync> Sync for MappedMut<'_, T> {}

impl Device {
    /// Copies `elements` to the device, and keeps them there until the guard is dropped.
    ///
    /// ```
    /// # use offload::{Device, DisjointSlice, Grid, kernel, prelude::*, thread};
    /// # #[kernel]
    /// # fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    /// #     let i = thread::index_1d();
    /// #     if let Some(y) = y.get_mut(i) {
    /// #         *y += a * x[i.get()];
    /// #     }
    /// # }
    /// # fn main() -> offload::Result<()> {
    /// let device = Device::new()?;
    /// let stream = device.default_stream();
    /// let (x, mut y) = (vec![1.0; 1000], vec![2.0; 1000]);
    /// let there = device.map(&x)?;
    /// let mut result = device.map_mut(&mut y)?;
    /// for _ in 0..10 {
    ///     saxpy.launch(&stream, Grid::for_len(1000, 256), (3.0, &there, &mut result))?; // copies nothing
    /// }
    /// result.unmap()?;
    /// assert_eq!(y, [32.0; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoMemory`], or [`Error::Failed`] if the driver fails. [`Error::Unsupported`] if the copy is not aligned
    /// as `T` requires.
    #[doc(alias("cudaHostRegister", "target_map"))]
    pub fn map<'a, T: DeviceCopy>(&self, elements: &'a [T]) -> Result<Mapped<'a, T>> {
        let side = Side::begin(self, elements.as_ptr().cast_mut(), elements.len(), ffi::MAP_TO)?;
        Ok(Mapped { side, host: PhantomData })
    }

    /// Copies `elements` to the device, where kernels can change them. Dropping the guard copies them back. Elements of
    /// the type `MaybeUninit` are only copied back.
    ///
    /// ```
    /// let mut values = [1, 2, 3];
    /// let device = offload::Device::new()?;
    /// let there = device.map_mut(&mut values)?; // `&mut there` is an argument of launches
    /// there.unmap()?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See [`map`](Self::map).
    pub fn map_mut<'a, T: DeviceCopy>(&self, elements: &'a mut [T]) -> Result<MappedMut<'a, T>> {
        let side = Side::begin(self, elements.as_mut_ptr(), elements.len(), both_ways::<T>())?;
        Ok(MappedMut { side, host: PhantomData })
    }
}

impl<T: DeviceCopy> MappedMut<'_, T> {
    /// Copies the elements from the device to the host, and returns them.
    ///
    /// ```
    /// # let device = offload::Device::new()?;
    /// let mut values = [1, 2, 3];
    /// let mut there = device.map_mut(&mut values)?;
    /// assert_eq!(there.update_host()?, [1, 2, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of earlier work with the elements, such as the panic of a kernel.
    pub fn update_host(&mut self) -> Result<&[T]> {
        self.side.update(ffi::offloadrt_update_from)?;
        self.side.stream()?.synchronize()?;
        // SAFETY: the guard borrows the memory and is itself borrowed now, and no kernel uses the memory.
        Ok(unsafe { core::slice::from_raw_parts(self.side.mapping.host.cast(), self.side.buffer.len()) })
    }

    /// Calls `change` with the elements on the host, and copies all of them to the device. If kernels have changed the
    /// elements since the last copy to the host, call [`update_host`](Self::update_host) first.
    ///
    /// ```
    /// # let device = offload::Device::new()?;
    /// let mut values = [1, 2, 3];
    /// let mut there = device.map_mut(&mut values)?;
    /// there.update_device(|values| values.fill(7))?;
    /// assert_eq!(there.to_host_vec(&device.default_stream())?, [7; 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of earlier work with the elements, or [`Error::Failed`] if the driver fails.
    pub fn update_device(&mut self, change: impl FnOnce(&mut [T])) -> Result<()> {
        self.side.stream()?.synchronize()?;
        // SAFETY: the guard borrows the memory mutably and is so borrowed now, and no kernel uses the memory.
        change(unsafe { core::slice::from_raw_parts_mut(self.side.mapping.host.cast(), self.side.buffer.len()) });
        self.side.update(update_to)
    }

    /// The device's side, exclusively. It must never be swapped with another buffer.
    pub(crate) fn buffer(&mut self) -> &mut DeviceBuffer<T> {
        &mut self.side.buffer
    }

    /// The elements as rows of `columns` elements, for a `DisjointRows<T>` parameter.
    ///
    /// See the example of [`DeviceBuffer::rows`].
    ///
    /// # Panics
    ///
    /// If `columns` is 0.
    pub fn rows(&mut self, columns: usize) -> Rows<'_, T> {
        self.side.buffer.rows(columns)
    }

    /// The elements as layers of `rows` rows of `columns` elements, for a `DisjointLayers<T>` parameter.
    ///
    /// See the example of [`DeviceBuffer::layers`].
    ///
    /// # Panics
    ///
    /// If `columns` or `rows` is 0.
    pub fn layers(&mut self, columns: usize, rows: usize) -> Layers<'_, T> {
        self.side.buffer.layers(columns, rows)
    }

    /// Returns a part of the copy that kernels and copies can change.
    ///
    /// See the example of [`DeviceBuffer::part_mut`].
    ///
    /// # Panics
    ///
    /// If the range is not within the slice.
    pub fn part_mut(&mut self, range: impl RangeBounds<usize>) -> PartMut<'_, T> {
        self.side.buffer.part_mut(range)
    }

    /// Drops the guard, and returns the errors that an implicit drop ignores: those of the kernels, and of the copy
    /// back.
    ///
    /// See the example of [`Device::map`].
    ///
    /// # Errors
    ///
    /// See [`update_host`](Self::update_host).
    pub fn unmap(self) -> Result<()> {
        ManuallyDrop::new(self).side.end()
    }
}

/// `offloadrt_update_to` with the type [`Update`]: its own pointer is to constant memory.
unsafe extern "C" fn update_to(
    device: *mut ffi::RawDevice,
    stream: *mut ffi::RawStream,
    host: *mut c_void,
    bytes: usize,
) -> core::ffi::c_int {
    // SAFETY: the caller meets the requirements of the function.
    unsafe { ffi::offloadrt_update_to(device, stream, host, bytes) }
}

macro_rules! guards {
    ($($guard:ident)*) => { $(
        impl<T: DeviceCopy> Drop for $guard<'_, T> {
            fn drop(&mut self) {
                // The next call that waits for the stream reports errors of its work.
                let _ = self.side.end();
            }
        }

        /// The buffer of the device, for copies and for its address.
        impl<T: DeviceCopy> Deref for $guard<'_, T> {
            type Target = DeviceBuffer<T>;

            fn deref(&self) -> &DeviceBuffer<T> {
                &self.side.buffer
            }
        }

        // SAFETY: the buffer is an argument of this type.
        unsafe impl<'a, T: DeviceCopy> Argument<&'a [T]> for &'a $guard<'_, T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                Argument::<&'a [T]>::bind(&*self.side.buffer, binding)
            }
        }

        impl<T: DeviceCopy> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($guard)).field(&*self.side.buffer).finish()
            }
        }
    )* };
}
guards!(Mapped MappedMut);

// SAFETY: the buffer is an argument of this type.
unsafe impl<'a, T: DeviceCopy> Argument<DisjointSlice<'a, T>> for &'a mut MappedMut<'_, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        Argument::<DisjointSlice<'a, T>>::bind(self.buffer(), binding)
    }
}

// SAFETY: the buffer is an argument of this type.
unsafe impl<'a, T: DeviceCopy> Argument<DisjointBlocks<'a, T>> for &'a mut MappedMut<'_, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        Argument::<DisjointBlocks<'a, T>>::bind(self.buffer(), binding)
    }
}

// SAFETY: the buffer is an argument of this type.
unsafe impl<'a, T: DeviceCopy, const N: usize> Argument<DisjointChunks<'a, T, N>> for &'a mut MappedMut<'_, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        Argument::<DisjointChunks<'a, T, N>>::bind(self.buffer(), binding)
    }
}
