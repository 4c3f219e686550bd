//! Calls of the host from kernels: none is lost and none is made twice; with all lanes of a warp, some and one; between
//! barriers, in loops and in recursion; from several streams at once; and with errors of the host.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::OnceLock;

use offload::{argument, Device, Shape};

extern "C" {
    fn __offload_host_function(function: *const ()) -> u64;
    fn __offload_call_host(
        number: u64,
        arguments: *const c_void,
        argument_bytes: u64,
        result: *mut c_void,
        result_bytes: u64,
    ) -> u32;
}

/// A function of the host with an argument `A` and a result `R`.
trait HostFunction<A: Copy, R: Copy> {
    fn call(argument: A) -> R;
}

/// The entry that the object's table refers to.
extern "C" fn enter<F: HostFunction<A, R>, A: Copy, R: Copy>(
    arguments: *const u8,
    result: *mut u8,
    text: *mut u8,
    capacity: usize,
) -> u32 {
    let argument = unsafe { arguments.cast::<A>().read_unaligned() };
    match catch_unwind(AssertUnwindSafe(|| F::call(argument))) {
        Ok(value) => {
            unsafe { result.cast::<R>().write_unaligned(value) };
            0
        }
        Err(payload) => {
            let message = payload.downcast_ref::<String>().map_or("a panic", |text| text);
            let length = message.len().min(capacity - 1);
            unsafe {
                std::ptr::copy_nonoverlapping(message.as_ptr(), text, length);
                text.add(length).write(0);
            }
            1
        }
    }
}

/// The result, or the status of a call that failed.
#[inline(always)]
fn call_host<F: HostFunction<A, R>, A: Copy, R: Copy + Default>(argument: A) -> Result<R, u32> {
    let mut result = R::default();
    let number = unsafe { __offload_host_function(enter::<F, A, R> as *const ()) };
    let (from, to) = ((&raw const argument).cast(), (&raw mut result).cast());
    match unsafe { __offload_call_host(number, from, size_of::<A>() as u64, to, size_of::<R>() as u64) } {
        0 => Ok(result),
        status => Err(status),
    }
}

const THREADS: u32 = 10240;
/// How many calls each thread makes at most.
const ROUNDS: u32 = 10;

/// How often each thread has called in each round.
static SEEN: [AtomicU32; (THREADS * ROUNDS) as usize] = [const { AtomicU32::new(0) }; (THREADS * ROUNDS) as usize];

struct Count;

impl HostFunction<(u32, u8, u64), u64> for Count {
    fn call((thread, round, factor): (u32, u8, u64)) -> u64 {
        SEEN[(thread * ROUNDS + u32::from(round)) as usize].fetch_add(1, Ordering::Relaxed);
        factor * u64::from(thread) + u64::from(round)
    }
}

fn mixed(thread: u32) -> u64 {
    u64::from(thread).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 40
}

fn expected(thread: u32, rounds: u32) -> u64 {
    let round = |round: u32| (mixed(thread) >> 24).wrapping_mul(thread.into()).wrapping_add(round.into());
    (0..rounds).fold(0, |sum: u64, at| sum.rotate_left(7) ^ round(at))
}

extern "C" fn count(threads: u32, rounds: u32, results: *mut u64) {
    let thread = offload::global_id_x();
    if thread >= threads {
        return;
    }
    let mut sum = 0_u64;
    for round in 0..rounds {
        let argument = (thread, round as u8, mixed(thread) >> 24);
        sum = sum.rotate_left(7) ^ call_host::<Count, _, _>(argument).unwrap();
    }
    unsafe { *results.add(thread as usize) = sum };
}

fn counts(device: &Device, rounds: u32) -> usize {
    let results = device.upload(&vec![0_u64; THREADS as usize]);
    let to = results.as_mut_ptr();
    let arguments = [argument(&THREADS), argument(&rounds), argument(&to)];
    device.launch(kernel!(count), Shape::linear(THREADS, 256), &arguments);
    let sums = results.read();
    let wrong = (0..THREADS).filter(|thread| sums[*thread as usize] != expected(*thread, rounds)).count();
    let wanted = |call: usize| u32::from(call as u32 % ROUNDS < rounds);
    wrong + (0..SEEN.len()).filter(|call| SEEN[*call].swap(0, Ordering::Relaxed) != wanted(*call)).count()
}

