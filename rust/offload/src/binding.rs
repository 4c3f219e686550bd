//! The arguments of one launch while it is submitted, and mappings of host memory. The runtime keeps a table of the
//! mapped memory with reference counts, as OpenMP does. With `--runtime=omptarget`, this is libomptarget's own table.

use core::ffi::c_void;
use core::ops::Deref;
use core::{fmt, ptr};
use std::format;
use std::vec::Vec;

use crate::device::{Stream, Submission};
use crate::device_copy::DeviceCopy;
use crate::error::{Error, Result};
use crate::ffi;
use crate::slice::RawSlice;

/// Bytes of host memory that are mapped once. The code that begins a mapping must end it.
pub(crate) struct Mapping {
    pub(crate) host: *mut c_void,
    pub(crate) bytes: usize,
    flags: u32,
}

impl Mapping {
    /// Always copies the bytes, even if some of them are already on the device: a leaked guard leaves its bytes there,
    /// and its host memory may belong to another value by now.
    pub(crate) fn begin<T>(stream: &Stream, host: *mut T, len: usize, flags: u32) -> Result<(Self, *mut T)> {
        let (host, bytes, flags) = (host.cast(), len * size_of::<T>(), flags | ffi::MAP_ALWAYS);
        let mut address = ptr::null_mut();
        // SAFETY: the device is open, the stream belongs to it, and the caller has borrowed the slice.
        Error::check(unsafe {
            ffi::offloadrt_map(stream.device().raw(), stream.raw(), host, bytes, flags, &mut address)
        })?;
        let (mapping, address) = (Mapping { host, bytes, flags }, address.cast::<T>());
        // If the bytes lie within an earlier mapping, their address may have any alignment. Memory of the driver is
        // aligned for numbers only.
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

    /// Copies the bytes back if the device may have changed them, after the work of the stream.
    pub(crate) fn end(&self, stream: &Stream) -> Result<()> {
        let (device, stream) = (stream.device().raw(), stream.raw());
        // SAFETY: the mapping began on this device and has not ended, and the host's memory is still borrowed.
        Error::check(unsafe { ffi::offloadrt_unmap(device, stream, self.host, self.bytes, self.flags) })
    }
}

/// The copies for a slice of `T` that a kernel accesses exclusively: to the device and back, or only back.
pub(crate) fn both_ways<T: DeviceCopy>() -> u32 {
    if T::UNREAD { ffi::MAP_FROM } else { ffi::MAP_TO | ffi::MAP_FROM }
}

/// The launch that arguments are bound for: its stream, and the host memory that is mapped until the kernel has ended.
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

    /// The submission for the records in buffers. It ends when the launch has been submitted.
    pub(crate) fn submission(&self) -> &Submission<'s> {
        &self.stream
    }

    pub(crate) fn map<T>(&mut self, host: *mut T, len: usize, flags: u32) -> Result<RawSlice<T>> {
        let (mapping, address) = Mapping::begin(&self.stream, host, len, flags)?;
        self.mappings.push(mapping);
        Ok(RawSlice::new(address, len))
    }

    /// Maps memory for a parameter that accesses it exclusively.
    pub(crate) fn map_mut<T: DeviceCopy>(&mut self, host: &mut [T]) -> Result<RawSlice<T>> {
        self.map(host.as_mut_ptr(), host.len(), both_ways::<T>())
    }

    /// Finishes a launch. If host memory is among the arguments, this waits for the kernel and copies back the values
    /// that it wrote, even if the kernel failed.
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

/// Ends the mappings of a launch that failed before it began.
impl Drop for Binding<'_> {
    fn drop(&mut self) {
        while let Some(mapping) = self.mappings.pop() {
            // The launch reports the error that led here.
            let _ = mapping.end(&self.stream);
        }
    }
}

impl fmt::Debug for Binding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Binding").field("stream", &*self.stream).finish_non_exhaustive()
    }
}
