//! A plugin: functions for kernels of the program, and a kernel for functions of the program.
#![allow(improper_ctypes_definitions, reason = "both sides are Rust of one version")]

use offload::{Device, DeviceFn, DisjointSlice, Grid, device_fn, kernel, prelude::*, thread};

const TABLE: [f32; 4] = [1.0, 10.0, 100.0, 1000.0];

fn half(x: f32) -> f32 {
    assert!(x >= 0.0, "less than nothing");
    0.5 * x + TABLE[x as usize % 4]
}

type Function = DeviceFn<fn(f32) -> f32>;

fn twice(f: Function, x: f32) -> f32 {
    f.call(f.call(x))
}

#[unsafe(no_mangle)]
pub extern "C" fn function() -> Function {
    device_fn!(half)
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
