//! A struct too large for registers by value: rustc passes a pointer to a copy.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[repr(C)]
#[derive(Clone, Copy)]
struct Step {
    count: u32,
    factors: [u64; 4],
    out: *mut u64,
}

extern "C" fn fill(step: Step) {
    let index = offload::global_id_x();
    if index < step.count {
        let factor = step.factors[(index % 4) as usize];
        unsafe { *step.out.add(index as usize) = factor * u64::from(index) }
    }
}

fn main() {
    let count = offload::number_argument(1, 1000);
    let factors = [3, 5, 7, 11];
    let device = Device::open();
    let out = device.allocate::<u64>(count as usize);
    let step = Step { count, factors, out: out.as_mut_ptr() };
    device.launch(kernel!(fill), Shape::linear(count, 128), &[argument(&step)]);
    let result = out.read();
    let wrong = (0..count as usize).filter(|&i| result[i] != factors[i % 4] * i as u64).count();
    offload::verdict("large", &format!("{count} elements"), wrong);
}
