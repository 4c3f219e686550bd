//! Events. Everything before an event is complete when it is recorded.

use std::ffi::{c_float, c_uint, c_void};
use std::time::Instant;

use super::device::give;
use super::error::{Error, INVALID_HANDLE, INVALID_VALUE};
use super::state::{call, call_in_order};

/// `hipEvent_t`.
type Event = *mut c_void;

/// Creates an event.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipEventCreateWithFlags(place: *mut Event, _flags: c_uint) -> Error {
    call(|state| {
        let handle = state.handle();
        let _none = state.events.insert(handle, None);
        // SAFETY: as the caller says.
        unsafe { give(place, handle as Event) }
    })
}

/// Creates an event.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipEventCreate(place: *mut Event) -> Error {
    // SAFETY: as the caller says.
    unsafe { hipEventCreateWithFlags(place, 0) }
}

/// Destroys an event.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventDestroy(event: Event) -> Error {
    call(|state| state.events.remove(&(event as usize)).map(|_| ()).ok_or(INVALID_HANDLE))
}

/// Records an event in a stream.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventRecord(event: Event, _stream: *mut c_void) -> Error {
    call_in_order(|state| {
        let recorded = state.events.get_mut(&(event as usize)).ok_or(INVALID_HANDLE)?;
        *recorded = Some(Instant::now());
        Ok(())
    })
}

/// Waits for an event.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventSynchronize(event: Event) -> Error {
    call_in_order(|state| state.events.get(&(event as usize)).map(|_| ()).ok_or(INVALID_HANDLE))
}

/// Whether an event has happened.
#[unsafe(no_mangle)]
pub extern "C" fn hipEventQuery(event: Event) -> Error {
    hipEventSynchronize(event)
}

/// The milliseconds between two events.
///
/// # Safety
///
/// `milliseconds` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipEventElapsedTime(milliseconds: *mut c_float, from: Event, to: Event) -> Error {
    call_in_order(|state| {
        let time = |event: Event| state.events.get(&(event as usize)).copied().flatten().ok_or(INVALID_HANDLE);
        let (from, to) = (time(from)?, time(to)?);
        if milliseconds.is_null() {
            return Err(INVALID_VALUE);
        }
        let seconds = match to.checked_duration_since(from) {
            Some(after) => after.as_secs_f32(),
            None => -from.duration_since(to).as_secs_f32(),
        };
        // SAFETY: as the caller says.
        unsafe { give(milliseconds, seconds * 1e3) }
    })
}
