//! Kernels that are functions, generic functions and closures; their arguments, and the errors of launches that
//! fail.

mod atomics;
mod blocks;
mod clocks;
mod contexts;
mod crates;
mod functions;
mod handles;
mod host_calls;
mod late;
mod mapped;
mod memory;
mod numbers;
mod options;
mod scopes;
mod specialized;
mod statics;
mod target;
mod tensors;
mod warps;

use std::ops::MulAssign;

use offload::{
    Device, DeviceBuffer, DeviceCopy, DisjointChunks, DisjointRows, DisjointSlice, Error, Grid, Result, SharedArray,
    Stream, device_println, kernel, prelude::*, shared, thread,
};

#[derive(Clone, Copy, DeviceCopy)]
struct Line {
    slope: f32,
    start: f32,
    steps: Fields<3>,
}

/// The derive introduces no names that can clash with users' types.
type Fields<const N: usize> = [u32; N];

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i];
    }
}

#[kernel]
fn scale<T: DeviceCopy + MulAssign>(factor: T, mut values: DisjointSlice<T>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value *= factor;
    }
}

/// As many threads as elements, or a panic.
#[kernel]
fn double_each(mut values: DisjointSlice<u64>) {
    let i = thread::index_1d();
    values[i] *= 2;
}

#[kernel]
fn along(line: Line, table: (u8, Option<u32>), mut out: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        let more = line.steps[i.get() % 3] + u32::from(table.0) + table.1.unwrap_or(1000);
        *out = line.start + line.slope * i.get() as f32 + more as f32;
    }
}

#[kernel]
fn sort_pairs(mut pairs: DisjointChunks<u32, 2>) {
    if let Some(pair) = pairs.get_mut(thread::index_1d()) {
        pair.sort();
    }
}

#[kernel]
fn places(mut image: DisjointRows<[u32; 2]>) {
    let at = thread::index_2d();
    if let Some(pixel) = image.get_mut(at) {
        *pixel = [at.x() as u32, at.y() as u32];
    }
}

#[kernel(launch_bounds(64))]
fn reverse_blocks(from: &[u32], mut to: DisjointSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    let (i, here) = (thread::index_1d(), thread::id::x() as usize);
    // SAFETY: each thread sets a different element, and all are set before one is read.
    let value = unsafe {
        TILE.set(here, from[i.get()]);
        thread::sync_threads();
        TILE.get(63 - here)
    };
    *to.get_mut(i).unwrap() = value;
}

#[kernel]
fn sum_of_block(values: &[u32], mut sums: DisjointSlice<u32>) {
    let here = thread::id::x() as usize;
    // SAFETY: the launch has a word for each thread, and a barrier stands between the writes and the reads.
    let sum = unsafe {
        let tile = shared::dynamic::<u32>(thread::block_dim::x() as usize);
        tile.set(here, values[here]);
        thread::sync_threads();
        let mut distance = tile.len() / 2;
        while distance > 0 {
            if here < distance {
                tile.set(here, tile.get(here) + tile.get(here + distance));
            }
            thread::sync_threads();
            distance /= 2;
        }
        thread::sync_threads();
        tile.get(0)
    };
    if let Some(first) = sums.get_mut(thread::index_1d()) {
        *first = sum;
    }
}

#[kernel]
fn digits(mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        let text: Vec<u8> = i.get().to_string().into_bytes();
        *out = text.iter().map(|digit| u32::from(digit - b'0')).sum();
    }
}

/// Shared memory as a parameter of a function.
fn put(tile: &SharedArray<u32, 64>, place: usize, value: u32) {
    // SAFETY: each thread has a different place, and a barrier follows.
    unsafe { tile.set(place, value) };
}

/// By the names that users of other crates try first.
#[kernel(launch_bounds(64))]
fn reverse_by_other_names(mut values: DisjointSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    // SAFETY: each thread sets a different element, and all are set before one is read.
    let tile = unsafe { TILE.cells() };
    let here = thread::thread_id::x() as usize;
    if let Some((value, i)) = values.get_mut_indexed() {
        put(&TILE, here, *value + i.get() as u32);
    }
    thread::sync_threads();
    if let Some((value, _)) = values.get_mut_indexed() {
        *value = tile[63 - here].get();
    }
}

#[kernel]
fn greet(values: &[f32]) {
    let i = thread::index_1d().get();
    if let Some(value) = values.get(i) {
        device_println!("thread {i:>2} has {value:.2}, {:?}", Some("text"));
    }
}

