//! Choices that all lanes of a wave share: a comparison that decides a branch and a selection after it, and a condition
//! by which a function takes one of two local arrays. LLVM 22 gets both wrong on AMD GPUs (see docs/llvm.md).
//!
//! With an argument, the kernels of one of the two are launched.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use offload::{argument, Device, Shape};

const TURNS: usize = 6;
const THREADS: usize = 4;
const ELEMENTS: usize = 64;

/// A kernel, and its result: sums of elements from the number of the turn to a limit, by a comparison of two values of
/// a type.
macro_rules! triangle {
    ($kernel:ident, $sums:ident, $ty:ty) => {
        #[inline(always)]
        fn $sums(limit: $ty, turns: $ty, thread: usize, elements: &[f32], out: *mut f32) {
            let mut turn: $ty = 1 as $ty;
            loop {
                let last = if turn > limit { turn - 1 as $ty } else { limit };
                let mut sum = 0.0;
                if turn <= limit {
                    let mut at = turn;
                    loop {
                        sum += elements[at as usize + thread];
                        if at == last {
                            break;
                        }
                        at += 1 as $ty;
                    }
                }
                unsafe { *out.add((turn as usize - 1) * THREADS + thread) = sum };
                if turn == turns {
                    break;
                }
                turn += 1 as $ty;
            }
        }

        extern "C" fn $kernel(limit: $ty, turns: $ty, elements: *const f32, out: *mut f32) {
            let elements = unsafe { core::slice::from_raw_parts(elements, ELEMENTS) };
            $sums(limit, turns, offload::thread_id_x() as usize, elements, out);
        }
    };
}

triangle!(signed, signed_sums, i64);
triangle!(unsigned, unsigned_sums, u64);
triangle!(single, single_sums, f32);
triangle!(double, double_sums, f64);

/// Changes an array, and returns one of its elements.
#[inline(never)]
fn fill(array: *mut u32, x: u32) -> u32 {
    for at in 0..16 {
        unsafe { *array.add(at) = (*array.add(at)).wrapping_add(x ^ at as u32) };
    }
    unsafe { *array.add(x as usize & 15) }
}

fn two_arrays(x: u32) -> [[u32; 16]; 2] {
    let (mut first, mut second) = ([3; 16], [1; 16]);
    first[(x & 15) as usize] = 7;
    second[(x + 1 & 15) as usize] = 9;
    [first, second]
}

fn folded(arrays: &[[u32; 16]; 2], start: u32) -> u32 {
    arrays.iter().flatten().fold(start, |sum, value| sum.wrapping_mul(3).wrapping_add(*value))
}

/// A selection of two arrays.
#[inline(never)]
fn by_selection(x: u32, block: impl Fn() -> u32) -> u32 {
    let [mut first, mut second] = two_arrays(x);
    let taken = if block() == 3 { first.as_mut_ptr() } else { second.as_mut_ptr() };
    let found = fill(taken, x);
    folded(&[first, second], found)
}

/// The same by branches that do more than choose, with an offset.
#[inline(never)]
fn by_branches(x: u32, block: impl Fn() -> u32) -> u32 {
    let [mut first, mut second] = two_arrays(x);
    let mut more = 5;
    let taken: *mut u32;
    if block() < 2 {
        first[3] = x;
        taken = first.as_mut_ptr();
    } else {
        more = x * 3;
        taken = second.as_mut_ptr();
    }
    let found = fill(taken, x).wrapping_add(more);
    folded(&[first, second], found)
}

/// The same in a function that the choosing function calls: the arrays are another function's.
#[inline(never)]
fn by_call(x: u32, block: impl Fn() -> u32) -> u32 {
    let [mut first, mut second] = two_arrays(x);
    let found = chosen(first.as_mut_ptr(), second.as_mut_ptr(), x, block() & 1);
    folded(&[first, second], found)
}

#[inline(never)]
fn chosen(first: *mut u32, second: *mut u32, x: u32, block: u32) -> u32 {
    fill(if block == 1 { first } else { second }, x)
}

fn all_choices(x: u32, block: impl Fn() -> u32 + Copy) -> u32 {
    let parts = [by_selection(x, block), by_branches(x, block), by_call(x, block), by_selection(x + 1, block)];
    parts.iter().fold(0u32, |all, part| all.wrapping_mul(31).wrapping_add(*part))
}

extern "C" fn arrays(x: u32, out: *mut u32) {
    let value = x + offload::thread_id_x();
    unsafe { *out.add(offload::global_id_x() as usize) = all_choices(value, || offload::block_id_x()) };
}

fn main() {
    let only = std::env::args().nth(1);
    let launches = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let device = Device::open();
    let mut wrong = 0;
    if launches("triangles") {
        let elements: Vec<f32> = (0..ELEMENTS).map(|at| (at * at % 23) as f32).collect();
        let read = device.upload(&elements);
        macro_rules! compare {
            ($kernel:ident, $sums:ident, $limit:expr, $turns:expr) => {
                let out = device.upload(&[0f32; TURNS * THREADS]);
                let addresses = (read.as_mut_ptr(), out.as_mut_ptr());
                let arguments = [argument(&$limit), argument(&$turns), argument(&addresses.0), argument(&addresses.1)];
                let shape = Shape { grid: [1; 3], block: [THREADS as u32, 1, 1], shared_bytes: 0 };
                device.launch(kernel!($kernel), shape, &arguments);
                let mut expected = [0f32; TURNS * THREADS];
                for thread in 0..THREADS {
                    $sums($limit, $turns, thread, &elements, expected.as_mut_ptr());
                }
                wrong += out.read().iter().zip(&expected).filter(|(found, expected)| found != expected).count();
            };
        }
        compare!(signed, signed_sums, 4i64, TURNS as i64);
        compare!(unsigned, unsigned_sums, 3u64, TURNS as u64);
        compare!(single, single_sums, 4f32, TURNS as f32);
        compare!(double, double_sums, 2f64, TURNS as f64);
    }
    if launches("arrays") {
        let out = device.upload(&[0u32; 24]);
        let shape = Shape { grid: [6, 1, 1], block: [4, 1, 1], shared_bytes: 0 };
        device.launch(kernel!(arrays), shape, &[argument(&10u32), argument(&out.as_mut_ptr())]);
        let expected = |at: usize| all_choices(10 + at as u32 % 4, || at as u32 / 4);
        wrong += out.read().iter().enumerate().filter(|(at, found)| **found != expected(*at)).count();
    }
    offload::verdict("uniform_choices", "five kernels", wrong);
}
