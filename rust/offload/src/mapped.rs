//! Host memory as launch arguments: slices for one launch, guards for several. The runtime keeps what is mapped in a
//! table with counts, as OpenMP does; under `--runtime=omptarget` that is libomptarget's own.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::{fmt, ptr};
use std::format;
use std::vec::Vec;

use crate::buffer::{DeviceBuffer, Rows};
use crate::device::{Device, Stream, Submission};
use crate::error::{Error, Result};
use crate::ffi;
use crate::param::{Argument, DeviceCopy};
use crate::slice::{DisjointBlocks, DisjointChunks, DisjointSlice, RawSlice};

/// Bytes of the host, mapped once. Whoever makes one ends it.
struct Mapping {
    host: *mut c_void,
    bytes: usize,
    flags: u32,
}

impl Mapping {
    /// A copy is always made, whatever else of that memory is there: a guard that was forgotten leaves its bytes on the
    /// device, and its memory on the host may be another's by now.
    fn begin<T>(stream: &Stream, host: *mut T, len: usize, flags: u32) -> Result<(Self, *mut T)> {
        let (host, bytes, flags) = (host.cast(), len * size_of::<T>(), flags | ffi::MAP_ALWAYS);
        let mut address = ptr::null_mut();
        // SAFETY: an open device, a stream of it, and a slice that the caller has borrowed.
        Error::check(unsafe {
            ffi::offloadrt_map(stream.device().raw(), stream.raw(), host, bytes, flags, &mut address)
        })?;
        let (mapping, address) = (Mapping { host, bytes, flags }, address.cast::<T>());
        // Its place in what was mapped before may be any, and the driver's memory is aligned for numbers.
        if !address.is_aligned() {
            mapping.end(stream)?;
            return Err(Error::Unsupported(format!(
                "the copy on `{}` is not aligned to {}, as the type must be: use a `DeviceBuffer`",
                stream.device().name(),
                align_of::<T>()
            )));
        }
        Ok((mapping, address))
    }

    /// Copies back what the device has changed, once the stream's work is done.
    fn end(&self, stream: &Stream) -> Result<()> {
        let (device, stream) = (stream.device().raw(), stream.raw());
        // SAFETY: begun on this device, and not ended yet; what is copied back to is still borrowed.
        Error::check(unsafe { ffi::offloadrt_unmap(device, stream, self.host, self.bytes, self.flags) })
    }
}

/// What a kernel may do with a slice of `T` that it has alone: read and write it, or write only.
fn both_ways<T: DeviceCopy>() -> u32 {
    if T::UNREAD { ffi::MAP_FROM } else { ffi::MAP_TO | ffi::MAP_FROM }
}

/// What the arguments of a launch are bound for: its stream, and the host memory that is on the device until the kernel
/// has run.
///
/// See the example of [`Argument`](crate::Argument).
pub struct Binding<'s> {
    stream: Submission<'s>,
    mappings: Vec<Mapping>,
}

impl Deref for Binding<'_> {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        &self.stream
    }
}

impl<'s> Binding<'s> {
    pub(crate) fn new(stream: &'s Stream) -> Self {
        Binding { stream: stream.submission(), mappings: Vec::new() }
    }

    /// For what is noted in buffers: it ends when the launch was submitted.
    pub(crate) fn submission(&self) -> &Submission<'s> {
        &self.stream
    }

    fn map<T>(&mut self, host: *mut T, len: usize, flags: u32) -> Result<RawSlice<T>> {
        let (mapping, address) = Mapping::begin(&self.stream, host, len, flags)?;
        self.mappings.push(mapping);
        Ok(RawSlice::new(address, len))
    }

    /// For a parameter that has the memory alone.
    pub(crate) fn map_mut<T: DeviceCopy>(&mut self, host: &mut [T]) -> Result<RawSlice<T>> {
        self.map(host.as_mut_ptr(), host.len(), both_ways::<T>())
    }

    /// After the launch: with host memory among the arguments it is waited for, and what the kernel wrote is copied
    /// back, whatever became of it.
    pub(crate) fn finish(mut self, launched: Result<()>) -> Result<()> {
        if self.mappings.is_empty() {
            return launched;
        }
        let mut result = launched.and_then(|()| self.stream.synchronize());
        while let Some(mapping) = self.mappings.pop() {
            result = result.and(mapping.end(&self.stream));
        }
        result
    }
}

/// Arguments of a launch that failed before it began.
impl Drop for Binding<'_> {
    fn drop(&mut self) {
        while let Some(mapping) = self.mappings.pop() {
            // What matters is the error that led here.
            let _ = mapping.end(&self.stream);
        }
    }
}

impl fmt::Debug for Binding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binding").field("stream", &*self.stream).finish_non_exhaustive()
    }
}

