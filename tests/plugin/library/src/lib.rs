//! A library with a table of functions for kernels, and a kernel that calls them. The program and the plugin each
//! contain a copy, whose functions have different numbers.

use offload::{DeviceFn, DisjointSlice, Grid, Result, Stream, device_fn, kernel, prelude::*, thread};

pub type Function = DeviceFn<fn(f32) -> f32>;

const OFFSETS: [f32; 3] = [0.25, 0.5, 0.75];

fn shifted<const N: usize>(x: f32) -> f32 {
    x + OFFSETS[N]
}

/// The functions of this copy.
#[inline(never)]
pub fn table() -> [Function; 3] {
    [device_fn!(shifted::<0>), device_fn!(shifted::<1>), device_fn!(shifted::<2>)]
}

#[kernel]
fn through(functions: [Function; 3], mut y: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(y) = y.get_mut(i) {
        *y = functions[i.get() % 3].call(*y);
    }
}

/// Calls the functions in turns.
pub fn run(stream: &Stream, functions: [Function; 3], y: &mut [f32]) -> Result<()> {
    through.launch(stream, Grid::for_len(y.len(), 4), (functions, y))
}
