//! A piece of memory that the runtime gave, of whatever kind, and the stream that used it last. The buffers are made of it.

use core::ptr;
use std::format;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::device::{Device, Stream};
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
    address: *mut T,
    len: usize,
    device: Device,
    kind: Kind,
    /// The stream that used it last, unless that work is known to be over.
    last: Mutex<Option<Stream>>,
}

impl<T: DeviceCopy> Memory<T> {
    pub(crate) fn allocate(device: &Device, kind: Kind, len: usize) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes.ok_or_else(|| Error::NoMemory(format!("{len} elements are more than any memory holds")))?;
        let call = match kind {
            Kind::Device | Kind::Borrowed => ffi::offloadrt_allocate,
            Kind::Host => ffi::offloadrt_allocate_host,
            Kind::Unified => ffi::offloadrt_allocate_unified,
        };
        let mut address = ptr::null_mut();
        // SAFETY: an open device and a place for the answer.
        Error::check(unsafe { call(device.raw(), bytes, &mut address) })?;
        let memory = Memory::<T> { address: address.cast(), len, device: device.clone(), kind, last: Mutex::new(None) };
        if !memory.address.is_aligned() {
            let (name, align) = (device.name(), align_of::<T>());
            return Err(Error::Unsupported(format!(
                "memory of `{name}` is not aligned to {align}, as the type must be"
            )));
        }
        Ok(memory)
    }

    /// Memory that is not given back.
    pub(crate) fn borrowed(address: *mut T, len: usize, device: &Device) -> Self {
        Memory { address, len, device: device.clone(), kind: Kind::Borrowed, last: Mutex::new(None) }
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

    fn last(&self) -> MutexGuard<'_, Option<Stream>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Before the memory is used in a stream: what other streams do with it comes first.
    pub(crate) fn use_in(&self, stream: &Stream) -> Result<()> {
        if self.kind != Kind::Host && !self.device.is(stream.device()) {
            let (mine, its) = (self.device.name(), stream.device().name());
            let again = if mine == its { ", which was opened once more: clone its `Device` instead" } else { "" };
            let text = format!("a buffer in the memory of `{mine}` is used on `{its}`{again}");
            return Err(Error::OtherDevice(text));
        }
        let mut last = self.last();
        match &*last {
            Some(other) if other.is(stream) => return Ok(()),
            Some(other) if other.device().is(stream.device()) => stream.wait(&other.record()?)?,
            Some(other) => other.record()?.synchronize()?,
            None => {}
        }
        *last = Some(stream.clone());
        Ok(())
    }

    /// The same, when what became of the work in other streams is to be told.
    pub(crate) fn settle_in(&self, stream: &Stream) -> Result<()> {
        let other = self.last().take();
        if let Some(other) = other.filter(|other| !other.is(stream)) {
            other.synchronize()?;
        }
        self.use_in(stream)
    }

    /// Waits until nothing uses the memory. What became of that work is told to who waits for the stream.
    pub(crate) fn finish(&self) -> Result<()> {
        let mut last = self.last();
        if let Some(stream) = &*last {
            stream.record()?.synchronize()?;
        }
        *last = None;
        Ok(())
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
        let _ = unsafe { call(self.device.raw(), self.address.cast()) };
    }
}
