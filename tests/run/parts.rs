//! Kernels in different parts of an image (`--parts`) have copies of the same functions and of shared memory. Kernels
//! that observe each other's statics or functions are in the same part.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use offload::{argument, global_id_x, thread_id_x, Device, Kernel, Shape};

const THREADS: usize = 64;
const BLOCK: usize = 32;

#[unsafe(link_section = ".offload.static")]
static COUNT: AtomicU32 = AtomicU32::new(0);

extern "C" fn count(_: *mut u64) {
    COUNT.fetch_add(global_id_x(), Relaxed);
}

extern "C" fn counted(out: *mut u64) {
    unsafe { *out.add(global_id_x() as usize) = COUNT.load(Relaxed).into() }
}

/// Constants that have the same values, but not the same addresses.
static LEFT: [u64; 4] = [2, 3, 5, 7];
static RIGHT: [u64; 4] = [2, 3, 5, 7];

extern "C" fn locate(out: *mut u64) {
    let i = global_id_x() as usize;
    let chosen = if i % 3 == 0 { &RIGHT } else { &LEFT };
    unsafe { *out.add(i) = chosen.as_ptr() as u64 }
}

extern "C" fn located(out: *mut u64) {
    let i = global_id_x() as usize;
    unsafe { *out.add(i) = u64::from(*out.add(i) == LEFT.as_ptr() as u64) * LEFT[i % 4] }
}

#[inline(never)]
fn double(value: u64) -> u64 {
    value * 2
}

#[inline(never)]
fn triple(value: u64) -> u64 {
    value * 3
}

extern "C" fn choose(out: *mut u64) {
    let i = global_id_x() as usize;
    let chosen: fn(u64) -> u64 = if i % 2 == 0 { double } else { triple };
    unsafe { *out.add(i).cast::<fn(u64) -> u64>() = chosen }
}

extern "C" fn chosen(out: *mut u64) {
    let i = global_id_x() as usize;
    unsafe { *out.add(i) = (*out.add(i).cast::<fn(u64) -> u64>())(i as u64) }
}

#[unsafe(link_section = ".offload.shared")]
static mut TILE: [u64; BLOCK] = [0; BLOCK];

/// The value of the thread at the other end of the block.
fn mirrored(value: u64) -> u64 {
    let thread = thread_id_x() as usize;
    unsafe {
        TILE[thread] = value;
        offload::sync_threads();
        let other = TILE[BLOCK - 1 - thread];
        offload::sync_threads();
        other
    }
}

#[inline(never)]
fn fibonacci(n: u64) -> u64 {
    if n < 2 {
        n
    } else {
        fibonacci(n - 1) + fibonacci(n - 2)
    }
}

/// Allocates.
#[inline(never)]
fn sum_of_squares(n: u64) -> u64 {
    let squares: Vec<u64> = (0..n).map(|i| i * i).collect();
    squares.iter().rev().sum()
}

/// A constant whose address is not observed.
const WEIGHTS: [u64; 8] = [3, 1, 4, 1, 5, 9, 2, 6];

fn mixed(i: u64) -> u64 {
    fibonacci(i % 9) * 1000 + sum_of_squares(i % 7) + WEIGHTS[i as usize % 8]
}

extern "C" fn first(out: *mut u64) {
    let i = global_id_x() as usize;
    unsafe { *out.add(i) = mirrored(mixed(i as u64)) }
}

extern "C" fn second(out: *mut u64) {
    let i = global_id_x() as usize;
    unsafe { *out.add(i) = mirrored(mixed(i as u64) + 1) }
}

/// Panics in the thread that finds the index of no weight.
extern "C" fn third(out: *mut u64) {
    let i = global_id_x() as usize;
    unsafe { *out.add(i) = WEIGHTS[*out.add(i) as usize] }
}

extern "C" fn fourth(out: *mut u64) {
    let i = global_id_x() as usize;
    unsafe { *out.add(i) /= *out.add(THREADS - 1 - i) }
}

/// A function of the math library, which has two names.
extern "C" fn fused(out: *mut u64) {
    let i = global_id_x() as usize;
    unsafe { *out.add(i) = (i as f64).mul_add(1.5, 0.1).to_bits() }
}

extern "C" fn fused_again(out: *mut u64) {
    let i = global_id_x() as usize;
    unsafe { *out.add(i) ^= (i as f64).mul_add(0.1, 2.5).to_bits() ^ u64::from((i as f32).mul_add(0.1, 2.5).to_bits()) }
}

fn main() {
    let device = Device::open();
    let run = |input: &[u64], kernels: &[*const Kernel]| {
        let out = device.upload(input);
        let launch = |kernel: &*const Kernel| {
            let shape = Shape::linear(THREADS as u32, BLOCK as u32);
            device.try_launch_with_heap(*kernel, shape, 1 << 16, &[argument(&out.as_mut_ptr())])
        };
        kernels.iter().try_for_each(launch).map(|()| out.read())
    };
    let all = |value: fn(u64) -> u64| (0..THREADS as u64).map(value).collect::<Vec<_>>();
    let other_end = |i: u64| i / 32 * 32 + 31 - i % 32;
    let mut wrong = 0;
    let mut check = |name: &str, there: Result<Vec<u64>, String>, here: Vec<u64>| {
        if there.as_ref() != Ok(&here) {
            println!("{name}: {there:?}, but it should be {here:?}");
            wrong += 1;
        }
    };
    let zeros = [0; THREADS];
    let expected = all(|i| {
        let (a, b) = ((i as f64).mul_add(1.5, 0.1), (i as f64).mul_add(0.1, 2.5));
        a.to_bits() ^ b.to_bits() ^ u64::from((i as f32).mul_add(0.1, 2.5).to_bits())
    });
    check("fused", run(&zeros, &[kernel!(fused), kernel!(fused_again)]), expected);
    check("counted", run(&zeros, &[kernel!(count), kernel!(count), kernel!(counted)]), all(|_| 63 * 64));
    let places = run(&zeros, &[kernel!(locate), kernel!(located)]);
    check("located", places, all(|i| u64::from(i % 3 != 0) * LEFT[i as usize % 4]));
    check("chosen", run(&zeros, &[kernel!(choose), kernel!(chosen)]), all(|i| i * (2 + i % 2)));
    let mirror = |more: u64| (0..THREADS as u64).map(|i| mixed(other_end(i)) + more).collect::<Vec<_>>();
    check("first", run(&zeros, &[kernel!(first)]), mirror(0));
    check("second", run(&zeros, &[kernel!(second)]), mirror(1));
    let mut indices = all(|i| i % 8);
    check("third", run(&indices, &[kernel!(third)]), all(|i| WEIGHTS[i as usize % 8]));
    indices[40] = 8;
    let said = run(&indices, &[kernel!(third)]).unwrap_err();
    let expected = "index out of bounds: the len is 8 but the index is 8 (block 1, thread 8)";
    wrong += usize::from(!said.contains("kernel `third` panicked at ") || !said.ends_with(expected));
    let mut divisors = [1; THREADS];
    divisors[3] = 0;
    let also = run(&divisors, &[kernel!(fourth)]).unwrap_err();
    let expected = "attempt to divide by zero (block 1, thread 28)";
    wrong += usize::from(!also.contains("kernel `fourth` panicked at ") || !also.ends_with(expected));
    if wrong != 0 {
        println!("{said}\n{also}");
    }
    offload::verdict("parts", "12 kernels", wrong);
}
