//! Scans in steps, which one thread of a processor does in one pass if the results are the same, others that only look
//! so, loops with a step, and blocks of other sizes than the promised one.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;
#[path = "common/promised.rs"]
mod promised;

use offload::{argument, Device, Shape};

unsafe extern "C" {
    fn __offload_block_size(x: u32, y: u32, z: u32);
}

/// No power of two.
const THREADS: usize = 100;
const BLOCKS: usize = 3;
/// The size of a smaller block.
const SHORT: usize = 32;
/// The numbers of values of the loops with a step, and the last step.
const COUNTS: [usize; 7] = [0, 1, 7, 99, 100, 101, 1000];
const MOST_STEPS: usize = 130;

#[unsafe(link_section = ".offload.shared")]
static mut WORDS: [u32; THREADS] = [0; THREADS];
#[unsafe(link_section = ".offload.shared")]
static mut LONG: [u64; 2 * THREADS] = [0; 2 * THREADS];
#[unsafe(link_section = ".offload.shared")]
static mut FLOATS: [f32; THREADS] = [0.0; THREADS];

fn here() -> (usize, usize) {
    unsafe { __offload_block_size(THREADS as u32, 1, 1) };
    (offload::thread_id_x() as usize, offload::global_id_x() as usize)
}

/// The sums of the values of a block, which are in registers and in memory, after the steps of distances below `end`.
#[inline(always)]
fn sum_in_steps(t: usize, mut own: u32, end: usize) -> u32 {
    let mut distance = 1;
    while distance < end {
        let other = if t >= distance { unsafe { WORDS[t - distance] } } else { 0 };
        offload::sync_threads();
        own = own.wrapping_add(other);
        unsafe { WORDS[t] = own };
        offload::sync_threads();
        distance *= 2;
    }
    own
}

/// Sums of sums, from the register and the memory of each thread. The last sum is in the memory of another thread.
extern "C" fn sums(rounds: usize, x: *const u32, out: *mut u32, totals: *mut u32) {
    let (t, i) = here();
    let mut own = unsafe { *x.add(i) };
    for _ in 0..rounds {
        unsafe { WORDS[t] = own };
        offload::sync_threads();
        own = sum_in_steps(t, own, THREADS);
        let total = unsafe { WORDS[THREADS - 1] };
        unsafe { *totals.add(i) = WORDS[t] };
        own ^= total >> 3;
        offload::sync_threads();
    }
    unsafe { *out.add(i) = own };
}

/// After the scan, each thread writes to the place of the next one, whose address has been in a buffer.
extern "C" fn through(x: *const u32, places: *mut *mut u32, out: *mut u32) {
    let (t, i) = here();
    let own = unsafe { *x.add(i) };
    unsafe {
        *places.add(i) = (&raw mut WORDS).cast::<u32>().add((t + 1) % THREADS);
        WORDS[t] = own;
    }
    offload::sync_threads();
    let own = sum_in_steps(t, own, THREADS);
    unsafe {
        **places.add(i) = 7;
        *out.add(i) = own;
    }
}

/// A block of another size than the promised one, which some devices launch. The values after its own stay.
extern "C" fn short(x: *const u32, out: *mut u32) {
    let (t, i) = here();
    let own = unsafe { *x.add(i) };
    unsafe {
        WORDS[t] = own;
        WORDS[SHORT + t] = 5;
    }
    offload::sync_threads();
    let own = sum_in_steps(t, own, THREADS);
    unsafe { *out.add(i) = own.wrapping_mul(2).wrapping_add(WORDS[SHORT + t]) };
}

/// The greatest numbers so far, where threads without another value keep theirs.
extern "C" fn greatest(x: *const i32, out: *mut i32) {
    let (t, i) = here();
    let mut own = unsafe { *x.add(i) };
    unsafe { WORDS[t] = own as u32 };
    offload::sync_threads();
    let mut distance = 1;
    while distance < offload::block_dim_x() as usize {
        if t >= distance {
            own = own.max(unsafe { WORDS[t - distance] } as i32);
        }
        offload::sync_threads();
        unsafe { WORDS[t] = own as u32 };
        offload::sync_threads();
        distance <<= 1;
    }
    unsafe { *out.add(i) = own };
}

