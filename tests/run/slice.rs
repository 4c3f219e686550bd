//! Slices by value in `extern "C"`: rustc passes pointer and length as two integers.
#![allow(improper_ctypes_definitions, reason = "the point of the test")]

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" fn add(x: &[f32], y: &mut [f32]) {
    let index = offload::global_id_x() as usize;
    if index < y.len() {
        y[index] += x[index];
    }
}

fn main() {
    let count = offload::number_argument(1, 1000);
    let x: Vec<f32> = (0..count).map(|i| i as f32).collect();
    let device = Device::open();
    let (device_x, device_y) = (device.upload(&x), device.upload(&x));
    let (x_slice, y_slice) = ((device_x.as_ptr(), count as usize), (device_y.as_ptr(), count as usize));
    device.launch(kernel!(add), Shape::linear(count, 128), &[argument(&x_slice), argument(&y_slice)]);
    let result = device_y.read();
    let wrong = (0..count as usize).filter(|&i| result[i] != 2.0 * x[i]).count();
    offload::verdict("slice", &format!("{count} elements"), wrong);
}
