//! A slice of one device in a launch on another device.

use offload::{Device, Grid, Result, thread};

fn main() -> Result<()> {
    let (first, second) = (Device::open("cpu")?.default_stream(), Device::open("cuda:0")?.default_stream());
    let x = [1, 2, 3];
    first.scope((&x,), |_, (x,)| {
        second
            .scope((), |scope, ()| scope.launch(Grid::for_len(3, 3), (), move || assert_eq!(x[thread::index_1d()], 1)))
    })
}
