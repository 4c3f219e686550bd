//! Elements of all sizes that some threads store to places that are not consecutive.

use crate::kernel;
use crate::offload::{self, argument, Device, Shape};

extern "C" fn scattered(n: u32, x: *const u32, bytes: *mut u8, halves: *mut u16, words: *mut f32, long: *mut u64) {
    let i = offload::global_id_x();
    if i < n {
        unsafe {
            let (value, at) = (*x.add(i as usize), (3 * i % n) as usize);
            if value % 3 != 0 {
                *bytes.add(at) = value as u8;
                *halves.add(at) = value as u16;
                *words.add(at) = value as f32;
                *long.add(at) = u64::from(value) << 20;
            }
        }
    }
}

/// The number of wrong elements, for numbers `x` in blocks of this size. Their number is no multiple of 3.
pub fn wrong(device: &Device, x: &[u32], block: u32) -> usize {
    let (n, on_x) = (x.len() as u32, device.upload(x));
    let (bytes, halves) = (device.upload(&vec![1u8; x.len()]), device.upload(&vec![1u16; x.len()]));
    let (words, long) = (device.upload(&vec![1f32; x.len()]), device.upload(&vec![1u64; x.len()]));
    let (from, to_bytes, to_halves) = (on_x.as_ptr(), bytes.as_mut_ptr(), halves.as_mut_ptr());
    let (to_words, to_long) = (words.as_mut_ptr(), long.as_mut_ptr());
    let arguments = [
        argument(&n),
        argument(&from),
        argument(&to_bytes),
        argument(&to_halves),
        argument(&to_words),
        argument(&to_long),
    ];
    device.launch(kernel!(scattered), Shape::linear(n, block), &arguments);
    let (bytes, halves, words, long) = (bytes.read(), halves.read(), words.read(), long.read());
    let is_wrong = |i: &usize| {
        let (value, at) = (x[*i], 3 * i % x.len());
        let expected = match value % 3 {
            0 => (1, 1, 1.0, 1),
            _ => (value as u8, value as u16, value as f32, u64::from(value) << 20),
        };
        (bytes[at], halves[at], words[at], long[at]) != expected
    };
    (0..x.len()).filter(is_wrong).count()
}
