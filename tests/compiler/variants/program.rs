//! Kernels with values for which code is wanted, and all that such code must share with the general code: panics, the
//! heap, shared memory, launch bounds, printing, streams, mapped memory, calls of the host. The results are those of
//! the host.
//!
//! With the argument `lines`, the program launches one kernel for each line of standard input, which is its first
//! value.

#[path = "../../../examples/contract/common/offload.rs"]
mod offload;

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use offload::{argument, Argument, Device, Kernel, Shape};

extern "C" {
    fn __offload_parameter(offset: u32, size: u32, flags: u32);
    fn __offload_specialize_block_dim();
    fn __offload_launch_bounds(threads: u32, blocks: u32);
    fn __offload_sync_threads();
    fn __offload_ballot_sync(mask: u64, vote: bool) -> u64;
    fn __offload_print(text: *const u8, length: usize);
    fn __offload_host_function(function: *const ()) -> u64;
    fn __offload_call_host(
        number: u64,
        arguments: *const c_void,
        argument_bytes: u64,
        result: *mut c_void,
        result_bytes: u64,
    ) -> u32;
    #[expect(clashing_extern_declarations, reason = "the type of the other declaration is private")]
    fn offloadrt_device_open(name: *const c_char, device: *mut *mut c_void) -> c_int;
    fn offloadrt_launch_mapped(
        device: *mut c_void,
        stream: *mut c_void,
        kernel: *const Kernel,
        config: *const Config,
        arguments: *const Argument<'_>,
        argument_count: usize,
        flags: u32,
    ) -> c_int;
}

/// `offloadrt_launch_config`.
#[repr(C)]
struct Config {
    size: u32,
    version: u32,
    grid: [u32; 3],
    block: [u32; 3],
    rest: [u32; 6],
}

const THREADS: usize = 64;
const LEN: usize = 1024;

/// Marks four bytes of the arguments.
#[inline(always)]
fn mark<const OFFSET: u32>() {
    unsafe { __offload_parameter(OFFSET, 4, 1) }
}

fn sum_of(n: u32, scale: u32, x: &[u32], block: u32) -> u32 {
    x[..n as usize].iter().fold(block, |sum, x| sum.wrapping_add(x.wrapping_mul(scale)))
}

/// `scale` is not next to `n`, and a value that is not marked is between them.
extern "C" fn sum(n: u32, more: u32, scale: u32, x: *const u32, y: *mut u32) {
    mark::<0>();
    mark::<8>();
    unsafe { __offload_specialize_block_dim() };
    let (i, x) = (offload::global_id_x(), unsafe { std::slice::from_raw_parts(x, LEN) });
    let sum = sum_of(n, scale, x, offload::block_dim_x());
    unsafe { *y.add(i as usize) = sum.wrapping_add(more + i) };
}

#[unsafe(link_section = ".offload.shared")]
static mut TILE: [u32; THREADS] = [0; THREADS];

/// The neighbour at a distance `n`, in static and in dynamic shared memory.
extern "C" fn rotate(n: u32, y: *mut u32) {
    mark::<0>();
    unsafe { __offload_specialize_block_dim() };
    let (t, dim) = (offload::thread_id_x() as usize, offload::block_dim_x() as usize);
    let other = (t + n as usize) % dim;
    unsafe {
        let dynamic = offload::dynamic_shared::<u32>();
        (&raw mut TILE[t % THREADS]).write(t as u32);
        dynamic.add(t).write(100 * t as u32);
        __offload_sync_threads();
        *y.add(offload::global_id_x() as usize) = (&raw const TILE[other % THREADS]).read() + dynamic.add(other).read();
    }
}

/// Thread 5 of block 1 panics, if `n` is no index.
extern "C" fn index(n: u32, y: *mut u32) {
    mark::<0>();
    let i = offload::global_id_x();
    let table = [2, 3, 5, 7];
    unsafe { *y.add(i as usize) = if i == 37 { table[n as usize] } else { i } };
}

extern "C" fn collect(n: u32, y: *mut u32) {
    mark::<0>();
    let i = offload::global_id_x();
    let mut all: Vec<u32> = Vec::new();
    for k in 0..n {
        all.push(std::hint::black_box(k * i));
    }
    unsafe { *y.add(i as usize) = all.iter().sum() };
}

extern "C" fn bounded(n: u32, y: *mut u32) {
    mark::<0>();
    unsafe { __offload_launch_bounds(32, 1) };
    unsafe { __offload_specialize_block_dim() };
    let i = offload::global_id_x();
    unsafe { *y.add(i as usize) = n * i };
}

