//! `std`'s hash maps with their own hasher in kernels: their keys are constant on a device, so the order is the same in
//! each launch.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::collections::{HashMap, HashSet};

use kernels::mix;
use offload::{argument, Device, Shape};

/// Numbers and how often each is there.
fn counted(i: u32) -> HashMap<u32, u32> {
    let mut counts = HashMap::new();
    for n in 0..i % 40 {
        *counts.entry(n * n % 17).or_insert(0) += 1;
    }
    counts
}

fn counts(i: u32) -> u64 {
    let counts = counted(i);
    (0..17).fold(counts.len() as u64, |sum, n| mix(sum, counts.get(&n).copied().unwrap_or(99).into()))
}

/// Two sets at a time: the second one has other keys on the host.
fn words(i: u32) -> u64 {
    let (mut few, mut many) = (HashSet::new(), HashSet::<String>::with_capacity(3));
    for n in 0..i % 13 {
        few.insert((n % 3).to_string());
        many.insert(format!("{n}-{}", i % 7));
    }
    let common = many.iter().filter(|word| few.contains(&word[..1])).count() as u64;
    mix(common, (many.contains("2-1") as u64) << 40 | (few.len() << 20 | many.len()) as u64)
}

/// In the order in which the map has them: not the host's.
fn order(i: u32) -> u64 {
    counted(i).into_iter().fold(5, |sum, (n, count)| mix(sum, u64::from(n << 8 | count)))
}

kernels! {
    counts_kernel: counts,
    words_kernel: words,
    order_kernel: order,
}

fn main() {
    let count = 128;
    let device = Device::open();
    let out = device.allocate::<u64>(count as usize);
    let address = out.as_mut_ptr();
    let launched = |kernel| {
        let launched = device.try_launch_with_heap(kernel, Shape::linear(count, 32), 4 << 20, &[argument(&address)]);
        launched.unwrap_or_else(|text| panic!("{text}"));
        out.read()
    };
    let handles = handles();
    let mut wrong = 0;
    // The third kernel is about the order, which the host has no part in.
    for (&handle, function) in handles.iter().zip(FUNCTIONS).take(2) {
        let there = launched(handle);
        wrong += (0..count).filter(|&i| there[i as usize] != function(i)).count();
    }
    let once = launched(handles[2]);
    // Threads with equal counts find them in the same order, and the next launch does, too.
    wrong += (0..88).filter(|&i| once[i] != once[i + 40]).count();
    wrong += usize::from(launched(handles[2]) != once);
    offload::verdict("maps", &format!("{count} threads, {} kernels", handles.len()), wrong);
}
