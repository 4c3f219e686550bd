//! An allocation of the runtime, of any kind, and the streams that use it. The types of buffers are built on it.
//!
//! Each allocation records the last stream that wrote it and the streams that have read it since. Work in another
//! stream waits for them on the device, so that buffers behave like values that are borrowed and changed in program
//! order.

use core::ffi::c_void;
use core::ops::Deref;
use core::ptr;
use std::boxed::Box;
use std::format;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::device::{Device, Stream, Submission};
use crate::device_copy::DeviceCopy;
use crate::error::{Error, Result};
use crate::ffi;
use crate::slice::RawSlice;

/// The kind of the memory, which says how it is freed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Device,
    /// Memory of the host, for copies.
    Host,
    /// Memory that kernels and the host access.
    Unified,
    /// Memory of a device that something else owns and keeps for long enough.
    Borrowed,
    /// Memory of a device that belongs to the owner that the allocation has.
    Owned,
}

/// Memory of `len` elements.
pub(crate) struct Memory<T> {
    allocation: Allocation,
    /// The first address in the allocation that is aligned for a `T`.
    address: *mut T,
    len: usize,
}

/// The bytes of a memory, whatever its elements are: parts of a buffer may have elements of another type. Dropping it
/// waits until nothing uses the memory, and frees it.
pub(crate) struct Allocation {
    /// The address that the runtime returned, and that it frees.
    base: *mut c_void,
    device: Device,
    kind: Kind,
    uses: Mutex<Uses>,
    /// Whatever frees the memory if the runtime does not. It is dropped when nothing uses the memory any more.
    owner: Option<Box<dyn Send + Sync>>,
}

/// The streams whose work may still use the memory.
#[derive(Default)]
struct Uses {
    /// The last stream that wrote the memory.
    writer: Option<Stream>,
    /// The streams that have read the memory since then. Threads that share a buffer may submit reads at the same time,
    /// so a stream recorded here may not have submitted its read yet.
    readers: Vec<Stream>,
}

/// The alignment in bytes that the memory of every driver has at least. On the host, libomptarget uses `malloc`.
const ALIGNED: usize = 16;

/// From this number of readers on, readers whose work is complete are removed.
const MANY_READERS: usize = 8;

impl Uses {
    /// Makes later work in `stream` run after all work that was submitted to `other`.
    fn order(stream: &Stream, other: &Stream) -> Result<()> {
        if other.is(stream) {
            Ok(())
        } else if other.device().is(stream.device()) {
            stream.wait(&other.record()?)
        } else {
            other.record()?.synchronize()
        }
    }

    fn read_in(&mut self, stream: &Stream) -> Result<()> {
        let known = self.writer.iter().chain(&self.readers).any(|other| other.is(stream));
        if known {
            return Ok(());
        }
        if let Some(writer) = &self.writer {
            Self::order(stream, writer)?;
        }
        if self.readers.len() >= MANY_READERS {
            // A reader whose event cannot be recorded or queried stays.
            let over = |reader: &Stream| {
                !reader.is_submitting() && reader.record().is_ok_and(|at| at.is_complete() == Ok(true))
            };
            self.readers.retain(|reader| !over(reader));
        }
        self.readers.push(stream.clone());
        Ok(())
    }

    fn write_in(&mut self, stream: &Stream) -> Result<()> {
        for other in self.writer.iter().chain(&self.readers) {
            Self::order(stream, other)?;
        }
        *self = Uses { writer: Some(stream.clone()), readers: Vec::new() };
        Ok(())
    }

    /// Waits for the writer. It then counts as a reader, because it may have submitted reads, too.
    fn finish_writing(&mut self) -> Result<()> {
        if let Some(writer) = &self.writer {
            writer.record()?.synchronize()?;
            self.readers.extend(self.writer.take());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        for stream in self.writer.iter().chain(&self.readers) {
            stream.record()?.synchronize()?;
        }
        *self = Uses::default();
        Ok(())
    }
}

impl<T> Memory<T> {
    pub(crate) fn allocate(device: &Device, kind: Kind, len: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        // The memory of every driver is aligned for numbers. A type with a larger alignment gets a larger allocation,
        // which contains an aligned address.
        let more = if align_of::<T>() > ALIGNED { align_of::<T>() } else { 0 };
        let bytes = len.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(more));
        let bytes = bytes.ok_or_else(|| Error::NoMemory(format!("{len} elements do not fit in any memory")))?;
        let call = match kind {
            Kind::Device | Kind::Borrowed | Kind::Owned => ffi::offloadrt_allocate,
            Kind::Host => ffi::offloadrt_allocate_host,
            Kind::Unified => ffi::offloadrt_allocate_unified,
        };
        let mut base = ptr::null_mut();
        // SAFETY: the device is open, and `base` takes the result.
        Error::check(unsafe { call(device.raw(), bytes, &mut base) })?;
        let address = base.map_addr(|address| address.next_multiple_of(align_of::<T>())).cast();
        Ok(Memory { allocation: Allocation::new(base, kind, device), address, len })
    }

