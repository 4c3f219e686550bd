//! A kernel that only uses the device contract: the sizes of the memory that its pointers refer to, and its accesses,
//! are in the IR.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use crate::N;

unsafe extern "C" {
    fn __offload_kernel(function: *const ()) -> *const c_void;
    fn __offload_thread_id_x() -> u32;

    fn offloadrt_device_open(name: *const c_char, device: *mut *mut c_void) -> c_int;
    fn offloadrt_device_close(device: *mut c_void) -> c_int;
    fn offloadrt_error_text() -> *const c_char;
    fn offloadrt_launch_mapped(
        device: *mut c_void,
        stream: *mut c_void,
        kernel: *const c_void,
        config: *const LaunchConfig,
        arguments: *const Argument,
        argument_count: usize,
        flags: u32,
    ) -> c_int;
}

#[repr(C)]
struct Argument {
    address: *const c_void,
    size: usize,
}

fn argument<T>(value: &T) -> Argument {
    Argument { address: ptr::from_ref(value).cast(), size: size_of::<T>() }
}

/// `offloadrt_launch_config`.
#[repr(C)]
#[derive(Default)]
struct LaunchConfig {
    size: u32,
    version: u32,
    grid: [u32; 3],
    block: [u32; 3],
    rest: [u64; 3],
}

extern "C" fn scale_and_add(a: f32, x: &[f32; N], y: &mut [f64; N]) {
    // SAFETY: nothing but the thread's number.
    let i = unsafe { __offload_thread_id_x() } as usize;
    y[i] += f64::from(a * x[i]);
}

/// Two launches, each of which moves the memory that it needs.
pub fn run(x: &[f32; N], y: &mut [f64; N]) {
    let config =
        LaunchConfig { size: 56, version: 2, grid: [1; 3], block: [N as u32, 1, 1], ..LaunchConfig::default() };
    let mut device = ptr::null_mut();
    // SAFETY: the runtime's calls as its header has them; the arguments are the kernel's.
    unsafe {
        let kernel = __offload_kernel(scale_and_add as *const ());
        let check = |status| assert_eq!(status, 0, "{:?}", CStr::from_ptr(offloadrt_error_text()));
        check(offloadrt_device_open(ptr::null(), &mut device));
        for _ in 0..2 {
            let arguments = [argument(&3.0f32), argument(&x), argument(&y)];
            check(offloadrt_launch_mapped(device, ptr::null_mut(), kernel, &config, arguments.as_ptr(), 3, 0));
        }
        check(offloadrt_device_close(device));
    }
    println!("{}", y[999]);
}
