//! Elements of all sizes that some threads store to places that are not consecutive, and first threads of blocks.

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

/// The first thread of each block, and of each plane of it.
extern "C" fn firsts(out: *mut [u32; 3]) {
    let [x, y, z] = [offload::thread_id_x(), offload::thread_id_y(), offload::thread_id_z()];
    let (width, height) = (offload::block_dim_x(), offload::block_dim_y());
    let i = (z * height + y) * width + x;
    unsafe {
        *out.add(i as usize) = [i * i, 9 - 4 * (x != 0 || y != 0) as u32, 3];
        if x == 0 && y == 0 && z == 0 {
            *out.cast::<u32>().add(2) = 7;
        }
        if x == 0 && y == 0 {
            *out.cast::<u32>().add(3 * i as usize + 1) += 1;
        }
    }
}

/// The number of wrong elements of first threads, in blocks of several shapes.
pub fn wrong_firsts(device: &Device) -> usize {
    let mut wrong = 0;
    for block in [[8u32, 1, 1], [12, 3, 1], [8, 2, 2], [1, 8, 2], [33, 1, 1]] {
        let threads = block.iter().product::<u32>();
        let out = device.upload(&vec![[0u32; 3]; threads as usize]);
        device.launch(
            kernel!(firsts),
            Shape { grid: [1, 1, 1], block, shared_bytes: 0 },
            &[argument(&out.as_mut_ptr())],
        );
        let plane = block[0] * block[1];
        let expected = |i: u32| [i * i, if i % plane != 0 { 5 } else { 10 }, if i == 0 { 7 } else { 3 }];
        wrong += (0..threads).zip(out.read()).filter(|(i, found)| *found != expected(*i)).count();
    }
    wrong
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
