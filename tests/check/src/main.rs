//! Five kernels with one fault each. A comment `//~` at the line of each error has its code.

use std::cell::Cell;
use std::sync::Mutex;

use check::fill;
use offload::{Device, DisjointSlice, Grid, kernel, prelude::*, thread};

#[kernel]
fn barrier(x: &[f32], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if x[i] > 0.5 {
        thread::sync_threads(); //~ OFC0012
    }
    if let Some(y) = y.get_mut(i) {
        *y = 1.0;
    }
}

fn in_background(value: u32) {
    drop(std::thread::spawn(move || value)); //~ OFC0007
}

#[kernel]
fn spawns(mut values: DisjointSlice<u32>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        in_background(*value);
    }
}

static LOCK: Mutex<u32> = Mutex::new(0);

#[kernel]
fn locks(mut values: DisjointSlice<u32>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value = *LOCK.lock().unwrap(); //~ OFC0007
    }
}

thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });

#[kernel]
fn counts(mut values: DisjointSlice<u32>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value = COUNT.get(); //~ OFC0009
    }
}

#[kernel]
fn reads(mut values: DisjointSlice<u32>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value = std::fs::read("numbers").map_or(0, |bytes| bytes.len() as u32); //~ OFC0007
    }
}

fn main() -> offload::Result<()> {
    let (stream, mut values) = (Device::new()?.default_stream(), [1, 2, 3]);
    let (x, mut y) = ([1.0; 3], [0.0; 3]);
    let grid = Grid::for_len(3, 64);
    barrier.launch(&stream, grid, (&x, &mut y))?;
    spawns.launch(&stream, grid, (&mut values,))?;
    locks.launch(&stream, grid, (&mut values,))?;
    counts.launch(&stream, grid, (&mut values,))?;
    reads.launch(&stream, grid, (&mut values,))?;
    fill::<u32>.launch(&stream, grid, (7, &mut values))
}
