//! Pairs with a heap or recursion, each in one kernel.

#[macro_use]
#[path = "common/features.rs"]
mod features;
#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use features::{ballot, block, collatz, get, here, put, quad, rank, shuffle_xor, Run, BLOCK, N};
use offload::{dynamic_shared, sync_threads};

#[unsafe(link_section = ".offload.shared")]
static mut SHARED: [u32; BLOCK] = [0; BLOCK];

#[unsafe(link_section = ".offload.shared")]
static mut ADDRESSES: [usize; BLOCK] = [0; BLOCK];

/// Digits of a number, the last first, in memory that grows.
fn digits(mut number: u32) -> Vec<u32> {
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(number % 10);
        number /= 10;
    }
    digits
}

fn fold(digits: &[u32]) -> u64 {
    digits.iter().fold(1, |sum, digit| sum * 13 + u64::from(*digit))
}

// Heap.

extern "C" fn position_heap(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let mut grown = digits(own);
    let at = [offload::thread_id_x(), offload::thread_id_y(), offload::thread_id_z(), offload::block_id_y()];
    grown.extend_from_slice(&at[..1 + own as usize % 4]);
    put(out, i, fold(&grown));
}

fn position_heap_of(run: &Run, i: usize) -> u64 {
    let (own, rank) = (run.input[i], (i % BLOCK) as u32);
    let mut grown = digits(own);
    let at = [rank % 8, rank / 8 % 4, rank / 32, (i / BLOCK) as u32];
    grown.extend_from_slice(&at[..1 + own as usize % 4]);
    fold(&grown)
}

/// A thread reads another one's allocation between barriers.
extern "C" fn barrier_heap(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let own = digits(own + 1000);
    put(out, i, own.as_ptr() as u64);
    sync_threads();
    let other = get(out, block() * BLOCK + (rank() + 9) % BLOCK) as *const u32;
    let seen = fold(unsafe { std::slice::from_raw_parts(other, 4) });
    sync_threads();
    put(out, i, seen + own.len() as u64);
}

/// The length of a vector is another lane's, and lanes vote while they have it.
extern "C" fn warp_heap(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let values = vec![own; shuffle_xor(own, 1) as usize % 5];
    let votes = quad(ballot(values.len() > 1));
    let sum: u32 = values.iter().sum();
    put(out, i, u64::from(shuffle_xor(sum, 2)) * 16 + votes);
}

fn warp_heap_of(run: &Run, i: usize) -> u64 {
    let length = |i: usize| u64::from(run.input[i ^ 1] % 5);
    let votes: u64 = (0..4).map(|k| u64::from(length(i / 4 * 4 + k) > 1) << k).sum();
    u64::from(run.input[i ^ 2]) * length(i ^ 2) * 16 + votes
}

/// Shared memory has the addresses of the allocations of all threads.
extern "C" fn shared_heap(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let own = Box::new([own, rank() as u32]);
    unsafe {
        ADDRESSES[rank()] = (&raw const *own) as usize;
        sync_threads();
        let other = &*(ADDRESSES[(rank() + 33) % BLOCK] as *const [u32; 2]);
        put(out, i, u64::from(other[0] * 100 + other[1]));
        sync_threads();
    }
    drop(own);
}

/// A vector takes a part of shared memory, and sorts it.
extern "C" fn dynamic_heap(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let shared = dynamic_shared::<u64>();
    put(shared, rank(), own.into());
    sync_threads();
    let mut values = Vec::with_capacity(2);
    values.extend_from_slice(unsafe { std::slice::from_raw_parts(shared.add(rank() / 8 * 8), 8) });
    values.sort_unstable();
    put(out, i, values[rank() % 8]);
}

fn dynamic_heap_of(run: &Run, i: usize) -> u64 {
    let mut values = run.input[i / 8 * 8..][..8].to_vec();
    values.sort();
    values[i % 8].into()
}

/// One thread of a block allocates a counter that all of its threads use.
extern "C" fn atomics_heap(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let place = block() * BLOCK;
    if rank() == 0 {
        put(out, place, Box::into_raw(Box::new(AtomicU32::new(5))) as u64);
    }
    sync_threads();
    let counter = unsafe { &*(get(out, place) as *const AtomicU32) };
    counter.fetch_add(own, Relaxed);
    sync_threads();
    put(out, i, counter.load(Relaxed).into());
}

struct Tree {
    value: u32,
    below: [Option<Box<Tree>>; 2],
}

