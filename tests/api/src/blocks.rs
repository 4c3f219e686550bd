//! Reductions and scans of the values of a block's threads, for all types and shapes of a block, and an element for
//! each block.

use offload::thread::{block_dim, id};
use offload::warp::{WarpNumber, WarpValue};
use offload::{
    DeviceBuffer, DeviceCopy, DisjointBlocks, DisjointRows, DisjointSlice, Grid, Result, SharedArray, Stream, Zeroable,
    block, kernel, prelude::*, shared, thread,
};

/// Sum, least and greatest over the block, and its number; twice, so that one call's memory is the next one's.
#[kernel(launch_bounds(1024))]
fn reductions<T: WarpNumber>(values: &[T], mut results: DisjointBlocks<[T; 3]>) {
    let first = block::leader().map(|leader| leader.block()).unwrap_or_default();
    let base = block::reduce_max(first) * block::num_threads() as usize;
    let own = values[base + block::thread_rank() as usize];
    let all = [block::reduce_sum(own), block::reduce_min(own), block::reduce_max(own)];
    if let Some(result) = block::leader().and_then(|leader| results.get_mut(leader)) {
        *result = all;
    }
}

/// Shared memory of two dimensions, whose length is computed.
#[kernel]
fn transpose<T: DeviceCopy, const N: usize>(mut values: DisjointSlice<T>) {
    shared! { let tile: [[T; N]; SIDE * 2]; let last: [[[T; 2]; 1]; 1]; }
    // SAFETY: each thread sets its own element, or is the last one, and a barrier is before other threads read it.
    let (tile, last) = unsafe { (tile.cells(), last.cells()) };
    let i = id::x() as usize;
    let (x, y) = (i % N, i / N);
    let index = thread::index_1d();
    tile[y][x].set(values[index]);
    if i == 63 {
        last[0][0][1].set(values[index]);
    }
    thread::sync_threads();
    values[index] = if i == 0 { last[0][0][1].get() } else { tile[x][y].get() };
}

const SIDE: usize = 4;

/// Whether every thread got the same result, if `combine` combines values that are no numbers.
#[kernel]
fn everywhere<T: WarpValue + PartialEq>(one: T, others: T, mut same: DisjointBlocks<bool>) {
    let last = block::thread_rank() == block::num_threads() - 1;
    let found = block::reduce(if last { one } else { others }, |a, b| if a == one { a } else { b });
    let all = block::reduce(found == one, |a, b| a && b);
    if let Some(same) = block::leader().and_then(|leader| same.get_mut(leader)) {
        *same = all;
    }
}

/// `x` times `factor` plus `more`, in numbers that wrap around. One after another is associative, but not commutative.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy, Zeroable, WarpValue)]
struct Affine {
    factor: u64,
    more: (u64, [u8; 2]),
}

impl Affine {
    fn of(i: usize) -> Self {
        Affine { factor: 2 * i as u64 + 1, more: (i as u64 * 77 + (1 << 40), [i as u8, 3]) }
    }

    fn then(self, next: Self) -> Self {
        let Affine { factor, more: (more, [_, last]) } = self;
        let wide = more.wrapping_mul(next.factor).wrapping_add(next.more.0);
        Affine { factor: factor.wrapping_mul(next.factor), more: (wide, [next.more.1[0], last ^ next.more.1[1]]) }
    }

    fn both(self, other: Self) -> Self {
        let wide = self.more.0.wrapping_add(other.more.0);
        let bytes = [self.more.1[0].max(other.more.1[0]), self.more.1[1] ^ other.more.1[1]];
        Affine { factor: self.factor.wrapping_add(other.factor), more: (wide, bytes) }
    }
}

