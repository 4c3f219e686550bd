//! Devices and streams: where kernels run, and in which order.

use core::ffi::{CStr, c_void};
use core::ops::Deref;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use core::{fmt, ptr};
use std::ffi::CString;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::ffi::{self, RawDevice, RawStream};

/// An open device. A clone is the same device. The device is closed when the last of its clones, streams, events and
/// buffers is dropped.
///
/// Several threads may use it at the same time.
///
/// ```
/// let device = offload::Device::open("cpu")?;
/// let stream = device.new_stream()?;
/// stream.synchronize()?;
/// # Ok::<(), offload::Error>(())
/// ```
#[doc(alias("CudaContext", "CudaDevice", "cudaSetDevice", "cuCtxCreate", "hipSetDevice"))]
#[derive(Clone)]
pub struct Device {
    open: Arc<Open>,
}

struct Open {
    raw: *mut RawDevice,
    /// The count of the default stream; see [`Own::submitting`]. It is here because each call of `default_stream`
    /// creates a new `Own`.
    submitting: AtomicUsize,
    /// Whether a kernel has been launched, so that the constants of `late.rs` are on the device.
    launched: AtomicBool,
}

// SAFETY: the functions of the runtime may be called from any thread.
unsafe impl Send for Open {}
// SAFETY: they may be called from several threads at the same time.
unsafe impl Sync for Open {}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: `from_name` opened it, and nothing that uses it is left. A failure was reported by an earlier call,
        // or cannot be reported.
        let _ = unsafe { ffi::offloadrt_device_close(self.raw) };
    }
}

impl Device {
    /// Opens the default device: the device that the environment variable `OFFLOADRT_DEVICE` names. If the variable is
    /// not set, this is the CPU.
    ///
    /// ```
    /// let device = offload::Device::new()?;
    /// println!("kernels run on {}", device.name());
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if the variable names a device that does not exist. A program that was not compiled by
    /// offloadc has only the device `cpu`.
    pub fn new() -> Result<Device> {
        Self::from_name(ptr::null())
    }

