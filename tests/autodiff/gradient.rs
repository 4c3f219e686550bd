//! A step of gradient descent: each thread evaluates the derivative of a device function, which a nightly rustc makes.
//!
//! `#[autodiff_reverse]` makes all partial derivatives in one call, `#[autodiff_forward]` the one along a direction.

#![feature(autodiff)]

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};
use std::autodiff::{autodiff_forward, autodiff_reverse};

/// x^3 + 2 x y
#[autodiff_reverse(gradient, Active, Active, Active)]
#[autodiff_forward(along_x, Dual, Const, Dual)]
fn height(x: f32, y: f32) -> f32 {
    let mut cube = 1.0;
    for _ in 0..3 {
        cube *= x;
    }
    cube + 2.0 * x * y
}

/// Stores the value, both partial derivatives, and once more the one by x.
extern "C" fn slopes(count: u32, x: *const f32, y: *const f32, to: *mut [f32; 4]) {
    let index = offload::global_id_x() as usize;
    if index < count as usize {
        unsafe {
            let (x, y) = (*x.add(index), *y.add(index));
            let (value, by_x, by_y) = gradient(x, y, 1.0);
            let (_, forward) = along_x(x, 1.0, y);
            *to.add(index) = [value, by_x, by_y, forward];
        }
    }
}

fn main() {
    let count = 100_u32;
    let x: Vec<f32> = (0..count).map(|i| i as f32 / 4.0).collect();
    let y: Vec<f32> = (0..count).map(|i| 3.0 - i as f32).collect();
    let device = Device::open();
    let (device_x, device_y) = (device.upload(&x), device.upload(&y));
    let to = device.upload(&vec![[0.0_f32; 4]; count as usize]);
    device.launch(
        kernel!(slopes),
        Shape::linear(count, 32),
        &[argument(&count), argument(&device_x.as_ptr()), argument(&device_y.as_ptr()), argument(&to.as_mut_ptr())],
    );
    // All numbers are multiples of 1/64 below 2^18, so they are exact.
    let right = |x: f32, y: f32| {
        let by_x = 3.0 * x * x + 2.0 * y;
        [x * x * x + 2.0 * x * y, by_x, 2.0 * x, by_x]
    };
    let wrong = to.read().iter().zip(x.iter().zip(&y)).filter(|(found, (x, y))| **found != right(**x, **y)).count();
    offload::verdict("autodiff", &format!("{count} points"), wrong);
}
