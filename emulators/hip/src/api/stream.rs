//! Streams. Each operation is complete when its function returns, so their order is that of the calls.

use std::ffi::{c_int, c_uint, c_void};

use super::device::give;
use super::error::{Error, INVALID_HANDLE};
use super::state::{self, State, call, call_in_order};

/// `hipStream_t`.
pub(crate) type Stream = *mut c_void;

/// A stream that exists, or the default one.
pub(crate) fn check(state: &State, stream: Stream) -> Result<(), Error> {
    // 1 and 2 are hipStreamLegacy and hipStreamPerThread.
    let is_known = stream as usize <= 2 || state.streams.contains_key(&(stream as usize));
    if is_known { Ok(()) } else { Err(INVALID_HANDLE) }
}

/// Creates a stream.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamCreateWithFlags(place: *mut Stream, _flags: c_uint) -> Error {
    call(|state| {
        let handle = state.handle();
        let _none = state.streams.insert(handle, state::current_device());
        // SAFETY: as the caller says.
        unsafe { give(place, handle as Stream) }
    })
}

/// Creates a stream.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamCreate(place: *mut Stream) -> Error {
    // SAFETY: as the caller says.
    unsafe { hipStreamCreateWithFlags(place, 0) }
}

/// Creates a stream with a priority.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipStreamCreateWithPriority(place: *mut Stream, flags: c_uint, _priority: c_int) -> Error {
    // SAFETY: as the caller says.
    unsafe { hipStreamCreateWithFlags(place, flags) }
}

/// Destroys a stream.
#[unsafe(no_mangle)]
pub extern "C" fn hipStreamDestroy(stream: Stream) -> Error {
    call(|state| state.streams.remove(&(stream as usize)).map(|_| ()).ok_or(INVALID_HANDLE))
}

/// Waits for a stream.
#[unsafe(no_mangle)]
pub extern "C" fn hipStreamSynchronize(stream: Stream) -> Error {
    call_in_order(|state| check(state, stream))
}

/// Whether a stream has nothing left to do.
#[unsafe(no_mangle)]
pub extern "C" fn hipStreamQuery(stream: Stream) -> Error {
    call_in_order(|state| check(state, stream))
}

/// Makes a stream wait for an event.
#[unsafe(no_mangle)]
pub extern "C" fn hipStreamWaitEvent(stream: Stream, event: *mut c_void, _flags: c_uint) -> Error {
    call_in_order(|state| {
        check(state, stream)?;
        state.events.get(&(event as usize)).map(|_| ()).ok_or(INVALID_HANDLE)
    })
}

/// Calls a function of the host in a stream.
///
/// # Safety
///
/// The function may be called with `data`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipLaunchHostFunc(
    stream: Stream,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
) -> Error {
    let error = call_in_order(|state| check(state, stream));
    if let (0, Some(function)) = (error, function) {
        // SAFETY: as the caller says. The lock is free: the function may not call HIP, but others may meanwhile.
        unsafe { function(data) };
    }
    error
}
