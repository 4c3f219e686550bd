//! Parameters for whose values code is worth compiling. Where it is not compiled, they are numbers like others.

use std::mem::MaybeUninit;

use offload::{DeviceBuffer, DeviceCopy, DisjointSlice, Grid, Result, Specialized, Stream, kernel, prelude::*, thread};

#[derive(Clone, Copy, DeviceCopy)]
struct Extent {
    columns: u16,
    rows: u64,
}

/// An extent with these bytes between its fields, where nothing that copies it changes them.
fn extent(padding: u8) -> Extent {
    let mut extent = MaybeUninit::<Extent>::uninit();
    // SAFETY: both fields get a value.
    unsafe {
        extent.as_mut_ptr().write_bytes(padding, 1);
        (&raw mut (*extent.as_mut_ptr()).columns).write(10);
        (&raw mut (*extent.as_mut_ptr()).rows).write(12);
        extent.assume_init()
    }
}

/// By its type, and by its name.
#[kernel(specialize(weight, back, block_dim))]
fn weigh(extent: Specialized<Extent>, weight: f64, x: &[f64], mut back: bool, mut y: DisjointSlice<f64>) {
    let i = thread::index_1d();
    let at = i.get();
    back &= at < 100;
    if let Some(y) = y.get_mut(i) {
        let of = if back { extent.columns as usize * extent.rows as usize - 1 - at } else { at };
        *y = weight * x[of] + f64::from(thread::block_dim::x());
    }
}

#[kernel(specialize(n))]
fn times<T: DeviceCopy + std::ops::AddAssign>(n: u8, mut values: DisjointSlice<T>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        let one = *value;
        for _ in 1..n {
            *value += one;
        }
    }
}

pub fn check(stream: &Stream) -> Result<()> {
    let x: Vec<f64> = (0..120).map(f64::from).collect();
    let (x, mut y) = (DeviceBuffer::from_host(stream, &x)?, DeviceBuffer::<f64>::zeroed(stream, 120)?);
    // Equal values are one, with any bytes between their fields.
    for (padding, weight) in [(0x55, 0.5), (0xaa, 2.0)] {
        let extent = extent(padding);
        let typed = Specialized::new(weight);
        weigh.launch(stream, Grid::for_len(120, 32), (extent, typed, &x, true, &mut y))?;
        weigh.launch(stream, Grid::for_len(120, 64), (extent, weight, &x, true, &mut y))?;
        let expected = |i: usize| weight * (if i < 100 { 119 - i } else { i }) as f64 + 64.0;
        assert!(y.to_host_vec(stream)?.iter().enumerate().all(|(i, y)| *y == expected(i)));
    }
    let mut values = [3u64, 5];
    times::<u64>.launch(stream, Grid::for_len(2, 32), (7, &mut values))?;
    times::<u64>.run_on_host(Grid::for_len(2, 32), (2, &mut values));
    assert_eq!(values, [42, 70]);
    let mut one = [1.5f32];
    times(Specialized::from(3), DisjointSlice::from(&mut one[..]));
    assert_eq!(one, [4.5]);
    Ok(())
}
