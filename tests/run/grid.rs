//! All positions in a three-dimensional grid of three-dimensional blocks are correct and executed once.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

/// The position of one thread: thread, block, block size, grid size.
type Position = [u32; 13];

/// The position of the thread along an axis: a function that has other results for the same argument in other threads.
#[inline(never)]
fn along(axis: usize) -> u32 {
    [offload::thread_id_x(), offload::thread_id_y(), offload::thread_id_z()][axis]
}

extern "C" fn record(out: *mut Position) {
    let thread = [offload::thread_id_x(), offload::thread_id_y(), offload::thread_id_z()];
    let block = [offload::block_id_x(), offload::block_id_y(), offload::block_id_z()];
    let size = [offload::block_dim_x(), offload::block_dim_y(), offload::block_dim_z()];
    let grid = [offload::grid_dim_x(), offload::grid_dim_y(), offload::grid_dim_z()];
    let in_block = (thread[2] * size[1] + thread[1]) * size[0] + thread[0];
    let in_grid = (block[2] * grid[1] + block[1]) * grid[0] + block[0];
    let index = in_grid * size[0] * size[1] * size[2] + in_block;
    unsafe {
        let slot = out.add(index as usize);
        let mut axis = 0;
        while axis < 3 {
            (*slot)[axis] = along(axis);
            (*slot)[3 + axis] = block[axis];
            (*slot)[6 + axis] = size[axis];
            (*slot)[9 + axis] = grid[axis];
            axis += 1;
        }
        (*slot)[12] += 1;
    }
}

fn main() {
    let (grid, block) = ([3, 4, 5], [4, 3, 2]);
    let threads = (grid.iter().product::<u32>() * block.iter().product::<u32>()) as usize;
    let device = Device::open();
    let out = device.upload(&vec![[0u32; 13]; threads]);
    device.launch(kernel!(record), Shape { grid, block, shared_bytes: 0 }, &[argument(&out.as_mut_ptr())]);

    let spread = |index: usize, [x, y, _]: [u32; 3]| {
        let index = index as u32;
        [index % x, index / x % y, index / x / y]
    };
    let expected = |index: usize| {
        let (thread, block_id) = (spread(index % 24, block), spread(index / 24, grid));
        let mut position = [1u32; 13];
        for (at, values) in [thread, block_id, block, grid].iter().enumerate() {
            position[at * 3..at * 3 + 3].copy_from_slice(values);
        }
        position
    };
    let result = out.read();
    let wrong = (0..threads).filter(|&index| result[index] != expected(index)).count();
    offload::verdict("grid", &format!("{threads} threads"), wrong);
}
