//! A plugin: functions for kernels of the program, and a kernel for functions of the program.
#![allow(improper_ctypes_definitions, reason = "both sides are Rust of one version")]

use std::ptr::{NonNull, null_mut};

use offload::dlpack::{DLManagedTensor, DLManagedTensorVersioned};
use offload::{Device, DeviceBuffer, DeviceFn, DisjointSlice, Grid, device_fn, kernel, prelude::*, thread};

const TABLE: [f32; 4] = [1.0, 10.0, 100.0, 1000.0];

fn half(x: f32) -> f32 {
    let one = (0..1).step_by(usize::from(x >= 0.0)).len() as f32;
    0.5 * x * one + TABLE[x as usize % 4]
}

type Function = DeviceFn<fn(f32) -> f32>;

fn twice(f: Function, x: f32) -> f32 {
    f.call(f.call(x))
}

#[unsafe(no_mangle)]
pub extern "C" fn function() -> Function {
    device_fn!(half)
}

/// A function of the library, of the copy in the plugin.
#[unsafe(no_mangle)]
pub extern "C" fn of_library() -> Function {
    library::table()[1]
}

/// A function that calls another one, which may be the program's.
#[unsafe(no_mangle)]
pub extern "C" fn caller() -> DeviceFn<fn(Function, f32) -> f32> {
    device_fn!(twice)
}

#[kernel]
fn apply(f: Function, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = f.call(*y);
    }
}

/// The value of the program's function, which a kernel of the plugin calls.
#[unsafe(no_mangle)]
pub extern "C" fn run(f: Function, x: f32) -> f32 {
    let mut y = [x];
    let launched =
        Device::new().and_then(|device| apply.launch(&device.default_stream(), Grid::for_len(1, 1), (f, &mut y)));
    if launched.is_ok() { y[0] } else { f32::NAN }
}

#[kernel]
fn double(mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y *= 2.0;
    }
}

fn doubled(device: &Device, y: &mut DeviceBuffer<f32>) -> offload::Result<()> {
    let stream = device.default_stream();
    double.launch(&stream, Grid::for_len(y.len(), 64), (y,))?;
    stream.synchronize()
}

fn even(count: usize) -> offload::Result<DeviceBuffer<f32>> {
    let numbers: Vec<f32> = (0..count).map(|i| i as f32).collect();
    let device = Device::new()?;
    let mut y = DeviceBuffer::from_host(&device.default_stream(), &numbers)?;
    doubled(&device, &mut y)?;
    Ok(y)
}

/// A tensor with the numbers 0, 2, 4 and so on, which a kernel has computed; null after an error.
#[unsafe(no_mangle)]
pub extern "C" fn even_numbers(count: usize) -> *mut DLManagedTensor {
    even(count).and_then(DeviceBuffer::into_dlpack).map_or(null_mut(), NonNull::as_ptr)
}

/// The same tensor, as version 1 of DLPack has it.
#[unsafe(no_mangle)]
pub extern "C" fn even_numbers_versioned(count: usize) -> *mut DLManagedTensorVersioned {
    even(count).and_then(DeviceBuffer::into_dlpack_versioned).map_or(null_mut(), NonNull::as_ptr)
}

/// A kernel doubles the numbers of a tensor in their place.
///
/// # Safety
///
/// The tensor must be valid, and must belong to the caller, who loses it if the result is true.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn double_tensor(tensor: NonNull<DLManagedTensor>) -> bool {
    let Ok(device) = Device::new() else { return false };
    // SAFETY: the caller promises it.
    let Ok(mut y) = (unsafe { DeviceBuffer::<f32>::from_dlpack(&device, tensor) }) else { return false };
    doubled(&device, &mut y).expect("a small launch");
    true
}

/// The same for a tensor of version 1.
///
/// # Safety
///
/// See [`double_tensor`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn double_tensor_versioned(tensor: NonNull<DLManagedTensorVersioned>) -> bool {
    let Ok(device) = Device::new() else { return false };
    // SAFETY: the caller promises it.
    let Ok(mut y) = (unsafe { DeviceBuffer::<f32>::from_dlpack_versioned(&device, tensor) }) else { return false };
    doubled(&device, &mut y).expect("a small launch");
    true
}
