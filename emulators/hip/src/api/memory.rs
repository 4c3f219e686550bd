//! Memory: allocations, copies, fills.

use std::ffi::{c_int, c_uint, c_void};

use emulator_core::{Kind, Memory};

use super::device::give;
use super::error::{ALREADY_REGISTERED, Error, INVALID_VALUE, NOT_REGISTERED, OUT_OF_MEMORY};
use super::state::{State, call, call_in_order};

/// A stream's handle, which nothing here needs: every operation is complete when its function returns.
type Stream = *mut c_void;

fn allocate(state: &mut State, place: *mut *mut c_void, bytes: usize, kind: Kind) -> Result<(), Error> {
    let address = match bytes {
        0 => 0,
        _ => state.memory.allocate(bytes, kind, "").ok_or(OUT_OF_MEMORY)?,
    };
    // SAFETY: the callers of this are functions whose callers say so.
    unsafe { give(place, address as *mut c_void) }
}

fn free(state: &mut State, address: *mut c_void) -> Result<(), Error> {
    if address.is_null() || state.memory.free(address as u64) { Ok(()) } else { Err(INVALID_VALUE) }
}

/// Allocates memory of the device.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMalloc(place: *mut *mut c_void, bytes: usize) -> Error {
    call(|state| allocate(state, place, bytes, Kind::Device))
}

/// Allocates memory that the host and all devices use.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMallocManaged(place: *mut *mut c_void, bytes: usize, _flags: c_uint) -> Error {
    call(|state| allocate(state, place, bytes, Kind::Managed))
}

/// Allocates pinned memory of the host, which kernels reach.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipHostMalloc(place: *mut *mut c_void, bytes: usize, _flags: c_uint) -> Error {
    call(|state| allocate(state, place, bytes, Kind::Host))
}

/// Frees memory of the device or managed memory.
#[unsafe(no_mangle)]
pub extern "C" fn hipFree(address: *mut c_void) -> Error {
    call_in_order(|state| free(state, address))
}

/// Frees pinned memory.
#[unsafe(no_mangle)]
pub extern "C" fn hipHostFree(address: *mut c_void) -> Error {
    call(|state| free(state, address))
}

/// Lets kernels reach memory of the host.
///
/// # Safety
///
/// The bytes are the program's until it unregisters them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipHostRegister(address: *mut c_void, bytes: usize, _flags: c_uint) -> Error {
    call(|state| {
        if address.is_null() || bytes == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let is_new = unsafe { state.memory.register_host(address as u64, bytes) };
        if is_new { Ok(()) } else { Err(ALREADY_REGISTERED) }
    })
}

/// Takes registered memory back.
#[unsafe(no_mangle)]
pub extern "C" fn hipHostUnregister(address: *mut c_void) -> Error {
    call(|state| if state.memory.free(address as u64) { Ok(()) } else { Err(NOT_REGISTERED) })
}

/// The device's address of pinned memory: the same.
///
/// # Safety
///
/// `place` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipHostGetDevicePointer(place: *mut *mut c_void, address: *mut c_void, _: c_uint) -> Error {
    call(|state| match state.memory.around(address as u64) {
        // SAFETY: as the caller says.
        Some(_) => unsafe { give(place, address) },
        None => Err(INVALID_VALUE),
    })
}

/// Whether the address is in an allocation of this library; otherwise it is memory of the host alone.
fn is_known(memory: &Memory, address: *const c_void) -> bool {
    memory.around(address as u64).is_some()
}

/// Copies bytes between any memory. An allocation of this library must contain all of them.
///
/// # Safety
///
/// Other memory belongs to the program, and has at least `bytes` bytes.
unsafe fn copy(state: &mut State, to: *mut c_void, from: *const c_void, bytes: usize) -> Result<(), Error> {
    if bytes == 0 {
        return Ok(());
    }
    if to.is_null() || from.is_null() {
        return Err(INVALID_VALUE);
    }
    let memory = &mut state.memory;
    let done = match (is_known(memory, to), is_known(memory, from)) {
        (true, true) => memory.copy(to as u64, from as u64, bytes),
        (true, false) => {
            // SAFETY: the caller says so of memory of the host.
            let source = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) };
            memory.write(to as u64, source, &vec![0; bytes])
        }
        (false, true) => {
            let (mut data, mut undefined) = (vec![0; bytes], vec![0; bytes]);
            let read = memory.read(from as u64, &mut data, &mut undefined);
            if read.is_ok() {
                // SAFETY: the caller says so of memory of the host.
                unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), to.cast(), bytes) };
            }
            read
        }
        (false, false) => {
            // SAFETY: the caller says so of memory of the host.
            unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), bytes) };
            Ok(())
        }
    };
    done.map_err(|_| INVALID_VALUE)
}

