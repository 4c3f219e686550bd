//! A matrix product in tiles of 16 by 16 that the threads of a block share.
//!
//! The tiles are statics in section `.offload.shared`: one copy per block. A barrier stands between
//! filling a tile and reading it. Usage: `matmul [TILES]`, for square matrices of 16 * TILES rows.

#[path = "common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const TILE: usize = 16;
type Tile = [[f32; TILE]; TILE];

#[unsafe(link_section = ".offload.shared")]
static mut TILE_A: Tile = [[0.0; TILE]; TILE];
#[unsafe(link_section = ".offload.shared")]
static mut TILE_B: Tile = [[0.0; TILE]; TILE];

/// c = a * b; all three are row-major squares of `size` rows, a multiple of `TILE`.
extern "C" fn matmul(size: u32, a: *const f32, b: *const f32, c: *mut f32) {
    let size = size as usize;
    let (x, y) = (offload::thread_id_x() as usize, offload::thread_id_y() as usize);
    let column = offload::block_id_x() as usize * TILE + x;
    let row = offload::block_id_y() as usize * TILE + y;
    let mut sum = 0.0f32;
    let mut start = 0;
    // The same number of turns for every thread of the block, as barriers need it.
    while start < size {
        unsafe {
            TILE_A[y][x] = *a.add(row * size + start + x);
            TILE_B[y][x] = *b.add((start + y) * size + column);
            offload::sync_threads();
            let mut k = 0;
            while k < TILE {
                sum += TILE_A[y][k] * TILE_B[k][x];
                k += 1;
            }
            offload::sync_threads();
        }
        start += TILE;
    }
    unsafe { *c.add(row * size + column) = sum }
}

fn main() {
    let tiles = offload::number_argument(1, 16);
    let size = tiles * TILE as u32;
    let n = size as usize;
    // Small integers: every sum is exact in f32, in any order and with fused multiply-add.
    let a: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 5) as f32 - 2.0).collect();

    let device = Device::open();
    let device_a = device.upload(&a);
    let device_b = device.upload(&b);
    let device_c = device.allocate::<f32>(n * n);
    device.launch(
        kernel!(matmul),
        Shape { grid: [tiles, tiles, 1], block: [TILE as u32, TILE as u32, 1], shared_bytes: 0 },
        &[
            argument(&size),
            argument(&device_a.as_ptr()),
            argument(&device_b.as_ptr()),
            argument(&device_c.as_mut_ptr()),
        ],
    );

    let result = device_c.read();
    let expected = |i: usize| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum::<f32>();
    let wrong = (0..n * n).filter(|&i| result[i] != expected(i)).count();
    offload::verdict("matmul", &format!("{size} x {size}"), wrong);
}
