//! Kernels whose threads each write the result of a function of their index. The host calls the same function and
//! compares.

use crate::offload::{argument, verdict, Device, Kernel, Shape};

/// Defines the kernels `name: function`. `handles()` returns their handles and `FUNCTIONS` has their functions, in the
/// same order.
macro_rules! kernels {
    ($($name:ident: $function:path,)*) => {
        $(extern "C" fn $name(out: *mut u64) {
            let i = offload::global_id_x();
            unsafe { *out.add(i as usize) = $function(i) };
        })*

        fn handles() -> Vec<*const offload::Kernel> {
            vec![$(kernel!($name)),*]
        }

        const FUNCTIONS: &[fn(u32) -> u64] = &[$($function),*];
    };
}

/// A number that depends on both numbers and on their order.
pub fn mix(sum: u64, value: u64) -> u64 {
    (sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// Launches each kernel in `count` threads, compares its results with those of its function, and prints the verdict.
#[allow(dead_code)] // Other programs launch their kernels in more ways.
pub fn compare(program: &str, count: u32, handles: Vec<*const Kernel>, functions: &[fn(u32) -> u64]) {
    let device = Device::open();
    let out = device.allocate::<u64>(count as usize);
    let mut wrong = 0;
    for (handle, function) in handles.into_iter().zip(functions) {
        device.launch(handle, Shape::linear(count, 64), &[argument(&out.as_mut_ptr())]);
        let there = out.read();
        wrong += (0..count).filter(|&i| there[i as usize] != function(i)).count();
    }
    verdict(program, &format!("{count} threads, {} kernels", functions.len()), wrong);
}
