//! A program that is linked with a library for Rust programs and with a library for C: its kernels call functions of
//! both by value, and functions of the first also by name.
#![allow(improper_ctypes, reason = "both sides are Rust of one version")]

use effects::Function;
use offload::{Device, DisjointSlice, Grid, Stream, device_fn, kernel, prelude::*, thread};

#[link(name = "plugin", kind = "dylib")]
unsafe extern "C" {
    #[link_name = "function"]
    safe fn of_plugin() -> Function;
}

#[kernel]
fn map(f: Function, mut y: DisjointSlice<f32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = f.call(*y);
    }
}

#[kernel]
fn by_name(mut y: DisjointSlice<f32>) {
    let next = effects::of_next(thread::id::x() as f32);
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y = next + if cfg!(feature = "statics") { effects::counted(*y) } else { effects::plain(*y) };
    }
}

const X: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

fn plain(x: f32) -> f32 {
    0.5 * x + [1.0, 10.0, 100.0, 1000.0][x as usize % 4]
}

fn mapped(stream: &Stream, f: Function) -> offload::Result<[f32; 4]> {
    let mut y = X;
    map.launch(stream, Grid::for_len(4, 4), (f, &mut y)).map(|()| y)
}

fn main() -> offload::Result<()> {
    let stream = Device::new()?.default_stream();
    assert_eq!(mapped(&stream, effects::function())?, X.map(|x| plain(x) + 0.5));
    assert_eq!(mapped(&stream, effects::of_the_caller())?, X.map(|x| x + 0.25));
    assert_eq!(mapped(&stream, of_plugin())?, X.map(plain));
    let mut y = X;
    effects::run(&stream, device_fn!(|x: f32| 3.0 * x), &mut y)?;
    assert_eq!(y, X.map(|x| 3.0 * x));
    let mut y = X;
    by_name.launch(&stream, Grid::for_len(4, 4), (&mut y,))?;
    assert_eq!(y, [1.0, 2.0, 3.0, 0.0].map(|next| next + plain(X[(next as usize + 3) % 4])));
    let mut y = [-1.0];
    let failed = map.launch(&stream, Grid::for_len(1, 1), (effects::function(), &mut y));
    println!("{}", failed.expect_err("the number is negative"));
    Ok(())
}