/// Two arrays of one type, and one in a function, for each instance of the kernel.
#[kernel]
fn turned<T: DeviceCopy + PartialEq, const N: usize>(mut values: DisjointSlice<T>, mut same: DisjointSlice<bool>) {
    shared! {
        let first: [T; N];
        let second: [T; N];
    }
    let (i, here) = (thread::index_1d(), id::x() as usize);
    let own = values[i];
    // SAFETY: each thread sets its own elements, and a barrier is before each access to others.
    unsafe {
        first.set(here, own);
        thread::sync_threads();
        second.set(here, first.get((here + 1) % N));
        let third = turn::<T, N>(first.get(N - 1 - here), here);
        same[i] = first.get(here) == own && second.get(here) == first.get((here + 1) % N);
        thread::sync_threads();
        values[i] = if here % 2 == 0 { second.get(here) } else { third.get(here) };
    }
}

/// Shared memory of a generic function that is no kernel.
fn turn<T: DeviceCopy, const N: usize>(value: T, here: usize) -> &'static SharedArray<T, N> {
    shared! { let array: [T; N]; }
    // SAFETY: each thread sets its own element, and the caller waits before it reads others.
    unsafe { array.set(here, value) };
    array
}

fn check_turned<T: DeviceCopy + PartialEq + std::fmt::Debug, const N: usize>(
    stream: &Stream,
    of: impl Fn(usize) -> T,
) -> Result<()> {
    let (mut values, mut same) = ((0..3 * N).map(&of).collect::<Vec<T>>(), vec![false; 3 * N]);
    turned::<T, N>.launch(stream, Grid::for_len(3 * N, N as u32), (&mut values, &mut same))?;
    let place = |i: usize| i / N * N + if (i % N).is_multiple_of(2) { (i % N + 1) % N } else { N - 1 - i % N };
    assert!(same.into_iter().all(|same| same));
    values.into_iter().enumerate().for_each(|(i, value)| assert_eq!(value, of(place(i))));
    Ok(())
}

/// Scans and a reduction of structs, and sums of numbers before each thread. Without the bounds, a GPU can lack
/// registers for the largest blocks.
#[kernel(launch_bounds(1024))]
fn scans(mut results: DisjointSlice<[Affine; 3]>, mut sums: DisjointSlice<[u32; 3]>) {
    let rank = block::thread_rank() as usize;
    let own = Affine::of(rank);
    let up_to = block::inclusive_scan(own, Affine::then);
    let before = block::exclusive_scan(own, Affine::of(1000), Affine::then);
    let all = block::reduce(own, Affine::both);
    let sum = block::exclusive_scan(rank as u32, 5, |a, b| a + b);
    // It is not commutative, and follows another one directly.
    let last = block::inclusive_scan(rank as u32 ^ 1, |_, last| last);
    let largest = block::reduce_max(last as i8);
    let base = (thread::block_id::x() * block::num_threads()) as usize;
    // SAFETY: each thread has a different place, and there are as many places as threads.
    unsafe {
        *results.get_unchecked_mut(base + rank) = [up_to, before, all];
        *sums.get_unchecked_mut(base + rank) = [sum, last, largest as u32];
    }
}

fn scanned(stream: &Stream, block_dim: (u32, u32, u32)) -> Result<()> {
    let threads = (block_dim.0 * block_dim.1 * block_dim.2) as usize;
    let mut results = DeviceBuffer::<[Affine; 3]>::zeroed(stream, 2 * threads)?;
    let mut sums = DeviceBuffer::<[u32; 3]>::zeroed(stream, 2 * threads)?;
    scans.launch(stream, Grid { block_dim, ..Grid::for_len(2, 1) }, (&mut results, &mut sums))?;
    let (results, sums) = (results.to_host_vec(stream)?, sums.to_host_vec(stream)?);
    let all = (0..threads).map(Affine::of).reduce(Affine::both).unwrap();
    let largest = (0..threads).map(|rank| (rank ^ 1) as i8).max().unwrap() as u32;
    for block in 0..2 {
        let (mut up_to, mut before, mut sum) = (None::<Affine>, Affine::of(1000), 5);
        for rank in 0..threads {
            let own = Affine::of(rank);
            up_to = Some(up_to.map_or(own, |up_to| up_to.then(own)));
            let found = (results[block * threads + rank], sums[block * threads + rank]);
            let numbers = [sum, rank as u32 ^ 1, largest];
            assert_eq!(found, ([up_to.unwrap(), before, all], numbers), "{rank} of {block_dim:?}");
            before = before.then(own);
            sum += rank as u32;
        }
    }
    Ok(())
}

