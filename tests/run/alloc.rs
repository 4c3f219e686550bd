//! `alloc` in kernels: boxes, growing vectors, text that is created there; and a heap that is too small.

#[macro_use]
#[path = "common/kernels.rs"]
mod kernels;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use kernels::mix;
use offload::{argument, Device, Shape};

/// A list whose nodes stand alone.
struct Node {
    value: u64,
    next: Option<Box<Node>>,
}

fn boxes(i: u32) -> u64 {
    let mut list = None;
    for value in 0..u64::from(i % 9) {
        list = Some(Box::new(Node { value, next: list }));
    }
    let mut sum = 1;
    while let Some(node) = list {
        sum = mix(sum, node.value);
        list = node.next;
    }
    sum
}

fn vectors(i: u32) -> u64 {
    let mut primes: Vec<u32> = Vec::new();
    for n in 2..2 + i {
        if primes.iter().all(|p| n % p != 0) {
            primes.push(n);
        }
    }
    let zeros = vec![0u64; i as usize % 7 + 1];
    let mut squares: Vec<u64> = primes.iter().map(|p| u64::from(p * p)).collect();
    squares.insert(0, zeros.iter().sum::<u64>() + zeros.len() as u64);
    squares.reverse();
    squares.extend_from_slice(&[3, 1, 2]);
    squares.into_iter().fold(7, mix)
}

fn text(i: u32) -> u64 {
    let mut line = i.to_string();
    line.push_str(" bottles");
    line.insert(0, 'ß');
    line += &"-".repeat(i as usize % 5);
    line.to_uppercase().bytes().fold(3, |sum, byte| mix(sum, byte.into()))
}

kernels! {
    box_kernel: boxes,
    vector_kernel: vectors,
    text_kernel: text,
}

fn main() {
    let count = 128;
    let device = Device::open();
    let out = device.allocate::<u64>(count as usize);
    let shape = Shape::linear(count, 32);
    let address = out.as_mut_ptr();
    let arguments = [argument(&address)];
    let mut wrong = 0;
    for (handle, function) in handles().into_iter().zip(FUNCTIONS) {
        // Twice: a launch's heap is empty at its start.
        for _ in 0..2 {
            if let Err(text) = device.try_launch_with_heap(handle, shape, 1 << 20, &arguments) {
                println!("{text}");
                wrong += 1;
            }
            let there = out.read();
            wrong += (0..count).filter(|&i| there[i as usize] != function(i)).count();
        }
    }
    let vectors = handles()[1];
    let without = device.try_launch(vectors, shape, &arguments);
    wrong += usize::from(!without.is_err_and(|text| text.contains("heap_bytes")));
    let full = device.try_launch_with_heap(vectors, shape, 64, &arguments);
    let said = |text: &String| text.contains("memory allocation of ") && text.contains("heap has no room");
    wrong += usize::from(!full.as_ref().is_err_and(said));
    if wrong != 0 {
        println!("{full:?}");
    }
    offload::verdict("alloc", &format!("{count} threads, {} kernels", FUNCTIONS.len()), wrong);
}
