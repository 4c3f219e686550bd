//! Contexts: the primary one of each device, and those that a program creates.

use std::ffi::{c_int, c_uint, c_void};

use super::driver::{CURRENT, Driver};
use super::{Handle, INVALID_CONTEXT, INVALID_VALUE, NOT_SUPPORTED, Status, call, in_context, put};

/// `CU_LIMIT_STACK_SIZE`
const STACK: c_int = 0;

/// The primary context of a device.
///
/// # Safety
///
/// `context` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) -> Status {
    call(|driver| {
        let handle = Driver::context_of(driver.device(device)?);
        // SAFETY: the caller's.
        unsafe { put(context, handle) }
    })
}

/// The end of a use of the primary context.
///
/// # Safety
///
/// None is needed; the signature is C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> Status {
    call(|driver| driver.device(device).map(drop))
}

/// Resets the primary context, also after an error.
///
/// # Safety
///
/// None is needed; the signature is C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset_v2(device: c_int) -> Status {
    call(|driver| {
        let index = driver.device(device)?;
        driver.devices[index].error = 0;
        Ok(())
    })
}

/// A new context, which becomes the current one of this thread. Its flags are of no consequence.
///
/// # Safety
///
/// `context` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v2(context: *mut Handle, _flags: c_uint, device: c_int) -> Status {
    call(|driver| {
        let (device, handle) = (driver.device(device)?, driver.handle());
        // SAFETY: the caller's.
        unsafe { put(context, handle) }?;
        driver.contexts.insert(handle, device);
        CURRENT.with(|contexts| contexts.borrow_mut().push(handle));
        Ok(())
    })
}

/// The same with a part of the device, which must be all of it.
///
/// # Safety
///
/// `context` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v3(
    context: *mut Handle,
    _parts: *const c_void,
    count: c_int,
    flags: c_uint,
    device: c_int,
) -> Status {
    if count != 0 {
        return NOT_SUPPORTED;
    }
    // SAFETY: the caller's.
    unsafe { cuCtxCreate_v2(context, flags, device) }
}

/// The same with parameters, which must be null.
///
/// # Safety
///
/// `context` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v4(
    context: *mut Handle,
    parameters: *const c_void,
    flags: c_uint,
    device: c_int,
) -> Status {
    if !parameters.is_null() {
        return NOT_SUPPORTED;
    }
    // SAFETY: the caller's.
    unsafe { cuCtxCreate_v2(context, flags, device) }
}

/// The end of a context, with its streams and modules.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDestroy_v2(context: Handle) -> Status {
    call(|driver| {
        driver.contexts.remove(&context).ok_or(INVALID_CONTEXT)?;
        driver.streams.retain(|_, of| *of != context);
        driver.kernels.retain(|_, kernel| driver.modules.get(&kernel.module).is_some_and(|of| of.context != context));
        driver.modules.retain(|_, module| module.context != context);
        CURRENT.with(|contexts| {
            let mut contexts = contexts.borrow_mut();
            if contexts.last() == Some(&context) {
                contexts.pop();
            }
        });
        Ok(())
    })
}

/// Makes a context the current one of this thread.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> Status {
    call(|driver| {
        driver.device_of(context)?;
        CURRENT.with(|contexts| contexts.borrow_mut().push(context));
        Ok(())
    })
}

/// Makes the previous context current again.
///
/// # Safety
///
/// `context` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent_v2(context: *mut Handle) -> Status {
    call(|_| {
        let popped = CURRENT.with(|contexts| contexts.borrow_mut().pop()).ok_or(INVALID_CONTEXT)?;
        if !context.is_null() {
            // SAFETY: the caller's; it is not null.
            unsafe { context.write(popped) };
        }
        Ok(())
    })
}

/// Replaces the current context; removes it if `context` is null.
///
/// # Safety
///
/// None is needed: handles are looked up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(context: Handle) -> Status {
    call(|driver| {
        if context != 0 {
            driver.device_of(context)?;
        }
        CURRENT.with(|contexts| {
            let mut contexts = contexts.borrow_mut();
            contexts.pop();
            contexts.extend((context != 0).then_some(context));
        });
        Ok(())
    })
}

/// The current context, or null.
///
/// # Safety
///
/// `context` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(context: *mut Handle) -> Status {
    // SAFETY: the caller's.
    call(|_| unsafe { put(context, CURRENT.with(|contexts| contexts.borrow().last().copied().unwrap_or(0))) })
}

/// The device of the current context.
///
/// # Safety
///
/// `device` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice(device: *mut c_int) -> Status {
    // SAFETY: the caller's.
    in_context(|_, index| unsafe { put(device, index as c_int) })
}

/// Waits for all work, which is done.
///
/// # Safety
///
/// None is needed; the signature is C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSynchronize() -> Status {
    in_context(|_, _| Ok(()))
}

/// A limit of the current context.
///
/// # Safety
///
/// `value` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetLimit(value: *mut usize, limit: c_int) -> Status {
    in_context(|driver, index| {
        let device = &driver.devices[index];
        let found = if limit == STACK { device.stack } else { device.limits.get(&limit).copied().unwrap_or(0) };
        // SAFETY: the caller's.
        unsafe { put(value, found) }
    })
}

/// Changes a limit.
///
/// # Safety
///
/// None is needed; the signature is C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetLimit(limit: c_int, value: usize) -> Status {
    in_context(|driver, index| {
        // A thread can have 512 KiB of local memory.
        if limit == STACK && value > 512 << 10 {
            return Err(INVALID_VALUE);
        }
        let device = &mut driver.devices[index];
        if limit == STACK {
            device.stack = value.next_multiple_of(16);
        } else {
            device.limits.insert(limit, value);
        }
        Ok(())
    })
}

/// Flags of a context are of no consequence.
///
/// # Safety
///
/// None is needed; the signature is C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, _flags: c_uint) -> Status {
    call(|driver| driver.device(device).map(drop))
}

/// The flags of the primary context, and whether it is in use. It always is.
///
/// # Safety
///
/// `flags` and `active` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) -> Status {
    call(|driver| {
        driver.device(device)?;
        // SAFETY: the caller's.
        unsafe {
            put(flags, 0)?;
            put(active, 1)
        }
    })
}
