//! Atomics of each scope and type, in buffers and in shared memory; and those of `core`.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, Ordering};

use offload::atomic::{
    Atomic, AtomicInteger, AtomicOrdering::*, AtomicValue, BlockAtomicU32, DeviceAtomicF32, DeviceAtomicF64,
    DeviceAtomicI64, DeviceAtomicU32, SystemAtomicU32, fence, scope,
};
use offload::num::{Bf16, F16};
use offload::{
    DeviceBuffer, DisjointSlice, Grid, PinnedBuffer, Result, Stream, UnifiedBuffer, Zeroable, device_static, kernel,
    prelude::*, shared, thread,
};

/// Threads of each launch, in blocks of 64.
const COUNT: usize = 1000;
const BLOCK: u32 = 64;

#[kernel]
fn count(bytes: &[u8], device: &[DeviceAtomicU32], system: &[SystemAtomicU32], core: &[AtomicU32]) {
    let i = thread::index_1d().get();
    if let Some(byte) = bytes.get(i) {
        let bin = usize::from(*byte) % device.len();
        device[bin].fetch_add(1, Relaxed);
        system[bin].fetch_sub(1, AcqRel);
        core[bin].fetch_add(2, Ordering::Relaxed);
    }
}

#[kernel]
fn sums(halves: &[DeviceAtomicF32], quarters: &[DeviceAtomicF64], wide: &[DeviceAtomicI64]) {
    let i = thread::index_1d().get();
    if i < COUNT {
        halves[0].fetch_add(0.5, Relaxed);
        halves[1].fetch_max(i as f32, Relaxed);
        quarters[0].fetch_sub(0.25, Relaxed);
        quarters[1].fetch_min(-(i as f64), Relaxed);
        let _ = quarters[2].compare_exchange(0.0, 1.0, SeqCst, Relaxed).map(|_| quarters[3].fetch_add(1.0, Relaxed));
        wide[0].fetch_add(-(1 << 33), Relaxed);
        wide[1].fetch_min(-(i as i64), Relaxed);
        let _ = wide[2].fetch_update(Relaxed, Relaxed, |most| (most < i as i64).then_some(i as i64));
    }
}

/// Every operation of an integer type, so that the result does not depend on who comes first.
#[kernel]
fn all_of<T: AtomicInteger + TryFrom<u8>>(at: &[Atomic<T>]) {
    let number = |n: u8| T::try_from(n).ok().expect("127 fits every type");
    let i = thread::index_1d().get();
    if i < COUNT {
        at[0].fetch_add(number(3), Relaxed);
        at[1].fetch_sub(number(1), Relaxed);
        at[2].fetch_min(number((i % 50 + 7) as u8), Relaxed);
        at[3].fetch_max(number((i % 50 + 7) as u8), Relaxed);
        at[4].fetch_and(number(if i == 5 { 0b1100 } else { 0b1110 }), Relaxed);
        at[5].fetch_or(number(1 << (i % 7)), Relaxed);
        at[6].fetch_xor(number(0b101), Relaxed);
        at[7].swap(number(9), AcqRel);
        at[8].store(at[7].load(Acquire), Release);
    }
}

/// Every operation of a float of 16 bits. Neighbours share a word of 32 bits.
#[kernel]
fn small<T: AtomicValue + From<u8>>(at: &[Atomic<T>], of_blocks: &[Atomic<T>]) {
    let i = thread::index_1d().get();
    // SAFETY: each block has a different element.
    let own = unsafe { of_blocks[thread::block_id::x() as usize].with_scope::<scope::Block>() };
    if i < COUNT {
        let number = T::from((i % 101 + 7) as u8);
        at[0].fetch_add(1.into(), Relaxed);
        at[1].fetch_max(number, Relaxed);
        at[2].fetch_min(number, AcqRel);
        at[3].fetch_sub(2.into(), SeqCst);
        let _ = at[4].compare_exchange(0.into(), 3.into(), AcqRel, Relaxed).map(|_| at[5].fetch_add(1.into(), Relaxed));
        at[6].swap(9.into(), Relaxed);
        at[7].store(at[6].load(Acquire), Release);
        own.fetch_add(1.into(), Relaxed);
    }
}

