//! The structures and numbers of `offloadrt.h` that this crate shares with the runtime. This module names no other
//! module of the crate, so `tests/compiler/abi.rs` of offloadc can compare it with the header as a C compiler reads it.

use core::ffi::{c_char, c_void};

/// The target of a kernel's handle: `struct offload_kernel` of `offloadrt.h`, 64 bytes.
#[repr(C)]
pub(crate) struct RawKernel {
    pub(crate) size: u32,
    pub(crate) version: u32,
    pub(crate) name: *const c_char,
    pub(crate) parameters: *const c_void,
    pub(crate) parameter_count: u32,
    pub(crate) argument_bytes: u32,
    pub(crate) argument_align: u32,
    pub(crate) shared_bytes: u32,
    pub(crate) cpu_entry: *const c_void,
    pub(crate) descriptor: *const c_void,
    pub(crate) flags: u32,
    pub(crate) threads_per_block: u32,
}

/// `OFFLOAD_KERNEL_HAS_EXTENTS`.
#[allow(dead_code, reason = "only baked kernels need it")]
pub(crate) const HAS_EXTENTS: u32 = 4;

/// `OFFLOAD_KERNEL_HAS_CPU_CODE`.
#[allow(dead_code, reason = "only baked kernels need it")]
pub(crate) const HAS_CPU_CODE: u32 = 16;

/// `OFFLOAD_KERNEL_HAS_SCALARS`.
#[allow(dead_code, reason = "only baked kernels need it")]
pub(crate) const HAS_SCALARS: u32 = 64;

/// `OFFLOAD_KERNEL_RESTRICTS`.
pub(crate) const RESTRICTS: u32 = 2048;

/// `struct offload_descriptor`.
#[allow(dead_code, reason = "only baked kernels need it")]
#[repr(C)]
pub(crate) struct RawDescriptor {
    pub(crate) size: u32,
    pub(crate) version: u32,
    pub(crate) kernels: *const RawKernel,
    pub(crate) kernel_count: u64,
    pub(crate) images_begin: *const u8,
    pub(crate) images_end: *const u8,
    pub(crate) next: *mut RawDescriptor,
    pub(crate) serial: u64,
    /// Its first number is the size of all texts.
    pub(crate) panics: *const u32,
    /// Functions of the host that kernels call.
    pub(crate) host_functions: *const c_void,
    pub(crate) host_function_count: u64,
    pub(crate) first_function: u64,
    pub(crate) function_count: u64,
}

/// `OFFLOAD_HOST_CALL_BYTES`.
pub(crate) const HOST_CALL_BYTES: usize = 896;
/// `OFFLOAD_HOST_CALL_DONE`.
pub(crate) const HOST_CALL_DONE: u32 = 0;
/// `OFFLOAD_HOST_CALL_PANICKED`.
pub(crate) const HOST_CALL_PANICKED: u32 = 1;
/// `OFFLOAD_HOST_CALL_NO_HOST`.
pub(crate) const HOST_CALL_NO_HOST: u32 = 2;
/// `OFFLOAD_HOST_CALL_TOO_LARGE`, which the crate's own calls never get.
#[allow(dead_code, reason = "it is there to be compared")]
pub(crate) const HOST_CALL_TOO_LARGE: u32 = 3;

/// `OFFLOAD_DESCRIPTOR_VERSION` and `OFFLOAD_KERNEL_VERSION`.
#[allow(dead_code, reason = "only baked kernels need it")]
pub(crate) const INTERFACE_VERSION: u32 = 3;

/// `offloadrt_argument`.
#[repr(C)]
pub(crate) struct RawArgument {
    pub(crate) address: *const c_void,
    pub(crate) size: usize,
}

/// `OFFLOADRT_LAUNCH_VERSION`.
pub(crate) const LAUNCH_VERSION: u32 = 2;

/// `offloadrt_launch_config`.
#[repr(C)]
pub(crate) struct RawLaunchConfig {
    pub(crate) size: u32,
    pub(crate) version: u32,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) flags: u32,
    pub(crate) panic_record: *mut c_void,
    pub(crate) heap_bytes: u64,
}

/// `OFFLOADRT_KEEP_HEAP`.
pub(crate) const KEEP_HEAP: u32 = 1;

/// `OFFLOADRT_LIMITS_VERSION`.
pub(crate) const LIMITS_VERSION: u32 = 1;

/// `offloadrt_limits`.
#[derive(Default)]
#[repr(C)]
pub(crate) struct RawLimits {
    pub(crate) size: u32,
    pub(crate) version: u32,
    pub(crate) threads_per_block: u32,
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) least_lanes: u32,
    pub(crate) most_lanes: u32,
    pub(crate) compute_units: u32,
    pub(crate) reserved: u32,
    pub(crate) memory_bytes: u64,
}

/// `offloadrt_device`, which only the runtime reads.
#[repr(C)]
pub(crate) struct RawDevice {
    _private: [u8; 0],
}

/// `offloadrt_stream`.
#[repr(C)]
pub(crate) struct RawStream {
    _private: [u8; 0],
}

/// `offloadrt_event`.
#[repr(C)]
pub(crate) struct RawEvent {
    _private: [u8; 0],
}

/// `OFFLOADRT_MAP_TO`.
pub(crate) const MAP_TO: u32 = 1;
/// `OFFLOADRT_MAP_FROM`.
pub(crate) const MAP_FROM: u32 = 2;
/// `OFFLOADRT_MAP_ALWAYS`.
pub(crate) const MAP_ALWAYS: u32 = 4;

/// `enum offloadrt_status`.
pub(crate) mod status {
    use core::ffi::c_int;

    pub(crate) const SUCCESS: c_int = 0;
    pub(crate) const INVALID: c_int = 1;
    pub(crate) const NO_DEVICE: c_int = 2;
    pub(crate) const NO_IMAGE: c_int = 3;
    pub(crate) const NO_MEMORY: c_int = 4;
    pub(crate) const MISMATCH: c_int = 5;
    pub(crate) const FAILED: c_int = 6;
    pub(crate) const PANICKED: c_int = 7;
    pub(crate) const UNSUPPORTED: c_int = 8;
}