macro_rules! host_slices {
    ($([$($extra:tt)*] $host:ty),*) => { $(
        // SAFETY: a copy, or memory that is borrowed until the launch returns, which waits for the kernel.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> Argument<&'a [T]> for &'a $host {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                binding.map(self.as_ptr().cast_mut(), self.len(), ffi::MAP_TO)
            }
        }

        // SAFETY: as above, and alone.
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
    )* };
}
host_slices!([] [T], [] Vec<T>, [const N: usize] [T; N]);

// SAFETY: as above.
unsafe impl<'a, T: DeviceCopy, const N: usize> Argument<DisjointChunks<'a, T, N>> for &'a mut [T] {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        binding.map_mut(self)
    }
}

/// The device's side of a guard: memory as a buffer's, which the table of what is mapped owns.
struct Side<T: DeviceCopy> {
    buffer: ManuallyDrop<DeviceBuffer<T>>,
    mapping: Mapping,
}

impl<T: DeviceCopy> Side<T> {
    fn begin(device: &Device, host: *mut T, len: usize, flags: u32) -> Result<Self> {
        let stream = device.default_stream();
        let (mapping, address) = Mapping::begin(&stream, host, len, flags)?;
        let side = Side { buffer: ManuallyDrop::new(DeviceBuffer::from_mapped(address, len, device)), mapping };
        // The copy may still be on its way: other streams wait for it.
        side.buffer.memory().write_in(&stream)?;
        Ok(side)
    }

    /// The default stream, when what other streams do with the memory is over.
    fn stream(&self) -> Result<Stream> {
        let stream = self.buffer.device().default_stream();
        self.buffer.settle_in(&stream)?;
        Ok(stream)
    }

    fn update(&self, update: Update) -> Result<()> {
        let stream = self.stream()?;
        // SAFETY: mapped, and not ended yet; the guard has the host's memory borrowed.
        Error::check(unsafe { update(stream.device().raw(), stream.raw(), self.mapping.host, self.mapping.bytes) })
    }

    /// Ends the mapping; to be called once.
    fn end(&mut self) -> Result<()> {
        let waited = self.stream().and_then(|stream| stream.synchronize());
        let ended = self.mapping.end(&self.buffer.device().default_stream());
        // SAFETY: called once, and the guard is used no more; what is left are the device and its stream.
        drop(unsafe { ManuallyDrop::take(&mut self.buffer) });
        waited.and(ended)
    }
}

type Update = unsafe extern "C" fn(*mut ffi::RawDevice, *mut ffi::RawStream, *mut c_void, usize) -> core::ffi::c_int;

/// A slice of the host that is on a device as well, for kernels to read, until the guard is dropped:
/// [`Device::map`]. `&guard` is the argument for a `&[T]` parameter, in as many launches as there are; it is copied
/// once.
///
/// See the example of [`Device::map`].
pub struct Mapped<'a, T: DeviceCopy> {
    side: Side<T>,
    host: PhantomData<&'a [T]>,
}

// SAFETY: addresses; the runtime's calls may come from any thread.
unsafe impl<T: DeviceCopy + Sync> Send for Mapped<'_, T> {}
// SAFETY: what is shared is only read.
unsafe impl<T: DeviceCopy + Sync> Sync for Mapped<'_, T> {}

/// A slice of the host that is on a device as well, for kernels to change, until the guard is dropped and copies it back:
/// [`Device::map_mut`]. `&mut guard` is the argument for a `DisjointSlice<T>` parameter, `&guard` for `&[T]`.
///
/// Meanwhile the host sees its own elements only through the guard. They are what the last [`update_host`] or
/// [`update_device`] left; on the `cpu`, whose kernels work in the host's memory, they may be newer.
///
/// [`update_host`]: Self::update_host
/// [`update_device`]: Self::update_device
///
/// See the example of [`Device::map`].
pub struct MappedMut<'a, T: DeviceCopy> {
    side: Side<T>,
    host: PhantomData<&'a mut [T]>,
}

// SAFETY: addresses; the runtime's calls may come from any thread.
unsafe impl<T: DeviceCopy + Send> Send for MappedMut<'_, T> {}
// SAFETY: what is shared is only read.
unsafe impl<T: DeviceCopy + Sync> Sync for MappedMut<'_, T> {}

