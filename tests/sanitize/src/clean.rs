//! Kernels without errors, most of them like one in `planted/`.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use offload::atomic::{AtomicOrdering, AtomicOrdering::*, fence, scope};
use offload::{
    Device, DeviceBuffer, DisjointSlice, Grid, RawSlice, Result, block, kernel, prelude::*, shared, thread, warp,
};

use crate::{Case, LEN, block_of, with_zeros};

pub const CASES: &[Case] = &[
    ("with_barrier", |device| with_zeros(device, with_barrier, block_of(64))),
    ("two_barriers_a_round", |device| with_zeros(device, two_barriers_a_round, block_of(64))),
    ("ping_pong", |device| with_zeros(device, ping_pong, block_of(64))),
    ("whole_reduction", |device| with_zeros(device, whole_reduction, block_of(64))),
    ("block_reduction", |device| with_zeros(device, block_reduction, Grid::for_len(144, 48))),
    ("flag_with_orders", |device| with_zeros(device, flag_with_orders, block_of(64))),
    ("flag_with_fences", |device| with_zeros(device, flag_with_fences, block_of(64))),
    ("warp_barrier", |device| with_zeros(device, warp_barrier, block_of(32))),
    ("last_block", |device| with_zeros(device, last_block, Grid::for_len(128, 32))),
    ("last_block_with_fences", |device| with_zeros(device, last_block_with_fences, Grid::for_len(128, 32))),
    ("own_counter", |device| with_zeros(device, own_counter, Grid::for_len(128, 32))),
    ("atomic_histogram", |device| with_zeros(device, atomic_histogram, Grid::for_len(128, 32))),
    ("spin_lock", |device| with_zeros(device, spin_lock, Grid::for_len(4, 1))),
    ("launch_sized", |device| with_zeros(device, launch_sized, block_of(64).with_shared_bytes(64 * 4))),
    ("boxes_and_vectors", |device| with_zeros(device, boxes_and_vectors, block_of(8).with_heap_bytes(1 << 14))),
    ("boxes_in_many_blocks", |device| {
        with_zeros(device, boxes_in_many_blocks, Grid::for_len(LEN, 16).with_heap_bytes(1 << 16))
    }),
    ("copied_padding", |device| with_zeros(device, copied_padding, block_of(32))),
    ("dropped_choices", |device| with_zeros(device, dropped_choices, block_of(32))),
    ("shuffles", |device| with_zeros(device, shuffles, block_of(48))),
    ("ordered_streams", ordered_streams),
    ("ended_scopes", ended_scopes),
    ("consecutive_launches", consecutive_launches),
    ("written_output", written_output),
];

#[kernel]
fn with_barrier(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let i = thread::id::x() as usize;
    // SAFETY: a barrier separates the writes from the reads.
    unsafe {
        TILE.set(i, out.get(i));
        thread::sync_threads();
        out.set(i, TILE.get(63 - i));
    }
}

#[kernel]
fn two_barriers_a_round(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let i = thread::id::x() as usize;
    // SAFETY: barriers separate the writes from the reads, in both directions.
    unsafe {
        let mut value = out.get(i);
        for _ in 0..3 {
            TILE.set(i, value);
            thread::sync_threads();
            value += TILE.get((i + 1) % 64);
            thread::sync_threads();
        }
        out.set(i, value);
    }
}

/// Two arrays take turns, so one barrier for each round is sufficient.
#[kernel]
fn ping_pong(out: RawSlice<u32>) {
    shared! { static TILES: [u32; 128]; }
    let i = thread::id::x() as usize;
    // SAFETY: the array that is read in one round is written in the next round, after a barrier.
    unsafe {
        let mut value = out.get(i);
        for round in 0..4 {
            let tile = 64 * (round % 2);
            TILES.set(tile + i, value);
            thread::sync_threads();
            value += TILES.get(tile + (i + 1) % 64);
        }
        out.set(i, value);
    }
}

#[kernel]
fn whole_reduction(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let i = thread::id::x() as usize;
    // SAFETY: a barrier separates the steps.
    unsafe {
        TILE.set(i, out.get(i));
        thread::sync_threads();
        let mut step = 32;
        while step > 0 {
            if i < step {
                TILE.set(i, TILE.get(i) + TILE.get(i + step));
            }
            thread::sync_threads();
            step /= 2;
        }
    }
}

/// The last warp of each block has 16 lanes.
#[kernel]
fn block_reduction(out: RawSlice<u32>) {
    let sum = block::reduce_sum(thread::id::x());
    let sum = sum + block::reduce_max(thread::id::x());
    // SAFETY: each thread has its own element.
    unsafe { out.set(thread::index_1d().get(), sum) };
}