/// Adds to a sum of the host, and returns the argument's square.
struct Square;

static SUM: AtomicU64 = AtomicU64::new(0);

impl HostFunction<u32, u64> for Square {
    fn call(value: u32) -> u64 {
        SUM.fetch_add(value.into(), Ordering::Relaxed);
        u64::from(value) * u64::from(value)
    }
}

fn square(value: u32) -> u64 {
    call_host::<Square, _, _>(value).unwrap()
}

/// A function without an argument.
struct Nothing;

impl HostFunction<(), u8> for Nothing {
    fn call(_: ()) -> u8 {
        7
    }
}

#[inline(never)]
fn recurse(depth: u32) -> u64 {
    if depth == 0 {
        return call_host::<Nothing, _, _>(()).map_or(0, u64::from);
    }
    square(depth) + recurse(depth - 1)
}

/// All lanes, every third one, and one of a block; then the neighbours' results, after a barrier.
extern "C" fn diverge(results: *mut u64, got: *mut u64) {
    let (thread, all) = (offload::thread_id_x(), offload::global_id_x());
    let mut value = square(all);
    if thread % 3 == 1 {
        value += square(thread + 1);
    } else if thread == 30 {
        value += recurse(4);
    }
    unsafe { *got.add(all as usize) = value };
    offload::sync_threads();
    let neighbour = all - thread + (thread + 1) % offload::block_dim_x();
    let mut sum = unsafe { *got.add(neighbour as usize) };
    for round in 0..thread % 4 {
        sum += square(round);
    }
    offload::sync_threads();
    unsafe { *results.add(all as usize) = sum };
}

const BLOCK: u32 = 48;
const BLOCKS: u32 = 3;

fn diverges(device: &Device) -> usize {
    let zeros = vec![0_u64; (BLOCK * BLOCKS) as usize];
    let (results, got) = (device.upload(&zeros), device.upload(&zeros));
    let shape = Shape { grid: [BLOCKS, 1, 1], block: [BLOCK, 1, 1], shared_bytes: 0 };
    SUM.store(0, Ordering::Relaxed);
    device.launch(kernel!(diverge), shape, &[argument(&results.as_mut_ptr()), argument(&got.as_mut_ptr())]);
    let squares = |values: &[u32]| values.iter().map(|v| u64::from(*v) * u64::from(*v)).sum::<u64>();
    let mut called = 0_u64;
    let mut own = |all: u32| {
        let thread = all % BLOCK;
        let extra = if thread % 3 == 1 {
            vec![thread + 1]
        } else if thread == 30 {
            vec![4, 3, 2, 1]
        } else {
            vec![]
        };
        let rounds: Vec<u32> = (0..thread % 4).collect();
        called += u64::from(all) + [&extra[..], &rounds].concat().iter().map(|v| u64::from(*v)).sum::<u64>();
        squares(&[all]) + squares(&extra) + if thread == 30 { 7 } else { 0 }
    };
    let own: Vec<u64> = (0..BLOCK * BLOCKS).map(&mut own).collect();
    let result = |all: u32| {
        let thread = all % BLOCK;
        own[(all - thread + (thread + 1) % BLOCK) as usize] + squares(&(0..thread % 4).collect::<Vec<_>>())
    };
    let wrong = results.read().iter().zip((0..).map(result)).filter(|(got, wanted)| *got != wanted).count();
    wrong + usize::from(SUM.load(Ordering::Relaxed) != called)
}

/// A function that panics for one argument.
struct Refuse;

impl HostFunction<u32, u32> for Refuse {
    fn call(value: u32) -> u32 {
        assert!(value != 5, "the host does not take {value}");
        value + 1
    }
}

extern "C" fn refuse(first: u32, results: *mut u32) {
    let thread = offload::global_id_x();
    match call_host::<Refuse, _, _>(first + thread) {
        Ok(value) => unsafe { *results.add(thread as usize) = value },
        Err(1) => panic!("the host has refused\u{6}"),
        Err(_) => panic!("another status"),
    }
}

