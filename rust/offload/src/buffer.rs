//! Memory on a device, owned and typed.

use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::{fmt, ptr};
use std::sync::{Mutex, PoisonError};
use std::vec::Vec;
use std::{format, vec};

use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::ffi;
use crate::param::DeviceCopy;
use crate::slice::RawSlice;

/// `len` elements of `T` in a device's memory; given back when dropped.
///
/// A kernel gets it shared (`&buffer`, a `&[T]` parameter) or alone (`&mut buffer`, a `DisjointSlice<T>`). It may be
/// used in several streams of its device: a launch or copy waits for the stream that used it last.
pub struct DeviceBuffer<T: DeviceCopy> {
    address: *mut T,
    len: usize,
    device: Device,
    /// The stream that used it last, unless that work is known to be over.
    last: Mutex<Option<Stream>>,
}

// SAFETY: an address on the device; the runtime's calls may come from any thread.
unsafe impl<T: DeviceCopy> Send for DeviceBuffer<T> {}
// SAFETY: what is shared is only read.
unsafe impl<T: DeviceCopy> Sync for DeviceBuffer<T> {}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// Memory for `len` elements.
    fn allocate(device: &Device, len: usize) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes.ok_or_else(|| Error::NoMemory(format!("{len} elements are more than any memory holds")))?;
        let mut address = ptr::null_mut();
        // SAFETY: an open device and a place for the answer.
        Error::check(unsafe { ffi::offloadrt_allocate(device.raw(), bytes, &mut address) })?;
        Ok(DeviceBuffer { address: address.cast(), len, device: device.clone(), last: Mutex::new(None) })
    }

    /// Memory that somebody else owns; not to be dropped, but turned [`into_device`](Self::into_device).
    pub(crate) fn from_mapped(address: *mut T, len: usize, device: &Device) -> Self {
        DeviceBuffer { address, len, device: device.clone(), last: Mutex::new(None) }
    }

    /// What is left of a buffer whose memory is not its own.
    pub(crate) fn into_device(self) -> Device {
        let this = ManuallyDrop::new(self);
        // SAFETY: each field that has something to drop is moved out once, and `this` is never used again.
        unsafe {
            drop(ptr::read(&this.last));
            ptr::read(&this.device)
        }
    }

    /// A copy of `elements` on the stream's device.
    ///
    /// # Errors
    ///
    /// [`Error::NoMemory`], and [`Error::Failed`] when the driver does.
    pub fn from_host(stream: &Stream, elements: &[T]) -> Result<Self> {
        let mut buffer = Self::allocate(stream.device(), elements.len())?;
        buffer.copy_from_host(stream, elements)?;
        Ok(buffer)
    }

    /// `len` elements whose bytes are all 0.
    ///
    /// # Errors
    ///
    /// As [`from_host`](Self::from_host).
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        Self::from_host(stream, &vec![T::ZERO; len])
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device whose memory it is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Copies `elements` over the buffer's.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when there are more or fewer than [`len`](Self::len).
    pub fn copy_from_host(&mut self, stream: &Stream, elements: &[T]) -> Result<()> {
        self.check_len(elements.len())?;
        self.use_in(stream)?;
        let from = elements.as_ptr().cast::<c_void>();
        // SAFETY: both are as long as said; `use_in` has found that the stream is one of the buffer's device.
        Error::check(unsafe {
            ffi::offloadrt_copy_to_device(
                self.device.raw(),
                stream.raw(),
                self.address.cast(),
                from,
                size_of_val(elements),
            )
        })
    }

    /// Copies the buffer's elements over `elements`; what the stream was given before is then done.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when there are more or fewer than [`len`](Self::len), and what became of earlier work.
    pub fn copy_to_host(&self, stream: &Stream, elements: &mut [T]) -> Result<()> {
        self.check_len(elements.len())?;
        // SAFETY: as many elements as the buffer has.
        unsafe { self.read(stream, elements.as_mut_ptr()) }
    }

    /// The elements, copied to the host.
    ///
    /// # Errors
    ///
    /// What became of earlier work in the stream.
    pub fn to_host_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let mut elements = Vec::<T>::with_capacity(self.len);
        // SAFETY: memory for as many elements, which are there once they are copied.
        unsafe {
            self.read(stream, elements.as_mut_ptr())?;
            elements.set_len(self.len);
        }
        Ok(elements)
    }

    /// # Safety
    ///
    /// `to` must be memory for [`len`](Self::len) elements.
    unsafe fn read(&self, stream: &Stream, to: *mut T) -> Result<()> {
        self.use_in(stream)?;
        let (from, bytes) = (self.address.cast(), self.len * size_of::<T>());
        // SAFETY: both are as long as said; every element was copied here as a `T`, or written as one by a kernel.
        Error::check(unsafe { ffi::offloadrt_copy_to_host(self.device.raw(), stream.raw(), to.cast(), from, bytes) })?;
        stream.synchronize()
    }

    /// The buffer as rows of `columns` elements, for a `DisjointRows<T>` parameter. Panics when `columns` is 0.
    pub fn rows(&mut self, columns: usize) -> Rows<'_, T> {
        assert!(columns != 0, "rows without columns");
        Rows { buffer: self, columns }
    }

    /// The address and length, for kernels that answer for themselves. It keeps nothing alive.
    pub fn as_raw(&self) -> RawSlice<T> {
        RawSlice::new(self.address, self.len)
    }

    fn check_len(&self, len: usize) -> Result<()> {
        if len == self.len {
            return Ok(());
        }
        Err(Error::Invalid(format!("a buffer of {} elements cannot be copied to or from {len}", self.len)))
    }

    /// Before the buffer is used in a stream: work that other streams do on it is over.
    pub(crate) fn use_in(&self, stream: &Stream) -> Result<()> {
        if !self.device.is(stream.device()) {
            let (mine, its) = (self.device.name(), stream.device().name());
            return Err(Error::OtherDevice(format!("a buffer in the memory of `{mine}` is used on `{its}`")));
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = last.replace(stream.clone()).filter(|other| !other.is(stream)) {
            other.synchronize()?;
        }
        Ok(())
    }
}

impl<T: DeviceCopy> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if let Some(stream) = self.last.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            // What became of that work is told to whoever waits for the stream next.
            let _ = stream.synchronize();
        }
        // SAFETY: allocated by us, on this device, and nobody uses it any more.
        let _ = unsafe { ffi::offloadrt_free(self.device.raw(), self.address.cast()) };
    }
}

impl<T: DeviceCopy> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer").field("len", &self.len).field("device", &self.device).finish_non_exhaustive()
    }
}

/// A buffer as rows; see [`DeviceBuffer::rows`].
#[derive(Debug)]
pub struct Rows<'a, T: DeviceCopy> {
    pub(crate) buffer: &'a mut DeviceBuffer<T>,
    pub(crate) columns: usize,
}

/// A [`DeviceCopy`] value for which all bytes 0 are a value.
///
/// # Safety
///
/// They must be.
pub unsafe trait Zeroable: DeviceCopy {
    /// That value.
    // SAFETY: the trait's promise.
    const ZERO: Self = unsafe { core::mem::zeroed() };
}

macro_rules! zeroable {
    ($($ty:ty)*) => { $(
        // SAFETY: a number.
        unsafe impl Zeroable for $ty {}
    )* };
}
zeroable!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char);

// SAFETY: elements beside each other.
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}
