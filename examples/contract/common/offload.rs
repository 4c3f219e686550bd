//! The common code of the examples: the device contract, and a thin layer over `offloadrt.h`.
//!
//! The first half is for kernels, the second for the host. A failed call prints the
//! runtime's error text and ends the program with status 1: an example has nothing better to do.
//! This is not an API to build on; it keeps five examples short.

#![allow(dead_code, reason = "each example uses its own part of this file")]

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::marker::PhantomData;

/// The data that a kernel's handle points to; `struct offload_kernel` in `offloadrt.h`.
#[repr(C)]
pub struct Kernel {
    _private: [u8; 0],
}

unsafe extern "C" {
    pub fn __offload_kernel(function: *const ()) -> *const Kernel;
    pub fn __offload_kernel_block(function: *const (), size: usize, align: usize) -> *const Kernel;

    fn __offload_thread_id_x() -> u32;
    fn __offload_thread_id_y() -> u32;
    fn __offload_thread_id_z() -> u32;
    fn __offload_block_id_x() -> u32;
    fn __offload_block_id_y() -> u32;
    fn __offload_block_id_z() -> u32;
    fn __offload_block_dim_x() -> u32;
    fn __offload_block_dim_y() -> u32;
    fn __offload_block_dim_z() -> u32;
    fn __offload_grid_dim_x() -> u32;
    fn __offload_grid_dim_y() -> u32;
    fn __offload_grid_dim_z() -> u32;
    fn __offload_sync_threads();
    fn __offload_dynamic_shared() -> *mut u8;
}

macro_rules! position {
    ($($name:ident = $symbol:ident;)*) => {
        $(
            #[inline(always)]
            pub fn $name() -> u32 {
                unsafe { $symbol() }
            }
        )*
    };
}

position! {
    thread_id_x = __offload_thread_id_x;
    thread_id_y = __offload_thread_id_y;
    thread_id_z = __offload_thread_id_z;
    block_id_x = __offload_block_id_x;
    block_id_y = __offload_block_id_y;
    block_id_z = __offload_block_id_z;
    block_dim_x = __offload_block_dim_x;
    block_dim_y = __offload_block_dim_y;
    block_dim_z = __offload_block_dim_z;
    grid_dim_x = __offload_grid_dim_x;
    grid_dim_y = __offload_grid_dim_y;
    grid_dim_z = __offload_grid_dim_z;
}

/// The index of this thread in the whole grid, along x.
#[inline(always)]
pub fn global_id_x() -> u32 {
    block_id_x() * block_dim_x() + thread_id_x()
}

/// The index of this thread in the whole grid, along y.
#[inline(always)]
pub fn global_id_y() -> u32 {
    block_id_y() * block_dim_y() + thread_id_y()
}

/// Waits until every thread of the block is here. Every thread must come here the same number of times.
#[inline(always)]
pub fn sync_threads() {
    unsafe { __offload_sync_threads() }
}

/// The launch-sized part of the block's shared memory.
#[inline(always)]
pub fn dynamic_shared<T>() -> *mut T {
    unsafe { __offload_dynamic_shared().cast() }
}

/// Makes a plain `extern "C"` function a kernel; the value is its launch handle.
#[macro_export]
macro_rules! kernel {
    ($function:expr) => {{
        let function = $function as *const ();
        unsafe { $crate::offload::__offload_kernel(function) }
    }};
}

#[repr(C)]
struct DeviceHandle {
    _private: [u8; 0],
}

#[repr(C)]
struct Stream {
    _private: [u8; 0],
}

/// One launch argument: where its bytes are and how many there are; `offloadrt_argument`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    address: *const c_void,
    size: usize,
    borrowed: PhantomData<&'a ()>,
}

/// `value` as a launch argument, by its bytes.
pub fn argument<T: Copy>(value: &T) -> Argument<'_> {
    Argument { address: (value as *const T).cast(), size: size_of::<T>(), borrowed: PhantomData }
}

/// `offloadrt_launch_config`.
#[repr(C)]
struct LaunchConfig {
    size: u32,
    version: u32,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared_bytes: u32,
    reserved: u32,
    panic_record: *mut c_void,
    heap_bytes: u64,
}

