//! Host memory as arguments of launches.

use std::mem::MaybeUninit;

use offload::{Device, DisjointSlice, Error, Grid, Result, kernel, prelude::*, thread};

use crate::memory::{read_late, spins};
use crate::{beyond, reverse_blocks, saxpy, sum_of_block};

#[kernel]
fn indices(mut out: DisjointSlice<MaybeUninit<u32>>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        out.write(i.get() as u32);
    }
}

/// Launches that take it once, and guards that keep it on the device.
pub(crate) fn check(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let (grid, x, mut y) = (Grid::for_len(1000, 256), vec![1.0; 1000], [2.0; 1000]);
    saxpy.launch(&stream, grid, (3.0, &x, &mut y[..990]))?;
    assert_eq!((y[0], y[989], y[990]), (5.0, 5.0, 2.0));
    // Slices that overlap are the same memory to the host, and need not be to the device.
    reverse_blocks.launch(&stream, Grid::for_len(64, 64), (&[7; 64][..], &mut [0; 64]))?;
    let numbers: Vec<u32> = (0..100).collect();
    let (early, late, mut sums) = (device.map(&numbers[..64])?, device.map(&numbers[36..])?, [0; 2]);
    sum_of_block.launch(&stream, Grid::for_len(64, 64).with_shared_bytes(256), (&early, &mut sums[..1]))?;
    sum_of_block.launch(&stream, Grid::for_len(64, 64).with_shared_bytes(256), (&late, &mut sums[1..]))?;
    assert_eq!(sums, [2016, 2016 + 36 * 64]);

    let mut out = Vec::with_capacity(100);
    indices.launch(&stream, Grid::for_len(100, 32), (&mut out.spare_capacity_mut()[..100],))?;
    // SAFETY: the kernel has written as many.
    unsafe { out.set_len(100) };
    assert_eq!(out, numbers);

    let there = device.map(&x)?;
    let mut result = device.map_mut(&mut y)?;
    for _ in 0..2 {
        saxpy.launch(&device.new_stream()?, grid, (1.0, &there, &mut result))?;
    }
    assert_eq!(result.update_host()?[989..991], [7.0, 4.0]);
    result.update_device(|y| y.fill(0.0))?;
    saxpy.launch(&stream, grid, (2.0, &there, &mut result))?;
    assert_eq!(result.to_host_vec(&stream)?, [2.0; 1000]);
    drop(result);
    assert_eq!(y, [2.0; 1000]);

    // The device memory of a forgotten guard is never the argument of a later launch.
    std::mem::forget(device.map(&y));
    y.fill(1.0);
    saxpy.launch(&stream, grid, (1.0, &y.clone(), &mut y))?;
    saxpy.launch(&stream, grid, (1.0, &x, &mut y))?;
    assert_eq!(y, [3.0; 1000]);

    // Its kernels, which may still run, do not write into a later argument, either.
    let (late, grid, from, mut numbers) = (device.new_stream()?, Grid::for_len(16, 16), [7; 16], [0; 16]);
    let (there, mut forgotten) = (device.map(&from)?, device.map_mut(&mut numbers)?);
    read_late.launch(&late, grid, (&there, spins(&stream)?, &mut forgotten))?;
    std::mem::forget(forgotten);
    numbers.fill(1);
    let again = device.map_mut(&mut numbers)?;
    late.synchronize()?;
    assert_eq!(again.to_host_vec(&stream)?, [1; 16]);
    drop((again, there));

    let mut kept = [9; 256];
    let failed = beyond.launch(&stream, Grid::for_len(256, 64), (&[4; 256], &mut kept));
    assert!(matches!(failed, Err(Error::Panicked(_))), "{failed:?}");
    assert!(kept.iter().all(|value| [4, 9].contains(value)));
    saxpy.launch(&stream, Grid::for_len(0, 64), (1.0, &[], &mut []))
}