/// All bits so far, in memory from its second half on.
extern "C" fn bits(x: *const u32, out: *mut u64) {
    let (t, i) = here();
    unsafe { LONG[THREADS + t] = 1 << (*x.add(i) % 64) };
    offload::sync_threads();
    let mut distance = 1;
    while distance < THREADS {
        let other = if t >= distance { unsafe { LONG[THREADS + t - distance] } } else { 0 };
        offload::sync_threads();
        unsafe { LONG[THREADS + t] |= other };
        offload::sync_threads();
        distance *= 2;
    }
    unsafe { *out.add(i) = LONG[THREADS + t] };
}

/// Sums that depend on the order.
extern "C" fn floats(x: *const f32, out: *mut f32) {
    let (t, i) = here();
    let mut own = unsafe { *x.add(i) };
    unsafe { FLOATS[t] = own };
    offload::sync_threads();
    let mut distance = 1;
    while distance < THREADS {
        let other = if t >= distance { unsafe { FLOATS[t - distance] } } else { 0.0 };
        offload::sync_threads();
        own += other;
        unsafe { FLOATS[t] = own };
        offload::sync_threads();
        distance *= 2;
    }
    unsafe { *out.add(i) = own };
}

/// Sums of the last eight values only, and sums of other values than those in memory.
extern "C" fn parts(x: *const u32, last: *mut u32, others: *mut u32) {
    let (t, i) = here();
    let own = unsafe { *x.add(i) };
    unsafe { WORDS[t] = own };
    offload::sync_threads();
    let own = sum_in_steps(t, own, 8);
    unsafe { *last.add(i) = own };
    let own = unsafe { *x.add(i) };
    unsafe { WORDS[t] = own ^ 5 };
    offload::sync_threads();
    let own = sum_in_steps(t, own, THREADS);
    unsafe { *others.add(i) = own };
}

/// Loops from the thread's number, and to it, before and after a barrier.
extern "C" fn steps(n: usize, step: usize, x: *const u32, out: *mut u32) {
    let (t, i) = here();
    let weigh = |sum: u32, i: usize| (sum << 3 ^ sum).wrapping_add(unsafe { *x.add(i) });
    let sum = (t..n).step_by(step).fold(1, weigh);
    unsafe { WORDS[t] = sum };
    offload::sync_threads();
    let after = (3..3 + t).step_by(step).fold(unsafe { WORDS[THREADS - 1 - t] }, weigh);
    unsafe { *out.add(i) = (t..n).step_by(step).fold(after, weigh) };
}

/// The steps of a scan of a block's values, as the threads do them; `own` are the values in their registers.
fn scanned<T: Copy>(mut own: Vec<T>, mut memory: Vec<T>, end: usize, combine: impl Fn(T, T) -> T) -> Vec<T> {
    let mut distance = 1;
    while distance < end {
        for t in distance..own.len() {
            own[t] = combine(own[t], memory[t - distance]);
        }
        memory.copy_from_slice(&own);
        distance *= 2;
    }
    own
}

/// The same for each block.
fn scan_all<T: Copy>(x: &[T], from: impl Fn(T) -> T, end: usize, combine: impl Fn(T, T) -> T) -> Vec<T> {
    let of_block = |x: &[T]| scanned(x.to_vec(), x.iter().map(|x| from(*x)).collect(), end, &combine);
    x.chunks(THREADS).flat_map(of_block).collect()
}

fn expected_steps(n: usize, step: usize, x: &[u32]) -> Vec<u32> {
    let weigh = |sum: u32, i: usize| (sum << 3 ^ sum).wrapping_add(x[i]);
    let sums: Vec<u32> = (0..THREADS).map(|t| (t..n).step_by(step).fold(1, weigh)).collect();
    let after = |t: usize| (3..3 + t).step_by(step).fold(sums[THREADS - 1 - t], weigh);
    let all: Vec<u32> = (0..THREADS).map(|t| (t..n).step_by(step).fold(after(t), weigh)).collect();
    all.repeat(BLOCKS)
}

fn differences<T: PartialEq>(found: &[T], expected: &[T]) -> usize {
    found.iter().zip(expected).filter(|(a, b)| a != b).count()
}