unsafe extern "C" {
    fn offloadrt_device_open(name: *const c_char, device: *mut *mut DeviceHandle) -> c_int;
    fn offloadrt_device_close(device: *mut DeviceHandle) -> c_int;
    fn offloadrt_allocate(device: *mut DeviceHandle, bytes: usize, address: *mut *mut c_void) -> c_int;
    fn offloadrt_free(device: *mut DeviceHandle, address: *mut c_void) -> c_int;
    fn offloadrt_copy_to_device(
        device: *mut DeviceHandle,
        stream: *mut Stream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int;
    fn offloadrt_copy_to_host(
        device: *mut DeviceHandle,
        stream: *mut Stream,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
    ) -> c_int;
    fn offloadrt_launch(
        device: *mut DeviceHandle,
        stream: *mut Stream,
        kernel: *const Kernel,
        config: *const LaunchConfig,
        arguments: *const Argument<'_>,
        argument_count: usize,
    ) -> c_int;
    fn offloadrt_stream_create(device: *mut DeviceHandle, stream: *mut *mut Stream) -> c_int;
    fn offloadrt_stream_destroy(stream: *mut Stream) -> c_int;
    fn offloadrt_synchronize(device: *mut DeviceHandle, stream: *mut Stream) -> c_int;
    fn offloadrt_find_kernel(name: *const c_char) -> *const Kernel;
    fn offloadrt_error_text() -> *const c_char;
}

fn check(status: c_int, call: &str) {
    if status != 0 {
        let text = unsafe { CStr::from_ptr(offloadrt_error_text()) };
        eprintln!("error: {call}: {} (status {status})", text.to_string_lossy());
        std::process::exit(1);
    }
}

/// Nothing, or the text of the error of the last call.
fn result(status: c_int) -> Result<(), String> {
    match status {
        0 => Ok(()),
        _ => Err(unsafe { CStr::from_ptr(offloadrt_error_text()) }.to_string_lossy().into_owned()),
    }
}

/// The kernel of this name in any object of the program, if there is one.
pub fn find_kernel(name: &str) -> Option<*const Kernel> {
    let name = CString::new(name).ok()?;
    let kernel = unsafe { offloadrt_find_kernel(name.as_ptr()) };
    (!kernel.is_null()).then_some(kernel)
}

/// The shape of a launch: blocks, threads per block, and launch-sized shared memory in bytes.
#[derive(Clone, Copy)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
}

impl Shape {
    /// Blocks of `block` threads along x, as many as `threads` need.
    pub fn linear(threads: u32, block: u32) -> Shape {
        Shape { grid: [threads.div_ceil(block), 1, 1], block: [block, 1, 1], shared_bytes: 0 }
    }
}

/// An open device.
pub struct Device {
    handle: *mut DeviceHandle,
}

impl Device {
    /// Opens the default device: `OFFLOADRT_DEVICE` names it, or it is the processor.
    pub fn open() -> Device {
        let mut handle = std::ptr::null_mut();
        check(unsafe { offloadrt_device_open(std::ptr::null(), &mut handle) }, "opening the device");
        Device { handle }
    }

