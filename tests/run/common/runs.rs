//! Kernels in which each thread reads and writes several adjacent elements, one by one in a loop or at once.

use crate::kernel;
use crate::offload::{self, argument, Device, Shape};

/// The elements of a thread.
const PITCH: usize = 24;

/// A kernel for each type of elements. `mix` depends on the order.
macro_rules! rows {
    ($($name:ident: $ty:ty, $mix:expr;)*) => {
        $(
            /// Forwards from an element on, and backwards through a part of that.
            extern "C" fn $name(n: u32, [first, last]: [u32; 2], from: *const $ty, to: *mut $ty) {
                let i = offload::global_id_x() as usize;
                if i < n as usize {
                    let all = unsafe { std::slice::from_raw_parts(from, n as usize * PITCH) };
                    unsafe { *to.add(i) = $name::row(&all[i * PITCH..][..PITCH], first as usize, last as usize) };
                }
            }

            mod $name {
                pub fn row(all: &[$ty], first: usize, last: usize) -> $ty {
                    let mix: fn($ty, $ty) -> $ty = $mix;
                    let mut sum = all[0];
                    for k in first..last {
                        sum = mix(sum, all[k]);
                    }
                    for k in 0..first {
                        sum = mix(sum, all[first - k]);
                    }
                    sum
                }
            }
        )*

        /// The number of wrong results.
        pub fn wrong(device: &Device, x: &[u32], block: u32) -> usize {
            let n = x.len() as u32;
            let mut wrong = wrong_changes(device, x, block) + wrong_overlapping(device, x, block);
            $(
                let element = |i: usize| (u64::from(x[i % x.len()]) * (i as u64 + 3) % 9973) as $ty;
                let all: Vec<$ty> = (0..x.len() * PITCH).map(element).collect();
                let (from, to) = (device.upload(&all), device.upload(&vec![0 as $ty; x.len()]));
                for bounds in [[0u32, 24u32], [3, 3], [5, 6], [9, 22], [1, 5]] {
                    let (input, output) = (from.as_ptr(), to.as_mut_ptr());
                    let arguments = [argument(&n), argument(&bounds), argument(&input), argument(&output)];
                    device.launch(kernel!($name), Shape::linear(n, block), &arguments);
                    let [first, last] = bounds.map(|bound| bound as usize);
                    let expected = all.chunks(PITCH).map(|own| $name::row(own, first, last));
                    wrong += to.read().into_iter().zip(expected).filter(|(got, wanted)| got != wanted).count();
                }
            )*
            wrong
        }
    };
}

rows! {
    of_f32: f32, |sum, own| sum * 0.75 + own;
    of_f64: f64, |sum, own| (sum - own) * 1.25;
    of_u64: u64, |sum, own| sum.wrapping_mul(5) ^ own;
    of_i16: i16, |sum, own| sum.wrapping_mul(7).wrapping_add(own);
    of_u8: u8, |sum, own| sum.rotate_left(3) ^ own;
}

/// The places of four numbers, in bytes: the first and the last are as far apart as in a run, but the second one
/// overlaps the third one.
const OVERLAPPING: [usize; 4] = [0, 6, 8, 12];

fn read_overlapping(own: &[u32]) -> u32 {
    let read = |place: usize| unsafe { own.as_ptr().byte_add(place).read_unaligned() };
    let [a, b, c, d] = OVERLAPPING.map(read);
    a.wrapping_mul(3) ^ b.wrapping_mul(5) ^ c.wrapping_mul(7) ^ d
}

extern "C" fn overlapping(n: u32, from: *const u32, to: *mut u32) {
    let i = offload::global_id_x() as usize;
    if i < n as usize {
        unsafe { *to.add(i) = read_overlapping(std::slice::from_raw_parts(from.add(i * PITCH), PITCH)) };
    }
}

fn wrong_overlapping(device: &Device, x: &[u32], block: u32) -> usize {
    let n = x.len() as u32;
    let all: Vec<u32> = (0..x.len() * PITCH).map(|i| x[i % x.len()].wrapping_mul(i as u32 + 1)).collect();
    let (from, to) = (device.upload(&all), device.upload(&vec![0u32; x.len()]));
    let (input, output) = (from.as_ptr(), to.as_mut_ptr());
    device.launch(kernel!(overlapping), Shape::linear(n, block), &[argument(&n), argument(&input), argument(&output)]);
    let expected = all.chunks(PITCH).map(read_overlapping);
    to.read().into_iter().zip(expected).filter(|(got, wanted)| got != wanted).count()
}

/// Each element is computed from the one before it, which the thread has just stored, and then four are stored at once.
fn change(own: &mut [u32], len: usize) {
    for k in 0..len {
        own[k + 1] = own[k].wrapping_mul(3) ^ own[k + 1];
    }
    let [a, b, c, d] = [own[0], own[len], own[2], own[3]];
    own[23] = a ^ d;
    own[20] = b.wrapping_sub(c);
    own[22] = c;
    own[21] = d.wrapping_mul(a);
}

extern "C" fn changed_rows(n: u32, len: u32, all: *mut u32) {
    let i = offload::global_id_x() as usize;
    if i < n as usize {
        change(unsafe { std::slice::from_raw_parts_mut(all.add(i * PITCH), PITCH) }, len as usize);
    }
}

fn wrong_changes(device: &Device, x: &[u32], block: u32) -> usize {
    let (n, len) = (x.len() as u32, 17u32);
    let mut all: Vec<u32> = (0..x.len() * PITCH).map(|i| x[i % x.len()] ^ i as u32).collect();
    let rows = device.upload(&all);
    let output = rows.as_mut_ptr();
    device.launch(kernel!(changed_rows), Shape::linear(n, block), &[argument(&n), argument(&len), argument(&output)]);
    all.chunks_mut(PITCH).for_each(|own| change(own, len as usize));
    rows.read().iter().zip(&all).filter(|(got, wanted)| got != wanted).count()
}