extern "C" fn print(n: u32) {
    mark::<0>();
    let text = [b'p', b'r', b'i', b'n', b't', b'e', b'd', b' ', b'0' + n as u8, b'\n'];
    if offload::global_id_x() == 0 {
        unsafe { __offload_print(text.as_ptr(), text.len()) };
    }
}

extern "C" fn mapped(n: u32, x: &[u32; LEN], y: &mut [u32; LEN]) {
    mark::<0>();
    let i = offload::global_id_x() as usize;
    if i < LEN {
        y[i] = x[i].rotate_left(n);
    }
}

/// A function of the host. There is another one before it, so that its number is not 0.
extern "C" fn answer<const MORE: u32>(arguments: *const u8, result: *mut u8, _text: *mut u8, _capacity: usize) -> u32 {
    unsafe { result.cast::<u32>().write_unaligned(arguments.cast::<u32>().read_unaligned() + MORE) };
    0
}

#[inline(always)]
fn ask_host<const MORE: u32>(question: u32) -> u32 {
    let mut result = 0_u32;
    unsafe {
        let number = __offload_host_function(answer::<MORE> as *const ());
        let status = __offload_call_host(number, (&raw const question).cast(), 4, (&raw mut result).cast(), 4);
        if status == 0 {
            result
        } else {
            u32::MAX
        }
    }
}

extern "C" fn ask(n: u32, y: *mut u32) {
    mark::<0>();
    let i = offload::global_id_x();
    let question = n * 1000 + i;
    unsafe { *y.add(i as usize) = if i % 2 == 0 { ask_host::<1>(question) } else { ask_host::<2>(question) } };
}

/// With another value than 5, lanes from 8 on take part that are not in the mask.
extern "C" fn vote(n: u32, y: *mut u32) {
    mark::<0>();
    let i = offload::global_id_x();
    let mask = if n == 5 { 0xffff_ffff } else { 0xff };
    unsafe { *y.add(i as usize) = __offload_ballot_sync(mask, i % 3 == 0) as u32 };
}

fn sums(device: &Device, values: &[(u32, u32, u32, u32)]) {
    let x: Vec<u32> = (0..LEN as u32).map(|k| k * k + 1).collect();
    let (from, to) = (device.upload(&x), device.allocate::<u32>(2 * THREADS));
    for &(n, more, scale, block) in values {
        let (x_there, y_there) = (from.as_ptr(), to.as_mut_ptr());
        let all = [argument(&n), argument(&more), argument(&scale), argument(&x_there), argument(&y_there)];
        device.launch(kernel!(sum), Shape::linear(2 * THREADS as u32, block), &all);
        let (y, sum) = (to.read(), sum_of(n, scale, &x, block));
        let right = (0..).zip(&y).all(|(i, y)| *y == sum.wrapping_add(more + i));
        println!("sum {n} {more} {scale} {block}: {}", if right { "right" } else { "wrong" });
        assert!(right, "{y:?}, {sum}");
    }
}

fn lines(device: &Device) {
    for line in std::io::stdin().lines() {
        let n = line.ok().and_then(|line| line.parse().ok()).expect("a number");
        sums(device, &[(n, 0, 1, 32)]);
    }
}

fn shared(device: &Device, y: *mut u32, read: impl Fn() -> Vec<u32>) {
    for (n, block) in [(3, 32), (259, 32), (3, 64)] {
        let shape = Shape { shared_bytes: 4 * block, ..Shape::linear(2 * THREADS as u32, block) };
        device.launch(kernel!(rotate), shape, &[argument(&n), argument(&y)]);
        assert!((0..).zip(&read()).all(|(i, y)| *y == 101 * ((i % block + n) % block)), "rotate {n} {block}");
    }
}

