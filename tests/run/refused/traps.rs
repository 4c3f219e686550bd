//! A kernel whose last thread indexes out of bounds, which is a trap on a device.

#[path = "../../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" fn overruns(values: *mut u32, count: u32) {
    let values = unsafe { std::slice::from_raw_parts_mut(values, count as usize) };
    values[offload::global_id_x() as usize] += 1;
}

fn main() {
    let count = 127;
    let device = Device::open();
    let values = device.upload(&vec![0u32; count]);
    let shape = Shape::linear(128, 32);
    device.launch(kernel!(overruns), shape, &[argument(&values.as_mut_ptr()), argument(&(count as u32))]);
    println!("traps: the kernel went on");
}