#[kernel]
fn beyond(x: &[u32], mut y: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        if thread::is_device() {
            *y = x[i.get() + 5];
        } else {
            println!("only on the host");
        }
    }
}

/// A value that is known at compile time; `tests/projects/api.rs` looks at its instructions.
#[inline(never)]
#[unsafe(no_mangle)]
fn known_of_saxpy() -> usize {
    let info = saxpy.info();
    info.parameters[1].size
        + 100 * info.parameters.len()
        + 1000 * info.name.len()
        + 100_000 * info.argument_bytes as usize
}

fn main() -> Result<()> {
    late::set()?;
    let device = Device::new()?;
    let stream = device.default_stream();
    check_arguments(&stream)?;
    check_blocks(&stream)?;
    atomics::check(&stream)?;
    warps::check(&stream)?;
    blocks::check(&stream)?;
    crates::check(&stream)?;
    numbers::check(&stream)?;
    options::check(&stream)?;
    specialized::check(&stream)?;
    check_heap_and_closures(&device, &stream)?;
    check_errors(&stream)?;
    greet.launch(&stream, Grid::for_len(3, 32), (&DeviceBuffer::from_host(&stream, &[0.5, 1.25, -3.0])?,))?;
    stream.synchronize()?;

    memory::check(&device)?;
    tensors::check(&device)?;
    statics::check(&device)?;
    late::check(&device)?;
    target::check(&device)?;
    mapped::check(&device)?;
    scopes::check(&device)?;
    clocks::check(&device)?;
    handles::check(&device)?;
    contexts::check(&device)?;
    functions::check(&stream)?;
    host_calls::check(&device)?;
    check_descriptions();
    println!("every launch did what it should on {}", device.name());
    Ok(())
}

/// Slices, values, structs, chunks and rows as arguments.
fn check_arguments(stream: &Stream) -> Result<()> {
    let x = DeviceBuffer::from_host(stream, &[1.0; 1000])?;
    let mut y = DeviceBuffer::from_host(stream, &[2.0; 1000])?;
    saxpy.launch(stream, Grid::for_len(1000, 256), (3.0, &x, &mut y))?;
    assert_eq!(y.to_host_vec(stream)?, [5.0; 1000]);

    scale::<f32>.launch(stream, Grid::for_len(1000, 256), (2.0, &mut y))?;
    assert_eq!(y.to_host_vec(stream)?, [10.0; 1000]);
    let mut wide = DeviceBuffer::from_host(stream, &[7u64; 10])?;
    scale::<u64>.launch(stream, Grid::for_len(10, 32), (6, &mut wide))?;
    double_each.launch(stream, Grid::for_len(10, 10), (&mut wide,))?;
    assert_eq!(wide.to_host_vec(stream)?, [84; 10]);
    let beyond = double_each.launch(stream, Grid::for_len(11, 11), (&mut wide,)).and_then(|()| stream.synchronize());
    let Err(Error::Panicked(text)) = beyond else { panic!("{beyond:?}") };
    assert!(text.contains("this thread has no element in the DisjointSlice (block 0, thread 10)"), "{text}");

    let line = Line { slope: 0.5, start: 2.0, steps: [1, 2, 3] };
    along.launch(stream, Grid::for_len(1000, 64), (line, (4, Some(5)), &mut y))?;
    let at = |i: usize| 2.0 + 0.5 * i as f32 + (line.steps[i % 3] + 9) as f32;
    assert!(y.to_host_vec(stream)?.iter().enumerate().all(|(i, y)| *y == at(i)));

    let mut pairs = DeviceBuffer::from_host(stream, &[9, 1, 2, 8, 5, 5])?;
    // A sort allocates for long slices. Without optimisation, the code for them is there, and the launch needs a heap.
    sort_pairs.launch(stream, Grid::for_len(3, 32).with_heap_bytes(65536), (&mut pairs,))?;
    assert_eq!(pairs.to_host_vec(stream)?, [1, 9, 2, 8, 5, 5]);

    let mut image = DeviceBuffer::from_host(stream, &[[0u32; 2]; 12])?;
    places.launch(stream, Grid::for_rows(4, 3, (8, 4)), (image.rows(4),))?;
    assert!(image.to_host_vec(stream)?.iter().enumerate().all(|(i, [x, y])| (*x + 4 * *y) as usize == i));
    Ok(())
}