/// The number of each block, where there is a place for it.
#[kernel]
fn numbers(mut places: DisjointBlocks<u64>) {
    let at = [thread::block_id::x(), thread::block_id::y(), thread::block_id::z()];
    let Some(leader) = block::leader() else { return };
    if let Some(place) = places.get_mut(leader) {
        *place = at.iter().rev().fold(0, |number, at| 10 * number + u64::from(*at));
    }
}

/// Halves of shared memory, whose places each thread computes in sums that a debug build checks. (At a barrier, Intel's
/// OpenCL for processors lost the checked sums of just this kernel.)
#[kernel]
fn halves(values: &[u64], mut sums: DisjointBlocks<u64>) {
    shared! { static PLACES: [u64; 1024]; }
    let own = values[rank() as usize];
    let (place, mut count) = (rank() as usize, block_dim::x() * block_dim::y() * block_dim::z());
    assert!(count <= 1024);
    // SAFETY: each thread sets a different place, and a barrier stands between that and the reads of others.
    let sum = unsafe {
        PLACES.set(place, own);
        thread::sync_threads();
        while count > 1 {
            let half = count.div_ceil(2);
            let other = place + half as usize;
            if other < count as usize {
                PLACES.set(place, PLACES.get(place).wrapping_add(PLACES.get(other)));
            }
            thread::sync_threads();
            count = half;
        }
        let all = PLACES.get(0);
        thread::sync_threads();
        all
    };
    if let Some(place) = block::leader().and_then(|leader| sums.get_mut(leader)) {
        *place = sum;
    }
}

#[inline(always)]
fn rank() -> u32 {
    id::x() + block_dim::x() * (id::y() + block_dim::y() * id::z())
}

/// Lines, boxes, parts of warps, one thread, the most there are along x, together, and along z.
const SHAPES: [(u32, u32, u32); 9] =
    [(64, 1, 1), (100, 1, 1), (1, 1, 1), (8, 5, 1), (3, 4, 11), (256, 1, 1), (1024, 1, 1), (8, 8, 16), (1, 3, 64)];

fn transposed(stream: &Stream) -> Result<()> {
    let mut values = DeviceBuffer::from_host(stream, &(0..64).collect::<Vec<u16>>())?;
    transpose::<u16, 8>.launch(stream, Grid::for_len(64, 64), (&mut values,))?;
    let wanted: Vec<_> = (0..64).map(|i| if i == 0 { 63 } else { i % 8 * 8 + i / 8 }).collect();
    assert_eq!(values.to_host_vec(stream)?, wanted);
    Ok(())
}

/// Threads without an element return before the block's sum: by the element, by a comparison, by rows.
#[kernel]
fn by_element(values: &[u32], mut sums: DisjointSlice<u32>) {
    let Some((sum, i)) = sums.get_mut_indexed() else { return };
    *sum = block::reduce_sum(values[i]);
}

#[kernel]
fn by_index(count: usize, values: &[u32], mut sums: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if i >= count {
        return;
    }
    sums[i] = block::reduce_sum(values[i]);
}

#[kernel]
fn by_rows(columns: usize, values: &[u32], mut sums: DisjointRows<u32>) {
    let at = thread::index_2d();
    let Some(sum) = sums.get_mut(at) else { return };
    *sum = block::reduce_sum(values[at.y() * columns + at.x()]);
}

/// In these launches, all threads of a block have an element, or none has one.
fn returned(stream: &Stream) -> Result<()> {
    let values: Vec<u32> = (0..128).map(|i| i * i).collect();
    let halves: Vec<u32> = values.chunks(64).flat_map(|own| [own.iter().sum(); 64]).collect();
    let grid = Grid::for_len(192, 64);
    let mut sums = [0; 128];
    by_element.launch(stream, grid, (&values, &mut sums))?;
    assert_eq!(sums[..], halves);
    let mut sums = [0; 128];
    by_index.launch(stream, grid, (64, &values, &mut sums))?;
    assert_eq!(sums[..], [&halves[..64], &[0; 64]].concat());
    let mut sums = DeviceBuffer::<u32>::zeroed(stream, 128)?;
    by_rows.launch(stream, Grid::for_rows(32, 8, (16, 4)), (16, &values, sums.rows(16)))?;
    assert_eq!(sums.to_host_vec(stream)?, halves);
    Ok(())
}