#[inline(never)]
fn insert(tree: &mut Option<Box<Tree>>, value: u32) {
    match tree {
        None => *tree = Some(Box::new(Tree { value, below: [None, None] })),
        Some(tree) => insert(&mut tree.below[(value > tree.value) as usize], value),
    }
}

#[inline(never)]
fn height(tree: &Option<Box<Tree>>) -> u64 {
    tree.as_ref().map_or(1, |tree| 3 * height(&tree.below[0]) + height(&tree.below[1]) + u64::from(tree.value % 3))
}

fn planted(own: u32) -> u64 {
    let mut tree = None;
    (0..6).for_each(|k| insert(&mut tree, own.wrapping_mul(k * k + 1) % 37));
    height(&tree)
}

extern "C" fn heap_recursion(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, planted(own));
}

fn boxed(own: u32) -> u64 {
    let mut steps: Vec<Box<dyn Fn(u32) -> u32>> = Vec::new();
    for k in 0..own % 4 {
        match (own + k) % 3 {
            0 => steps.push(Box::new(move |value| value * 3 + k)),
            1 => steps.push(Box::new(move |value| value ^ own)),
            _ => steps.push(Box::new(|value| value % 10)),
        }
    }
    steps.iter().fold(own, |value, step| step(value)).into()
}

extern "C" fn heap_functions(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, boxed(own));
}

static WORDS: [&str; 4] = ["zero", "one", "three hundred", ""];

#[unsafe(link_section = ".offload.static")]
static mut LENGTHS: [u64; N] = [7; N];

fn text(own: u32) -> u64 {
    let mut text = String::from(WORDS[own as usize % 4]);
    text.push_str(WORDS[own as usize / 4 % 4]);
    text.bytes().fold(text.len() as u64, |sum, byte| (sum * 31 + u64::from(byte)) % 1_000_003)
}

/// Text of statics, and a static that keeps the value of the previous launch.
extern "C" fn heap_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        put(out, i, text(own) * 1000 + LENGTHS[i]);
        LENGTHS[i] += 1;
    }
}

// Recursion.

#[inline(never)]
fn descend(n: u32) -> u64 {
    if n == 0 {
        return offload::thread_id_x().into();
    }
    descend(n - 1) * 3 + u64::from(offload::thread_id_y() + 2 * offload::thread_id_z() + offload::block_id_y() + n)
}

extern "C" fn position_recursion(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, descend(own % 6));
}

fn position_recursion_of(run: &Run, i: usize) -> u64 {
    let (x, y, z, block) = (i % 8, i / 8 % 4, i / 32 % 2, i / BLOCK);
    (1..=run.input[i] % 6).fold(x as u64, |sum, n| sum * 3 + (y + 2 * z + block) as u64 + u64::from(n))
}

/// Recursion in a branch before a barrier, and with another's value after it.
extern "C" fn barrier_recursion(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let value = if own % 3 == 0 { collatz(own) } else { own };
    put(out, i, value.into());
    sync_threads();
    let other = get(out, block() * BLOCK + (rank() + 17) % BLOCK) as u32;
    sync_threads();
    put(out, i, u64::from(collatz(other) + value));
}

fn barrier_recursion_of(run: &Run, i: usize) -> u64 {
    let value = |own: u32| if own % 3 == 0 { collatz(own) } else { own };
    u64::from(collatz(value(run.beside(i, i + 17) as u32)) + value(run.input[i]))
}

/// Lanes recurse to different depths, then meet.
extern "C" fn warp_recursion(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let value = if own % 4 != 1 { collatz(own) } else { 3 };
    let votes = quad(ballot(value % 2 == 0));
    put(out, i, u64::from(shuffle_xor(value, 1)) * 16 + votes);
}

fn warp_recursion_of(run: &Run, i: usize) -> u64 {
    let value = |i: usize| if run.input[i] % 4 != 1 { collatz(run.input[i]) } else { 3 };
    let votes: u64 = (0..4).map(|k| u64::from(value(i / 4 * 4 + k) % 2 == 0) << k).sum();
    u64::from(value(i ^ 1)) * 16 + votes
}

/// Halves, down to single elements; the halves count differently.
#[inline(never)]
fn halved(values: &[u32]) -> u64 {
    match values {
        [] => 0,
        [one] => (*one).into(),
        _ => {
            let (left, right) = values.split_at(values.len() / 2);
            halved(left) + 2 * halved(right)
        }
    }
}

extern "C" fn shared_recursion(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        SHARED[rank()] = own;
        sync_threads();
        let first = (&raw const SHARED).cast::<u32>();
        put(out, i, halved(std::slice::from_raw_parts(first.add(rank() / 2), 1 + rank() % 16)));
    }
}

