//! Devices and their properties.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::error::{Error, INVALID_DEVICE, INVALID_VALUE};
use super::state::{self, State, call, call_in_order};
use crate::generation::Generation;

/// The memory that a device says it has.
const MEMORY_BYTES: usize = 16 << 30;
/// The shared memory of a block.
pub(crate) const SHARED_BYTES: u32 = 64 << 10;
/// The threads of a block.
pub(crate) const MOST_THREADS: u32 = 1024;
const MOST_BLOCKS: [u32; 3] = [0x7fff_ffff, 65536, 65536];
const COMPUTE_UNITS: u32 = 8;

fn lanes(arch: &str) -> u32 {
    if Generation::of(arch) == Some(Generation::Rdna) { 32 } else { 64 }
}

fn device(state: &State, number: c_int) -> Result<&state::Device, Error> {
    usize::try_from(number).ok().and_then(|number| state.devices.get(number)).ok_or(INVALID_DEVICE)
}

/// Writes a result where the program wants it.
///
/// # Safety
///
/// `place` is null or valid for a write.
pub(crate) unsafe fn give<T>(place: *mut T, value: T) -> Result<(), Error> {
    if place.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller says that it is valid.
    unsafe { place.write(value) };
    Ok(())
}

/// Initialises the library.
#[unsafe(no_mangle)]
pub extern "C" fn hipInit(flags: c_uint) -> Error {
    call(|_| if flags == 0 { Ok(()) } else { Err(INVALID_VALUE) })
}

/// The version of the interface.
///
/// # Safety
///
/// `version` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipRuntimeGetVersion(version: *mut c_int) -> Error {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(version, 60_300_000) })
}

/// The version of the driver.
///
/// # Safety
///
/// `version` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDriverGetVersion(version: *mut c_int) -> Error {
    // SAFETY: as the caller says.
    unsafe { hipRuntimeGetVersion(version) }
}

/// How many devices there are.
///
/// # Safety
///
/// `count` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetDeviceCount(count: *mut c_int) -> Error {
    // SAFETY: as the caller says.
    call(|state| unsafe { give(count, state.devices.len() as c_int) })
}

/// The calling thread's device.
///
/// # Safety
///
/// `device` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetDevice(device: *mut c_int) -> Error {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(device, state::current_device() as c_int) })
}

/// Changes the calling thread's device.
#[unsafe(no_mangle)]
pub extern "C" fn hipSetDevice(number: c_int) -> Error {
    call(|state| {
        let _device = device(state, number)?;
        state::set_current_device(number as usize);
        Ok(())
    })
}

/// `hipDeviceProp_t` since ROCm 6: where its fields are.
mod properties {
    pub(super) const TOTAL_MEMORY: usize = 288;
    pub(super) const SHARED_BYTES: usize = 296;
    pub(super) const LANES: usize = 308;
    pub(super) const THREADS: usize = 320;
    pub(super) const BLOCK: usize = 324;
    pub(super) const GRID: usize = 336;
    pub(super) const COMPUTE_UNITS: usize = 388;
    pub(super) const ARCH: usize = 1160;
    pub(super) const BYTES: usize = 1472;
}

/// The properties of a device.
///
/// # Safety
///
/// `place` is null or valid for a `hipDeviceProp_t` of ROCm 6 or later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetDevicePropertiesR0600(place: *mut c_void, number: c_int) -> Error {
    call(|state| {
        let arch = device(state, number)?.arch.clone();
        if place.is_null() {
            return Err(INVALID_VALUE);
        }
        let mut bytes = [0u8; properties::BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, format!("Emulated {arch}").as_bytes());
        put(properties::TOTAL_MEMORY, &MEMORY_BYTES.to_le_bytes());
        put(properties::SHARED_BYTES, &(SHARED_BYTES as usize).to_le_bytes());
        put(properties::LANES, &lanes(&arch).to_le_bytes());
        put(properties::THREADS, &MOST_THREADS.to_le_bytes());
        for (axis, blocks) in MOST_BLOCKS.iter().enumerate() {
            put(properties::BLOCK + 4 * axis, &MOST_THREADS.to_le_bytes());
            put(properties::GRID + 4 * axis, &blocks.to_le_bytes());
        }
        put(properties::COMPUTE_UNITS, &COMPUTE_UNITS.to_le_bytes());
        let features = if arch == "gfx90a" { ":sramecc+:xnack-" } else { "" };
        put(properties::ARCH, format!("{arch}{features}").as_bytes());
        // SAFETY: the caller has room for as many bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place.cast(), bytes.len()) };
        Ok(())
    })
}

/// An attribute of a device, by `hipDeviceAttribute_t` since ROCm 5.
///
/// # Safety
///
/// `value` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGetAttribute(value: *mut c_int, attribute: c_int, number: c_int) -> Error {
    call(|state| {
        let arch = &device(state, number)?.arch;
        let answer = match attribute {
            // Managed memory, concurrently with the host too.
            9 | 48 => 1,
            26..=28 | 56 => MOST_THREADS,
            29..=31 => MOST_BLOCKS[(attribute - 29) as usize],
            63 => COMPUTE_UNITS,
            74 => SHARED_BYTES,
            87 => lanes(arch),
            _ => return Err(INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { give(value, answer as c_int) }
    })
}

/// The memory of a device.
///
/// # Safety
///
/// `bytes` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceTotalMem(bytes: *mut usize, number: c_int) -> Error {
    call(|state| {
        let _device = device(state, number)?;
        // SAFETY: as the caller says.
        unsafe { give(bytes, MEMORY_BYTES) }
    })
}

/// The free and the whole memory of the current device.
///
/// # Safety
///
/// Both are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> Error {
    // SAFETY: as the caller says.
    call(|_| unsafe { give(free, MEMORY_BYTES).and_then(|()| give(total, MEMORY_BYTES)) })
}

/// The name of a device.
///
/// # Safety
///
/// `name` is null or has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGetName(name: *mut c_char, length: c_int, number: c_int) -> Error {
    call(|state| {
        let text = format!("Emulated {}", device(state, number)?.arch);
        if name.is_null() || length <= 0 {
            return Err(INVALID_VALUE);
        }
        let count = text.len().min(length as usize - 1);
        // SAFETY: the caller has room for `length` bytes, and this is less, with its zero.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), name.cast(), count);
            name.add(count).write(0);
        }
        Ok(())
    })
}

/// `hipLimitStackSize`.
const STACK_SIZE: c_int = 0;

/// A limit of the current device.
///
/// # Safety
///
/// `bytes` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDeviceGetLimit(bytes: *mut usize, limit: c_int) -> Error {
    call(|state| match (limit, state.device()) {
        // SAFETY: as the caller says.
        (STACK_SIZE, Some(device)) => unsafe { give(bytes, device.stack) },
        _ => Err(INVALID_VALUE),
    })
}

/// Changes a limit of the current device.
#[unsafe(no_mangle)]
pub extern "C" fn hipDeviceSetLimit(limit: c_int, bytes: usize) -> Error {
    call(|state| match (limit, state.device()) {
        (STACK_SIZE, Some(device)) => {
            device.stack = bytes;
            Ok(())
        }
        _ => Err(INVALID_VALUE),
    })
}

/// Waits for everything on the current device.
#[unsafe(no_mangle)]
pub extern "C" fn hipDeviceSynchronize() -> Error {
    call_in_order(|_| Ok(()))
}

/// Forgets all memory, modules and errors of all devices.
#[unsafe(no_mangle)]
pub extern "C" fn hipDeviceReset() -> Error {
    call(|state| {
        state.reset();
        Ok(())
    })
}
