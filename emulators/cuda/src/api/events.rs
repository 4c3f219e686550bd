//! Streams and events. Submitted work is done at once.

use std::ffi::{c_int, c_uint, c_void};
use std::time::Instant;

use super::driver::Driver;
use super::{Handle, INVALID_HANDLE, SUCCESS, Status, in_context, put};

/// A new stream.
///
/// # Safety
///
/// `stream` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut Handle, _flags: c_uint) -> Status {
    in_context(|driver, _| {
        let (handle, context) = (driver.handle(), Driver::current_context()?);
        driver.streams.insert(handle, context);
        // SAFETY: the caller's.
        unsafe { put(stream, handle) }
    })
}

/// A new stream with a priority, which is of no consequence.
///
/// # Safety
///
/// `stream` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreateWithPriority(stream: *mut Handle, flags: c_uint, _priority: c_int) -> Status {
    // SAFETY: the caller's.
    unsafe { cuStreamCreate(stream, flags) }
}

/// The end of a stream.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy_v2(stream: Handle) -> Status {
    in_context(|driver, _| driver.streams.remove(&stream).map(drop).ok_or(INVALID_HANDLE))
}

/// Waits for a stream, whose work is done.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize(stream: Handle) -> Status {
    in_context(|driver, _| driver.stream(stream))
}

/// Whether a stream's work is done: it is.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamQuery(stream: Handle) -> Status {
    in_context(|driver, _| driver.stream(stream))
}

/// Lets a stream wait for an event, which has happened.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) -> Status {
    in_context(|driver, _| {
        driver.stream(stream)?;
        if driver.events.contains_key(&event) { Ok(()) } else { Err(INVALID_HANDLE) }
    })
}

/// A function of the host in a stream.
///
/// # Safety
///
/// `function` can be called with `argument`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchHostFunc(
    stream: Handle,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
) -> Status {
    let status = in_context(|driver, _| driver.stream(stream));
    if status != SUCCESS {
        return status;
    }
    let Some(function) = function else { return super::INVALID_VALUE };
    // SAFETY: the caller's. The lock is free: the function may use it, though the API forbids that.
    unsafe { function(argument) };
    SUCCESS
}

/// The same, for a function that gets the stream and its status. The function must call nothing of this API.
///
/// # Safety
///
/// `function` can be called with `argument`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAddCallback(
    stream: Handle,
    function: Option<unsafe extern "C" fn(Handle, Status, *mut c_void)>,
    argument: *mut c_void,
    _flags: c_uint,
) -> Status {
    let status = in_context(|driver, _| driver.stream(stream));
    let Some(function) = function else { return super::INVALID_VALUE };
    if status == SUCCESS {
        // SAFETY: the caller's. The lock is free.
        unsafe { function(stream, SUCCESS, argument) };
    }
    status
}

/// A new event.
///
/// # Safety
///
/// `event` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut Handle, _flags: c_uint) -> Status {
    in_context(|driver, _| {
        let handle = driver.handle();
        driver.events.insert(handle, None);
        // SAFETY: the caller's.
        unsafe { put(event, handle) }
    })
}

/// The end of an event.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(event: Handle) -> Status {
    in_context(|driver, _| driver.events.remove(&event).map(drop).ok_or(INVALID_HANDLE))
}

/// The same under its first name.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy(event: Handle) -> Status {
    // SAFETY: as here.
    unsafe { cuEventDestroy_v2(event) }
}

/// The event happens when the stream comes to it: now.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: Handle, stream: Handle) -> Status {
    in_context(|driver, _| {
        driver.stream(stream)?;
        *driver.events.get_mut(&event).ok_or(INVALID_HANDLE)? = Some(Instant::now());
        Ok(())
    })
}

/// Waits for an event, which has happened.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventSynchronize(event: Handle) -> Status {
    in_context(|driver, _| driver.events.get(&event).map(drop).ok_or(INVALID_HANDLE))
}

/// Whether an event has happened: it has.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventQuery(event: Handle) -> Status {
    // SAFETY: none is needed.
    unsafe { cuEventSynchronize(event) }
}

/// The time between two events.
///
/// # Safety
///
/// `milliseconds` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, from: Handle, to: Handle) -> Status {
    in_context(|driver, _| {
        let at = |event: &Handle| driver.events.get(event).copied().flatten().ok_or(INVALID_HANDLE);
        let (from, to) = (at(&from)?, at(&to)?);
        let seconds =
            to.checked_duration_since(from).map_or_else(|| -(from - to).as_secs_f32(), |time| time.as_secs_f32());
        // SAFETY: the caller's.
        unsafe { put(milliseconds, 1000.0 * seconds) }
    })
}

/// The same, under its newer name.
///
/// # Safety
///
/// As `cuEventElapsedTime`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime_v2(milliseconds: *mut f32, from: Handle, to: Handle) -> Status {
    // SAFETY: the caller's.
    unsafe { cuEventElapsedTime(milliseconds, from, to) }
}
