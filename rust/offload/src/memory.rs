//! A piece of memory that the runtime gave, of whatever kind, and the streams that use it. The buffers are made of it.

use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr;
use std::format;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::device::{Device, Stream, Submission};
use crate::error::{Error, Result};
use crate::ffi;
use crate::param::DeviceCopy;
use crate::slice::RawSlice;

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Device,
    /// The host's, for copies.
    Host,
    /// Kernels and the host reach it.
    Unified,
    /// A device's that somebody else owns.
    Borrowed,
}

/// `len` elements; given back when dropped, once nothing uses them any more.
pub(crate) struct Memory<T: DeviceCopy> {
    /// What the runtime gave, and takes back.
    base: *mut c_void,
    /// The first place in it that is aligned for a `T`.
    address: *mut T,
    len: usize,
    device: Device,
    kind: Kind,
    uses: Mutex<Uses>,
}

/// The streams whose work may still use the memory.
#[derive(Default)]
struct Uses {
    /// The one that had it alone last.
    writer: Option<Stream>,
    /// Those that read what that one wrote. They are as many as read at once, for threads that share a buffer submit side by
    /// side: what one has noted here, another must not take for submitted.
    readers: Vec<Stream>,
}

/// What every driver's memory is aligned to at least, in bytes: libomptarget's on the host is `malloc`'s.
const ALIGNED: usize = 16;

/// More readers than this are looked at for such as are done.
const MANY_READERS: usize = 8;

impl Uses {
    /// Work in `stream` from here on comes after what `other` was given.
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
            // A place that cannot be asked for stays.
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

    /// Waits for the writer, who counts as a reader then: it may be that too.
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

impl<T: DeviceCopy> Memory<T> {
    pub(crate) fn allocate(device: &Device, kind: Kind, len: usize) -> Result<Self> {
        // Every driver's memory is aligned for numbers; what is aligned to more finds its place in a larger piece.
        let more = if align_of::<T>() > ALIGNED { align_of::<T>() } else { 0 };
        let bytes = len.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(more));
        let bytes = bytes.ok_or_else(|| Error::NoMemory(format!("{len} elements are more than any memory holds")))?;
        let call = match kind {
            Kind::Device | Kind::Borrowed => ffi::offloadrt_allocate,
            Kind::Host => ffi::offloadrt_allocate_host,
            Kind::Unified => ffi::offloadrt_allocate_unified,
        };
        let mut base = ptr::null_mut();
        // SAFETY: an open device and a place for the answer.
        Error::check(unsafe { call(device.raw(), bytes, &mut base) })?;
        let address = base.map_addr(|address| address.next_multiple_of(align_of::<T>())).cast();
        Ok(Memory { base, address, len, device: device.clone(), kind, uses: Mutex::default() })
    }

    /// Memory that is not given back.
    pub(crate) fn borrowed(address: *mut T, len: usize, device: &Device) -> Self {
        Memory {
            base: address.cast(),
            address,
            len,
            device: device.clone(),
            kind: Kind::Borrowed,
            uses: Mutex::default(),
        }
    }

    /// The same memory as `len` elements of another type.
    ///
    /// # Safety
    ///
    /// They must take as many bytes, be aligned to no more, and what is there must be of their type.
    pub(crate) unsafe fn reshape<U: DeviceCopy>(self, len: usize) -> Memory<U> {
        let old = ManuallyDrop::new(self);
        // SAFETY: each is taken out once, as the old one is not dropped.
        let (device, uses) = unsafe { (ptr::read(&old.device), ptr::read(&old.uses)) };
        Memory { base: old.base, address: old.address.cast(), len, device, kind: old.kind, uses }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    pub(crate) fn address(&self) -> *mut T {
        self.address
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn as_raw(&self) -> RawSlice<T> {
        RawSlice::new(self.address, self.len)
    }

    pub(crate) fn check_len(&self, len: usize) -> Result<()> {
        if len == self.len {
            return Ok(());
        }
        Err(Error::Invalid(format!("a buffer of {} elements cannot be copied to or from {len}", self.len)))
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

    /// Before work that reads the memory is submitted to a stream: what others write there comes first. The buffer is
    /// shared, so that other threads may do the same at the same time.
    pub(crate) fn read_in(&self, submission: &Submission<'_>) -> Result<()> {
        self.check_device(submission)?;
        self.uses().read_in(submission)
    }

    /// Before work that has the memory alone is submitted to a stream: what others do with it comes first. The buffer is
    /// borrowed alone, so that all of that was submitted.
    pub(crate) fn write_in(&self, stream: &Stream) -> Result<()> {
        self.check_device(stream)?;
        self.uses().write_in(stream)
    }

    /// The same, when what became of the work in other streams is to be told.
    pub(crate) fn settle_in(&self, stream: &Stream) -> Result<()> {
        let uses = core::mem::take(&mut *self.uses());
        let others = uses.writer.iter().chain(&uses.readers).filter(|other| !other.is(stream));
        // Every one is waited for, whatever became of the one before.
        let mut told = Ok(());
        for other in others {
            told = told.and(other.synchronize());
        }
        told.and(self.write_in(stream))
    }

    /// Waits until nothing writes to the memory. What became of that work is told to who waits for the stream.
    pub(crate) fn finish_writing(&self) -> Result<()> {
        self.uses().finish_writing()
    }

    /// Waits until nothing uses the memory, which is borrowed alone.
    pub(crate) fn finish(&self) -> Result<()> {
        self.uses().finish()
    }
}

impl<T: DeviceCopy> Drop for Memory<T> {
    fn drop(&mut self) {
        if self.kind == Kind::Borrowed || self.finish().is_err() {
            // The driver is lost: better memory that is not given back than memory that is used when it is another's.
            return;
        }
        let call = match self.kind {
            Kind::Device | Kind::Borrowed => ffi::offloadrt_free,
            Kind::Host => ffi::offloadrt_free_host,
            Kind::Unified => ffi::offloadrt_free_unified,
        };
        // SAFETY: allocated by us, on this device, of this kind, and nobody uses it any more.
        let _ = unsafe { call(self.device.raw(), self.base) };
    }
}