/// The results of [`small`]. Sums stop at the largest number whose successor is a number.
fn small_floats<T: AtomicValue + From<u8> + Into<f32> + Zeroable>(stream: &Stream, largest: f32) -> Result<()> {
    let mut at = DeviceBuffer::from_host(stream, &[0, 0, 200, 0, 0, 0, 0, 0].map(T::from))?;
    let mut blocks = DeviceBuffer::zeroed(stream, COUNT.div_ceil(BLOCK as usize))?;
    small::<T>.launch(stream, Grid::for_len(COUNT, BLOCK), (&mut at, &mut blocks))?;
    let found: Vec<f32> = at.to_host_vec(stream)?.into_iter().map(T::into).collect();
    let most = |count: f32| count.min(largest);
    assert_eq!(found, [most(1000.0), 107.0, 7.0, -2.0 * most(1000.0), 3.0, 1.0, 9.0, 9.0]);
    let mut blocks: Vec<f32> = blocks.to_host_vec(stream)?.into_iter().map(T::into).collect();
    assert_eq!((blocks.pop(), blocks), (Some((COUNT % 64) as f32), vec![64.0; COUNT / 64]));
    Ok(())
}

device_static! {
    static BYTES: [u8; 1] = [0; 1];
    static HALVES: [u16; 3] = [0; 3];
}

/// A device may change the 32 bits around each of them, of which some may be past the end of the memory.
#[kernel]
fn last_ones(
    bytes: &[Atomic<u8>],
    halves: &[Atomic<u16>],
    more: &[std::sync::atomic::AtomicU16],
    flags: &[Atomic<i8>],
) {
    shared! { static OF_BLOCK: [u16; 3]; }
    // SAFETY: one thread sets each, and atomics alone follow the barrier. Kernels use the statics atomically alone.
    let (of_block, of_device, of_static) = unsafe {
        if thread::id::x() == 0 {
            (0..3).for_each(|element| OF_BLOCK.set(element, 0));
        }
        thread::sync_threads();
        let of_device = HALVES.as_raw().atomic::<scope::Device>(2);
        (OF_BLOCK.atomic(2), of_device, BYTES.as_raw().atomic::<scope::Device>(0))
    };
    bytes[bytes.len() - 1].fetch_add(3, Relaxed);
    halves[halves.len() - 1].fetch_add(5, Relaxed);
    more[more.len() - 1].fetch_add(1, Ordering::Relaxed);
    flags[flags.len() - 1].fetch_sub(1, Relaxed);
    of_block.fetch_add(1, Relaxed);
    thread::sync_threads();
    if thread::id::x() == 0 {
        of_device.fetch_add(of_block.load(Relaxed), Relaxed);
        of_static.fetch_add(of_block.load(Relaxed) as u8, Relaxed);
    }
}

/// Memory whose size is no multiple of 4 bytes: buffers, parts, pinned and unified memory, host memory, statics and
/// shared arrays.
fn ends_of_memory(stream: &Stream) -> Result<()> {
    let before = (HALVES.to_host(stream)?, BYTES.to_host(stream)?);
    for len in [1, 2, 3, 5, 33] {
        let (mut bytes, mut halves) = (DeviceBuffer::zeroed(stream, len)?, DeviceBuffer::zeroed(stream, len)?);
        let (mut more, mut flags) = (vec![0_u16; len], UnifiedBuffer::<i8>::zeroed(stream.device(), len)?);
        let shape = Grid::for_len(128, 64);
        last_ones.launch(stream, shape, (&mut bytes, &mut halves, &mut more[..], &mut flags))?;
        let mut expected = vec![0; len];
        expected[len - 1] = 128;
        assert_eq!(more, expected);
        assert_eq!(halves.to_host_vec(stream)?, expected.iter().map(|n| 5 * n).collect::<Vec<_>>());
        assert_eq!(bytes.to_host_vec(stream)?.last(), Some(&128)); // 384, of which a byte has the lower part
        stream.synchronize()?;
        assert_eq!(flags.as_slice()?.last(), Some(&-128));

        let (mut bytes, mut halves) = (DeviceBuffer::zeroed(stream, 2 * len)?, DeviceBuffer::zeroed(stream, 2 * len)?);
        let (mut first, _) = bytes.split_at_mut(len);
        let mut pinned = PinnedBuffer::from_slice(stream.device(), &vec![1_u16; len])?;
        last_ones.launch(stream, shape, (&mut first, &mut halves.part_mut(1..), &mut more[..], &mut flags))?;
        halves.part_mut(..len).copy_to_pinned(stream, &mut pinned)?;
        assert_eq!(pinned.as_slice()?, vec![0; len]);
        assert_eq!(halves.to_host_vec(stream)?.last(), Some(&(5 * 128)));
        let wanted = [vec![0; len - 1], vec![128], vec![0; len]].concat();
        assert_eq!(bytes.to_host_vec(stream)?, wanted);
    }
    let launches = 2 * 5 * 128;
    let (halves, bytes) = (HALVES.to_host(stream)?, BYTES.to_host(stream)?);
    assert_eq!(halves, [0, 0, before.0[2] + launches]);
    assert_eq!(bytes, [before.1[0].wrapping_add(launches as u8)]);
    Ok(())
}