/// One thread passes a value to the others.
#[inline(always)]
fn pass_a_value(out: RawSlice<u32>, before: impl Fn(), store: AtomicOrdering, load: AtomicOrdering, after: impl Fn()) {
    shared! {
        static VALUE: [u32; 1];
        static READY: [u32; 1];
    }
    let i = thread::id::x() as usize;
    // SAFETY: a thread reads the value only after it has seen the flag.
    unsafe {
        if i == 0 {
            READY.set(0, 0);
        }
        thread::sync_threads();
        let ready = READY.atomic(0);
        if i == 0 {
            VALUE.set(0, 7);
            before();
            ready.store(1, store);
        } else if ready.load(load) == 1 {
            after();
            out.set(i, VALUE.get(0));
        }
    }
}

#[kernel]
fn flag_with_orders(out: RawSlice<u32>) {
    pass_a_value(out, || {}, Release, Acquire, || {});
}

#[kernel]
fn flag_with_fences(out: RawSlice<u32>) {
    pass_a_value(out, || fence::<scope::Block>(Release), Relaxed, Relaxed, || fence::<scope::Block>(Acquire));
}

#[kernel]
fn warp_barrier(out: RawSlice<u32>) {
    shared! { static LANES: [u32; 32]; }
    let i = thread::id::x() as usize;
    // SAFETY: the lanes wait for each other.
    unsafe {
        LANES.set(i, i as u32);
        warp::sync_warp(warp::ALL_LANES);
        out.set(i, LANES.get(i ^ 1));
    }
}

/// The block that finishes last sums up the results of all blocks. `counted` returns the number of earlier blocks.
#[inline(always)]
fn sum_of_blocks(out: RawSlice<u32>, counted: impl Fn() -> u32) {
    let (block, blocks) = (thread::block_id::x() as usize, thread::grid_dim::x());
    if thread::id::x() == 0 {
        // SAFETY: only the last block reads the elements of other blocks, and their counts order the writes before.
        unsafe {
            out.set(block, 1);
            if counted() + 1 == blocks {
                let sum = (0..blocks as usize).map(|block| out.get(block)).sum();
                out.set(201, sum);
            }
        }
    }
}

#[kernel]
fn last_block(out: RawSlice<u32>) {
    // SAFETY: all accesses of the element are atomic.
    sum_of_blocks(out, || unsafe { out.atomic::<scope::Device>(200).fetch_add(1, AcqRel) });
}

#[kernel]
fn last_block_with_fences(out: RawSlice<u32>) {
    sum_of_blocks(out, || {
        thread::fence_device();
        // SAFETY: all accesses of the element are atomic.
        let earlier = unsafe { out.atomic::<scope::Device>(200).fetch_add(1, Relaxed) };
        thread::fence_device();
        earlier
    });
}

/// Each block has a counter whose scope is the block.
#[kernel]
fn own_counter(out: RawSlice<u32>) {
    let block = thread::block_id::x() as usize;
    // SAFETY: only this block uses the element.
    unsafe { out.atomic::<scope::Block>(block).fetch_add(1, Relaxed) };
}

#[kernel]
fn atomic_histogram(out: RawSlice<u32>) {
    let class = thread::index_1d().get() % 4;
    // SAFETY: all accesses of the element are atomic.
    unsafe { out.atomic::<scope::Device>(class).fetch_add(1, Relaxed) };
}

/// One thread of each block changes a plain element while it has the lock.
#[kernel]
fn spin_lock(out: RawSlice<u32>) {
    // SAFETY: the lock orders the accesses.
    unsafe {
        let lock = out.atomic::<scope::Device>(0);
        while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
        out.set(1, out.get(1) + 1);
        lock.store(0, Release);
    }
}

#[kernel]
fn launch_sized(out: RawSlice<u32>) {
    let i = thread::id::x() as usize;
    // SAFETY: the launch reserves 64 elements, and a barrier separates the writes from the reads.
    unsafe {
        let tile = shared::dynamic::<u32>(64);
        tile.set(i, out.get(i));
        thread::sync_threads();
        out.set(i, tile.get(63 - i));
    }
}

