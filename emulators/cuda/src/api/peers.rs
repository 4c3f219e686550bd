//! Several devices: none accesses the memory of another one, and copies between them go through the host.

use std::ffi::{c_int, c_uint};

use super::{DevicePointer, Handle, PEER_ACCESS_UNSUPPORTED, Status, call, cuMemcpyDtoDAsync_v2, put};

/// Whether a device accesses the memory of another one: no.
///
/// # Safety
///
/// `can` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, other: c_int) -> Status {
    call(|driver| {
        driver.device(device)?;
        driver.device(other)?;
        // SAFETY: the caller's.
        unsafe { put(can, 0) }
    })
}

/// Asks for access to the memory of another device.
///
/// # Safety
///
/// None is needed; the signature is C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxEnablePeerAccess(_context: Handle, _flags: c_uint) -> Status {
    PEER_ACCESS_UNSUPPORTED
}

/// A copy between two devices.
///
/// # Safety
///
/// None is needed: addresses are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeerAsync(
    to: DevicePointer,
    _to_context: Handle,
    from: DevicePointer,
    _from_context: Handle,
    size: usize,
    stream: Handle,
) -> Status {
    // SAFETY: all devices have addresses of one space.
    unsafe { cuMemcpyDtoDAsync_v2(to, from, size, stream) }
}
