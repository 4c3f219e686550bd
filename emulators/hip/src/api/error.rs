//! Errors, and their names.

use std::ffi::{CStr, c_char};

/// `hipError_t`.
pub type Error = i32;

pub(crate) const SUCCESS: Error = 0;
pub(crate) const INVALID_VALUE: Error = 1;
pub(crate) const OUT_OF_MEMORY: Error = 2;
pub(crate) const INVALID_CONFIGURATION: Error = 9;
pub(crate) const INVALID_SYMBOL: Error = 13;
pub(crate) const INVALID_DEVICE_FUNCTION: Error = 98;
pub(crate) const INVALID_DEVICE: Error = 101;
pub(crate) const INVALID_IMAGE: Error = 200;
pub(crate) const NO_BINARY: Error = 209;
pub(crate) const FILE_NOT_FOUND: Error = 301;
pub(crate) const INVALID_HANDLE: Error = 400;
pub(crate) const NOT_FOUND: Error = 500;
pub(crate) const ALREADY_REGISTERED: Error = 712;
pub(crate) const NOT_REGISTERED: Error = 713;
pub(crate) const LAUNCH_FAILURE: Error = 719;
pub(crate) const NOT_SUPPORTED: Error = 801;
pub(crate) const UNKNOWN: Error = 999;

/// Numbers, names and texts.
const NAMES: &[(Error, &CStr, &CStr)] = &[
    (SUCCESS, c"hipSuccess", c"no error"),
    (INVALID_VALUE, c"hipErrorInvalidValue", c"invalid argument"),
    (OUT_OF_MEMORY, c"hipErrorOutOfMemory", c"out of memory"),
    (INVALID_CONFIGURATION, c"hipErrorInvalidConfiguration", c"invalid configuration argument"),
    (INVALID_SYMBOL, c"hipErrorInvalidSymbol", c"invalid device symbol"),
    (INVALID_DEVICE_FUNCTION, c"hipErrorInvalidDeviceFunction", c"invalid device function"),
    (INVALID_DEVICE, c"hipErrorInvalidDevice", c"invalid device ordinal"),
    (INVALID_IMAGE, c"hipErrorInvalidImage", c"device kernel image is invalid"),
    (NO_BINARY, c"hipErrorNoBinaryForGpu", c"no kernel image is available for execution on the device"),
    (FILE_NOT_FOUND, c"hipErrorFileNotFound", c"file not found"),
    (INVALID_HANDLE, c"hipErrorInvalidHandle", c"invalid resource handle"),
    (NOT_FOUND, c"hipErrorNotFound", c"named symbol not found"),
    (
        ALREADY_REGISTERED,
        c"hipErrorHostMemoryAlreadyRegistered",
        c"part or all of the requested memory range is already mapped",
    ),
    (NOT_REGISTERED, c"hipErrorHostMemoryNotRegistered", c"pointer does not correspond to a registered memory region"),
    (LAUNCH_FAILURE, c"hipErrorLaunchFailure", c"unspecified launch failure"),
    (NOT_SUPPORTED, c"hipErrorNotSupported", c"operation not supported"),
    (UNKNOWN, c"hipErrorUnknown", c"unknown error"),
];

fn row(error: Error) -> &'static (Error, &'static CStr, &'static CStr) {
    NAMES.iter().find(|(number, ..)| *number == error).unwrap_or(&NAMES[NAMES.len() - 1])
}

/// The name of an error.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorName(error: Error) -> *const c_char {
    row(error).1.as_ptr()
}

/// A sentence about an error.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorString(error: Error) -> *const c_char {
    row(error).2.as_ptr()
}