/// Shared memory of both kinds, and the names of other crates.
fn check_blocks(stream: &Stream) -> Result<()> {
    let numbers: Vec<u32> = (0..256).collect();
    let from = DeviceBuffer::from_host(stream, &numbers)?;
    let mut to = DeviceBuffer::<u32>::zeroed(stream, 256)?;
    reverse_blocks.launch(stream, Grid::for_len(256, 64), (&from, &mut to))?;
    assert!(to.to_host_vec(stream)?.iter().enumerate().all(|(i, v)| *v as usize == i / 64 * 64 + 63 - i % 64));

    reverse_by_other_names.launch(stream, Grid::for_len(256, 64), (&mut to,))?;
    assert!(
        to.to_host_vec(stream)?
            .iter()
            .enumerate()
            .all(|(i, v)| *v as usize == i / 64 * 64 + i % 64 + i / 64 * 64 + 63 - i % 64)
    );
    assert!(to.device_ptr() == to.device_ptr_mut().cast_const() && !to.device_ptr().is_null());

    let mut sum = DeviceBuffer::<u32>::zeroed(stream, 1)?;
    sum_of_block.launch(stream, Grid::for_len(64, 64).with_shared_bytes(64 * 4), (&from, &mut sum))?;
    assert_eq!(sum.to_host_vec(stream)?, [63 * 64 / 2]);
    for bytes in [0, 64 * 4 - 1] {
        let lacks = sum_of_block.launch(stream, Grid::for_len(64, 64).with_shared_bytes(bytes), (&from, &mut sum));
        let Err(Error::Panicked(text)) = lacks.and_then(|()| stream.synchronize()) else { panic!("it needs more") };
        let words = ["`sum_of_block`", "main.rs:", "more dynamic shared memory", "`Grid::with_shared_bytes`"];
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    Ok(())
}

fn check_heap_and_closures(device: &Device, stream: &Stream) -> Result<()> {
    let mut sums = DeviceBuffer::<u32>::zeroed(stream, 200)?;
    let (grid, bytes): (_, usize) = (Grid::for_len(200, 64), 1 << 20);
    // Without offloadc, kernels allocate from the host's heap; the checker gives each launch a heap.
    match digits.launch(stream, grid, (&mut sums,)) {
        Err(Error::Mismatch(text)) => {
            assert!(
                text.starts_with("kernel `digits` allocates memory") && text.contains("heap_bytes(262144)"),
                "{text}"
            );
        }
        other => {
            let has_heap = ["API_WITHOUT_OFFLOADC", "OFFLOADRT_SANITIZE_REPORT"]
                .iter()
                .any(|name| std::env::var_os(name).is_some());
            assert!(other.is_ok() && has_heap, "{other:?}");
        }
    }
    digits.launch(stream, grid.with_heap_bytes(bytes), (&mut sums,))?;
    assert_eq!(sums.to_host_vec(stream)?[187], 16);

    let squares = DeviceBuffer::<u64>::zeroed(stream, 1000)?;
    let (out, more) = (squares.as_raw(), 3);
    // SAFETY: each index writes a different element, and `squares` outlives the call.
    device.for_each(1000, move |i| unsafe { out.set(i.get(), (i.get() * i.get()) as u64 + more) })?;
    assert_eq!(squares.to_host_vec(stream)?[10], 103);
    Ok(())
}

/// A panic, and launches that are refused. The device goes on after each.
fn check_errors(stream: &Stream) -> Result<()> {
    let numbers: Vec<u32> = (0..256).collect();
    let from = DeviceBuffer::from_host(stream, &numbers)?;
    let mut to = DeviceBuffer::<u32>::zeroed(stream, 256)?;
    let x = DeviceBuffer::from_host(stream, &[1.0; 1000])?;
    let mut y = DeviceBuffer::from_host(stream, &[2.0; 1000])?;
    let mut wide = DeviceBuffer::from_host(stream, &[7u64; 10])?;
    let failed = beyond.launch(stream, Grid::for_len(256, 64), (&from, &mut to)).and_then(|()| stream.synchronize());
    let Err(Error::Panicked(text)) = failed else { panic!("{failed:?}") };
    assert!(text.starts_with("kernel `beyond` panicked at api/src/main.rs:"), "{text}");
    assert!(text.contains("index out of bounds: the len is 256 but the index is 2"), "{text}");
    // A `main` that returns the error prints this.
    assert_eq!(format!("{:?}", Error::Panicked(text.clone())), text);
    saxpy.launch(stream, Grid::for_len(1000, 256), (0.0, &x, &mut y))?;

    let nobody = Grid { block_dim: (0, 1, 1), ..Grid::for_len(1000, 1) };
    let empty = saxpy.launch(stream, nobody, (1.0, &x, &mut y));
    assert!(matches!(empty, Err(Error::Invalid(_))), "{empty:?}");
    let beyond_its_bounds = reverse_blocks.launch(stream, Grid::for_len(256, 128), (&from, &mut to));
    let Err(Error::Invalid(text)) = beyond_its_bounds else { panic!("{beyond_its_bounds:?}") };
    let promised = "allows 64 of this kernel; its launch bounds, `#[kernel(launch_bounds(64))]`, promise no more";
    assert!(text.contains("reverse_blocks`") && text.contains(promised), "{text}");
    let other = Device::new()?.default_stream();
    let apart = scale::<u64>.launch(&other, Grid::for_len(10, 32), (1, &mut wide));
    assert!(matches!(apart, Err(Error::OtherDevice(_))), "{apart:?}");
    Ok(())
}

/// The description of a kernel.
fn check_descriptions() {
    let info = saxpy.info();
    assert_eq!((info.name, info.argument_bytes, info.threads_per_block), ("api::saxpy", 40, None));
    let bytes: Vec<_> = info.parameters.iter().map(|p| (p.offset, p.size, p.align)).collect();
    assert_eq!(bytes.iter().map(|p| p.1).sum::<usize>(), 36);
    assert!(
        bytes.contains(&(bytes[0].0, 4, 4)) && bytes[1..].iter().all(|(_, size, align)| (*size, *align) == (16, 8))
    );
    assert_eq!(info.parameters[0].type_name(), "f32");
    assert_eq!(known_of_saxpy(), 4_010_316);
    assert!(info.parameters[1].type_name() == "&[f32]" && !info.symbol().is_empty());
    // Only offloadc reads the bounds.
    let bounds = reverse_blocks.info().threads_per_block;
    assert!(bounds == Some(64) || bounds.is_none() && std::env::var_os("API_WITHOUT_OFFLOADC").is_some());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_a_function() {
        let mut y = [1.0, 1.0];
        saxpy(2.0, &[1.0, 2.0], DisjointSlice::from(&mut y[..]));
        assert_eq!(y, [3.0, 1.0]);
    }

    #[test]
    fn a_launch_runs_on_the_host() {
        let mut y = vec![1.0; 100];
        saxpy.run_on_host(Grid::for_len(100, 32), (2.0, &[3.0; 100], &mut y));
        assert_eq!(y, [7.0; 100]);

        let (mut pairs, mut image, mut sum) = ([9, 1, 2, 8], [[9; 2]; 12], [0]);
        sort_pairs.run_on_host(Grid::for_len(2, 32), (&mut pairs[..],));
        assert_eq!(pairs, [1, 9, 2, 8]);
        places.run_on_host(Grid::for_rows(4, 3, (8, 4)), (DisjointRows::new(&mut image, 4),));
        assert!(image.iter().enumerate().all(|(i, [x, y])| (*x + 4 * *y) as usize == i));
        let values: Vec<u32> = (0..64).collect();
        sum_of_block.run_on_host(Grid::for_len(64, 64).with_shared_bytes(64 * 4), (&values, &mut sum));
        assert_eq!(sum, [63 * 64 / 2]);
    }

    #[test]
    #[should_panic(expected = "more dynamic shared memory than the launch reserves")]
    fn a_launch_on_the_host_reserves_shared_memory() {
        sum_of_block.run_on_host(Grid::for_len(64, 64).with_shared_bytes(63 * 4), (&[1; 64], &mut [0]));
    }

    /// A function of a library's that launches where there is a device, tested without one.
    fn double(device: Option<&Device>, values: &mut [u64]) -> Result<()> {
        let grid = Grid::for_len(values.len(), 32);
        match device {
            Some(device) => scale::<u64>.launch(&device.default_stream(), grid, (2, values)),
            None => {
                scale::<u64>.run_on_host(grid, (2, values));
                Ok(())
            }
        }
    }

    #[test]
    fn what_launches_is_linked() {
        let mut values = [1, 2];
        double(std::hint::black_box(None), &mut values).unwrap();
        assert_eq!(values, [2, 4]);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_panic_of_one_thread_is_the_launches() {
        reverse_blocks.run_on_host(Grid::for_len(64, 64), (&[1; 63], &mut [0; 64]));
    }
}
