//! Copies, fills, launches and waits on two streams. `trace times` runs kernels of about 1, 10 and 100 ms, and prints
//! the nanoseconds from each launch to the end of its wait, by its own clock: `spin_10 10123456`. `trace spans` prints
//! the spans of the crate `tracing`.

use std::time::Instant;

use offload::{
    Device, DeviceBuffer, DisjointSlice, Event, Grid, Result, Stream, host_call, kernel, prelude::*, thread,
};

mod spans;

mod shapes {
    use offload::{DeviceCopy, DisjointSlice, kernel, thread};

    /// A kernel that is generic over a type and a number.
    #[kernel]
    pub fn fill<T: DeviceCopy, const N: usize>(value: T, mut y: DisjointSlice<T>) {
        let i = thread::index_1d();
        if i < N
            && let Some(y) = y.get_mut(i)
        {
            *y = value;
        }
    }

    pub mod inner {
        use super::{DisjointSlice, kernel, thread};

        /// A kernel in a module of a module. It may panic.
        #[kernel]
        pub fn double(x: &[u32], mut y: DisjointSlice<u32>) {
            let i = thread::index_1d();
            if let Some(y) = y.get_mut(i) {
                *y = 2 * x[i];
            }
        }
    }
}

/// A fixed amount of work.
macro_rules! spin {
    ($($name:ident)*) => {$(
        #[kernel]
        fn $name(rounds: u64, mut y: DisjointSlice<u64>) {
            if let Some(y) = y.get_mut(thread::index_1d()) {
                for _ in 0..rounds {
                    *y = y.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                }
            }
        }
    )*};
}
spin!(calibrate spin_1 spin_10 spin_100);

#[kernel]
fn ask(mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(thread::index_1d()) {
        let n = *y;
        *y = host_call!(|n| n + 42);
    }
}

/// Launches one thread of a kernel, and waits. Returns the nanoseconds.
macro_rules! measure {
    ($name:ident, $stream:expr, $rounds:expr, $y:expr) => {{
        let begin = Instant::now();
        $name.launch($stream, Grid::new((1, 1, 1), (1, 1, 1)), ($rounds, &mut *$y))?;
        $stream.synchronize()?;
        begin.elapsed().as_nanos() as u64
    }};
}

fn times(stream: &Stream) -> Result<()> {
    let mut y = DeviceBuffer::from_host(stream, &[1u64])?;
    const ROUNDS: u64 = 1_000_000;
    let _loads = measure!(calibrate, stream, 1, &mut y);
    let nanoseconds = measure!(calibrate, stream, ROUNDS, &mut y);
    let in_a_millisecond = (ROUNDS as f64 * 1e6 / nanoseconds as f64) as u64;
    for _ in 0..20 {
        println!("spin_1 {}", measure!(spin_1, stream, in_a_millisecond, &mut y));
    }
    for _ in 0..6 {
        println!("spin_10 {}", measure!(spin_10, stream, 10 * in_a_millisecond, &mut y));
    }
    for _ in 0..3 {
        println!("spin_100 {}", measure!(spin_100, stream, 100 * in_a_millisecond, &mut y));
    }
    Ok(())
}

fn works(device: &Device, stream: &Stream) -> Result<()> {
    let other = device.new_stream()?;
    let x = DeviceBuffer::from_host(stream, &[21u32; 64])?;
    let mut y = DeviceBuffer::zeroed(stream, 64)?;
    shapes::inner::double.launch(stream, Grid::new((2, 1, 1), (32, 1, 1)), (&x, &mut y))?;
    let doubled: Event = stream.record()?;
    other.wait(&doubled)?;
    let mut z = DeviceBuffer::from_host(&other, &[0f32; 16])?;
    shapes::fill::<f32, 8>.launch(&other, Grid::new((1, 1, 1), (16, 1, 1)), (1.5, &mut z))?;
    shapes::fill::<u32, 4>.launch(stream, Grid::new((1, 1, 1), (64, 1, 1)), (7, &mut y))?;
    let mut shifted = DeviceBuffer::<u32>::zeroed(stream, 64)?;
    stream.scope((&y,), |scope, (y,)| {
        scope.launch(Grid::new((1, 1, 1), (64, 1, 1)), (&mut shifted,), move |mut to: DisjointSlice<u32>| {
            let i = thread::index_1d();
            if let Some(to) = to.get_mut(i) {
                *to = y[i] + 1;
            }
        })
    })?;
    let mut answer = DeviceBuffer::<u64>::zeroed(stream, 1)?;
    ask.launch(stream, Grid::new((1, 1, 1), (1, 1, 1)), (&mut answer,))?;
    assert_eq!(shifted.to_host_vec(stream)?[3..5], [8, 43]);
    assert_eq!(z.to_host_vec(&other)?[7..9], [1.5, 0.0]);
    assert_eq!(answer.to_host_vec(stream)?, [42]);
    // A launch that panics: there is no element of `x` for the last thread.
    let mut longer = DeviceBuffer::<u32>::zeroed(stream, 65)?;
    shapes::inner::double.launch(stream, Grid::new((1, 1, 1), (65, 1, 1)), (&x, &mut longer)).or_else(panicked)?;
    stream.synchronize().or_else(panicked)
}

/// Prints the error of the panic, which the launch or the wait returns. Others are returned.
fn panicked(error: offload::Error) -> Result<()> {
    let text = error.to_string();
    if !text.contains("panicked") {
        return Err(error);
    }
    println!("{text}");
    Ok(())
}

fn main() -> Result<()> {
    let device = Device::new()?;
    match std::env::args().nth(1).as_deref() {
        Some("times") => times(&device.default_stream()),
        Some("spans") => {
            tracing::subscriber::set_global_default(spans::Printed::new()).expect("it is the first");
            works(&device, &device.new_stream()?)
        }
        _ => works(&device, &device.new_stream()?),
    }
}