/// The device's side of a copy must be an allocation of this library.
unsafe fn copy_with(to: *mut c_void, from: *const c_void, bytes: usize, to_device: bool, from_device: bool) -> Error {
    call_in_order(|state| {
        let wrong = |is_device: bool, address: *const c_void| is_device && !is_known(&state.memory, address);
        if bytes != 0 && (wrong(to_device, to) || wrong(from_device, from)) {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the callers of this are functions whose callers say so.
        unsafe { copy(state, to, from, bytes) }
    })
}

/// Copies from the host to the device.
///
/// # Safety
///
/// Both sides have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyHtoD(to: *mut c_void, from: *const c_void, bytes: usize) -> Error {
    // SAFETY: as the caller says.
    unsafe { copy_with(to, from, bytes, true, false) }
}

/// Copies from the host to the device, in a stream.
///
/// # Safety
///
/// Both sides have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyHtoDAsync(to: *mut c_void, from: *const c_void, bytes: usize, _: Stream) -> Error {
    // SAFETY: as the caller says.
    unsafe { copy_with(to, from, bytes, true, false) }
}

/// Copies from the device to the host.
///
/// # Safety
///
/// Both sides have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyDtoH(to: *mut c_void, from: *const c_void, bytes: usize) -> Error {
    // SAFETY: as the caller says.
    unsafe { copy_with(to, from, bytes, false, true) }
}

/// Copies from the device to the host, in a stream.
///
/// # Safety
///
/// Both sides have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyDtoHAsync(to: *mut c_void, from: *const c_void, bytes: usize, _: Stream) -> Error {
    // SAFETY: as the caller says.
    unsafe { copy_with(to, from, bytes, false, true) }
}

/// Copies on the device.
///
/// # Safety
///
/// Both sides have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyDtoD(to: *mut c_void, from: *const c_void, bytes: usize) -> Error {
    // SAFETY: as the caller says.
    unsafe { copy_with(to, from, bytes, true, true) }
}

/// Copies on the device, in a stream.
///
/// # Safety
///
/// Both sides have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyDtoDAsync(to: *mut c_void, from: *const c_void, bytes: usize, _: Stream) -> Error {
    // SAFETY: as the caller says.
    unsafe { copy_with(to, from, bytes, true, true) }
}

/// Copies in a direction: 0 host to host, 1 host to device, 2 device to host, 3 device to device, 4 by the addresses.
///
/// # Safety
///
/// Both sides have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, direction: c_int) -> Error {
    // SAFETY: as the caller says.
    unsafe { copy_with(to, from, bytes, matches!(direction, 1 | 3), matches!(direction, 2 | 3)) }
}

/// Copies in a direction, in a stream.
///
/// # Safety
///
/// Both sides have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemcpyAsync(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    direction: c_int,
    _: Stream,
) -> Error {
    // SAFETY: as the caller says.
    unsafe { hipMemcpy(to, from, bytes, direction) }
}

fn fill(to: *mut c_void, byte: u8, bytes: usize) -> Error {
    call_in_order(|state| match bytes {
        0 => Ok(()),
        _ => state.memory.fill(to as u64, byte, bytes).map_err(|_| INVALID_VALUE),
    })
}

/// Sets bytes.
#[unsafe(no_mangle)]
pub extern "C" fn hipMemset(to: *mut c_void, byte: c_int, bytes: usize) -> Error {
    fill(to, byte as u8, bytes)
}

/// Sets bytes, in a stream.
#[unsafe(no_mangle)]
pub extern "C" fn hipMemsetAsync(to: *mut c_void, byte: c_int, bytes: usize, _: Stream) -> Error {
    fill(to, byte as u8, bytes)
}

/// Sets bytes.
#[unsafe(no_mangle)]
pub extern "C" fn hipMemsetD8(to: *mut c_void, byte: u8, bytes: usize) -> Error {
    fill(to, byte, bytes)
}

/// Sets bytes, in a stream.
#[unsafe(no_mangle)]
pub extern "C" fn hipMemsetD8Async(to: *mut c_void, byte: u8, bytes: usize, _: Stream) -> Error {
    fill(to, byte, bytes)
}
