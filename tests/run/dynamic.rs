//! Calls through trait objects and tables of functions, recursion, and a large array on each thread's stack.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

trait Step {
    fn apply(&self, value: u64) -> u64;
}

struct Add(u64);
struct Rotate(u32);

impl Step for Add {
    fn apply(&self, value: u64) -> u64 {
        value.wrapping_add(self.0)
    }
}

impl Step for Rotate {
    fn apply(&self, value: u64) -> u64 {
        value.rotate_left(self.0)
    }
}

static TABLE: [fn(u64) -> u64; 3] = [square, collatz, flip];

fn square(value: u64) -> u64 {
    value.wrapping_mul(value)
}

fn flip(value: u64) -> u64 {
    !value
}

/// Recursion that no optimiser turns into a loop.
#[inline(never)]
fn collatz(value: u64) -> u64 {
    if value < 2 {
        return 0;
    }
    let next = if value % 2 == 0 { value / 2 } else { (value % 1000) * 3 + 1 };
    collatz(next).wrapping_add(next ^ 1)
}

fn mix(index: usize) -> u64 {
    let steps: [&dyn Step; 2] = [&Add(1000 + index as u64), &Rotate(7)];
    let mut ring = [0u64; 100];
    let mut value = index as u64 % 1000;
    let mut turn = 0;
    while turn < 100 {
        value = steps[(index + turn) % 2].apply(value) % 100_003;
        value = TABLE[(index / 2 + turn) % 3](value) % 100_003;
        ring[(turn * 37) % 100] = value;
        turn += 1;
    }
    ring[index % 100] ^ ring[99]
}

extern "C" fn mix_all(count: u32, out: *mut u64) {
    let index = offload::global_id_x();
    if index < count {
        unsafe { *out.add(index as usize) = mix(index as usize) }
    }
}

fn main() {
    let count = offload::number_argument(1, 500);
    let device = Device::open();
    let out = device.upload(&vec![0u64; count as usize]);
    device.launch(kernel!(mix_all), Shape::linear(count, 64), &[argument(&count), argument(&out.as_mut_ptr())]);
    let wrong = out.read().iter().enumerate().filter(|(index, value)| **value != mix(*index)).count();
    offload::verdict("dynamic", &format!("{count} threads"), wrong);
}