/// The panics have the text, the place and the thread of the host, and a stream reports that of its first launch.
fn panics(device: &Device, y: *mut u32, read: impl Fn() -> Vec<u32>) {
    let shape = Shape::linear(2 * THREADS as u32, 32);
    for n in [2_u32, 7, 2, 260] {
        let said = device.try_launch(kernel!(index), shape, &[argument(&n), argument(&y)]);
        println!("index {n}: {said:?}");
        assert_eq!(said.is_ok(), n < 4);
        assert_eq!(read()[127], 127);
    }
    let lists = [2_u32, 260, 7].map(|n| (n, y));
    let lists: Vec<_> = lists.iter().map(|(n, y)| [argument(n), argument(y)]).collect();
    let lists: Vec<&[Argument<'_>]> = lists.iter().map(|list| &list[..]).collect();
    println!("in a stream: {:?}", device.try_launches(kernel!(index), shape, &lists));
    println!("in another: {:?}", device.try_launches(kernel!(index), shape, &lists[..1]));
}

fn heaps(device: &Device, y: *mut u32, read: impl Fn() -> Vec<u32>) {
    let shape = Shape::linear(2 * THREADS as u32, 32);
    for (n, bytes) in [(9_u32, 1 << 16), (9, 1 << 17), (200, 256)] {
        let said = device.try_launch_with_heap(kernel!(collect), shape, bytes, &[argument(&n), argument(&y)]);
        let failed = said.err().map(|text| text.split(" (block").next().unwrap_or_default().to_owned());
        println!("collect {n}: {failed:?}");
        assert!(failed.is_some() || (0..).zip(&read()).all(|(i, y)| *y == i * (n * (n - 1) / 2)), "collect {n}");
    }
    println!("without: {:?}", device.try_launch(kernel!(collect), shape, &[argument(&9_u32), argument(&y)]));
}

fn bounds(device: &Device, y: *mut u32, read: impl Fn() -> Vec<u32>) {
    for block in [32, 64] {
        let shape = Shape::linear(2 * THREADS as u32, block);
        let said = device.try_launch(kernel!(bounded), shape, &[argument(&5_u32), argument(&y)]);
        let text = said.err().map(|text| text.split(", and device").next().unwrap_or_default().to_owned());
        println!("bounded {block}: {text:?}");
        assert!((0..).zip(&read()).all(|(i, y)| *y == 5 * i), "bounded {block}");
    }
}

fn questions(device: &Device, y: *mut u32, read: impl Fn() -> Vec<u32>) {
    for n in [6_u32, 260, 6] {
        device.launch(kernel!(ask), Shape::linear(2 * THREADS as u32, 32), &[argument(&n), argument(&y)]);
        assert!((0..).zip(&read()).all(|(i, y)| *y == n * 1000 + i + 1 + i % 2), "ask {n}");
    }
}

fn votes(device: &Device, y: *mut u32, read: impl Fn() -> Vec<u32>) {
    for n in [5_u32, 7] {
        let said = device.try_launch(kernel!(vote), Shape::linear(32, 32), &[argument(&n), argument(&y)]);
        let failed = said.err().map(|text| text.split(" (block").next().unwrap_or_default().to_owned());
        println!("vote {n}: {failed:?}, {:?}", read()[7]);
    }
}

fn host_memory() {
    let (mut device, config) = (
        ptr::null_mut(),
        Config { size: size_of::<Config>() as u32, version: 2, grid: [16, 1, 1], block: [64, 1, 1], rest: [0; 6] },
    );
    let x: [u32; LEN] = std::array::from_fn(|k| k as u32 * 77);
    assert_eq!(unsafe { offloadrt_device_open(ptr::null(), &mut device) }, 0);
    for n in [5_u32, 11] {
        let mut y = [0; LEN];
        let (from, to) = (x.as_ptr(), y.as_mut_ptr());
        let all = [argument(&n), argument(&from), argument(&to)];
        let kernel = kernel!(mapped);
        let count = all.len();
        let status =
            unsafe { offloadrt_launch_mapped(device, ptr::null_mut(), kernel, &config, all.as_ptr(), count, 0) };
        assert!(status == 0 && x.iter().zip(&y).all(|(x, y)| *y == x.rotate_left(n)), "mapped {n}");
    }
}

fn main() {
    let device = Device::open();
    if std::env::args().nth(1).as_deref() == Some("lines") {
        return lines(&device);
    }
    // Values that differ in their first or their last byte only; then more than there are variants.
    sums(&device, &[(3, 0, 1, 32), (259, 1, 1, 32), (3, 2, 257, 32), (3, 3, 1, 32), (3, 4, 1, 64), (259, 5, 1, 32)]);
    sums(&device, &[(4, 6, 1, 32), (5, 7, 1 << 24 | 1, 32), (3, 8, 257, 32)]);
    let memory = device.allocate::<u32>(2 * THREADS);
    let (y, read) = (memory.as_mut_ptr(), || memory.read());
    shared(&device, y, read);
    panics(&device, y, read);
    heaps(&device, y, read);
    bounds(&device, y, read);
    questions(&device, y, read);
    votes(&device, y, read);
    device.launch(kernel!(print), Shape::linear(32, 32), &[argument(&7_u32)]);
    host_memory();
    println!("all is right");
}
