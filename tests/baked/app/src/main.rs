//! Launches the kernels of the library on the default device, and prints the result of each.

use kernels::{Parts, Step};
use offload::{Device, DeviceBuffer, Grid, Result, Stream, kernel, prelude::*, thread};

/// A kernel that is not baked.
#[kernel]
fn own(mut y: offload::DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        *y += 1;
    }
}

fn main() -> Result<()> {
    let stream = Device::new()?.new_stream()?;
    let begin = stream.record()?;
    let parts = Parts { tiny: 1, wide: 20, small: 300, middle: 4000, bytes: [0, 0, 7] };
    let sizes = Grid::for_len(3, 64);
    on(&stream, "add", |x, y| kernels::add.launch(&stream, sizes, (parts, x, y)));
    on(&stream, "scale", |_, y| kernels::scale::<u32>.launch(&stream, sizes, (10, y)));
    on(&stream, "scale::<f32>", |_, y| {
        let mut z = DeviceBuffer::from_host(&stream, &[0.5, 1.5])?;
        kernels::scale::<f32>.launch(&stream, Grid::for_len(2, 64), (4.0_f32, &mut z))?;
        assert_eq!(z.to_host_vec(&stream)?, [2.0, 6.0]);
        kernels::scale::<u32>.launch(&stream, sizes, (1, y))
    });
    on(&stream, "scale::<u64>", |_, _| {
        let mut z = DeviceBuffer::from_host(&stream, &[5_u64])?;
        kernels::scale::<u64>.launch(&stream, Grid::for_len(1, 64), (3, &mut z))
    });
    on(&stream, "step", |_, y| kernels::step.launch(&stream, sizes, (Step::Add(5), y)));
    on(&stream, "step again", |_, y| kernels::step.launch(&stream, sizes, (Step::Double, y)));
    on(&stream, "reject", |x, _| {
        kernels::reject.launch(&stream, Grid::for_len(3, 3), (2, x))?;
        stream.synchronize()
    });
    on(&stream, "own", |_, y| own.launch(&stream, sizes, (y,)));
    let end = stream.record()?;
    end.synchronize()?;
    end.elapsed_since(&begin)?;
    Ok(())
}

fn on(stream: &Stream, name: &str, launch: impl Fn(&DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<()>) {
    let run = || {
        let x = DeviceBuffer::from_host(stream, &[1, 2, 3])?;
        let mut y = DeviceBuffer::from_host(stream, &[10, 20, 30])?;
        launch(&x, &mut y)?;
        y.to_host_vec(stream)
    };
    let device = stream.device().name().to_owned();
    match run() {
        Ok(values) => println!("{device} {name}: {values:?}"),
        Err(error) => println!("{device} {name}: error: {error}"),
    }
}