fn refuses(device: &Device) -> usize {
    let results = device.upload(&[0_u32; 40]);
    let launch = |first: u32| {
        device.try_launch(kernel!(refuse), Shape::linear(40, 40), &[argument(&first), argument(&results.as_mut_ptr())])
    };
    let error = launch(0).expect_err("a function has panicked");
    let said = error.contains("the host has refused: the host does not take 5 (block 0, thread 5)");
    if !said {
        println!("wrong: {error}");
    }
    // The next launch works as usual, with another launch's error gone.
    let next = launch(6);
    usize::from(!said) + usize::from(next.is_err()) + usize::from(results.read()[0] != 7)
}

/// A function that uses the device whose kernel waits for it.
struct Misuse;

struct Shared(Device);
unsafe impl Send for Shared {}
unsafe impl Sync for Shared {}
static SHARED: OnceLock<Shared> = OnceLock::new();

impl HostFunction<u32, u32> for Misuse {
    fn call(_: u32) -> u32 {
        let device = &SHARED.get().expect("it was stored before the launch").0;
        let shape = Shape::linear(1, 1);
        let null = std::ptr::null_mut::<u32>();
        let nested = device.try_launch(kernel!(refuse), shape, &[argument(&1_u32), argument(&null)]);
        panic!("{}", nested.expect_err("the stream waits for this function"));
    }
}

extern "C" fn misuse() {
    let status = call_host::<Misuse, u32, u32>(1);
    assert!(status.is_ok(), "the call has failed\u{6}");
}

fn misuses() -> usize {
    let device = &SHARED.get_or_init(|| Shared(Device::open())).0;
    let error = device.try_launch(kernel!(misuse), Shape::linear(1, 1), &[]).expect_err("a function has panicked");
    let said = error.contains("which waits for it, so it cannot use that device");
    if !said {
        println!("wrong: {error}");
    }
    usize::from(!said)
}

/// More bytes than a slot has.
struct Large;

impl HostFunction<[u64; 200], u32> for Large {
    fn call(_: [u64; 200]) -> u32 {
        0
    }
}

extern "C" fn large(results: *mut u32) {
    let status = call_host::<Large, _, _>([1; 200]).err();
    unsafe { *results = status.unwrap_or(0) };
}

fn too_large(device: &Device) -> usize {
    let results = device.upload(&[0_u32]);
    device.launch(kernel!(large), Shape::linear(1, 1), &[argument(&results.as_mut_ptr())]);
    usize::from(results.read()[0] != 3)
}

/// Several streams, of several threads of the host, at once.
fn streams(device: &Device) -> usize {
    const EACH: u32 = 96;
    let wrong = |first: u32| {
        let results = device.upload(&vec![0_u64; THREADS as usize]);
        let to = results.as_mut_ptr();
        let more = EACH + first;
        let lists: [&[_]; 2] =
            [&[argument(&EACH), argument(&1_u32), argument(&to)], &[argument(&more), argument(&2_u32), argument(&to)]];
        let launched = device.try_launches(kernel!(count), Shape::linear(more, 32), &lists);
        let sums = results.read();
        let right = (0..more).all(|thread| sums[thread as usize] == expected(thread, 2));
        usize::from(launched.is_err()) + usize::from(!right)
    };
    struct OfAllThreads<'a>(&'a dyn Fn(u32) -> usize);
    // The functions of the runtime may be called by several threads at once.
    unsafe impl Sync for OfAllThreads<'_> {}
    let all = OfAllThreads(&wrong);
    let all = &all;
    let run = move |first: u32| (all.0)(first);
    let found = std::thread::scope(|scope| {
        let threads: Vec<_> = [0, 7, 31].map(|first| scope.spawn(move || run(first))).into_iter().collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).sum::<usize>()
    });
    SEEN.iter().for_each(|seen| seen.store(0, Ordering::Relaxed));
    found
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let device = Device::open();
    let rounds = offload::number_argument(1, 1).min(ROUNDS);
    let wrong =
        [counts(&device, rounds), diverges(&device), refuses(&device), too_large(&device), streams(&device), misuses()];
    offload::verdict("host_calls", &format!("{} calls and more, {wrong:?}", THREADS * rounds), wrong.iter().sum());
}
