//! The functions of `offloadrt.h` that this crate calls.

use core::ffi::{c_char, c_int, c_void};

use crate::abi::status::SUCCESS;
pub(crate) use crate::abi::{
    KEEP_HEAP, LAUNCH_VERSION, LIMITS_VERSION, MAP_ALWAYS, MAP_FROM, MAP_TO, RawArgument, RawDevice, RawEvent,
    RawKernel, RawLaunchConfig, RawLimits, RawStream,
};
#[cfg(offload_devices)]
use crate::fallback::devices::{self, Foreign as _, Returned as _};
use crate::fallback::{report, runtime};

/// The type of the functions that copy, in every direction.
pub(crate) type Copy = unsafe extern "C" fn(*mut RawDevice, *mut RawStream, *mut c_void, *const c_void, usize) -> c_int;

/// The functions of the runtime. In a program that offloadc has not compiled, they are those of `fallback/runtime.rs`.
/// offloadc turns them into declarations, as it does with the functions of `contract.rs`. As there, each function has a
/// separate section.
macro_rules! runtime {
    ($(fn $name:ident($($parameter:ident: $ty:ty),* $(,)?) -> $result:ty = $value:expr;)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(link_section = concat!(".text.offload.stand_in.", stringify!($name)))]
        #[inline(never)]
        pub(crate) unsafe extern "C" fn $name($($parameter: $ty),*) -> $result {
            core::hint::black_box(($($parameter,)*));
            #[cfg(offload_devices)]
            if false $(|| $parameter.is_foreign())* {
                // SAFETY: the build script gives the function of the runtime in C this name.
                unsafe extern "C" {
                    #[link_name = concat!("offload_devices_", stringify!($name))]
                    fn foreign($($parameter: $ty),*) -> $result;
                }
                // SAFETY: the function has the same type, and the device is one of that runtime.
                return unsafe { foreign($($parameter),*) }.with_text();
            }
            // SAFETY: the crate calls the function with arguments that its counterpart takes.
            #[allow(unused_unsafe, reason = "some values need it")]
            core::hint::black_box::<$result>(unsafe { $value })
        }
    )* };
}

