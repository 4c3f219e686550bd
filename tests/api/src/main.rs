//! Kernels that are functions, generic functions and closures; their arguments, and the errors of launches that
//! fail.

mod atomics;
mod blocks;
mod crates;
mod functions;
mod mapped;
mod memory;
mod statics;
mod warps;

use std::ops::MulAssign;

use offload::{
    Device, DeviceBuffer, DeviceCopy, DisjointChunks, DisjointRows, DisjointSlice, Error, Grid, Result, Stream,
    device_println, kernel, prelude::*, shared, thread,
};

#[derive(Clone, Copy, DeviceCopy)]
struct Line {
    slope: f32,
    start: f32,
    steps: Fields<3>,
}

/// Whatever names users give their types, the derive introduces none.
type Fields<const N: usize> = [u32; N];

#[kernel]
fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

#[kernel]
fn scale<T: DeviceCopy + MulAssign>(factor: T, mut values: DisjointSlice<T>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value *= factor;
    }
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
    // SAFETY: each thread sets an element of its own, and all are set before one is read.
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
    // SAFETY: the launch gives a word for each thread, and a barrier stands between what is set and what is read.
    let sum = unsafe {
        let tile = shared::dynamic::<u32>(thread::block_dim::x() as usize);
        tile.set(here, values[here]);
        let mut distance = tile.len() / 2;
        while distance > 0 {
            thread::sync_threads();
            if here < distance {
                tile.set(here, tile.get(here) + tile.get(here + distance));
            }
            distance /= 2;
        }
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

/// By the names that users of other crates try first.
#[kernel(launch_bounds(64))]
fn reverse_by_other_names(mut values: DisjointSlice<u32>) {
    shared! { static TILE: [u32; 64]; }
    // SAFETY: each thread sets an element of its own, and all are set before one is read.
    let tile = unsafe { TILE.cells() };
    let here = thread::thread_id::x() as usize;
    if let Some((value, i)) = values.get_mut_indexed() {
        tile[here].set(*value + i.get() as u32);
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

/// What is known when the program is compiled; `tests/projects/api.rs` looks at its instructions.
#[inline(never)]
#[unsafe(no_mangle)]
fn known_of_saxpy() -> usize {
    check_descriptions();
    println!("every launch did what it should on {}", device.name());
    Ok(())
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
