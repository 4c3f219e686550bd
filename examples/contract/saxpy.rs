//! y = a * x + y, one thread per element.
//!
//! Host and kernel are in one file: `saxpy` is an ordinary function that offloadc also compiles for
//! every device. Usage: `saxpy [ELEMENTS]`.

#[path = "common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" fn saxpy(count: u32, a: f32, x: *const f32, y: *mut f32) {
    let index = offload::global_id_x();
    if index < count {
        let index = index as usize;
        unsafe { *y.add(index) = a * *x.add(index) + *y.add(index) }
    }
}

fn main() {
    let count = offload::number_argument(1, 1 << 20);
    let a = 2.5f32;
    let x: Vec<f32> = (0..count).map(|i| (i % 1024) as f32).collect();
    let y: Vec<f32> = (0..count).map(|i| (i % 77) as f32).collect();

    let device = Device::open();
    let device_x = device.upload(&x);
    let device_y = device.upload(&y);
    device.launch(
        kernel!(saxpy),
        Shape::linear(count, 256),
        &[argument(&count), argument(&a), argument(&device_x.as_ptr()), argument(&device_y.as_mut_ptr())],
    );

    // Every value is a small multiple of a half, so the result is exact with and without fused multiply-add.
    let result = device_y.read();
    let wrong = (0..count as usize).filter(|&i| result[i] != a * x[i] + y[i]).count();
    offload::verdict("saxpy", &format!("{count} elements"), wrong);
}