runtime! {
    fn offloadrt_device_open(name: *const c_char, device: *mut *mut RawDevice) -> c_int = runtime::device_open(name, device);
    fn offloadrt_device_adopt(
        name: *const c_char,
        context: *mut c_void,
        device: *mut *mut RawDevice,
    ) -> c_int = runtime::device_adopt(name, context, device);
    fn offloadrt_device_close(device: *mut RawDevice) -> c_int = runtime::unless_busy(|| SUCCESS);
    fn offloadrt_device_name(device: *const RawDevice) -> *const c_char = runtime::NAME.as_ptr();
    fn offloadrt_device_arch(device: *const RawDevice) -> *const c_char = runtime::NAME.as_ptr();
    fn offloadrt_device_product(device: *const RawDevice) -> *const c_char = runtime::PRODUCT.as_ptr();
    fn offloadrt_device_limits(device: *mut RawDevice, limits: *mut RawLimits) -> c_int = runtime::device_limits(limits);
    fn offloadrt_allocate(device: *mut RawDevice, bytes: usize, address: *mut *mut c_void) -> c_int = runtime::unless_busy(|| runtime::allocate(bytes, address));
    fn offloadrt_free(device: *mut RawDevice, address: *mut c_void) -> c_int = runtime::unless_busy(|| runtime::free(address));
    fn offloadrt_copy_to_device(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = runtime::unless_busy(|| runtime::copy(to, from, bytes));
    fn offloadrt_copy_to_host(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = runtime::unless_busy(|| runtime::copy(to, from, bytes));
    fn offloadrt_allocate_host(device: *mut RawDevice, bytes: usize, address: *mut *mut c_void) -> c_int = runtime::unless_busy(|| runtime::allocate(bytes, address));
    fn offloadrt_free_host(device: *mut RawDevice, address: *mut c_void) -> c_int = runtime::unless_busy(|| runtime::free(address));
    fn offloadrt_allocate_unified(device: *mut RawDevice, bytes: usize, address: *mut *mut c_void) -> c_int = runtime::unless_busy(|| runtime::allocate(bytes, address));
    fn offloadrt_free_unified(device: *mut RawDevice, address: *mut c_void) -> c_int = runtime::unless_busy(|| runtime::free(address));
    fn offloadrt_submit_copy_to_device(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = runtime::unless_busy(|| runtime::copy(to, from, bytes));
    fn offloadrt_submit_copy_to_host(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = runtime::unless_busy(|| runtime::copy(to, from, bytes));
    fn offloadrt_submit_copy(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int = runtime::unless_busy(|| runtime::copy(to, from, bytes));
    fn offloadrt_submit_fill(
        device: *mut RawDevice,
        stream: *mut RawStream,
        to: *mut c_void,
        byte: u8,
        bytes: usize,
    ) -> c_int = runtime::unless_busy(|| runtime::fill(to, byte, bytes));
    fn offloadrt_event_create(device: *mut RawDevice, event: *mut *mut RawEvent) -> c_int = runtime::event_create(event);
    fn offloadrt_event_destroy(event: *mut RawEvent) -> c_int = runtime::event_destroy(event);
    fn offloadrt_event_record(event: *mut RawEvent, stream: *mut RawStream) -> c_int = runtime::unless_busy(|| runtime::event_record(event));
    fn offloadrt_stream_wait(stream: *mut RawStream, event: *mut RawEvent) -> c_int = runtime::unless_busy(|| SUCCESS);
    fn offloadrt_event_synchronize(event: *mut RawEvent) -> c_int = runtime::unless_busy(|| SUCCESS);
    fn offloadrt_event_query(event: *mut RawEvent, over: *mut c_int) -> c_int = runtime::event_query(over);
    fn offloadrt_event_elapsed(from: *mut RawEvent, to: *mut RawEvent, nanoseconds: *mut i64) -> c_int = runtime::event_elapsed(from, to, nanoseconds);
    fn offloadrt_stream_create(device: *mut RawDevice, stream: *mut *mut RawStream) -> c_int = runtime::unless_busy(|| runtime::stream_create(stream));
    fn offloadrt_stream_destroy(stream: *mut RawStream) -> c_int = runtime::unless_busy(|| SUCCESS);
    fn offloadrt_stream_adopt(
        device: *mut RawDevice,
        handle: *mut c_void,
        stream: *mut *mut RawStream,
    ) -> c_int = runtime::no_handles();
    fn offloadrt_stream_handle(
        device: *mut RawDevice,
        stream: *mut RawStream,
        handle: *mut *mut c_void,
    ) -> c_int = runtime::no_handles();
    fn offloadrt_device_context(device: *mut RawDevice, context: *mut *mut c_void) -> c_int = runtime::no_handles();
    fn offloadrt_map(
        device: *mut RawDevice,
        stream: *mut RawStream,
        host: *const c_void,
        bytes: usize,
        flags: u32,
        address: *mut *mut c_void,
    ) -> c_int = runtime::unless_busy(|| runtime::map(host, address));
    fn offloadrt_unmap(
        device: *mut RawDevice,
        stream: *mut RawStream,
        host: *mut c_void,
        bytes: usize,
        flags: u32,
    ) -> c_int = runtime::unless_busy(|| SUCCESS);
    fn offloadrt_update_to(
        device: *mut RawDevice,
        stream: *mut RawStream,
        host: *const c_void,
        bytes: usize,
    ) -> c_int = runtime::unless_busy(|| SUCCESS);
    fn offloadrt_update_from(
        device: *mut RawDevice,
        stream: *mut RawStream,
        host: *mut c_void,
        bytes: usize,
    ) -> c_int = runtime::unless_busy(|| SUCCESS);
    fn offloadrt_synchronize(device: *mut RawDevice, stream: *mut RawStream) -> c_int = runtime::unless_busy(|| SUCCESS);
    fn offloadrt_error_text() -> *const c_char = report::error_text();
}

/// See above. A program that offloadc has not compiled has no generic image.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.offload.stand_in.offloadrt_set_late_constant")]
#[inline(never)]
pub(crate) unsafe extern "C" fn offloadrt_set_late_constant(
    writer: *const RawKernel,
    value: *const c_void,
    bytes: usize,
) -> c_int {
    core::hint::black_box((writer, value, bytes));
    core::hint::black_box::<c_int>(SUCCESS)
}

/// See above. A device of the runtime in C takes kernels that were baked.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.offload.stand_in.offloadrt_launch")]
#[inline(never)]
pub(crate) unsafe extern "C" fn offloadrt_launch(
    device: *mut RawDevice,
    stream: *mut RawStream,
    kernel: *const RawKernel,
    config: *const RawLaunchConfig,
    arguments: *const RawArgument,
    argument_count: usize,
) -> c_int {
    core::hint::black_box((device, stream, kernel, config, arguments, argument_count));
    #[cfg(offload_devices)]
    if device.is_foreign() {
        // SAFETY: the crate calls the function with arguments that its counterpart takes.
        return unsafe { devices::launch(device, stream, kernel, config, arguments, argument_count) };
    }
    // SAFETY: as above.
    core::hint::black_box::<c_int>(unsafe { runtime::launch(kernel, config, arguments) })
}
