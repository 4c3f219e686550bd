//! Kernels that promise the size of their blocks, in blocks of this size and of others, which some devices launch.

use crate::kernel;
use crate::offload::{self, argument, Device, Shape};

unsafe extern "C" {
    fn __offload_block_size(x: u32, y: u32, z: u32);
}

const SIZE: [u32; 3] = [24, 2, 1];
const OTHERS: [[u32; 3]; 12] = [
    [1, 1, 1],
    [7, 1, 1],
    [8, 2, 1],
    [12, 2, 2],
    [16, 1, 1],
    [17, 2, 1],
    [24, 1, 1],
    [24, 2, 2],
    [24, 3, 1],
    [2, 24, 1],
    [33, 1, 3],
    [100, 1, 1],
];
const MOST: usize = 100;
const BLOCKS: u32 = 3;

#[unsafe(link_section = ".offload.shared")]
static mut VALUES: [u32; MOST] = [0; MOST];

/// The number of a thread in its block, that of all its threads, and that of the thread in the grid.
fn place() -> (usize, usize, usize) {
    unsafe { __offload_block_size(SIZE[0], SIZE[1], SIZE[2]) };
    let [width, height] = [offload::block_dim_x(), offload::block_dim_y()];
    let t = (offload::thread_id_z() * height + offload::thread_id_y()) * width + offload::thread_id_x();
    let count = width * height * offload::block_dim_z();
    (t as usize, count as usize, (offload::block_id_x() * count + t) as usize)
}

/// Turns with barriers between, after a check of the index. The first thread stores the block's last value.
extern "C" fn turns(n: usize, rounds: usize, x: *const u32, out: *mut u32, last: *mut u32) {
    let (t, count, i) = place();
    let mut own = if i < n { unsafe { *x.add(i) } } else { 1 };
    unsafe { VALUES[t] = own };
    offload::sync_threads();
    for round in 0..rounds {
        let other = unsafe { VALUES[(t + round + 1) % count] };
        offload::sync_threads();
        own = own.rotate_left(3) ^ other;
        unsafe { VALUES[t] = own };
        offload::sync_threads();
    }
    unsafe {
        if t == 0 {
            *last.add(offload::block_id_x() as usize) = VALUES[count - 1];
        }
        if i < n {
            *out.add(i) = own;
        }
    }
}

fn expected_turns(n: usize, rounds: usize, x: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut out, mut last) = (Vec::new(), Vec::new());
    for block in 0..BLOCKS as usize {
        let mut all: Vec<u32> = (block * count..(block + 1) * count).map(|i| if i < n { x[i] } else { 1 }).collect();
        for round in 0..rounds {
            all = (0..count).map(|t| all[t].rotate_left(3) ^ all[(t + round + 1) % count]).collect();
        }
        last.extend(all.last());
        out.extend(all);
    }
    out.truncate(n);
    (out, last)
}

/// Without barriers: edges of the row, and threads that leave.
extern "C" fn edges(n: usize, x: *const u32, out: *mut u32) {
    let (_, _, i) = place();
    if i >= n {
        return;
    }
    let (column, width) = (offload::thread_id_x(), offload::block_dim_x());
    let own = unsafe { *x.add(i) };
    let value = match column {
        0 => own ^ 5,
        _ if column == width - 1 => own.wrapping_mul(3),
        _ => own.wrapping_sub(column),
    };
    unsafe { *out.add(i) = value };
}

fn expected_edges(i: usize, x: &[u32], width: usize) -> u32 {
    match i % width {
        0 => x[i] ^ 5,
        column if column == width - 1 => x[i].wrapping_mul(3),
        column => x[i].wrapping_sub(column as u32),
    }
}

/// The sums of the elements of each thread in a grid-stride loop, and of the threads in a block.
extern "C" fn strides(n: usize, x: *const u32, out: *mut u32) {
    let (t, count, mut i) = place();
    let mut sum = 0u32;
    while i < n {
        sum = sum.wrapping_mul(5).wrapping_add(unsafe { *x.add(i) });
        i += count * BLOCKS as usize;
    }
    unsafe { VALUES[t] = sum };
    offload::sync_threads();
    let all = (0..count).fold(0, |all: u32, t| all.wrapping_add(unsafe { VALUES[t] }));
    unsafe { *out.add(offload::block_id_x() as usize * count + t) = all ^ sum };
}

fn expected_strides(n: usize, x: &[u32], count: usize) -> Vec<u32> {
    let step = count * BLOCKS as usize;
    let own = |i: usize| (i..n).step_by(step).fold(0u32, |sum, i| sum.wrapping_mul(5).wrapping_add(x[i]));
    let sums: Vec<u32> = (0..step).map(own).collect();
    let all = |block: &[u32]| block.iter().fold(0, |all: u32, sum| all.wrapping_add(*sum));
    sums.chunks(count).flat_map(|block| block.iter().map(|sum| all(block) ^ sum).collect::<Vec<_>>()).collect()
}

/// The number of wrong results.
pub fn wrong(device: &Device) -> usize {
    let x: Vec<u32> = (0..7 * MOST as u32).map(|i| (i + 3).wrapping_mul(2_654_435_761)).collect();
    let on_x = device.upload(&x);
    let from = on_x.as_ptr();
    let mut wrong = 0;
    for block in [SIZE].into_iter().chain(OTHERS) {
        let (count, width) = (block.iter().product::<u32>() as usize, block[0] as usize);
        let shape = Shape { grid: [BLOCKS, 1, 1], block, shared_bytes: 0 };
        let all = count * BLOCKS as usize;
        for n in [all, all - 1, all - count / 2] {
            let (rounds, out) = (4usize, device.upload(&vec![9u32; all]));
            let last = device.upload(&[9u32; BLOCKS as usize]);
            let (to, to_last) = (out.as_mut_ptr(), last.as_mut_ptr());
            let arguments = [argument(&n), argument(&rounds), argument(&from), argument(&to), argument(&to_last)];
            if device.try_launch(kernel!(turns), shape, &arguments).is_err() {
                wrong += usize::from(block == SIZE);
                continue;
            }
            let (expected, lasts) = expected_turns(n, rounds, &x, count);
            let written = |all: Vec<u32>, n: usize| all.into_iter().enumerate().filter(move |(i, _)| *i < n);
            wrong += written(out.read(), n).filter(|(i, got)| *got != expected[*i]).count();
            wrong += usize::from(last.read() != lasts) + out.read()[n..].iter().filter(|got| **got != 9).count();
            device.launch(kernel!(edges), shape, &[argument(&n), argument(&from), argument(&to)]);
            wrong += written(out.read(), n).filter(|(i, got)| *got != expected_edges(*i, &x, width)).count();
            wrong += out.read()[n..].iter().filter(|got| **got != 9).count();
            let n = 2 * n + 1;
            device.launch(kernel!(strides), shape, &[argument(&n), argument(&from), argument(&to)]);
            let expected = expected_strides(n, &x, count);
            wrong += out.read().into_iter().zip(expected).filter(|(got, expected)| got != expected).count();
        }
    }
    wrong
}
