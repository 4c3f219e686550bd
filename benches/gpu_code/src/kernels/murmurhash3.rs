//! MurmurHash3 for 32 bits: the hash of each key, all of which have the same number of words.

use offload::{DeviceBuffer, DisjointSlice, Grid, Result, Stream, kernel, prelude::*, thread};

use crate::numbers::{unequal, words};
use crate::twins;

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

pub(crate) fn check(stream: &Stream) -> Result<(f32, f32)> {
    let keys = words(1, 1000 * 7);
    let from = DeviceBuffer::from_host(stream, &keys)?;
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 1000)?;
    let grid = Grid::for_len(1000, 256);
    if !twins::launch(stream, "murmurhash3", grid, &[&1000_usize, &7_usize, &5_u32, &from, &out]) {
        murmurhash3.launch(stream, grid, (7, 5, &from, &mut out))?;
    }
    let wanted: Vec<u32> = keys.chunks(7).map(|key| hash(key, 5)).collect();
    Ok((unequal(&out.to_host_vec(stream)?, &wanted), 0.0))
}
