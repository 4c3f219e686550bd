//! The functions of `offloadrt.h` that this crate calls.

use core::ffi::{CStr, c_char, c_int, c_void};

use crate::abi::status::{FAILED, NO_DEVICE};
pub(crate) use crate::abi::{
    KEEP_HEAP, LAUNCH_VERSION, LIMITS_VERSION, MAP_ALWAYS, MAP_FROM, MAP_TO, RawArgument, RawKernel, RawLaunchConfig,
    RawLimits,
};

#[repr(C)]
pub(crate) struct RawDevice {
    _private: [u8; 0],
}

#[repr(C)]
pub(crate) struct RawStream {
    _private: [u8; 0],
}

#[repr(C)]
pub(crate) struct RawEvent {
    _private: [u8; 0],
}

/// The type of the functions that copy, in every direction.
pub(crate) type Copy = unsafe extern "C" fn(*mut RawDevice, *mut RawStream, *mut c_void, *const c_void, usize) -> c_int;

/// The error of a program that offloadc has not compiled.
const WITHOUT_OFFLOADC: &CStr =
    c"this program was not compiled by offloadc, so that no device has code of its kernels: build it with \
    `cargo offloadc`, or call `run_on_host`";

/// The functions of the runtime. In a program that offloadc has not compiled, they are stand-ins, as in `contract.rs`:
/// opening a device fails, and the others exist only so that the program links. offloadc turns them into declarations.
macro_rules! runtime {
    ($(fn $name:ident($($parameter:ident: $ty:ty),* $(,)?) -> $result:ty = $value:expr;)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(link_section = ".text.offload.stand_in")]
        #[inline(never)]
        pub(crate) unsafe extern "C" fn $name($($parameter: $ty),*) -> $result {
            core::hint::black_box(($($parameter,)*));
            core::hint::black_box::<$result>($value)
        }
    )* };
}

runtime! {
    fn offloadrt_device_open(name: *const c_char, device: *mut *mut RawDevice) -> c_int = NO_DEVICE;
    fn offloadrt_device_close(device: *mut RawDevice) -> c_int = FAILED;
    fn offloadrt_device_name(device: *const RawDevice) -> *const c_char = c"".as_ptr();
    fn offloadrt_device_arch(device: *const RawDevice) -> *const c_char = c"".as_ptr();
    fn offloadrt_device_product(device: *const RawDevice) -> *const c_char = c"".as_ptr();
    fn offloadrt_device_limits(device: *mut RawDevice, limits: *mut RawLimits) -> c_int = FAILED;
    fn offloadrt_allocate(device: *mut RawDevice, bytes: usize, address: *mut *mut c_void) -> c_int = FAILED;
    fn offloadrt_free(device: *mut RawDevice, address: *mut c_void) -> c_int = FAILED;
    fn offloadrt_copy_to_device(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = FAILED;
    fn offloadrt_copy_to_host(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = FAILED;
    fn offloadrt_allocate_host(device: *mut RawDevice, bytes: usize, address: *mut *mut c_void) -> c_int = FAILED;
    fn offloadrt_free_host(device: *mut RawDevice, address: *mut c_void) -> c_int = FAILED;
    fn offloadrt_allocate_unified(device: *mut RawDevice, bytes: usize, address: *mut *mut c_void) -> c_int = FAILED;
    fn offloadrt_free_unified(device: *mut RawDevice, address: *mut c_void) -> c_int = FAILED;
    fn offloadrt_submit_copy_to_device(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = FAILED;
    fn offloadrt_submit_copy_to_host(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = FAILED;
    fn offloadrt_submit_copy(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = FAILED;
    fn offloadrt_submit_fill(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        byte: u8,
        bytes: usize,
    ) -> c_int = FAILED;
    fn offloadrt_event_create(device: *mut RawDevice, event: *mut *mut RawEvent) -> c_int = FAILED;
    fn offloadrt_event_destroy(event: *mut RawEvent) -> c_int = FAILED;
    fn offloadrt_event_record(event: *mut RawEvent, stream: *mut RawStream) -> c_int = FAILED;
    fn offloadrt_stream_wait(stream: *mut RawStream, event: *mut RawEvent) -> c_int = FAILED;
    fn offloadrt_event_synchronize(event: *mut RawEvent) -> c_int = FAILED;
    fn offloadrt_event_query(event: *mut RawEvent, over: *mut c_int) -> c_int = FAILED;
    fn offloadrt_event_elapsed(from: *mut RawEvent, to: *mut RawEvent, nanoseconds: *mut i64) -> c_int = FAILED;
    fn offloadrt_stream_create(device: *mut RawDevice, stream: *mut *mut RawStream) -> c_int = FAILED;
    fn offloadrt_stream_destroy(stream: *mut RawStream) -> c_int = FAILED;
    fn offloadrt_map(
        device: *mut RawDevice,
        stream: *mut RawStream,
        host: *const c_void,
        bytes: usize,
        flags: u32,
        address: *mut *mut c_void,
    ) -> c_int = FAILED;
    fn offloadrt_unmap(
        device: *mut RawDevice,
        stream: *mut RawStream,
        host: *mut c_void,
        bytes: usize,
        flags: u32,
    ) -> c_int = FAILED;
    fn offloadrt_update_to(
        device: *mut RawDevice,
        stream: *mut RawStream,
        host: *const c_void,
        bytes: usize,
    ) -> c_int = FAILED;
    fn offloadrt_update_from(
        device: *mut RawDevice,
        stream: *mut RawStream,
        host: *mut c_void,
        bytes: usize,
    ) -> c_int = FAILED;
    fn offloadrt_launch(
        device: *mut RawDevice,
        stream: *mut RawStream,
        kernel: *const RawKernel,
        config: *const RawLaunchConfig,
        arguments: *const RawArgument,
        argument_count: usize,
    ) -> c_int = FAILED;
    fn offloadrt_synchronize(device: *mut RawDevice, stream: *mut RawStream) -> c_int = FAILED;
    fn offloadrt_error_text() -> *const c_char = WITHOUT_OFFLOADC.as_ptr();
}
