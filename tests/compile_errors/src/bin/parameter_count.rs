//! A kernel with one parameter too many, with the attribute and without it.

use offload::{Device, Grid, Result, kernel, prelude::*};

#[kernel]
fn many(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8) {
    let _ = (a, b, c, d, e, f, g, h, i, j, k, l, m);
}

fn same(_: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8, _: u8) {}

#[rustfmt::skip]
fn main() -> Result<()> {
    same.launch(&Device::new()?.default_stream(), Grid::for_len(1, 1), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))?;
    many.launch(&Device::new()?.default_stream(), Grid::for_len(1, 1), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))?;
    many.run_on_host(Grid::for_len(1, 1), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
    Ok(())
}