/// Each block counts by itself, then adds to the common total: static and launch-sized shared memory.
#[kernel]
fn count_by_block(bytes: &[u8], totals: &[DeviceAtomicU32]) {
    shared! { static COUNTS: [u32; 8]; }
    let (here, i) = (thread::id::x() as usize, thread::index_1d().get());
    // SAFETY: the launch has eight words; each is set by one thread, and atomics alone follow the barrier.
    let (counts, more) = unsafe {
        let more = shared::dynamic::<u32>(8);
        if here < 8 {
            COUNTS.set(here, 0);
            more.set(here, 0);
        }
        thread::sync_threads();
        let more = move |bin| -> &BlockAtomicU32 { more.atomic::<scope::Block>(bin) };
        (|bin| COUNTS.atomic(bin), more)
    };
    if let Some(byte) = bytes.get(i) {
        counts(usize::from(*byte % 8)).fetch_add(1, Relaxed);
        more(usize::from(*byte % 8)).fetch_max(u32::from(*byte), Relaxed);
    }
    thread::sync_threads();
    if here < 8 {
        totals[here].fetch_add(counts(here).load(Relaxed), Relaxed);
        totals[8 + here].fetch_max(more(here).load(Relaxed), Relaxed);
    }
}

/// The last of all threads sees the values that the others wrote.
#[kernel]
fn last_sums(values: &[Atomic<u32>], done: &[DeviceAtomicU32], mut sum: DisjointSlice<u32>) {
    let i = thread::index_1d().get();
    values[i].store(i as u32, Relaxed);
    fence::<scope::Device>(Release);
    if done[0].fetch_add(1, Relaxed) as usize + 1 == values.len() {
        fence::<scope::Device>(Acquire);
        let total = values.iter().map(|value| value.load(Relaxed)).sum();
        // SAFETY: there is one last thread.
        unsafe { *sum.get_unchecked_mut(0) = total };
    }
}