#[inline(never)]
fn quicksort(values: &mut [u64]) {
    if values.len() < 2 {
        return;
    }
    let (pivot, mut store) = (values[values.len() - 1], 0);
    for at in 0..values.len() {
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

/// One thread of eight sorts the values of all eight.
extern "C" fn dynamic_recursion(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    let shared = dynamic_shared::<u64>();
    put(shared, rank(), own.into());
    sync_threads();
    if rank() % 8 == 0 {
        quicksort(unsafe { std::slice::from_raw_parts_mut(shared.add(rank()), 8) });
    }
    sync_threads();
    put(out, i, get(shared, rank()));
}

#[inline(never)]
fn counted(n: u32, counter: &AtomicU64) -> u64 {
    counter.fetch_add(n.into(), Relaxed);
    if n == 0 {
        1
    } else {
        counted(n - 1, counter) + counted(n / 2, counter) % 7
    }
}

extern "C" fn atomics_recursion(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, counted(own % 5, unsafe { AtomicU64::from_ptr(out.add(N)) }));
}

fn atomics_recursion_of(run: &Run) -> u64 {
    let counter = AtomicU64::new(0);
    run.input.iter().for_each(|own| {
        counted(own % 5, &counter);
    });
    counter.into_inner()
}

const TURNS: [fn(u32, u64) -> u64; 2] = [even_turn, odd_turn];

#[inline(never)]
fn even_turn(n: u32, sum: u64) -> u64 {
    if n == 0 {
        sum
    } else {
        TURNS[n as usize / 2 % 2](n - 1, sum * 3) + 1
    }
}

#[inline(never)]
fn odd_turn(n: u32, sum: u64) -> u64 {
    if n == 0 {
        sum + 5
    } else {
        TURNS[n as usize % 2](n - 1, sum + 7) * 2
    }
}

extern "C" fn recursion_functions(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    put(out, i, TURNS[own as usize % 2](own % 9, 1));
}

static WEIGHTS: [u32; 5] = [3, 1, 4, 1, 5];

#[unsafe(link_section = ".offload.static")]
static mut DEPTHS: [u64; N] = [0; N];

#[inline(never)]
fn weighed(n: u32, depth: &mut u64) -> u64 {
    *depth += 1;
    if n == 0 {
        0
    } else {
        weighed(n / 2, depth) * 2 + u64::from(WEIGHTS[n as usize % 5])
    }
}

/// Each call counts in the thread's place of a static.
extern "C" fn recursion_statics(input: *const u32, _: u32, out: *mut u64) {
    let (i, own) = here(input);
    unsafe {
        let depth = &mut *(&raw mut DEPTHS).cast::<u64>().add(i);
        *depth %= 2;
        put(out, i, weighed(own, depth) * 100 + DEPTHS[i]);
    }
}

fn recursion_statics_of(run: &Run, i: usize) -> u64 {
    let (mut depth, before) = (0, &Run::new(0).input[i]);
    weighed(*before, &mut depth);
    depth = if run.round == 0 { 0 } else { depth % 2 };
    weighed(run.input[i], &mut depth) * 100 + depth
}

pairs! {
    position_heap: position_heap_of;
    barrier_heap: |run, i| fold(&digits(run.beside(i, i + 9) as u32 + 1000)) + 4;
    warp_heap: warp_heap_of;
    shared_heap: |run, i| run.beside(i, i + 33) * 100 + ((i + 33) % BLOCK) as u64;
    dynamic_heap: dynamic_heap_of;
    atomics_heap: |run, i| run.sum(i, u64::from) + 5;
    heap_recursion: |run, i| planted(run.input[i]);
    heap_functions: |run, i| boxed(run.input[i]);
    heap_statics: |run, i| text(run.input[i]) * 1000 + 7 + run.round;
    position_recursion: position_recursion_of;
    barrier_recursion: barrier_recursion_of;
    warp_recursion: warp_recursion_of;
    shared_recursion: |run, i| halved(&run.block(i)[i % BLOCK / 2..][..1 + i % 16]);
    dynamic_recursion: dynamic_heap_of;
    atomics_recursion: |run, i| counted(run.input[i] % 5, &AtomicU64::new(0)), atomics_recursion_of;
    recursion_functions: |run, i| TURNS[run.input[i] as usize % 2](run.input[i] % 9, 1);
    recursion_statics: recursion_statics_of;
}

fn main() {
    features::check("pairs_calls", &pairs());
}