fn main() {
    const LEN: usize = BLOCKS * THREADS;
    let device = Device::open();
    let shape = Shape::linear(LEN as u32, THREADS as u32);
    let x: Vec<u32> = (0..LEN as u32).map(|i| (i + 3).wrapping_mul(2_654_435_761)).collect();
    let signed: Vec<i32> = x.iter().map(|x| *x as i32 >> 3).collect();
    let numbers: Vec<f32> = signed.iter().map(|x| *x as f32 / 1024.0).collect();
    let (words, integers, reals) = (device.upload(&x), device.upload(&signed), device.upload(&numbers));
    let [a, b] = [0, 1].map(|_| device.upload(&vec![0u32; LEN]));
    let (long, out, real) =
        (device.upload(&vec![0u64; LEN]), device.upload(&vec![0i32; LEN]), device.upload(&vec![0f32; LEN]));
    let [from, of_integers, of_reals] = [words.as_ptr().cast::<u8>(), integers.as_ptr().cast(), reals.as_ptr().cast()];
    let [to_a, to_b] = [a.as_mut_ptr(), b.as_mut_ptr()];
    let (to_long, to_out, to_real) = (long.as_mut_ptr(), out.as_mut_ptr(), real.as_mut_ptr());
    let mut wrong = promised::wrong(&device);
    for rounds in 0..3usize {
        let arguments = [argument(&rounds), argument(&from), argument(&to_a), argument(&to_b)];
        device.launch(kernel!(sums), shape, &arguments);
        let mut own = x.clone();
        for round in 0..rounds {
            let sums = scan_all(&own, |x| x, THREADS, u32::wrapping_add);
            own =
                sums.iter().enumerate().map(|(i, sum)| sum ^ sums[i / THREADS * THREADS + THREADS - 1] >> 3).collect();
            wrong += if round + 1 == rounds { differences(&b.read(), &sums) } else { 0 };
        }
        wrong += differences(&a.read(), &own);
    }
    device.launch(kernel!(greatest), shape, &[argument(&of_integers), argument(&to_out)]);
    wrong += differences(&out.read(), &scan_all(&signed, |x| x, THREADS, i32::max));
    device.launch(kernel!(bits), shape, &[argument(&from), argument(&to_long)]);
    let shifted: Vec<u64> = x.iter().map(|x| 1 << (x % 64)).collect();
    wrong += differences(&long.read(), &scan_all(&shifted, |x| x, THREADS, |a, b| a | b));
    device.launch(kernel!(floats), shape, &[argument(&of_reals), argument(&to_real)]);
    wrong += differences(&real.read(), &scan_all(&numbers, |x| x, THREADS, |a, b| a + b));
    device.launch(kernel!(parts), shape, &[argument(&from), argument(&to_a), argument(&to_b)]);
    wrong += differences(&a.read(), &scan_all(&x, |x| x, 8, u32::wrapping_add));
    wrong += differences(&b.read(), &scan_all(&x, |x| x ^ 5, THREADS, u32::wrapping_add));
    let (places, all) = (device.upload(&vec![0u64; LEN]), scan_all(&x, |x| x, THREADS, u32::wrapping_add));
    let to_places = places.as_mut_ptr();
    device.launch(kernel!(through), shape, &[argument(&from), argument(&to_places), argument(&to_a)]);
    wrong += differences(&a.read(), &all);
    if device
        .try_launch(kernel!(short), Shape::linear(SHORT as u32, SHORT as u32), &[argument(&from), argument(&to_a)])
        .is_ok()
    {
        let all: Vec<u32> = all.iter().map(|sum| sum.wrapping_mul(2).wrapping_add(5)).collect();
        wrong += differences(&a.read()[..SHORT], &all[..SHORT]);
    }
    let many: Vec<u32> = (0..COUNTS[6] as u32).map(|i| i.wrapping_mul(2_246_822_519)).collect();
    let on_many = device.upload(&many);
    for n in COUNTS {
        for step in [1, 2, 64, 100, MOST_STEPS] {
            let of_many = on_many.as_ptr();
            let arguments = [argument(&n), argument(&step), argument(&of_many), argument(&to_a)];
            device.launch(kernel!(steps), shape, &arguments);
            wrong += differences(&a.read(), &expected_steps(n, step, &many));
        }
    }
    offload::verdict("scans", "300 threads in 3 blocks", wrong);
}
