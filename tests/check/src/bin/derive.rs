//! A struct that lacks `DeviceCopy`, and is a parameter, an element and a field.

use offload::{Device, DisjointSlice, Grid, kernel, prelude::*, thread};

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

fn main() -> offload::Result<()> {
    let (stream, mut points) = (Device::new()?.default_stream(), [Point(1.0)]);
    moves.launch(&stream, Grid::for_len(1, 64), (Point(2.0), &mut points))
}