    /// Opens the device of this name: `cpu`, `cuda:0`, `hip:0`, `opencl:intel`, …
    ///
    /// ```
    /// let device = offload::Device::open("cpu")?;
    /// assert_eq!(device.name(), "cpu");
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] if there is no such device; the text lists the names of the devices that exist.
    #[doc(alias("cudaSetDevice", "cuDeviceGet"))]
    pub fn open(name: &str) -> Result<Device> {
        Self::from_name(c_name(name)?.as_ptr())
    }

    fn from_name(name: *const core::ffi::c_char) -> Result<Device> {
        let mut raw = ptr::null_mut();
        // SAFETY: the name is null or valid during the call, and `raw` takes the result.
        Error::check(unsafe { ffi::offloadrt_device_open(name, &mut raw) })?;
        Ok(Self::of_raw(raw))
    }

    fn of_raw(raw: *mut RawDevice) -> Device {
        Device { open: Arc::new(Open { raw, submitting: AtomicUsize::new(0), launched: AtomicBool::new(false) }) }
    }

    /// Opens the device of this name, of CUDA or OpenCL, in a context that the program or another library has created:
    /// a `CUcontext` other than the primary one, as `cuCtxCreate` returns it, or a `cl_context` with this device.
    /// Kernels are loaded into this context, buffers and streams are created in it, and
    /// [`DeviceBuffer::from_owner`](crate::DeviceBuffer::from_owner) and [`Stream::from_raw`] take objects that belong
    /// to it. Dropping the device leaves the context to its owner.
    ///
    /// For the primary context, which CUDA's runtime, cudarc and PyTorch use, there is [`open`](Self::open). On OpenCL,
    /// memory of the program must be of the kind that this crate allocates: unified shared memory, or shared virtual
    /// memory on devices without Intel's extension.
    ///
    /// ```
    /// use std::ffi::c_void;
    ///
    /// use offload::{Device, DeviceBuffer, DisjointSlice, Error, Grid, Result, kernel, prelude::*, thread};
    ///
    /// #[kernel]
    /// fn double(mut values: DisjointSlice<f32>) {
    ///     if let Some(value) = values.get_mut(thread::index_1d()) {
    ///         *value *= 2.0;
    ///     }
    /// }
    ///
    /// /// Doubles `len` numbers at a `CUdeviceptr`.
    /// ///
    /// /// # Safety
    /// ///
    /// /// The context must be one of device 0, and the memory must have been allocated in it.
    /// unsafe fn double_at(context: *mut c_void, address: *mut f32, len: usize) -> Result<()> {
    ///     // SAFETY: the caller promises it. The device and the buffer are dropped when the function returns.
    ///     let device = unsafe { Device::from_raw_context("cuda:0", context) }?;
    ///     let mut values = unsafe { DeviceBuffer::from_owner(&device, address, len, ()) };
    ///     let stream = device.default_stream();
    ///     double.launch(&stream, Grid::for_len(len, 256), (&mut values,))?;
    ///     stream.synchronize()
    /// }
    ///
    /// // SAFETY: the CPU has no contexts, so this one is not used.
    /// let on_cpu = unsafe { Device::from_raw_context("cpu", std::ptr::null_mut()) };
    /// assert!(matches!(on_cpu, Err(Error::Unsupported(_))));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] as for [`open`](Self::open), [`Error::Unsupported`] if the device is not one of CUDA or
    /// OpenCL, and [`Error::Invalid`] if the context is null or belongs to another device.
    ///
    /// # Safety
    ///
    /// The context must be one of the library that drives the device, and must exist until the device and all its
    /// clones, streams, events and buffers are dropped.
    #[doc(alias("CUcontext", "cuCtxCreate", "CudaContext", "cl_context", "clCreateContext"))]
    pub unsafe fn from_raw_context(name: &str, context: *mut c_void) -> Result<Device> {
        let (name, mut raw) = (c_name(name)?, ptr::null_mut());
        // SAFETY: the name is valid during the call, and `raw` takes the result; the caller promises the rest.
        Error::check(unsafe { ffi::offloadrt_device_adopt(name.as_ptr(), context, &mut raw) })?;
        Ok(Self::of_raw(raw))
    }

    /// Whether a kernel has been launched on the device.
    pub(crate) fn has_launched(&self) -> &AtomicBool {
        &self.open.launched
    }

    /// The name of the device, as [`open`](Self::open) takes it.
    ///
    /// ```
    /// let device = offload::Device::open("cpu")?;
    /// assert_eq!(device.name(), "cpu");
    /// # Ok::<(), offload::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        self.text(ffi::offloadrt_device_name)
    }

    /// Returns a text of the runtime about the device.
    fn text(&self, call: unsafe extern "C" fn(*const RawDevice) -> *const core::ffi::c_char) -> &str {
        // SAFETY: the device is open, and the text exists until it is closed.
        unsafe { CStr::from_ptr(call(self.raw())) }.to_str().unwrap_or("?")
    }

    /// The arch of the device, as `--offload-arch` names it: `sm_90`, `gfx90a:sramecc+:xnack-`, `spirv64`, `cpu`. The
    /// text is empty if the driver (libomptarget) does not report it. In a kernel,
    /// [`thread::arch`](crate::thread::arch) is the arch that its code was compiled for.
    ///
    /// ```
    /// let device = offload::Device::open("cpu")?;
    /// assert_eq!(device.arch(), "cpu");
    /// # Ok::<(), offload::Error>(())
    /// ```
    pub fn arch(&self) -> &str {
        self.text(ffi::offloadrt_device_arch)
    }

    /// The vendor's name of the device. The text is empty if the driver does not report it.
    ///
    /// ```
    /// let device = offload::Device::open("cpu")?;
    /// assert_eq!(device.product(), "this machine's processor");
    /// # Ok::<(), offload::Error>(())
    /// ```
    #[doc(alias("cudaDeviceProp", "cuDeviceGetName"))]
    pub fn product(&self) -> &str {
        self.text(ffi::offloadrt_device_product)
    }

    /// CUDA's compute capability: `(9, 0)` for `sm_90`, and `None` for devices of other vendors.
    ///
    /// ```
    /// let device = offload::Device::new()?;
    /// if device.compute_capability().is_some_and(|capability| capability >= (8, 0)) {
    ///     println!("{} has tensor cores for bfloat16", device.product());
    /// }
    /// # Ok::<(), offload::Error>(())
    /// ```
    #[doc(alias = "cudaDeviceGetAttribute")]
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        compute_capability(self.arch())
    }

    /// The default stream of the device. Every call returns the same stream.
    ///
    /// ```
    /// let stream = offload::Device::new()?.default_stream();
    /// stream.synchronize()?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    #[doc(alias = "cudaStreamPerThread")]
    pub fn default_stream(&self) -> Stream {
        Stream { own: Arc::new(Own::new(ptr::null_mut(), self)) }
    }

    /// Creates a stream. Its work may run at the same time as the work of other streams.
    ///
    /// ```
    /// let device = offload::Device::new()?;
    /// let (work, copies) = (device.new_stream()?, device.new_stream()?);
    /// copies.wait(&work.record()?)?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Failed`] if the driver fails.
    #[doc(alias("cudaStreamCreate", "cuStreamCreate", "hipStreamCreate"))]
    pub fn new_stream(&self) -> Result<Stream> {
        let mut raw = ptr::null_mut();
        // SAFETY: the device is open, and `raw` takes the result.
        Error::check(unsafe { ffi::offloadrt_stream_create(self.raw(), &mut raw) })?;
        Ok(Stream { own: Arc::new(Own::new(raw, self)) })
    }

    /// Waits for all work that was submitted to the device.
    ///
    /// ```
    /// let device = offload::Device::new()?;
    /// device.synchronize()?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of that work, such as the panic of a kernel ([`Error::Panicked`]).
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the device is open; null means all of its streams.
        Error::check(unsafe { ffi::offloadrt_synchronize(self.raw(), ptr::null_mut()) })
    }

    /// The context of the device in the library that drives it, for programs that call the library themselves: a
    /// `CUcontext` or a `cl_context`. It is the primary context of CUDA's device, or one of the device's own on OpenCL,
    /// unless [`from_raw_context`](Self::from_raw_context) was given another one. The device keeps it.
    ///
    /// See the example of [`Stream::from_raw`].
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the library has no contexts, as on HIP and on the CPU.
    #[doc(alias("CUcontext", "cl_context", "cuDevicePrimaryCtxRetain"))]
    pub fn raw_context(&self) -> Result<*mut c_void> {
        let mut context = ptr::null_mut();
        // SAFETY: the device is open, and `context` takes the result.
        Error::check(unsafe { ffi::offloadrt_device_context(self.raw(), &mut context) })?;
        Ok(context)
    }

    pub(crate) fn raw(&self) -> *mut RawDevice {
        self.open.raw
    }

    /// Whether both are clones of the same open device.
    pub(crate) fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.open, &other.open)
    }
}

