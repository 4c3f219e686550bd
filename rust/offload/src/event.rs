//! Events: places in a stream's work, to wait for and to take times between.

use core::{fmt, ptr};
use std::time::Duration;

use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::ffi::{self, RawEvent};

/// A place in a stream's work.
///
/// Waiting for an event tells nothing of a kernel's panic; waiting for the stream does.
///
/// ```
/// # use offload::{Device, DeviceBuffer};
/// # fn main() -> offload::Result<()> {
/// let device = Device::new()?;
/// let (work, copies) = (device.new_stream()?, device.new_stream()?);
///
/// let begin = work.record()?;
/// let numbers = DeviceBuffer::<f32>::zeroed(&work, 1 << 20)?;
/// let end = work.record()?;
///
/// copies.wait(&end)?; // what `copies` is given from here on comes after it
/// println!("it took {:?}", end.elapsed_since(&begin)?);
/// # Ok(())
/// # }
/// ```
pub struct Event {
    raw: *mut RawEvent,
    device: Device,
}

// SAFETY: the runtime's calls may come from any thread.
unsafe impl Send for Event {}
// SAFETY: and from several at once.
unsafe impl Sync for Event {}

impl Event {
    /// An event that was not recorded yet: it counts as complete, and has no time.
    ///
    /// ```
    /// use offload::{Device, Event};
    ///
    /// assert!(Event::new(&Device::new()?)?.is_complete()?);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] when the driver does.
    pub fn new(device: &Device) -> Result<Event> {
        let mut raw = ptr::null_mut();
        // SAFETY: an open device and a place for the answer.
        Error::check(unsafe { ffi::offloadrt_event_create(device.raw(), &mut raw) })?;
        Ok(Event { raw, device: device.clone() })
    }

    /// Moves it behind everything that was submitted to `stream`.
    ///
    /// ```
    /// use offload::{Device, Event};
    ///
    /// let device = Device::new()?;
    /// let event = Event::new(&device)?;
    /// event.record(&device.default_stream())?;
    /// event.synchronize()?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when the stream is another device's.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.check_device(stream)?;
        // SAFETY: an event, and a stream of its device; null is the default one.
        Error::check(unsafe { ffi::offloadrt_event_record(self.raw, stream.raw()) })
    }

    /// Waits for it.
    ///
    /// See the example of [`record`](Self::record).
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] when the driver does.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: an event.
        Error::check(unsafe { ffi::offloadrt_event_synchronize(self.raw) })
    }

    /// Whether everything before it is over; does not wait.
    ///
    /// ```
    /// let event = offload::Device::new()?.default_stream().record()?;
    /// event.synchronize()?;
    /// assert!(event.is_complete()?);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] when the driver does.
    pub fn is_complete(&self) -> Result<bool> {
        let mut over = 0;
        // SAFETY: an event and a place for the answer.
        Error::check(unsafe { ffi::offloadrt_event_query(self.raw, &mut over) })?;
        Ok(over != 0)
    }

    /// Waits for both, and gives the time from `earlier` to this one; zero when `earlier` was the later.
    ///
    /// On GPUs and with OpenCL it is the device's clock: CUDA and HIP count in half microseconds. On `cpu` and
    /// libomptarget's devices work is over when its call returns, so it is the host's clock when each was recorded, and what
    /// the host did in between is in it.
    ///
    /// See the example of [`Event`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] when one was never recorded, or they belong to different devices.
    pub fn elapsed_since(&self, earlier: &Event) -> Result<Duration> {
        let mut nanoseconds = 0;
        // SAFETY: two events and a place for the answer.
        Error::check(unsafe { ffi::offloadrt_event_elapsed(earlier.raw, self.raw, &mut nanoseconds) })?;
        Ok(Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(0)))
    }

    /// Milliseconds from this event to `end`, as cudarc counts them; see [`elapsed_since`](Self::elapsed_since).
    ///
    /// ```
    /// let stream = offload::Device::new()?.default_stream();
    /// let begin = stream.record()?;
    /// let end = stream.record()?;
    /// assert!(begin.elapsed_ms(&end)? >= 0.0);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`elapsed_since`](Self::elapsed_since).
    pub fn elapsed_ms(&self, end: &Event) -> Result<f32> {
        Ok(1000.0 * end.elapsed_since(self)?.as_secs_f32())
    }

    fn check_device(&self, stream: &Stream) -> Result<()> {
        if self.device.is(stream.device()) {
            return Ok(());
        }
        let (mine, its) = (self.device.name(), stream.device().name());
        Err(Error::OtherDevice(std::format!("an event of `{mine}` is used in a stream of `{its}`")))
    }
}

impl Stream {
    /// An event behind everything that was submitted to this stream.
    ///
    /// See the example of [`Event`].
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] when the driver does.
    pub fn record(&self) -> Result<Event> {
        let event = Event::new(self.device())?;
        event.record(self)?;
        Ok(event)
    }

    /// What is submitted to this stream from now on waits for `event`; this call does not.
    ///
    /// See the example of [`Event`].
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] when it is another device's.
    pub fn wait(&self, event: &Event) -> Result<()> {
        event.check_device(self)?;
        // SAFETY: an event, and a stream of its device; null is the default one.
        Error::check(unsafe { ffi::offloadrt_stream_wait(self.raw(), event.raw) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created by us, and this was its owner.
        let _ = unsafe { ffi::offloadrt_event_destroy(self.raw) };
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("device", &self.device).finish_non_exhaustive()
    }
}