    /// Memory for `count` elements, with undefined contents.
    pub fn allocate<T: Copy>(&self, count: usize) -> Buffer<'_, T> {
        let mut address = std::ptr::null_mut();
        let bytes = count * size_of::<T>();
        check(unsafe { offloadrt_allocate(self.handle, bytes, &mut address) }, "allocating device memory");
        Buffer { device: self, address: address.cast(), count }
    }

    /// Memory that holds a copy of `elements`.
    pub fn upload<T: Copy>(&self, elements: &[T]) -> Buffer<'_, T> {
        let buffer = self.allocate::<T>(elements.len());
        let (to, from) = (buffer.address.cast(), elements.as_ptr().cast());
        let status =
            unsafe { offloadrt_copy_to_device(self.handle, std::ptr::null_mut(), to, from, size_of_val(elements)) };
        check(status, "copying to the device");
        buffer
    }

    /// Launches `kernel` and waits for it.
    pub fn launch(&self, kernel: *const Kernel, shape: Shape, arguments: &[Argument<'_>]) {
        let (status, call) = self.run(kernel, shape, 0, arguments);
        check(status, call);
    }

    /// The same; the error is the cause of the failure, a kernel's panic for one.
    pub fn try_launch(&self, kernel: *const Kernel, shape: Shape, arguments: &[Argument<'_>]) -> Result<(), String> {
        self.try_launch_with_heap(kernel, shape, 0, arguments)
    }

    /// The same, with so many bytes of heap for the kernel's threads.
    pub fn try_launch_with_heap(
        &self,
        kernel: *const Kernel,
        shape: Shape,
        heap_bytes: u64,
        arguments: &[Argument<'_>],
    ) -> Result<(), String> {
        result(self.run(kernel, shape, heap_bytes, arguments).0)
    }

    /// Launches `kernel` once for each list of arguments, on a new stream, and waits for all of them.
    pub fn try_launches(&self, kernel: *const Kernel, shape: Shape, lists: &[&[Argument<'_>]]) -> Result<(), String> {
        let mut stream = std::ptr::null_mut();
        check(unsafe { offloadrt_stream_create(self.handle, &mut stream) }, "making a stream");
        // A device that works synchronously returns a panic from the launch.
        let mut said: Vec<_> = lists.iter().map(|list| result(self.submit(stream, kernel, shape, 0, list))).collect();
        said.push(result(unsafe { offloadrt_synchronize(self.handle, stream) }));
        check(unsafe { offloadrt_stream_destroy(stream) }, "giving the stream back");
        said.into_iter().collect()
    }

    /// The first status that is not 0, and the call that returned it.
    fn run(
        &self,
        kernel: *const Kernel,
        shape: Shape,
        heap_bytes: u64,
        arguments: &[Argument<'_>],
    ) -> (c_int, &'static str) {
        let stream = std::ptr::null_mut();
        match self.submit(stream, kernel, shape, heap_bytes, arguments) {
            0 => (unsafe { offloadrt_synchronize(self.handle, stream) }, "waiting for the kernel"),
            status => (status, "launching the kernel"),
        }
    }

    fn submit(
        &self,
        stream: *mut Stream,
        kernel: *const Kernel,
        shape: Shape,
        heap_bytes: u64,
        arguments: &[Argument<'_>],
    ) -> c_int {
        let config = LaunchConfig {
            size: size_of::<LaunchConfig>() as u32,
            version: 2,
            grid: shape.grid,
            block: shape.block,
            dynamic_shared_bytes: shape.shared_bytes,
            reserved: 0,
            panic_record: std::ptr::null_mut(),
            heap_bytes,
        };
        let (first, count) = (arguments.as_ptr(), arguments.len());
        unsafe { offloadrt_launch(self.handle, stream, kernel, &config, first, count) }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        check(unsafe { offloadrt_device_close(self.handle) }, "closing the device");
    }
}

/// Device memory for `count` elements of `T`.
pub struct Buffer<'a, T> {
    device: &'a Device,
    address: *mut T,
    count: usize,
}

impl<T: Copy + Default> Buffer<'_, T> {
    /// A copy of the device memory.
    pub fn read(&self) -> Vec<T> {
        let mut elements = vec![T::default(); self.count];
        let (to, from) = (elements.as_mut_ptr().cast(), self.address.cast_const().cast());
        let bytes = self.count * size_of::<T>();
        let status = unsafe { offloadrt_copy_to_host(self.device.handle, std::ptr::null_mut(), to, from, bytes) };
        check(status, "copying to the host");
        elements
    }
}

impl<T> Buffer<'_, T> {
    /// The address on the device, for a `*const T` parameter.
    pub fn as_ptr(&self) -> *const T {
        self.address
    }

    /// The address on the device, for a `*mut T` parameter.
    pub fn as_mut_ptr(&self) -> *mut T {
        self.address
    }
}

impl<T> Drop for Buffer<'_, T> {
    fn drop(&mut self) {
        let status = unsafe { offloadrt_free(self.device.handle, self.address.cast()) };
        check(status, "freeing device memory");
    }
}

/// The command line's `index`-th argument as a number, or `default`.
pub fn number_argument(index: usize, default: u32) -> u32 {
    match std::env::args().nth(index) {
        None => default,
        Some(text) => text.parse().unwrap_or_else(|_| {
            eprintln!("error: `{text}` is not a number");
            std::process::exit(2);
        }),
    }
}

/// Prints the verdict: `NAME: WHAT, ok`, or how many were wrong and an end with status 1.
pub fn verdict(name: &str, what: &str, wrong: usize) {
    if wrong != 0 {
        println!("{name}: {what}, {wrong} wrong");
        std::process::exit(1);
    }
    println!("{name}: {what}, ok");
}
