//! Sorting and searching in kernels: `core`'s unstable sort, which recurses.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use kernels::mix;
use offload::{argument, Device, Shape};

fn sorted(i: u32) -> u64 {
    let mut numbers = [0u32; 40];
    let mut state = i.wrapping_mul(2_654_435_761) | 1;
    for number in &mut numbers {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        *number = state % 1000;
    }
    let mut stable = numbers.map(|n| (n % 7) as u8);
    numbers.sort_unstable();
    stable.sort_unstable_by(|a, b| b.cmp(a));
    let pairs = numbers.chunks(3).map(|chunk| chunk.iter().map(|n| u64::from(*n)).sum::<u64>());
    let found = numbers.binary_search(&500).unwrap_or_else(|at| at);
    pairs.chain(stable.chunks_exact(8).map(|c| u64::from(c[7]))).fold(found as u64, mix)
}

kernels! {
    sort: sorted,
}

fn main() {
    let count = offload::number_argument(1, 128);
    let device = Device::open();
    let out = device.allocate::<u64>(count as usize);
    device.launch(handles()[0], Shape::linear(count, 64), &[argument(&out.as_mut_ptr())]);
    let there = out.read();
    let wrong = (0..count).filter(|&i| there[i as usize] != FUNCTIONS[0](i)).count();
    offload::verdict("sort", &format!("{count} threads"), wrong);
}
