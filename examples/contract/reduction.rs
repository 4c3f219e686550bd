//! The sum of an array, block by block, in shared memory whose size the launch sets.
//!
//! Each block folds its elements in halves with a barrier after each turn, and writes one partial sum;
//! the host adds those. Usage: `reduction [ELEMENTS [THREADS]]`, THREADS a power of two.

#[path = "common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

extern "C" fn reduction(count: u32, input: *const i64, sums: *mut i64) {
    let shared = offload::dynamic_shared::<i64>();
    let thread = offload::thread_id_x();
    let index = offload::global_id_x();
    unsafe {
        // No thread leaves early: each has a barrier to reach.
        *shared.add(thread as usize) = if index < count { *input.add(index as usize) } else { 0 };
        offload::sync_threads();
        let mut half = offload::block_dim_x() / 2;
        while half > 0 {
            if thread < half {
                *shared.add(thread as usize) += *shared.add((thread + half) as usize);
            }
            offload::sync_threads();
            half /= 2;
        }
        if thread == 0 {
            *sums.add(offload::block_id_x() as usize) = *shared;
        }
    }
}

fn main() {
    let count = offload::number_argument(1, 1_000_003);
    let threads = offload::number_argument(2, 256);
    if !threads.is_power_of_two() {
        eprintln!("error: {threads} is not a power of two");
        std::process::exit(2);
    }
    let input: Vec<i64> = (0..i64::from(count)).map(|i| (i * 2_654_435_761) % 1_000_003 - 500_000).collect();

    let device = Device::open();
    let mut shape = Shape::linear(count, threads);
    shape.shared_bytes = threads * size_of::<i64>() as u32;
    let device_input = device.upload(&input);
    let device_sums = device.allocate::<i64>(shape.grid[0] as usize);
    device.launch(
        kernel!(reduction),
        shape,
        &[argument(&count), argument(&device_input.as_ptr()), argument(&device_sums.as_mut_ptr())],
    );

    let sums = device_sums.read();
    let block_sum = |block: usize| input.chunks(threads as usize).nth(block).map_or(0, |b| b.iter().sum::<i64>());
    let wrong = if threads as usize * sums.len() > 1 << 22 {
        usize::from(sums.iter().sum::<i64>() != input.iter().sum::<i64>())
    } else {
        (0..sums.len()).filter(|&block| sums[block] != block_sum(block)).count()
    };
    offload::verdict("reduction", &format!("{count} elements in {} blocks", sums.len()), wrong);
}
