//! Kernels whose threads store to one place twice, through different pointers.

use crate::kernel;
use crate::offload::{self, argument, Device, Shape};

/// Stores of a thread that overwrite its earlier ones: both addresses are the same.
unsafe fn overwrite(i: usize, value: u32, first: *mut u32, second: *mut u32) {
    unsafe {
        *first.add(2 * i) = value;
        *second.add(2 * i) = !value;
        *second.add(2 * i + 1) = value / 3;
        *first.add(2 * i + 1) = value * 2;
    }
}

/// In straight code.
extern "C" fn overwritten_at_once(n: u32, x: *const u32, first: *mut u32, second: *mut u32) {
    let i = offload::global_id_x() as usize;
    if i < n as usize {
        unsafe { overwrite(i, *x.add(i) % 99_999, first, second) };
    }
}

/// After a loop. Further pairs follow these, with a byte between their stores.
extern "C" fn overwritten(n: u32, x: *const u32, first: *mut u32, second: *mut u32) {
    let (i, n) = (offload::global_id_x() as usize, n as usize);
    if i < n {
        unsafe {
            let mut value = *x.add(i);
            for k in 0..n % 7 {
                value = value.wrapping_mul(5) ^ *x.add(k);
            }
            value %= 99_999;
            overwrite(i, value, first, second);
            *first.add(2 * (n + i) + 1) = value * 3;
            *first.cast::<u8>().add(8 * (n + i) + 5) = value as u8;
            *first.add(2 * (n + i)) = value / 5;
        }
    }
}

/// The number of wrong pairs, for numbers `x` in blocks of this size.
pub fn wrong(device: &Device, x: &[u32], block: u32) -> usize {
    let n = x.len() as u32;
    let pairs = |i: usize, rounds: usize| {
        let value = x[..rounds].iter().fold(x[i], |value, x| value.wrapping_mul(5) ^ x) % 99_999;
        [[!value, value * 2], [value / 5, value * 3 & !0xff00 | (value & 0xff) << 8]]
    };
    let wrong = |kernel, rounds: usize, parts: usize| {
        let (on_x, out) = (device.upload(x), device.upload(&vec![[0u32; 2]; parts * x.len()]));
        let (from, to) = (on_x.as_ptr(), out.as_mut_ptr());
        device.launch(kernel, Shape::linear(n, block), &[argument(&n), argument(&from), argument(&to), argument(&to)]);
        out.read().iter().enumerate().filter(|(i, got)| **got != pairs(i % x.len(), rounds)[i / x.len()]).count()
    };
    wrong(kernel!(overwritten_at_once), 0, 1) + wrong(kernel!(overwritten), x.len() % 7, 2)
}
