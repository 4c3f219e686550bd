//! Recursion in kernels: values that are live across calls, mutual recursion, locals whose addresses are passed down,
//! trees and slices.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

#[inline(never)]
fn factorial(n: u64) -> u128 {
    if n == 0 {
        1
    } else {
        u128::from(n) * factorial(n - 1)
    }
}

#[inline(never)]
fn fibonacci(n: u32) -> u32 {
    if n < 2 {
        n
    } else {
        fibonacci(n - 1) + fibonacci(n - 2)
    }
}

#[inline(never)]
fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

/// Hofstadter's sequences, each defined by the other.
#[inline(never)]
fn female(n: u32) -> u32 {
    if n == 0 {
        1
    } else {
        n - male(female(n - 1))
    }
}

#[inline(never)]
fn male(n: u32) -> u32 {
    if n == 0 {
        0
    } else {
        n - female(male(n - 1))
    }
}

/// Deeper than any stack, but for the caller's frame, which the call takes.
#[inline(never)]
fn is_even(n: u32, odd: bool, seed: f32) -> (bool, f32) {
    if n == 0 {
        (!odd, seed)
    } else {
        is_odd(n - 1, !odd, seed * 0.999)
    }
}

#[inline(never)]
fn is_odd(n: u32, odd: bool, seed: f32) -> (bool, f32) {
    if n == 0 {
        (!odd, seed)
    } else {
        is_even(n - 1, !odd, seed + 1.0)
    }
}

#[inline(never)]
fn quicksort(values: &mut [i32]) {
    if values.len() < 2 {
        return;
    }
    let (pivot, mut store) = (values[values.len() - 1], 0);
    for at in 0..values.len() - 1 {
        if values[at] < pivot {
            values.swap(at, store);
            store += 1;
        }
    }
    let last = values.len() - 1;
    values.swap(store, last);
    let (left, right) = values.split_at_mut(store);
    quicksort(left);
    quicksort(&mut right[1..]);
}

#[derive(Clone, Copy)]
enum Node {
    Leaf(i64),
    Sum(usize, usize),
    Product { left: usize, right: usize },
    All([usize; 3]),
}

#[inline(never)]
fn evaluate(nodes: &[Node], at: usize) -> i64 {
    match nodes[at] {
        Node::Leaf(value) => value,
        Node::Sum(left, right) => evaluate(nodes, left).wrapping_add(evaluate(nodes, right)),
        Node::Product { left, right } => evaluate(nodes, left).wrapping_mul(evaluate(nodes, right)),
        Node::All(children) => {
            let mut sum = 0;
            for (weight, child) in children.iter().enumerate() {
                if *child != at {
                    sum += (weight as i64 + 1) * evaluate(nodes, *child);
                }
            }
            sum
        }
    }
}

/// A list on the stack: each call's local refers to its caller's.
struct Link<'a> {
    value: u32,
    before: Option<&'a Link<'a>>,
}

#[inline(never)]
fn deeper(value: u32, before: Option<&Link<'_>>) -> u32 {
    let link = Link { value, before };
    if value % 11 != 0 {
        return deeper(value + 1, Some(&link)) ^ link.value;
    }
    let (mut sum, mut each) = (0u32, Some(&link));
    while let Some(Link { value, before }) = each {
        (sum, each) = (sum.wrapping_mul(31) ^ value, *before);
    }
    sum
}

/// The host's convention passes it by a hidden pointer.
#[derive(Clone, Copy)]
#[repr(C)]
struct Large([u32; 10]);

#[inline(never)]
extern "C" fn rotate(mut state: Large, turns: u32) -> u32 {
    state.0[turns as usize % 10] += turns;
    if turns == 0 {
        return state.0.iter().fold(7, |sum: u32, word| sum.wrapping_mul(5) ^ word);
    }
    let inner = rotate(state, turns - 1);
    state.0[0] ^ inner
}

fn of(i: u32) -> u64 {
    let large = factorial(u64::from(i % 30));
    let mut sum = (large ^ large >> 64) as u64;
    let mut mix = |value: u64| sum = (sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    mix(fibonacci(i % 15).into());
    mix(ackermann(i % 3, i % 4).into());
    mix(female(i % 20).into());
    let (even, float) = is_even(1000 + i, i % 3 == 0, 0.5);
    mix(u64::from(even) + u64::from(float.to_bits()));
    let mut values = [0i32; 24];
    for (at, value) in (0u32..).zip(&mut values) {
        *value = (i + at).wrapping_mul(2_654_435_761) as i32 >> 20;
    }
    quicksort(&mut values[..i as usize % 25]);
    values.iter().for_each(|value| mix(*value as u64));
    let leaf = |at: u32| Node::Leaf(i64::from(i * at) - 40);
    let nodes = [Node::All([1, 0, 2]), Node::Sum(3, 4), Node::Product { left: 1, right: 5 }, leaf(3), leaf(4), leaf(5)];
    mix(evaluate(&nodes, 0) as u64);
    mix(deeper(i, None).into());
    mix(rotate(Large([i; 10]), i % 9).into());
    sum
}

extern "C" fn recurse(count: u32, out: *mut u64) {
    let i = offload::global_id_x();
    if i < count {
        unsafe { *out.add(i as usize) = of(i) }
    }
}

fn main() {
    let count = offload::number_argument(1, 100);
    let device = Device::open();
    let out = device.allocate::<u64>(count as usize);
    device.launch(kernel!(recurse), Shape::linear(count, 64), &[argument(&count), argument(&out.as_mut_ptr())]);
    let wrong = out.read().into_iter().zip(0..).filter(|(value, i)| *value != of(*i)).count();
    offload::verdict("recursion", &format!("{count} threads"), wrong);
}
