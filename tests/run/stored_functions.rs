//! A kernel calls functions that only another kernel names: the addresses are in a buffer. The functions find all they
//! need: the record of a panic, a heap, a stack for recursion, memory that the block shares, and the host.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::ffi::c_void;
use std::hint::black_box;

use offload::{argument, sync_threads, thread_id_x, Device, Kernel, Shape};

extern "C" {
    fn __offload_host_function(function: *const ()) -> u64;
    fn __offload_call_host(number: u64, arguments: *const c_void, bytes: u64, result: *mut c_void, room: u64) -> u32;
}

const THREADS: usize = 64;
const PLACES: usize = 512;

type Function = fn(u32) -> u32;

/// Larger than the shared memory of `call` itself.
#[unsafe(link_section = ".offload.shared")]
static mut PAIRS: [u32; PLACES] = [0; PLACES];
#[unsafe(link_section = ".offload.shared")]
static mut OWN: [u32; THREADS] = [0; THREADS];

fn fails(value: u32) -> u32 {
    assert!(value != 3 * 40, "forty");
    value + 1
}

fn allocates(value: u32) -> u32 {
    let values: Vec<u32> = (0..value % 16).collect();
    black_box(&values).iter().sum()
}

#[inline(never)]
fn recurses(value: u32) -> u32 {
    let local = [value; 8];
    if value == 0 {
        0
    } else {
        recurses(value - 1) + black_box(&local)[3]
    }
}

fn shares(value: u32) -> u32 {
    let at = value as usize % (PLACES / 2);
    let pairs = (&raw mut PAIRS).cast::<u32>();
    unsafe {
        pairs.add(at).write_volatile(value ^ 7);
        pairs.add(PLACES - 1 - at).write_volatile(value ^ 9);
        pairs.add(at).read_volatile() ^ pairs.add(PLACES - 1 - at).read_volatile()
    }
}

extern "C" fn answer(arguments: *const u8, result: *mut u8, _: *mut u8, _: usize) -> u32 {
    unsafe { result.cast::<u32>().write(arguments.cast::<u32>().read() + 1000) };
    0
}

fn asks(value: u32) -> u32 {
    let mut result = 0_u32;
    let (from, to) = ((&raw const value).cast(), (&raw mut result).cast());
    let status = unsafe { __offload_call_host(__offload_host_function(answer as *const ()), from, 4, to, 4) };
    result + status * 1_000_000
}

extern "C" fn store(table: *mut Function) {
    let all: [Function; 5] = [fails, allocates, recurses, shares, asks];
    for (i, function) in all.into_iter().enumerate() {
        unsafe { *table.add(i) = function };
    }
}

/// The last parameter is no pointer, so that it cannot pass for the state of the launch.
extern "C" fn call(table: *const Function, values: *mut u32, number: u32) {
    let i = thread_id_x() as usize;
    let own = (&raw mut OWN).cast::<u32>();
    unsafe {
        own.add(i).write_volatile(i as u32);
        sync_threads();
        let result = (*table.add(number as usize))(*values.add(i));
        sync_threads();
        *values.add(i) = result ^ own.add(THREADS - 1 - i).read_volatile();
    }
}

fn expected(number: u32, value: u32) -> u32 {
    match number {
        0 => value + 1,
        1 => (0..value % 16).sum(),
        2 => value * (value + 1) / 2,
        3 => 7 ^ 9,
        _ => value + 1000,
    }
}

fn handles() -> [*const Kernel; 2] {
    [kernel!(store), kernel!(call)]
}

fn main() {
    let [store, call] = handles();
    let device = Device::open();
    let table = device.upload(&[0_u64; 5]);
    let table = table.as_mut_ptr();
    // `store` names a function that allocates.
    device.try_launch_with_heap(store, Shape::linear(1, 1), 64, &[argument(&table)]).expect("it stores addresses");
    let mut wrong = 0;
    for number in 0..5_u32 {
        let least = if number == 0 { 200 } else { 0 };
        let values: Vec<u32> = (least..).take(THREADS).collect();
        let here = device.upload(&values);
        let address = here.as_mut_ptr();
        let arguments = [argument(&table), argument(&address), argument(&number)];
        let shape = Shape::linear(THREADS as u32, THREADS as u32);
        let status = device.try_launch_with_heap(call, shape, 1 << 16, &arguments);
        let there = here.read();
        let right = (0..THREADS).all(|i| there[i] == expected(number, values[i]) ^ (THREADS - 1 - i) as u32);
        if status.is_err() || !right {
            println!("function {number}: {status:?} {there:?}");
            wrong += 1;
        }
    }
    let values: Vec<u32> = (0..THREADS as u32).map(|i| 3 * i).collect();
    let here = device.upload(&values);
    let (address, number) = (here.as_mut_ptr(), 0_u32);
    let arguments = [argument(&table), argument(&address), argument(&number)];
    let shape = Shape::linear(THREADS as u32, THREADS as u32);
    let failed = device.try_launch_with_heap(call, shape, 1 << 16, &arguments);
    if !failed.as_ref().is_err_and(|text| text.contains("forty") && text.contains("thread 40")) {
        println!("no panic: {failed:?}");
        wrong += 1;
    }
    // Only the called function needs the heap.
    let without = |number: u32| {
        let here = device.upload(&[200_u32; THREADS]);
        let address = here.as_mut_ptr();
        device.try_launch(call, shape, &[argument(&table), argument(&address), argument(&number)])
    };
    let failed = without(1);
    if without(0).is_err() || !failed.as_ref().is_err_and(|text| text.contains("heap has no room")) {
        println!("without a heap: {failed:?}");
        wrong += 1;
    }
    offload::verdict("stored_functions", &format!("{THREADS} threads, 5 functions"), wrong);
}
