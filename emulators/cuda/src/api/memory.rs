//! Memory: allocations, copies, fills.

use std::ffi::{c_int, c_uint, c_void};

use emulator_core::Kind;

use super::driver::Driver;
use super::{
    ALREADY_REGISTERED, DevicePointer, Handle, INVALID_VALUE, NOT_REGISTERED, OUT_OF_MEMORY, Outcome, Status,
    in_context, pools, put,
};

fn allocate(driver: &mut Driver, size: usize, kind: Kind) -> Outcome<u64> {
    if size == 0 {
        return Err(INVALID_VALUE);
    }
    driver.memory.allocate(size, kind, "").ok_or(OUT_OF_MEMORY)
}

fn free(driver: &mut Driver, address: u64, kinds: &[Kind]) -> Outcome<()> {
    if address == 0 {
        return Ok(());
    }
    match driver.memory.around(address) {
        Some((base, _, kind)) if base == address && kinds.contains(&kind) => {
            driver.memory.free(address);
            driver.pools.forget(address);
            Ok(())
        }
        _ => Err(INVALID_VALUE),
    }
}

/// Allocates device memory.
///
/// # Safety
///
/// `address` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut DevicePointer, size: usize) -> Status {
    in_context(|driver, _| {
        let found = allocate(driver, size, Kind::Device)?;
        // SAFETY: the caller's.
        unsafe { put(address, found) }
    })
}

/// Allocates device memory in the order of a stream.
///
/// # Safety
///
/// `address` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocAsync(address: *mut DevicePointer, size: usize, _stream: Handle) -> Status {
    in_context(|driver, device| {
        let found = pools::allocate(driver, device, 0, size)?;
        // SAFETY: the caller's.
        unsafe { put(address, found) }
    })
}

/// Allocates memory that the host and kernels use.
///
/// # Safety
///
/// `address` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocManaged(address: *mut DevicePointer, size: usize, _flags: c_uint) -> Status {
    in_context(|driver, _| {
        let found = allocate(driver, size, Kind::Managed)?;
        // SAFETY: the caller's.
        unsafe { put(address, found) }
    })
}

/// Frees device or managed memory.
///
/// # Safety
///
/// No pointer to managed memory is used thereafter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2(address: DevicePointer) -> Status {
    in_context(|driver, _| free(driver, address, &[Kind::Device, Kind::Managed]))
}

/// Frees device memory in the order of a stream.
///
/// # Safety
///
/// As `cuMemFree_v2`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeAsync(address: DevicePointer, _stream: Handle) -> Status {
    // SAFETY: the caller's.
    unsafe { cuMemFree_v2(address) }
}

/// Allocates pinned memory of the host.
///
/// # Safety
///
/// `address` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(address: *mut *mut c_void, size: usize, _flags: c_uint) -> Status {
    in_context(|driver, _| {
        let found = allocate(driver, size, Kind::Host)?;
        // SAFETY: the caller's.
        unsafe { put(address, found as *mut c_void) }
    })
}

/// The same without flags.
///
/// # Safety
///
/// `address` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocHost_v2(address: *mut *mut c_void, size: usize) -> Status {
    // SAFETY: the caller's.
    unsafe { cuMemHostAlloc(address, size, 0) }
}

/// Frees pinned memory.
///
/// # Safety
///
/// No pointer to it is used thereafter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeHost(address: *mut c_void) -> Status {
    in_context(|driver, _| free(driver, address as u64, &[Kind::Host]))
}

/// Pins memory of the host.
///
/// # Safety
///
/// The memory stays until `cuMemHostUnregister`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostRegister_v2(address: *mut c_void, size: usize, _flags: c_uint) -> Status {
    in_context(|driver, _| {
        if address.is_null() || size == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller's.
        let registered = unsafe { driver.memory.register_host(address as u64, size) };
        if registered { Ok(()) } else { Err(ALREADY_REGISTERED) }
    })
}

/// Unpins memory of the host.
///
/// # Safety
///
/// None is needed: addresses are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostUnregister(address: *mut c_void) -> Status {
    in_context(|driver, _| free(driver, address as u64, &[Kind::Host]).map_err(|_| NOT_REGISTERED))
}

/// The address by which kernels reach pinned memory: its own.
///
/// # Safety
///
/// `address` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetDevicePointer_v2(
    address: *mut DevicePointer,
    host: *mut c_void,
    _flags: c_uint,
) -> Status {
    // SAFETY: the caller's.
    in_context(|driver, _| match driver.memory.around(host as u64) {
        Some((_, _, Kind::Host)) => unsafe { put(address, host as u64) },
        _ => Err(INVALID_VALUE),
    })
}

/// Whether all of the bytes belong to one allocation; an address outside all of them is one of the host's.
fn is_known(driver: &Driver, address: u64) -> bool {
    driver.memory.around(address).is_some()
}