/// Launches all of it.
pub fn check(stream: &Stream) -> Result<()> {
    for shape in SHAPES {
        reduced(stream, shape, u8::wrapping_add, |i| i as u8)?;
        reduced(stream, shape, |a, b| a + b, |i| i as i32 * 7 - 1000)?;
        reduced(stream, shape, |a, b| a + b, |i| (i as u64) << 33 | 5)?;
        reduced(stream, shape, |a, b| a + b, |i| i as f32 * 0.25 - 8.0)?;
        reduced(stream, shape, |a, b| a + b, |i| i as f64 - 1e9)?;
    }
    transposed(stream)?;
    returned(stream)?;
    for shape in SHAPES {
        scanned(stream, shape)?;
    }
    check_turned::<u8, 64>(stream, |i| i as u8)?;
    check_turned::<(u64, f32), 32>(stream, |i| (i as u64, i as f32 / 2.0))?;
    check_turned::<(u64, f32), 4>(stream, |i| (i as u64, -(i as f32)))?;
    let values: Vec<u64> = (0..64).collect();
    let mut sums = DeviceBuffer::<u64>::zeroed(stream, 1)?;
    halves.launch(stream, Grid::for_len(64, 64), (&DeviceBuffer::from_host(stream, &values)?, &mut sums))?;
    assert_eq!(sums.to_host_vec(stream)?, [values.iter().sum::<u64>()]);
    for block_dim in [(32, 1, 1), (7, 9, 1)] {
        let mut same = DeviceBuffer::from_host(stream, &[false; 3])?;
        let grid = Grid { block_dim, ..Grid::for_len(3, 1) };
        everywhere::<char>.launch(stream, grid, ('ö', 'x', &mut same))?;
        assert_eq!(same.to_host_vec(stream)?, [true; 3]);
        everywhere::<i16>.launch(stream, grid, (i16::MIN, i16::MAX, &mut same))?;
        assert_eq!(same.to_host_vec(stream)?, [true; 3]);
    }
    let (mut places, mut host) = (DeviceBuffer::<u64>::zeroed(stream, 23)?, [0; 23]);
    let grid = Grid { grid_dim: (2, 3, 4), block_dim: (4, 2, 2), ..Grid::for_len(1, 1) };
    numbers.launch(stream, grid, (&mut places,))?;
    numbers.launch(stream, grid, (&mut host,))?;
    assert!(host[5] == 21 && host[22] == 320 && places.to_host_vec(stream)? == host, "{host:?}");
    Ok(())
}

/// Three blocks of values that are exact in any order of summing.
fn reduced<T: WarpNumber + PartialOrd + std::fmt::Debug>(
    stream: &Stream,
    block_dim: (u32, u32, u32),
    sum: fn(T, T) -> T,
    value: fn(usize) -> T,
) -> Result<()> {
    let threads = (block_dim.0 * block_dim.1 * block_dim.2) as usize;
    let values: Vec<T> = (0..3 * threads).map(value).collect();
    let grid = Grid { block_dim, ..Grid::for_len(3, 1) };
    let mut results = DeviceBuffer::from_host(stream, &[[values[0]; 3]; 3])?;
    reductions::<T>.launch(stream, grid, (&DeviceBuffer::from_host(stream, &values)?, &mut results))?;
    for (own, result) in values.chunks(threads).zip(results.to_host_vec(stream)?) {
        let least = own.iter().copied().reduce(|a, b| if b < a { b } else { a }).unwrap();
        let greatest = own.iter().copied().reduce(|a, b| if b > a { b } else { a }).unwrap();
        let sum = own.iter().copied().reduce(sum).unwrap();
        assert_eq!(result, [sum, least, greatest], "{block_dim:?}");
    }
    Ok(())
}