fn c_name(name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Error::NoDevice("the name of a device contains no zero byte".into()))
}

/// The last digit of the arch's number is the minor version.
fn compute_capability(arch: &str) -> Option<(u32, u32)> {
    let number: u32 = arch.strip_prefix("sm_")?.parse().ok()?;
    Some((number / 10, number % 10))
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}

/// A queue of work on a device. Copies and launches in one stream run in the order of the calls. Work of different
/// streams may run at the same time. A clone is the same stream.
///
/// [Concepts](crate::concepts#streams-and-ordering) explains when the crate orders the work of different streams.
///
/// See the example of [`Event`](crate::Event).
#[doc(alias("cudaStream_t", "CudaStream", "CUstream", "hipStream_t"))]
#[derive(Clone)]
pub struct Stream {
    own: Arc<Own>,
}

struct Own {
    raw: *mut RawStream,
    device: Device,
    /// The number of threads that have recorded in a buffer that this stream reads it, but have not yet submitted that
    /// work.
    submitting: AtomicUsize,
}

/// The time from recording that a stream reads a buffer until the work is submitted.
pub(crate) struct Submission<'s> {
    stream: &'s Stream,
}

impl Deref for Submission<'_> {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        self.stream
    }
}

impl Drop for Submission<'_> {
    fn drop(&mut self) {
        self.stream.submitting().fetch_sub(1, Ordering::Release);
    }
}

// SAFETY: the functions of the runtime may be called from any thread.
unsafe impl Send for Own {}
// SAFETY: they may be called from several threads at the same time.
unsafe impl Sync for Own {}

impl Own {
    fn new(raw: *mut RawStream, device: &Device) -> Self {
        Own { raw, device: device.clone(), submitting: AtomicUsize::new(0) }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: `new_stream` or `from_raw` created it, and this was its last owner. A failure was reported by an
            // earlier call.
            let _ = unsafe { ffi::offloadrt_stream_destroy(self.raw) };
        }
    }
}