/// Copies between memory of the device and of the host. The addresses decide which of them each is.
///
/// # Safety
///
/// Addresses of the host are valid for `size` bytes.
unsafe fn copy(driver: &mut Driver, to: u64, from: u64, size: usize) -> Outcome<()> {
    if size == 0 {
        return Ok(());
    }
    match (is_known(driver, to), is_known(driver, from)) {
        (true, true) => driver.memory.copy(to, from, size),
        (true, false) => driver.memory.define(to, size),
        (false, true) => driver.memory.view(from, size).map(drop),
        (false, false) => return Err(INVALID_VALUE),
    }
    .map_err(|_| INVALID_VALUE)?;
    // SAFETY: the device's side was looked up just now, and the caller is responsible for the host's.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, size) };
    Ok(())
}

/// A function that copies.
macro_rules! copies {
    ($($name:ident($to:ty, $from:ty $(, $stream:ident)?);)*) => {$(
        /// Copies bytes.
        ///
        /// # Safety
        ///
        /// Addresses of the host are valid for `size` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(to: $to, from: $from, size: usize $(, $stream: Handle)?) -> Status {
            in_context(|driver, _| {
                $(driver.stream($stream)?;)?
                // SAFETY: the caller's.
                unsafe { copy(driver, to as u64, from as u64, size) }
            })
        }
    )*};
}

copies! {
    cuMemcpy(DevicePointer, DevicePointer);
    cuMemcpyAsync(DevicePointer, DevicePointer, stream);
    cuMemcpyHtoD_v2(DevicePointer, *const c_void);
    cuMemcpyHtoDAsync_v2(DevicePointer, *const c_void, stream);
    cuMemcpyDtoH_v2(*mut c_void, DevicePointer);
    cuMemcpyDtoHAsync_v2(*mut c_void, DevicePointer, stream);
    cuMemcpyDtoD_v2(DevicePointer, DevicePointer);
    cuMemcpyDtoDAsync_v2(DevicePointer, DevicePointer, stream);
}

fn fill<const N: usize>(driver: &mut Driver, address: u64, value: [u8; N], count: usize) -> Outcome<()> {
    if !address.is_multiple_of(N as u64) {
        return Err(INVALID_VALUE);
    }
    let size = count.checked_mul(N).ok_or(INVALID_VALUE)?;
    if N == 1 {
        return driver.memory.fill(address, value[0], size).map_err(|_| INVALID_VALUE);
    }
    driver.memory.write(address, &value.repeat(count), &vec![0; size]).map_err(|_| INVALID_VALUE)
}

/// A function that fills.
macro_rules! fills {
    ($($name:ident($value:ty as $bits:ty $(, $stream:ident)?);)*) => {$(
        /// Sets elements.
        ///
        /// # Safety
        ///
        /// None is needed: addresses are looked up.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(to: DevicePointer, value: $value, count: usize $(, $stream: Handle)?) -> Status {
            in_context(|driver, _| {
                $(driver.stream($stream)?;)?
                fill(driver, to, (value as $bits).to_le_bytes(), count)
            })
        }
    )*};
}

fills! {
    cuMemsetD8_v2(u8 as u8);
    cuMemsetD8Async(u8 as u8, stream);
    cuMemsetD16_v2(u16 as u16);
    cuMemsetD16Async(u16 as u16, stream);
    cuMemsetD32_v2(c_uint as u32);
    cuMemsetD32Async(c_uint as u32, stream);
}

/// A function that fills rows of memory.
macro_rules! fills_rows {
    ($($name:ident($value:ty as $bits:ty);)*) => {$(
        /// Sets `width` elements in each of `height` rows, which begin at multiples of `pitch` bytes.
        ///
        /// # Safety
        ///
        /// None is needed: addresses are looked up.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            to: DevicePointer,
            pitch: usize,
            value: $value,
            width: usize,
            height: usize,
            stream: Handle,
        ) -> Status {
            in_context(|driver, _| {
                driver.stream(stream)?;
                (0..height as u64).try_for_each(|row| {
                    let begin = row.checked_mul(pitch as u64).and_then(|offset| to.checked_add(offset));
                    fill(driver, begin.ok_or(INVALID_VALUE)?, (value as $bits).to_le_bytes(), width)
                })
            })
        }
    )*};
}

fills_rows! {
    cuMemsetD2D8Async(u8 as u8);
    cuMemsetD2D16Async(u16 as u16);
    cuMemsetD2D32Async(c_uint as u32);
}

/// An attribute of an address: its memory's type, or its device.
///
/// # Safety
///
/// `value` has room for the attribute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerGetAttribute(value: *mut c_void, which: c_int, address: DevicePointer) -> Status {
    in_context(|driver, device| {
        let (base, _, kind) = driver.memory.around(address).ok_or(INVALID_VALUE)?;
        let memory_type: c_uint = if kind == Kind::Host { 1 } else { 2 };
        // SAFETY: the caller's; each attribute has the type that is written.
        unsafe {
            match which {
                2 => put(value.cast(), memory_type),
                3 | 4 => put(value.cast(), address),
                8 => put(value.cast(), c_uint::from(kind == Kind::Managed)),
                9 => put(value.cast(), device as c_int),
                11 => put(value.cast(), base),
                _ => Err(INVALID_VALUE),
            }
        }
    })
}
