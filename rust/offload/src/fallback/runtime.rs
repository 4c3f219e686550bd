//! The functions of `offloadrt.h` for the one device of such a program. Device memory is memory of the host, and a
//! launch has ended when it returns, so that nothing ever waits.
//!
//! `ffi.rs` calls them with the arguments of the crate, which are valid.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use std::boxed::Box;
use std::env;
use std::format;
use std::sync::OnceLock;
use std::time::Instant;

use super::failure::Failure;
use super::handles::{even, odd, some};
use super::limits::{limits, read_cpu_threads};
use super::report::{fail, log, report};
use super::{HELP, host_calls, memory, note_once, run};
use crate::abi::{RawArgument, RawDevice, RawEvent, RawKernel, RawLaunchConfig, RawLimits, RawStream, status};

pub(crate) const NAME: &CStr = c"cpu";
pub(crate) const PRODUCT: &CStr = c"this machine's processor";

/// # Safety
///
/// `name` must be null or a string, and `device` must be writable.
pub(crate) unsafe fn device_open(name: *const c_char, device: *mut *mut RawDevice) -> c_int {
    if cfg!(miri) {
        return fail(status::NO_DEVICE, "Miri runs no kernels on devices; call `run_on_host`");
    }
    let variable = || env::var("OFFLOADRT_DEVICE").ok().filter(|name| !name.is_empty());
    #[cfg(offload_devices)]
    super::devices::note_refused();
    let (name, origin) = if name.is_null() {
        variable().map_or(("cpu".into(), ""), |name| (name, " (from `OFFLOADRT_DEVICE`)"))
    } else {
        // SAFETY: the caller promises it.
        (unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(), "")
    };
    if name != "cpu" {
        #[cfg(offload_devices)]
        if super::devices::has_kernels() {
            // SAFETY: the caller promises it.
            return unsafe { super::devices::open(&name, device) };
        }
        let text = format!(
            "there is no device `{name}`{origin} here; there is `cpu`: this program has no device code, and its kernels \
             run on the processor; help: {HELP}"
        );
        return fail(status::NO_DEVICE, &text);
    }
    if let Err(text) = read_cpu_threads() {
        return fail(status::INVALID, &text);
    }
    if !has_device_code() {
        note_once();
    }
    log(|| "cpu: opened: this machine's processor, without device code".into());
    // SAFETY: the caller promises it.
    unsafe { device.write(some()) };
    status::SUCCESS
}

/// # Safety
///
/// As for [`device_open`]. With kernels for other devices, the context must be one that the runtime in C takes.
pub(crate) unsafe fn device_adopt(name: *const c_char, context: *mut c_void, device: *mut *mut RawDevice) -> c_int {
    #[cfg(offload_devices)]
    // SAFETY: the caller promises it.
    if !cfg!(miri) && super::devices::has_kernels() && !name.is_null() && unsafe { CStr::from_ptr(name) } != NAME {
        // SAFETY: as above.
        return unsafe { super::devices::adopt(name, context, device) };
    }
    let _ = context;
    // SAFETY: the caller promises it.
    let opened = unsafe { device_open(name, device) };
    if opened != status::SUCCESS {
        return opened;
    }
    // SAFETY: as above.
    unsafe { device.write(ptr::null_mut()) };
    fail(status::UNSUPPORTED, "device `cpu` cannot be opened in a context of the program")
}

/// Whether kernels of this program can run on another device.
fn has_device_code() -> bool {
    #[cfg(offload_devices)]
    return super::devices::has_kernels();
    #[cfg(not(offload_devices))]
    false
}

/// # Safety
///
/// `to` must be writable.
pub(crate) unsafe fn device_limits(to: *mut RawLimits) -> c_int {
    // SAFETY: the caller promises it.
    unsafe { to.write(limits()) };
    status::SUCCESS
}

/// # Safety
///
/// `address` must be writable.
pub(crate) unsafe fn allocate(bytes: usize, address: *mut *mut c_void) -> c_int {
    let memory = memory::allocate(bytes);
    if memory.is_null() {
        return fail(status::NO_MEMORY, &format!("out of memory: the host cannot allocate {bytes} bytes"));
    }
    // SAFETY: the caller promises it.
    unsafe { address.write(memory.cast()) };
    status::SUCCESS
}

/// # Safety
///
/// `address` must be null or come from [`allocate`].
pub(crate) unsafe fn free(address: *mut c_void) -> c_int {
    // SAFETY: the caller promises it.
    unsafe { memory::free(address.cast()) };
    status::SUCCESS
}