    /// Memory that is not freed.
    pub(crate) fn borrowed(address: *mut T, len: usize, device: &Device) -> Self {
        Memory { allocation: Allocation::new(address.cast(), Kind::Borrowed, device), address, len }
    }

    /// Memory that dropping `owner` frees.
    pub(crate) fn of_owner(address: *mut T, len: usize, device: &Device, owner: Box<dyn Send + Sync>) -> Self {
        let mut allocation = Allocation::new(address.cast(), Kind::Owned, device);
        allocation.owner = Some(owner);
        Memory { allocation, address, len }
    }

    /// Memory of the runtime, which [`into_raw`](Self::into_raw) has returned.
    pub(crate) fn from_raw(address: *mut T, len: usize, device: &Device) -> Self {
        const { assert!(align_of::<T>() <= ALIGNED, "the memory of such a type begins at another address") };
        Memory { allocation: Allocation::new(address.cast(), Kind::Device, device), address, len }
    }

    /// Waits until nothing uses the memory, and returns its address. Nothing frees it then.
    pub(crate) fn into_raw(mut self) -> Result<*mut T> {
        const { assert!(align_of::<T>() <= ALIGNED, "the memory of such a type begins at another address") };
        if self.allocation.kind != Kind::Device {
            return Err(Error::Invalid("the buffer does not own its memory".into()));
        }
        self.finish()?;
        self.allocation.kind = Kind::Borrowed;
        Ok(self.address)
    }

    /// Returns the same memory as `len` elements of another type.
    ///
    /// # Safety
    ///
    /// The elements must have the same total size and no larger alignment, and the bytes must be valid for their type.
    pub(crate) unsafe fn reshape<U>(self, len: usize) -> Memory<U> {
        Memory { allocation: self.allocation, address: self.address.cast(), len }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn address(&self) -> *mut T {
        self.address
    }

    pub(crate) fn allocation(&self) -> &Allocation {
        &self.allocation
    }

    pub(crate) fn as_raw(&self) -> RawSlice<T> {
        RawSlice::new(self.address, self.len)
    }
}

impl<T> Deref for Memory<T> {
    type Target = Allocation;

    fn deref(&self) -> &Allocation {
        &self.allocation
    }
}

impl Allocation {
    fn new(base: *mut c_void, kind: Kind, device: &Device) -> Self {
        Allocation { base, device: device.clone(), kind, uses: Mutex::default(), owner: None }
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_device(&self, stream: &Stream) -> Result<()> {
        if self.kind == Kind::Host || self.device.is(stream.device()) {
            return Ok(());
        }
        let (mine, its) = (self.device.name(), stream.device().name());
        let again = if mine == its { ", which was opened once more: clone its `Device` instead" } else { "" };
        Err(Error::OtherDevice(format!("a buffer in the memory of `{mine}` is used on `{its}`{again}")))
    }

    /// Prepares a stream for work that reads the memory: writes by other streams come first. The buffer is shared, so
    /// other threads may call this at the same time.
    pub(crate) fn read_in(&self, submission: &Submission<'_>) -> Result<()> {
        self.check_device(submission)?;
        self.uses().read_in(submission)
    }

    /// Prepares a stream for work that uses the memory exclusively: uses by other streams come first. The buffer is
    /// borrowed exclusively, so all of those have been submitted.
    pub(crate) fn write_in(&self, stream: &Stream) -> Result<()> {
        self.check_device(stream)?;
        self.uses().write_in(stream)
    }

    /// Like [`write_in`](Self::write_in), but waits for the other streams on the host and returns their errors.
    pub(crate) fn wait_for_others(&self, stream: &Stream) -> Result<()> {
        let uses = core::mem::take(&mut *self.uses());
        let others = uses.writer.iter().chain(&uses.readers).filter(|other| !other.is(stream));
        // Wait for every stream, even after an error.
        let mut result = Ok(());
        for other in others {
            result = result.and(other.synchronize());
        }
        result.and(self.write_in(stream))
    }

    /// Waits until nothing writes the memory. Errors of that work are reported by the next call that waits for its
    /// stream.
    pub(crate) fn finish_writing(&self) -> Result<()> {
        self.uses().finish_writing()
    }

    /// Waits until nothing uses the memory. The caller has borrowed it exclusively.
    pub(crate) fn finish(&self) -> Result<()> {
        self.uses().finish()
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.kind == Kind::Borrowed {
            return;
        }
        if self.finish().is_err() {
            // If the driver fails, leak the memory: work that uses it may still run.
            core::mem::forget(self.owner.take());
            return;
        }
        let call = match self.kind {
            Kind::Device => ffi::offloadrt_free,
            Kind::Host => ffi::offloadrt_free_host,
            Kind::Unified => ffi::offloadrt_free_unified,
            // The fields are dropped next, and with them the owner.
            Kind::Borrowed | Kind::Owned => return,
        };
        // SAFETY: the runtime allocated it, on this device and of this kind, and nothing uses it any more.
        let _ = unsafe { call(self.device.raw(), self.base) };
    }
}
