//! MurmurHash3 for 32 bits: the hash of each key, all of which have the same number of words.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

use crate::numbers::{unequal, words};
use crate::run::Run;
use crate::twins::Argument;

#[kernel]
fn murmurhash3(words: usize, seed: u32, keys: &[u32], mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = hash(&keys[i.get() * words..][..words], seed);
    }
}

fn hash(key: &[u32], seed: u32) -> u32 {
    let mut hash = seed;
    for word in key {
        hash ^= word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    hash ^= key.len() as u32 * 4;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

pub(crate) fn check(run: &Run) -> Result<(f32, f32)> {
    let count = run.size(1000, 1 << 24);
    let keys = words(1, count * 7);
    let from = DeviceBuffer::from_host(run.stream(), &keys)?;
    let mut out = DeviceBuffer::<u32>::zeroed(run.stream(), count)?;
    let grid = Grid::for_len(count, 256);
    let arguments = &[count.bits(), 7_usize.bits(), 5_u32.bits(), from.bits(), out.bits()];
    if !run.launch(grid, arguments, || murmurhash3.launch(run.stream(), grid, (7, 5, &from, &mut out)))? {
        return Ok((0.0, 0.0));
    }
    let wanted: Vec<u32> = keys.chunks(7).map(|key| hash(key, 5)).collect();
    Ok((unequal(&out.to_host_vec(run.stream())?, &wanted), 0.0))
}