/// # Safety
///
/// Both ranges must have `bytes` bytes. They may overlap.
pub(crate) unsafe fn copy(to: *mut c_void, from: *const c_void, bytes: usize) -> c_int {
    if bytes != 0 {
        // SAFETY: the caller promises it.
        unsafe { ptr::copy(from.cast::<u8>(), to.cast::<u8>(), bytes) };
    }
    status::SUCCESS
}

/// # Safety
///
/// The range must have `bytes` bytes.
pub(crate) unsafe fn fill(to: *mut c_void, byte: u8, bytes: usize) -> c_int {
    if bytes != 0 {
        // SAFETY: the caller promises it.
        unsafe { ptr::write_bytes(to.cast::<u8>(), byte, bytes) };
    }
    status::SUCCESS
}

/// # Safety
///
/// `stream` must be writable.
pub(crate) unsafe fn stream_create(stream: *mut *mut RawStream) -> c_int {
    // SAFETY: the caller promises it.
    unsafe { stream.write(some()) };
    status::SUCCESS
}

/// Makes a call for the device, unless a kernel of the device waits for the calling thread.
pub(crate) fn unless_busy(call: impl FnOnce() -> c_int) -> c_int {
    host_calls::check_caller().map_or_else(|failure| fail(failure.status, &failure.text), |()| call())
}

/// Handles of a vendor's library, which this device has none of.
pub(crate) fn no_handles() -> c_int {
    fail(status::UNSUPPORTED, "device `cpu` has no handles of a vendor's library")
}

/// Gives the address of mapped memory, which is the memory itself.
///
/// # Safety
///
/// `address` must be writable.
pub(crate) unsafe fn map(host: *const c_void, address: *mut *mut c_void) -> c_int {
    // SAFETY: the caller promises it.
    unsafe { address.write(host.cast_mut()) };
    status::SUCCESS
}

/// An event: the nanoseconds since the first event of the process, plus 1; 0 if it was not recorded.
type Event = AtomicU64;

/// # Safety
///
/// `event` must be writable.
pub(crate) unsafe fn event_create(event: *mut *mut RawEvent) -> c_int {
    // SAFETY: the caller promises it.
    unsafe { event.write(odd(Box::into_raw(Box::new(Event::new(0))).cast())) };
    status::SUCCESS
}

/// # Safety
///
/// `event` must be null or come from [`event_create`], and nothing may use it afterwards.
pub(crate) unsafe fn event_destroy(event: *mut RawEvent) -> c_int {
    if !event.is_null() {
        // SAFETY: the caller promises it.
        drop(unsafe { Box::from_raw(even(event).cast::<Event>()) });
    }
    status::SUCCESS
}

/// # Safety
///
/// `event` must come from [`event_create`].
pub(crate) unsafe fn event_record(event: *mut RawEvent) -> c_int {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let nanoseconds = FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64;
    // SAFETY: the caller promises it.
    unsafe { &*even(event).cast::<Event>() }.store(nanoseconds + 1, Ordering::Relaxed);
    status::SUCCESS
}

/// # Safety
///
/// `over` must be writable.
pub(crate) unsafe fn event_query(over: *mut c_int) -> c_int {
    // SAFETY: the caller promises it.
    unsafe { over.write(1) };
    status::SUCCESS
}

/// # Safety
///
/// The events must come from [`event_create`], and `nanoseconds` must be writable.
pub(crate) unsafe fn event_elapsed(from: *mut RawEvent, to: *mut RawEvent, nanoseconds: *mut i64) -> c_int {
    // SAFETY: the caller promises it.
    let [from, to] =
        unsafe { [&*even(from).cast::<Event>(), &*even(to).cast()] }.map(|event| event.load(Ordering::Relaxed));
    if from == 0 || to == 0 {
        return fail(status::INVALID, "an event was never recorded");
    }
    // SAFETY: the caller promises it.
    unsafe { nanoseconds.write(to as i64 - from as i64) };
    status::SUCCESS
}

/// # Safety
///
/// See [`launch::launch`].
pub(crate) unsafe fn launch(
    kernel: *const RawKernel,
    config: *const RawLaunchConfig,
    argument: *const RawArgument,
) -> c_int {
    // SAFETY: the caller promises it.
    let result: Result<(), Failure> = unsafe { run::launch(kernel, config, argument) };
    report(result)
}
