//! A kernel that calls a function whose body is in C.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" {
    fn scaled(x: *const f32, index: u32) -> f32;
}

extern "C" fn scale(count: u32, x: *const f32, y: *mut f32) {
    let index = offload::global_id_x();
    if index < count {
        unsafe { *y.add(index as usize) = scaled(x, index) }
    }
}

fn main() {
    let x: Vec<f32> = (0..41).map(|i| i as f32).collect();
    let device = Device::open();
    let (device_x, device_y) = (device.upload(&x), device.upload(&x));
    device.launch(
        kernel!(scale),
        Shape::linear(41, 32),
        &[argument(&41u32), argument(&device_x.as_ptr()), argument(&device_y.as_mut_ptr())],
    );
    let right = |(i, y): &(usize, &f32)| **y == (i % 4 + 1) as f32 * *i as f32 + 0.5;
    println!("{} of 41 elements", device_y.read().iter().enumerate().filter(right).count());
}
