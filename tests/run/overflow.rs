//! Recursion that is too deep for a small stack: the last thread makes 500 nested calls, or the number on the command
//! line.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// Each call needs its value after the inner call, which no compiler can prove superfluous.
#[inline(never)]
fn depth(n: u32, seed: u32) -> u32 {
    let mixed = seed.rotate_left(n) ^ n;
    if n == 0 {
        mixed
    } else {
        depth(n - 1, mixed).rotate_left(mixed) ^ seed
    }
}

extern "C" fn deep(out: *mut u32, deepest: u32) {
    let i = offload::global_id_x();
    unsafe { *out.add(i as usize) = depth(if i == 7 { deepest } else { i }, i) }
}

fn main() {
    let deepest = std::env::args().nth(1).map_or(500, |word| word.parse().expect("a number of calls"));
    let device = Device::open();
    let out = device.allocate::<u32>(8);
    device.launch(kernel!(deep), Shape::linear(8, 8), &[argument(&out.as_mut_ptr()), argument(&deepest)]);
    let wrong =
        out.read().into_iter().zip(0..).filter(|(v, i)| *v != depth(if *i == 7 { deepest } else { *i }, *i)).count();
    offload::verdict("overflow", "8 threads", wrong);
}
