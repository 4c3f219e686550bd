//! Kernels with wrong parameters that are launched. Each parameter is one error, and the launches are none.

use std::rc::Rc;

use offload::{Device, DisjointSlice, Grid, Result, kernel, prelude::*, thread};

#[derive(Clone, Copy)]
struct Scale {
    factor: f32,
}

#[kernel]
fn scale(by: Scale, mut to: DisjointSlice<f32>) {
    if let Some(to) = to.get_mut(thread::index_1d()) {
        *to *= by.factor;
    }
}

#[kernel]
fn sum(values: Vec<f32>, name: &str, to: DisjointSlice<f32>) {
    let _ = (values, name, to.len());
}

#[kernel]
fn halve(values: &mut [f32], by: Rc<f32>) {
    values[0] /= *by;
}

#[kernel]
fn lengths(names: &[String]) {
    let _ = names;
}

#[kernel]
fn good(values: &[f32]) {
    let _ = values;
}

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let (one, mut y) = (Grid::for_len(1, 1), [1.0; 3]);
    scale.launch(&stream, one, (Scale { factor: 2.0 }, &mut y))?;
    scale.run_on_host(one, (Scale { factor: 2.0 }, &mut y));
    sum.launch(&stream, one, (vec![1.0], "ones", &mut y))?;
    halve.launch(&stream, one, (&mut y, Rc::new(2.0)))?;
    lengths.launch(&stream, one, (&[String::new()][..],))?;
    good.launch(&stream, one, (&y,))?;
    Ok(())
}
