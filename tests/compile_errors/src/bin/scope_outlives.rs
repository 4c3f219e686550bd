//! A slice of a scope that is kept, one that is captured by another launch, and a closure that borrows from the host.

use offload::{Device, Grid, Result, prelude::*, thread};

fn main() -> Result<()> {
    let stream = Device::new()?.default_stream();
    let x = [1, 2, 3];
    let mut kept = None;
    stream.scope((&x,), |_, (x,)| {
        kept = Some(x);
        Ok(())
    })?;
    let _returned = stream.scope((&x,), |_, (x,)| Ok(x));
    stream.scope((&x,), |_, (x,)| {
        let kernel = move || assert_eq!(x[thread::index_1d()], 1);
        kernel.launch(&stream, Grid::for_len(3, 3), ())
    })?;
    stream.scope((), |scope, ()| {
        let table = [4, 5, 6];
        let borrowed = &table;
        scope.launch(Grid::for_len(3, 3), (), move || assert_eq!(borrowed[thread::index_1d()], 1))
    })
}