#[kernel]
fn boxes_and_vectors(out: RawSlice<u32>) {
    let i = thread::id::x();
    let mut values: Vec<u32> = (0..i).collect();
    let boxed = Box::new(values.len() as u32);
    values.push(*boxed);
    // SAFETY: each thread has its own element.
    unsafe { out.set(i as usize, values.iter().sum()) };
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Padded {
    small: u8,
    large: u32,
}

trait Area {
    fn area(&self) -> u32;
}

struct Scaled(u32, Arc<dyn Fn(u32) -> u32>);

impl Area for Scaled {
    fn area(&self) -> u32 {
        (self.1)(self.0)
    }
}

/// Threads of the host that have not run a block before, with memory of the heap after their stacks.
#[kernel]
fn boxes_in_many_blocks(out: RawSlice<u32>) {
    let i = thread::index_1d().get();
    // SAFETY: each thread has its own element.
    unsafe {
        let scaled: Box<dyn Area> = Box::new(Scaled(out.get(i), Arc::new(move |value| value + i as u32)));
        out.set(i, scaled.area());
    }
}

/// Padding and values that decide nothing may be copied.
#[kernel]
fn copied_padding(out: RawSlice<u32>) {
    shared! { static UNWRITTEN: [u32; 32]; }
    let i = thread::id::x() as usize;
    // SAFETY: each thread has its own elements.
    unsafe {
        let mut place = MaybeUninit::<Padded>::uninit();
        place.write(Padded { small: 1, large: i as u32 });
        let copy = place;
        let padded = copy.assume_init();
        out.set(i, padded.large + u32::from(padded.small));
        let unwritten = UNWRITTEN.as_raw().as_ptr().cast::<MaybeUninit<u32>>().add(i).read();
        out.as_mut_ptr().cast::<MaybeUninit<u32>>().add(100 + i).write(unwritten);
    }
}

/// Values that were not written decide nothing, because another choice drops them.
#[kernel]
fn dropped_choices(out: RawSlice<u32>) {
    shared! { static TILE: [u32; 32]; }
    let i = thread::id::x() as usize;
    // SAFETY: each thread has its own elements.
    unsafe {
        if i < 16 {
            TILE.set(i, i as u32);
        }
        let own = if i < 16 { TILE.get(i) } else { 4 };
        let is_small = i < 16 && TILE.get(i) < 9;
        let chosen = if i < 16 { if TILE.get(i) > 3 { 1 } else { 2 } } else { 3 };
        out.set(i, own.min(9) + u32::from(is_small) + chosen);
    }
}

/// The last warp has 16 lanes.
#[kernel]
fn shuffles(out: RawSlice<u32>) {
    let i = thread::id::x();
    let sum = warp::shuffle_xor(i, 1) + warp::shuffle_up(i, 1);
    let votes = if i.is_multiple_of(2) { warp::popc(true) } else { 0 };
    // SAFETY: each thread has its own element.
    unsafe { out.set(i as usize, sum + votes) };
}

fn ordered_streams(device: &Device) -> Result<()> {
    let (first, second) = (device.new_stream()?, device.new_stream()?);
    let values = DeviceBuffer::from_host(&first, &[0_u32; LEN])?;
    atomic_histogram.launch(&first, block_of(64), (values.as_raw(),))?;
    second.wait(&first.record()?)?;
    with_barrier.launch(&second, block_of(64), (values.as_raw(),))?;
    second.synchronize()?;
    with_barrier.launch(&first, block_of(64), (values.as_raw(),))?;
    device.synchronize()
}

/// A scope waits for its launches when it ends, and when its body panics. Launches in another stream come after them.
fn ended_scopes(device: &Device) -> Result<()> {
    let (first, second) = (device.new_stream()?, device.new_stream()?);
    let x = DeviceBuffer::from_host(&first, &[1_u32; 32])?;
    for panics in [false, true] {
        let zeros = DeviceBuffer::<u32>::zeroed(&first, 32)?;
        let out = zeros.as_raw();
        let body = || {
            first.scope((&x,), |scope, (x,)| {
                // SAFETY: each thread sets its own element.
                scope.launch(block_of(32), (), move || unsafe { out.set(thread::id::x() as usize, x[0]) })?;
                // Unlike a panic, it prints nothing.
                if panics { std::panic::resume_unwind(Box::new(())) } else { Ok(()) }
            })
        };
        assert_eq!(catch_unwind(AssertUnwindSafe(body)).is_err(), panics);
        // SAFETY: as above.
        let again = move || unsafe { out.set(thread::id::x() as usize, 2) };
        again.launch(&second, block_of(32), ())?;
        second.synchronize()?;
    }
    Ok(())
}

/// The crate orders the launches, although they are in two streams.
fn consecutive_launches(device: &Device) -> Result<()> {
    let (first, second) = (device.new_stream()?, device.new_stream()?);
    let mut values = DeviceBuffer::from_host(&first, &[0_u32; LEN])?;
    increment.launch(&first, Grid::for_len(LEN, 64), (&mut values,))?;
    increment.launch(&second, Grid::for_len(LEN, 64), (&mut values,))?;
    let mut host = values.to_host_vec(&second)?;
    increment.launch(&first, Grid::for_len(LEN, 64), (&mut host[..],))?;
    increment.launch(&second, Grid::for_len(LEN, 64), (&mut host[..],))?;
    assert_eq!(host, [4; LEN]);
    Ok(())
}

#[kernel]
fn increment(mut values: DisjointSlice<u32>) {
    if let Some((value, _)) = values.get_mut_indexed() {
        *value += 1;
    }
}

#[kernel]
fn fill(mut output: DisjointSlice<MaybeUninit<u32>>) {
    if let Some((element, i)) = output.get_mut_indexed() {
        element.write(i.get() as u32);
    }
}

fn written_output(device: &Device) -> Result<()> {
    let mut output = [MaybeUninit::<u32>::uninit(); 32];
    fill.launch(&device.default_stream(), block_of(32), (&mut output[..],))
}
