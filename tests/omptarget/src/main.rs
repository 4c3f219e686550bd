//! Launches with host memory as arguments, and with memory that stays on the device. `twin.c` is the same program in
//! OpenMP, and `tests/projects/omptarget.rs` compares the copies that libomptarget makes for both.

mod extents;

use std::mem::MaybeUninit;

use offload::{Device, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

const N: usize = 1000;
const GRID: Grid = Grid::for_len(N, 256);

#[kernel]
fn scale_and_add(a: f32, x: &[f32], mut y: DisjointSlice<f64>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y += f64::from(a * x[i.get()]);
    }
}

#[kernel]
fn squares(mut out: DisjointSlice<MaybeUninit<u16>>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        out.write((i.get() * i.get()) as u16);
    }
}

fn automatic(device: &Device, x: &[f32], y: &mut [f64]) -> Result<()> {
    let stream = device.default_stream();
    let mut out = Vec::<u16>::with_capacity(N);
    for _ in 0..2 {
        scale_and_add.launch(&stream, GRID, (3.0, x, &mut *y))?;
    }
    squares.launch(&stream, GRID, (&mut out.spare_capacity_mut()[..N],))?;
    // SAFETY: the kernel has written as many.
    unsafe { out.set_len(N) };
    println!("{} {}", y[999], out[999]);
    Ok(())
}

fn manual(device: &Device, x: &[f32], y: &mut [f64]) -> Result<()> {
    let stream = device.default_stream();
    let there = device.map(x)?;
    let mut result = device.map_mut(y)?;
    for _ in 0..3 {
        scale_and_add.launch(&stream, GRID, (3.0, &there, &mut result))?;
    }
    print!("{} ", result.update_host()?[999]);
    result.update_device(|y| y.fill(100.0))?;
    scale_and_add.launch(&stream, GRID, (3.0, &there, &mut result))?;
    result.unmap()?;
    println!("{}", y[999]);
    Ok(())
}

fn main() -> Result<()> {
    let device = Device::new()?;
    let x: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let mut y = vec![1.0; N];
    match std::env::args().nth(1).as_deref() {
        Some("manual") => manual(&device, &x, &mut y),
        Some("extents") => {
            let (x, y) = (x.first_chunk(), y.first_chunk_mut());
            extents::run(x.expect("there are so many"), y.expect("there are so many"));
            Ok(())
        }
        _ => automatic(&device, &x, &mut y),
    }
}
