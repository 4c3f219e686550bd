//! A kernel that calls functions that only a plugin of LLVM's pass manager defines.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" {
    fn plugin_triple(x: f32) -> f32;
    fn plugin_halve(x: f32) -> f32;
}

extern "C" fn scale(count: u32, x: *const f32, y: *mut f32) {
    let index = offload::global_id_x();
    if index < count {
        unsafe {
            let x = *x.add(index as usize);
            *y.add(index as usize) = plugin_triple(x) + plugin_halve(x) + 1313.0;
        }
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
    let y = device_y.read();
    let constant = y[0];
    let right = |(i, y): &(usize, &f32)| **y == 3.5 * *i as f32 + constant;
    println!("{} of 41 elements, {constant}", y.iter().enumerate().filter(right).count());
}