impl Device {
    /// Copies `elements` to the device, where they stay until the guard is dropped.
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
    /// [`Error::NoMemory`], and [`Error::Failed`] when the driver does.
    pub fn map<'a, T: DeviceCopy>(&self, elements: &'a [T]) -> Result<Mapped<'a, T>> {
        let side = Side::begin(self, elements.as_ptr().cast_mut(), elements.len(), ffi::MAP_TO)?;
        Ok(Mapped { side, host: PhantomData })
    }

    /// Copies `elements` to the device, where kernels may change them, and back when the guard is dropped. Elements that
    /// are `MaybeUninit` are only copied back.
    ///
    /// ```
    /// let mut values = [1, 2, 3];
    /// let device = offload::Device::new()?;
    /// let there = device.map_mut(&mut values)?; // for `&mut there` in launches
    /// there.unmap()?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`map`](Self::map).
    pub fn map_mut<'a, T: DeviceCopy>(&self, elements: &'a mut [T]) -> Result<MappedMut<'a, T>> {
        let side = Side::begin(self, elements.as_mut_ptr(), elements.len(), both_ways::<T>())?;
        Ok(MappedMut { side, host: PhantomData })
    }
}

impl<T: DeviceCopy> MappedMut<'_, T> {
    /// Copies the elements from the device, and shows them.
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
    /// What became of earlier work with them, a kernel's panic among it.
    pub fn update_host(&mut self) -> Result<&[T]> {
        self.side.update(ffi::offloadrt_update_from)?;
        self.side.stream()?.synchronize()?;
        // SAFETY: borrowed for the guard, which is borrowed now; no kernel is at it.
        Ok(unsafe { core::slice::from_raw_parts(self.side.mapping.host.cast(), self.side.buffer.len()) })
    }

    /// Lets the host change its elements, and copies all of them to the device. When kernels have changed them since,
    /// call [`update_host`](Self::update_host) first.
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
    /// What became of earlier work with them, and [`Error::Failed`] when the driver does.
    pub fn update_device(&mut self, change: impl FnOnce(&mut [T])) -> Result<()> {
        self.side.stream()?.synchronize()?;
        // SAFETY: borrowed mutably for the guard, which is borrowed so now; no kernel is at it.
        change(unsafe { core::slice::from_raw_parts_mut(self.side.mapping.host.cast(), self.side.buffer.len()) });
        self.side.update(update_to)
    }

    /// The device's side, alone: what must never be swapped with another buffer.
    pub(crate) fn buffer(&mut self) -> &mut DeviceBuffer<T> {
        &mut self.side.buffer
    }

    /// The elements as rows of `columns`, for a `DisjointRows<T>` parameter.
    ///
    /// See the example of [`DeviceBuffer::rows`].
    ///
    /// # Panics
    ///
    /// When `columns` is 0.
    pub fn rows(&mut self, columns: usize) -> Rows<'_, T> {
        self.side.buffer.rows(columns)
    }

    /// Drops the guard, and says what dropping it keeps to itself: what became of the kernels, and of the copy back.
    ///
    /// See the example of [`Device::map`].
    ///
    /// # Errors
    ///
    /// As [`update_host`](Self::update_host).
    pub fn unmap(self) -> Result<()> {
        ManuallyDrop::new(self).side.end()
    }
}

/// `offloadrt_update_to` takes a pointer to what it does not change.
unsafe extern "C" fn update_to(
    device: *mut ffi::RawDevice,
    stream: *mut ffi::RawStream,
    host: *mut c_void,
    bytes: usize,
) -> core::ffi::c_int {
    // SAFETY: the caller's promise.
    unsafe { ffi::offloadrt_update_to(device, stream, host, bytes) }
}

macro_rules! guards {
    ($($guard:ident)*) => { $(
        impl<T: DeviceCopy> Drop for $guard<'_, T> {
            fn drop(&mut self) {
                // What became of the work is told to whoever waits for its stream next.
                let _ = self.side.end();
            }
        }

        /// The device's side, for copies and its address.
        impl<T: DeviceCopy> Deref for $guard<'_, T> {
            type Target = DeviceBuffer<T>;

            fn deref(&self) -> &DeviceBuffer<T> {
                &self.side.buffer
            }
        }

        // SAFETY: the buffer is.
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

// SAFETY: the buffer is.
unsafe impl<'a, T: DeviceCopy> Argument<DisjointSlice<'a, T>> for &'a mut MappedMut<'_, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        Argument::<DisjointSlice<'a, T>>::bind(self.buffer(), binding)
    }
}

// SAFETY: the buffer is.
unsafe impl<'a, T: DeviceCopy> Argument<DisjointBlocks<'a, T>> for &'a mut MappedMut<'_, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        Argument::<DisjointBlocks<'a, T>>::bind(self.buffer(), binding)
    }
}

// SAFETY: the buffer is.
unsafe impl<'a, T: DeviceCopy, const N: usize> Argument<DisjointChunks<'a, T, N>> for &'a mut MappedMut<'_, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        Argument::<DisjointChunks<'a, T, N>>::bind(self.buffer(), binding)
    }
}
