//! Structs that lack `DeviceCopy`: one is a parameter, an element and a field, and the others are parameters of generic
//! kernels.

use offload::{Device, DeviceCopy, DisjointSlice, Grid, kernel, prelude::*, thread};

#[derive(Clone, Copy)]
struct Point(f32);

#[kernel]
fn moves(
    by: Point, //~ E0277
    mut points: DisjointSlice<Point>,
) {
    if let Some(point) = points.get_mut(thread::index_1d()) {
        point.0 += by.0;
    }
}

#[derive(Clone, Copy)]
struct Mine<T>(T);

#[derive(Clone, Copy)]
struct Wrap<'a, T>(&'a T);

#[derive(Clone, Copy)]
struct Element<T>(T);

#[kernel]
fn takes<T: DeviceCopy>(
    value: Mine<T>, //~ E0277
    to: DisjointSlice<T>,
) {
    let _ = (value.0, to.len());
}

#[kernel]
fn boxed<T: DeviceCopy>(
    value: Box<T>, //~ E0277
    to: DisjointSlice<T>,
) {
    let _ = (value, to.len());
}

#[kernel]
fn wraps<'a, T: DeviceCopy>(
    value: Wrap<'a, T>, //~ E0277
    to: DisjointSlice<T>,
) {
    let _ = (value.0, to.len());
}

#[kernel]
fn reads<T: DeviceCopy>(
    values: &[Element<T>], //~ E0277
    to: DisjointSlice<T>,
) {
    let _ = (values.len(), to.len());
}

fn main() -> offload::Result<()> {
    let (stream, mut points) = (Device::new()?.default_stream(), [Point(1.0)]);
    let (grid, mut to) = (Grid::for_len(1, 64), [0.0f32]);
    takes::<f32>.launch(&stream, grid, (Mine(1.0), &mut to))?;
    boxed::<f32>.launch(&stream, grid, (Box::new(1.0), &mut to))?;
    wraps::<f32>.launch(&stream, grid, (Wrap(&1.0), &mut to))?;
    reads::<f32>.launch(&stream, grid, (&[Element(1.0)], &mut to))?;
    moves.launch(&stream, grid, (Point(2.0), &mut points))
}