impl Stream {
    /// The device of the stream.
    ///
    /// ```
    /// let device = offload::Device::new()?;
    /// assert_eq!(device.default_stream().device().name(), device.name());
    /// # Ok::<(), offload::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.own.device
    }

    /// Waits for all work that was submitted to this stream. The default stream waits for all work of the device, and
    /// returns the errors of all streams. A copy to the host in the default stream, such as
    /// [`DeviceBuffer::to_host_vec`](crate::DeviceBuffer::to_host_vec), returns the errors of this stream only.
    ///
    /// ```
    /// let stream = offload::Device::new()?.new_stream()?;
    /// stream.synchronize()?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of that work, such as the panic of a kernel ([`Error::Panicked`]).
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the device is open, and the stream belongs to it; null is the default stream.
        let wait = || Error::check(unsafe { ffi::offloadrt_synchronize(self.device().raw(), self.raw()) });
        within_span!("wait", self, [], [], wait())
    }

    /// Returns a stream for a queue that another library has created: a `CUstream` (which is a `cudaStream_t`), a
    /// `hipStream_t` or a `cl_command_queue`. Dropping the stream waits for the queue, and leaves it to its owner.
    ///
    /// ```
    /// use std::ffi::c_void;
    ///
    /// use offload::{Device, DeviceBuffer, DisjointSlice, Error, Grid, Result, Stream, kernel, prelude::*, thread};
    ///
    /// #[kernel]
    /// fn double(mut values: DisjointSlice<f32>) {
    ///     if let Some(value) = values.get_mut(thread::index_1d()) {
    ///         *value *= 2.0;
    ///     }
    /// }
    ///
    /// /// Submits a kernel to a queue of another library, for example to the stream of a cuBLAS handle.
    /// ///
    /// /// # Safety
    /// ///
    /// /// The queue must belong to the device of the buffer.
    /// unsafe fn double_in(queue: *mut c_void, values: &mut DeviceBuffer<f32>) -> Result<()> {
    ///     // SAFETY: the caller promises it, and the queue exists until the function returns.
    ///     let stream = unsafe { Stream::from_raw(values.device(), queue) }?;
    ///     double.launch(&stream, Grid::for_len(values.len(), 256), (values,))?;
    ///     stream.synchronize() // the library's own function waits, too, but does not report a panic
    /// }
    ///
    /// let device = Device::open("cpu")?;
    /// assert!(matches!(device.default_stream().as_raw(), Err(Error::Unsupported(_)))); // it has no queues of a library
    /// assert!(matches!(device.raw_context(), Err(Error::Unsupported(_))));
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the device has no such queues, such as the CPU, and [`Error::Invalid`] if the handle
    /// is null: use [`Device::default_stream`] then.
    ///
    /// # Safety
    ///
    /// The handle must be one of the library that drives the device, and must belong to this device: on CUDA and OpenCL
    /// to [`Device::raw_context`], and on OpenCL as an in-order queue. It must exist until the stream and all its
    /// clones are dropped, and work that other code submits to it must not use memory that this crate uses in another
    /// stream at the same time.
    #[doc(alias("upgrade_stream", "CUstream", "hipStream_t", "cl_command_queue"))]
    pub unsafe fn from_raw(device: &Device, handle: *mut c_void) -> Result<Stream> {
        let mut raw = ptr::null_mut();
        // SAFETY: the device is open, and `raw` takes the result; the caller promises the rest.
        Error::check(unsafe { ffi::offloadrt_stream_adopt(device.raw(), handle, &mut raw) })?;
        Ok(Stream { own: Arc::new(Own::new(raw, device)) })
    }

    /// The handle of the stream in the library that drives the device: a `CUstream`, a `hipStream_t` or a
    /// `cl_command_queue`. It exists as long as the stream. The handle of the default stream is null on CUDA and HIP.
    ///
    /// See the example of [`Stream::from_raw`].
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the device has no such handles, such as the CPU.
    #[doc(alias("CUstream", "hipStream_t", "cl_command_queue"))]
    pub fn as_raw(&self) -> Result<*mut c_void> {
        let mut handle = ptr::null_mut();
        // SAFETY: the device is open, the stream belongs to it, and `handle` takes the result.
        Error::check(unsafe { ffi::offloadrt_stream_handle(self.device().raw(), self.raw(), &mut handle) })?;
        Ok(handle)
    }

    pub(crate) fn raw(&self) -> *mut RawStream {
        self.own.raw
    }

    fn submitting(&self) -> &AtomicUsize {
        if self.raw().is_null() { &self.device().open.submitting } else { &self.own.submitting }
    }

    pub(crate) fn submission(&self) -> Submission<'_> {
        self.submitting().fetch_add(1, Ordering::Relaxed);
        Submission { stream: self }
    }

    /// Whether a thread may be about to submit a read that it has recorded in a buffer. The caller holds the lock of
    /// that buffer's record.
    pub(crate) fn is_submitting(&self) -> bool {
        self.submitting().load(Ordering::Acquire) != 0
    }

    /// Whether both are the same stream, so that their work runs in the order of the calls.
    pub(crate) fn is(&self, other: &Stream) -> bool {
        self.raw() == other.raw() && self.device().is(other.device())
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("device", self.device()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::compute_capability;

    #[test]
    fn the_compute_capability_is_in_the_archs_name() {
        let known = [("sm_80", Some((8, 0))), ("sm_121", Some((12, 1))), ("gfx90a", None), ("cpu", None), ("", None)];
        assert!(known.into_iter().all(|(arch, capability)| compute_capability(arch) == capability));
    }
}
