//! Events: points in the work of a stream. The host and other streams can wait for them, and the time between two can
//! be measured.

use core::{fmt, ptr};
use std::time::Duration;

use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::ffi::{self, RawEvent};

/// A point in the work of a stream. It is complete when all work that was submitted before it is complete.
///
/// Waiting for an event does not report the panic of a kernel. Waiting for the stream does.
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
/// copies.wait(&end)?; // work that is submitted to `copies` from here on runs after `end`
/// println!("it took {:?}", end.elapsed_since(&begin)?);
/// # Ok(())
/// # }
/// ```
#[doc(alias("cudaEvent_t", "CudaEvent", "CUevent"))]
pub struct Event {
    raw: *mut RawEvent,
    device: Device,
}

// SAFETY: the functions of the runtime may be called from any thread.
unsafe impl Send for Event {}
// SAFETY: they may be called from several threads at the same time.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event that has not been recorded yet. It counts as complete, and has no time.
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
    /// [`Error::Failed`] if the driver fails.
    #[doc(alias = "cudaEventCreate")]
    pub fn new(device: &Device) -> Result<Event> {
        let mut raw = ptr::null_mut();
        // SAFETY: the device is open, and `raw` takes the result.
        Error::check(unsafe { ffi::offloadrt_event_create(device.raw(), &mut raw) })?;
        Ok(Event { raw, device: device.clone() })
    }

    /// Moves the event to the end of the work that has been submitted to `stream`.
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
    /// [`Error::OtherDevice`] if the stream belongs to another device.
    #[doc(alias("cudaEventRecord", "record_event"))]
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.check_device(stream)?;
        // SAFETY: the stream belongs to the event's device; null is the default stream.
        Error::check(unsafe { ffi::offloadrt_event_record(self.raw, stream.raw()) })
    }

    /// Waits until the event is complete.
    ///
    /// See the example of [`record`](Self::record).
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] if the driver fails.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the event exists.
        Error::check(unsafe { ffi::offloadrt_event_synchronize(self.raw) })
    }

    /// Whether the event is complete. Does not wait.
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
    /// [`Error::Failed`] if the driver fails.
    #[doc(alias = "cudaEventQuery")]
    pub fn is_complete(&self) -> Result<bool> {
        let mut over = 0;
        // SAFETY: the event exists, and `over` takes the result.
        Error::check(unsafe { ffi::offloadrt_event_query(self.raw, &mut over) })?;
        Ok(over != 0)
    }

    /// Waits for both events, and returns the time from `earlier` to this one. The time is zero if `earlier` is in fact
    /// the later event.
    ///
    /// GPUs and OpenCL measure the time with the device's clock; CUDA and HIP count in half microseconds. On `cpu` and
    /// on libomptarget's devices, work is complete when its call returns. The time is therefore taken from the host's
    /// clock when each event is recorded, and includes the host's work in between.
    ///
    /// See the example of [`Event`].
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if one of them was never recorded, or if they belong to different devices.
    #[doc(alias = "cudaEventElapsedTime")]
    pub fn elapsed_since(&self, earlier: &Event) -> Result<Duration> {
        let mut nanoseconds = 0;
        // SAFETY: both events exist, and `nanoseconds` takes the result.
        Error::check(unsafe { ffi::offloadrt_event_elapsed(earlier.raw, self.raw, &mut nanoseconds) })?;
        Ok(Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(0)))
    }

    /// The milliseconds from this event to `end`, under the name that cudarc uses; see
    /// [`elapsed_since`](Self::elapsed_since).
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
    /// See [`elapsed_since`](Self::elapsed_since).
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
    /// Creates an event at the end of the work that has been submitted to this stream.
    ///
    /// See the example of [`Event`].
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] if the driver fails.
    pub fn record(&self) -> Result<Event> {
        let event = Event::new(self.device())?;
        event.record(self)?;
        Ok(event)
    }

    /// Makes all work that is submitted to this stream from now on wait for `event`. The call itself does not wait.
    ///
    /// See the example of [`Event`].
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] if the event belongs to another device.
    #[doc(alias = "cudaStreamWaitEvent")]
    pub fn wait(&self, event: &Event) -> Result<()> {
        event.check_device(self)?;
        // SAFETY: the stream belongs to the event's device; null is the default stream.
        Error::check(unsafe { ffi::offloadrt_stream_wait(self.raw(), event.raw) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: `new` created it, and this was its owner.
        let _ = unsafe { ffi::offloadrt_event_destroy(self.raw) };
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("device", &self.device).finish_non_exhaustive()
    }
}
