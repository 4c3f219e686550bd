//! A program of Rust alone, whose kernel calls a function of the crate `scale`.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" fn scale_kernel(count: u32, a: f32, y: *mut f32) {
    let index = offload::global_id_x();
    if index < count {
        unsafe { *y.add(index as usize) = scale::scaled(a, *y.add(index as usize)) }
    }
}

fn main() {
    let device = Device::open();
    let y = device.upload(&[1.0f32, 2.0, 3.0]);
    let pointer = y.as_mut_ptr();
    let arguments = [argument(&3u32), argument(&2.5f32), argument(&pointer)];
    device.launch(kernel!(scale_kernel), Shape::linear(3, 64), &arguments);
    println!("{:?}", y.read());
}
