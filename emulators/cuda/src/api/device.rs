//! Devices and their attributes.

use std::ffi::{c_char, c_int, c_uint};

use super::{INVALID_VALUE, NO_DEVICE, Outcome, Status, call, put};

/// The memory that devices say they have.
const MEMORY: usize = 16 << 30;
/// The version of the API: 13.0.
const VERSION: c_int = 13_000;
/// The multiprocessors of every device.
pub(super) const MULTIPROCESSORS: u32 = 16;

/// Starts the driver.
///
/// # Safety
///
/// None is needed; the signature is C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuInit(flags: c_uint) -> Status {
    call(|driver| {
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        driver.is_initialized = true;
        if driver.devices.is_empty() { Err(NO_DEVICE) } else { Ok(()) }
    })
}

/// The version of the API.
///
/// # Safety
///
/// `version` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> Status {
    // SAFETY: the caller's.
    call(|_| unsafe { put(version, VERSION) })
}

/// The number of devices.
///
/// # Safety
///
/// `count` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    // SAFETY: the caller's.
    call(|driver| unsafe { put(count, driver.devices.len() as c_int) })
}

/// A device by its number, which is itself the handle.
///
/// # Safety
///
/// `device` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Status {
    call(|driver| {
        let index = driver.device(ordinal)?;
        // SAFETY: the caller's.
        unsafe { put(device, index as c_int) }
    })
}

/// The name of a device.
///
/// # Safety
///
/// `name` has room for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) -> Status {
    call(|driver| {
        let text = format!("emulated {}", driver.devices[driver.device(device)?].arch);
        if name.is_null() || length <= 0 {
            return Err(INVALID_VALUE);
        }
        let count = text.len().min(length as usize - 1);
        // SAFETY: the name and its end are within `length`.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), name, count);
            name.add(count).write(0);
        }
        Ok(())
    })
}

/// A number that distinguishes devices.
///
/// # Safety
///
/// `uuid` has room for 16 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) -> Status {
    call(|driver| {
        let mut bytes = *b"emulated GPU 000";
        bytes[15] = driver.device(device)? as u8;
        // SAFETY: the caller's.
        unsafe { put(uuid, bytes) }
    })
}

/// The same, also where a device is divided.
///
/// # Safety
///
/// `uuid` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) -> Status {
    // SAFETY: the caller's.
    unsafe { cuDeviceGetUuid(uuid, device) }
}

/// The memory of a device.
///
/// # Safety
///
/// `bytes` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> Status {
    call(|driver| {
        driver.device(device)?;
        // SAFETY: the caller's.
        unsafe { put(bytes, MEMORY) }
    })
}

/// The free memory and all memory.
///
/// # Safety
///
/// The pointers are null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Status {
    super::in_context(|_, _| {
        // SAFETY: the caller's.
        unsafe { put(free, MEMORY / 2).and_then(|()| put(total, MEMORY)) }
    })
}

/// The most shared memory that a block can have, by capability (CUDA C++ Programming Guide, "Technical Specifications
/// per Compute Capability").
pub(super) fn most_shared(capability: u32) -> u32 {
    1024 * match capability {
        70 | 72 => 96,
        75 => 64,
        80 | 87 => 163,
        86 | 89 | 120 | 121 => 99,
        _ => 227,
    }
}

/// Where a program's shared memory begins: later devices keep a part for themselves.
pub(super) fn shared_begin(capability: u32) -> u64 {
    if capability >= 80 { 1024 } else { 0 }
}

/// The most threads of a multiprocessor (the same table).
pub(super) fn threads_per_multiprocessor(capability: u32) -> c_int {
    if capability.is_multiple_of(10) { 2048 } else { 1536 }
}

fn attribute(which: c_int, capability: u32) -> Outcome<c_int> {
    let shared = most_shared(capability) as c_int;
    Ok(match which {
        1..=3 => 1024,
        4 => 64,
        5 => c_int::MAX,
        6 | 7 => 65_535,
        8 => 48 * 1024,
        9 => 64 * 1024,
        10 => 32,
        11 => c_int::MAX,
        12 | 82 => 64 * 1024,
        13 => 1_410_000,
        14 => 512,
        15 => 1,
        16 => MULTIPROCESSORS as c_int,
        17 | 18 => 0,
        19 | 31 | 41 | 83 | 88 | 89 | 115 => 1,
        36 => 1_215_000,
        37 => 5120,
        38 => 40 << 20,
        39 => threads_per_multiprocessor(capability),
        75 => (capability / 10) as c_int,
        76 => (capability % 10) as c_int,
        81 => shared + 1024,
        97 => shared,
        111 => super::device::shared_begin(capability) as c_int,
        0..=150 => 0,
        _ => return Err(INVALID_VALUE),
    })
}

/// An attribute of a device.
///
/// # Safety
///
/// `value` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, which: c_int, device: c_int) -> Status {
    call(|driver| {
        let capability = driver.devices[driver.device(device)?].capability;
        let found = attribute(which, capability)?;
        // SAFETY: the caller's.
        unsafe { put(value, found) }
    })
}
