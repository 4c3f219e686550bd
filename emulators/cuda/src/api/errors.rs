//! Errors and their names.

use std::ffi::{CStr, c_char};

use super::{Status, put};

/// `CUDA_SUCCESS`
pub const SUCCESS: Status = 0;
/// `CUDA_ERROR_INVALID_VALUE`
pub const INVALID_VALUE: Status = 1;
/// `CUDA_ERROR_OUT_OF_MEMORY`
pub const OUT_OF_MEMORY: Status = 2;
/// `CUDA_ERROR_NOT_INITIALIZED`
pub const NOT_INITIALIZED: Status = 3;
/// `CUDA_ERROR_NO_DEVICE`
pub const NO_DEVICE: Status = 100;
/// `CUDA_ERROR_INVALID_DEVICE`
pub const INVALID_DEVICE: Status = 101;
/// `CUDA_ERROR_INVALID_IMAGE`
pub const INVALID_IMAGE: Status = 200;
/// `CUDA_ERROR_INVALID_CONTEXT`
pub const INVALID_CONTEXT: Status = 201;
/// `CUDA_ERROR_NO_BINARY_FOR_GPU`
pub const NO_BINARY: Status = 209;
/// `CUDA_ERROR_PEER_ACCESS_UNSUPPORTED`
pub const PEER_ACCESS_UNSUPPORTED: Status = 217;
/// `CUDA_ERROR_INVALID_PTX`
pub const INVALID_PTX: Status = 218;
/// `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`
pub const UNSUPPORTED_VERSION: Status = 222;
/// `CUDA_ERROR_INVALID_HANDLE`
pub const INVALID_HANDLE: Status = 400;
/// `CUDA_ERROR_NOT_FOUND`
pub const NOT_FOUND: Status = 500;
/// `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED`
pub const ALREADY_REGISTERED: Status = 712;
/// `CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED`
pub const NOT_REGISTERED: Status = 713;
/// `CUDA_ERROR_FILE_NOT_FOUND`
pub const FILE_NOT_FOUND: Status = 301;
/// `CUDA_ERROR_NOT_SUPPORTED`
pub const NOT_SUPPORTED: Status = 801;
/// `CUDA_ERROR_UNKNOWN`
pub const UNKNOWN: Status = 999;

const TEXTS: [(Status, &CStr, &CStr); 28] = [
    (0, c"CUDA_SUCCESS", c"no error"),
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (200, c"CUDA_ERROR_INVALID_IMAGE", c"device kernel image is invalid"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    (209, c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device"),
    (217, c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", c"peer access is not supported between these two devices"),
    (218, c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
    (222, c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the provided PTX was compiled with an unsupported toolchain."),
    (301, c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
    (400, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (600, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
    (710, c"CUDA_ERROR_ASSERT", c"device-side assert triggered"),
    (712, c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", c"part or all of the requested memory range is already mapped"),
    (713, c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", c"pointer does not correspond to a registered memory region"),
    (714, c"CUDA_ERROR_HARDWARE_STACK_ERROR", c"hardware stack error"),
    (715, c"CUDA_ERROR_ILLEGAL_INSTRUCTION", c"an illegal instruction was encountered"),
    (716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address"),
    (717, c"CUDA_ERROR_INVALID_ADDRESS_SPACE", c"operation not supported on global/shared address space"),
    (718, c"CUDA_ERROR_INVALID_PC", c"invalid program counter"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    (801, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
];

fn texts(error: Status) -> Option<(&'static CStr, &'static CStr)> {
    let unknown = (c"CUDA_ERROR_UNKNOWN", c"unknown error");
    let found = TEXTS.iter().find(|(status, _, _)| *status == error).map(|(_, name, text)| (*name, *text));
    found.or((error == UNKNOWN).then_some(unknown))
}

/// The name of an error.
///
/// # Safety
///
/// As the API says: `name` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: Status, name: *mut *const c_char) -> Status {
    let found = texts(error);
    // SAFETY: the caller's.
    let written = unsafe { put(name, found.map_or(std::ptr::null(), |(name, _)| name.as_ptr())) };
    if written.is_err() || found.is_none() { INVALID_VALUE } else { SUCCESS }
}

/// The description of an error.
///
/// # Safety
///
/// As the API says: `text` is null or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: Status, text: *mut *const c_char) -> Status {
    let found = texts(error);
    // SAFETY: the caller's.
    let written = unsafe { put(text, found.map_or(std::ptr::null(), |(_, text)| text.as_ptr())) };
    if written.is_err() || found.is_none() { INVALID_VALUE } else { SUCCESS }
}