/// Launches all of them, and checks the results.
pub fn check(stream: &Stream) -> Result<()> {
    let bytes: Vec<u8> = (0..COUNT).map(|i| (i * 7 % 251) as u8).collect();
    let in_bin = |bin, bins| bytes.iter().filter(|byte| usize::from(**byte) % bins == bin).count() as u32;
    let bins = |bins| (0..bins).map(move |bin| in_bin(bin, bins));
    let (shape, input) = (Grid::for_len(COUNT, BLOCK), DeviceBuffer::from_host(stream, &bytes)?);

    let mut counts = [(); 3].map(|()| DeviceBuffer::from_host(stream, &[0; 16]).expect("room for 16 words"));
    let [device, system, core] = &mut counts;
    count.launch(stream, shape, (&input, device, system, core))?;
    let expected: Vec<u32> = bins(16).collect();
    assert_eq!(counts[0].to_host_vec(stream)?, expected);
    assert!(counts[1].to_host_vec(stream)?.iter().zip(&expected).all(|(left, n)| *left == 0u32.wrapping_sub(*n)));
    assert!(counts[2].to_host_vec(stream)?.iter().zip(&expected).all(|(twice, n)| *twice == 2 * n));

    let mut halves = DeviceBuffer::from_host(stream, &[0.0; 2])?;
    let mut quarters = DeviceBuffer::from_host(stream, &[0.0; 4])?;
    let mut wide = DeviceBuffer::from_host(stream, &[0; 3])?;
    sums.launch(stream, shape, (&mut halves, &mut quarters, &mut wide))?;
    assert_eq!(halves.to_host_vec(stream)?, [500.0, 999.0]);
    assert_eq!(quarters.to_host_vec(stream)?, [-250.0, -999.0, 1.0, 1.0]);
    assert_eq!(wide.to_host_vec(stream)?, [-(1000 << 33), -999, 999]);
    let (mut halves, mut quarters, mut wide) = ([0.0; 2], vec![0.0; 4], [0; 3]);
    sums.launch(stream, shape, (&mut halves, &mut quarters, &mut wide[..]))?;
    assert_eq!((halves, &quarters[..2], wide), ([500.0, 999.0], &[-250.0, -999.0][..], [-(1000 << 33), -999, 999]));

    ends_of_memory(stream)?;
    every_operation::<u8>(stream)?;
    every_operation::<i16>(stream)?;
    every_operation::<u32>(stream)?;
    every_operation::<i64>(stream)?;
    every_operation::<usize>(stream)?;
    small_floats::<F16>(stream, 2048.0)?;
    small_floats::<Bf16>(stream, 256.0)?;

    let mut totals = DeviceBuffer::from_host(stream, &[0; 16])?;
    count_by_block.launch(stream, shape.with_shared_bytes(8 * 4), (&input, &mut totals))?;
    let totals = totals.to_host_vec(stream)?;
    assert!(bins(8).eq(totals[..8].iter().copied()), "{totals:?}");
    assert!(totals[8..].iter().enumerate().all(|(bin, most)| *most as usize == 250 - (250 - bin) % 8), "{totals:?}");

    let mut values = DeviceBuffer::<u32>::zeroed(stream, 256)?;
    let (mut done, mut sum) = (DeviceBuffer::zeroed(stream, 1)?, DeviceBuffer::zeroed(stream, 1)?);
    last_sums.launch(stream, Grid::for_len(256, BLOCK), (&mut values, &mut done, &mut sum))?;
    assert_eq!(sum.to_host_vec(stream)?, [255 * 256 / 2]);
    Ok(())
}

/// The results of [`all_of`]: on the device, and here by one thread after another.
fn every_operation<T: AtomicInteger + TryFrom<u8> + PartialEq + Debug>(stream: &Stream) -> Result<()> {
    let number = |n: u8| T::try_from(n).ok().expect("127 fits every type");
    let start = [0, 0, 100, 0, 0b1111, 0, 1, 0, 0].map(number);
    let mut buffer = DeviceBuffer::from_host(stream, &start)?;
    all_of::<T>.launch(stream, Grid::for_len(COUNT, BLOCK), (&mut buffer,))?;
    let mut expected = start;
    all_of::<T>.run_on_host(Grid::for_len(COUNT, BLOCK), (&mut expected,));
    assert_eq!(buffer.to_host_vec(stream)?, expected);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_are_the_hosts() {
        let (mut halves, mut quarters, mut wide) = ([0.0; 2], [0.0; 4], [0; 3]);
        sums.run_on_host(Grid::for_len(COUNT, BLOCK), (&mut halves, &mut quarters, &mut wide));
        assert_eq!((halves, quarters), ([500.0, 999.0], [-250.0, -999.0, 1.0, 1.0]));
        assert_eq!(wide, [-(1000 << 33), -999, 999]);
    }

    #[test]
    fn shared_atomics_are_the_hosts() {
        let (bytes, mut totals) = ([0, 1, 2, 3, 9, 17, 26, 3], [0; 16]);
        count_by_block.run_on_host(Grid::for_len(8, BLOCK).with_shared_bytes(8 * 4), (&bytes, &mut totals));
        assert_eq!(totals, [1, 3, 2, 2, 0, 0, 0, 0, 0, 17, 26, 3, 0, 0, 0, 0]);
    }
}
