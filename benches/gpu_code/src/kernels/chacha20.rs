//! ChaCha20: each thread encrypts one block of 64 bytes.

use offload::{DeviceBuffer, DisjointChunks, Grid, Result, kernel, prelude::*, thread, unroll};

use crate::numbers::{unequal, words};
use crate::run::Run;
use crate::twins::Argument;

#[kernel]
fn chacha20(key: &[u32], from: &[[u32; 16]], mut to: DisjointChunks<u32, 16>) {
    let i = thread::index_1d();
    if let Some(to) = to.get_mut(i) {
        let stream = block(key, i.get() as u32);
        let from = &from[i.get()];
        for k in 0..16 {
            unroll!();
            to[k] = from[k] ^ stream[k];
        }
    }
}

fn block(key: &[u32], number: u32) -> [u32; 16] {
    let mut start = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 0, 0, 0, 0, 0, 0, 0, 0, number, 0, 0, 0];
    start[4..12].copy_from_slice(&key[..8]);
    let mut s = start;
    for _ in 0..10 {
        unroll!(1);
        quarter(&mut s, [0, 4, 8, 12]);
        quarter(&mut s, [1, 5, 9, 13]);
        quarter(&mut s, [2, 6, 10, 14]);
        quarter(&mut s, [3, 7, 11, 15]);
        quarter(&mut s, [0, 5, 10, 15]);
        quarter(&mut s, [1, 6, 11, 12]);
        quarter(&mut s, [2, 7, 8, 13]);
        quarter(&mut s, [3, 4, 9, 14]);
    }
    std::array::from_fn(|k| s[k].wrapping_add(start[k]))
}

#[inline(always)]
fn quarter(s: &mut [u32; 16], [a, b, c, d]: [usize; 4]) {
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(16);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(12);
    s[a] = s[a].wrapping_add(s[b]);
    s[d] = (s[d] ^ s[a]).rotate_left(8);
    s[c] = s[c].wrapping_add(s[d]);
    s[b] = (s[b] ^ s[c]).rotate_left(7);
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let count = run.size(100, 1 << 22);
    let (key, text) = (words(2, 8), words(3, count * 16));
    let blocks: Vec<[u32; 16]> = text.chunks(16).map(|block| block.try_into().expect("16 words")).collect();
    let (device_key, from) =
        (DeviceBuffer::from_host(run.stream(), &key)?, DeviceBuffer::from_host(run.stream(), &blocks)?);
    let mut to = DeviceBuffer::<u32>::zeroed(run.stream(), text.len())?;
    let grid = Grid::for_len(count, 64);
    let arguments = &[count.bits(), device_key.bits(), from.bits(), to.bits()];
    if !run.launch(grid, arguments, || chacha20.launch(run.stream(), grid, (&device_key, &from, &mut to)))? {
        return Ok((0.0, 0.0));
    }
    let stream_of = |i: usize| block(&key, i as u32);
    let wanted: Vec<u32> = text.iter().enumerate().map(|(i, word)| word ^ stream_of(i / 16)[i % 16]).collect();
    Ok((unequal(&to.to_host_vec(run.stream())?, &wanted), 0.0))
}
