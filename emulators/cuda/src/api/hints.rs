//! Functions whose effect on a device is that work takes another time. Here they check what they are given.

use std::ffi::{c_int, c_uint};

use super::{DevicePointer, Handle, INVALID_HANDLE, INVALID_VALUE, Outcome, Status, in_context, put};

/// The largest value of `CUfunc_cache`.
const LAST_CACHE: c_int = 3;

fn check_cache(config: c_int) -> Outcome<()> {
    if (0..=LAST_CACHE).contains(&config) { Ok(()) } else { Err(INVALID_VALUE) }
}

/// The division of fast memory between cache and shared memory: none is preferred.
///
/// # Safety
///
/// `config` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCacheConfig(config: *mut c_int) -> Status {
    // SAFETY: the caller's.
    in_context(|_, _| unsafe { put(config, 0) })
}

/// Another division.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCacheConfig(config: c_int) -> Status {
    in_context(|_, _| check_cache(config))
}

/// Another division for a kernel.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetCacheConfig(function: Handle, config: c_int) -> Status {
    in_context(|driver, _| {
        driver.kernels.get(&function).ok_or(INVALID_HANDLE)?;
        check_cache(config)
    })
}

/// How the host waits.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetFlags(_flags: c_uint) -> Status {
    in_context(|_, _| Ok(()))
}

/// The priorities of streams: there is one.
///
/// # Safety
///
/// The pointers are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> Status {
    in_context(|_, _| {
        for priority in [least, greatest].into_iter().filter(|priority| !priority.is_null()) {
            // SAFETY: the caller's.
            unsafe { put(priority, 0) }?;
        }
        Ok(())
    })
}

/// Whether work of a stream is recorded into a graph: never.
///
/// # Safety
///
/// `state` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamIsCapturing(_stream: Handle, state: *mut c_int) -> Status {
    // SAFETY: the caller's.
    in_context(|_, _| unsafe { put(state, 0) })
}

/// The stream whose kernels use managed memory.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamAttachMemAsync(
    _stream: Handle,
    address: DevicePointer,
    _length: usize,
    _flags: c_uint,
) -> Status {
    in_context(|driver, _| driver.memory.around(address).map(drop).ok_or(INVALID_VALUE))
}

/// A location of memory: `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    kind: c_int,
    id: c_int,
}

/// How managed memory is used.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemAdvise_v2(address: DevicePointer, size: usize, _advice: c_int, _location: Location) -> Status {
    in_context(|driver, _| match driver.memory.around(address) {
        Some((base, length, _)) if size != 0 && address + size as u64 <= base + length as u64 => Ok(()),
        _ => Err(INVALID_VALUE),
    })
}

/// The beginning of what a profiler looks at.
#[unsafe(no_mangle)]
pub extern "C" fn cuProfilerStart() -> Status {
    in_context(|_, _| Ok(()))
}

/// Its end.
#[unsafe(no_mangle)]
pub extern "C" fn cuProfilerStop() -> Status {
    in_context(|_, _| Ok(()))
}
