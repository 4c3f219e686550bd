//! Functions as values: each element of a buffer names a function, from the host and from a kernel.

use std::ops::Mul;

use offload::{
    Closure, DeviceBuffer, DeviceCopy, DeviceFn, DisjointSlice, Error, Grid, Result, Stream, device_fn, kernel,
    prelude::*, thread,
};

type Step = DeviceFn<fn(f32) -> f32>;

fn halve(x: f32) -> f32 {
    0.5 * x
}

fn square<T: Copy + Mul<Output = T>>(x: T) -> T {
    x * x
}

fn checked(x: f32) -> f32 {
    assert!(x < 1000.0, "too large");
    -x
}

fn first_and_length(values: &[u32], more: u64) -> u64 {
    u64::from(values[0]) + values.len() as u64 + more
}

#[kernel]
fn nothing() {}

#[kernel]
fn unit(_: (), _: [u64; 0]) {}

#[kernel]
fn map(steps: &[Step], other: Step, mut values: DisjointSlice<f32>) {
    let i = thread::index_1d();
    if let Some(value) = values.get_mut(i) {
        *value = steps[i.get() % steps.len()].call(*value);
        *value = other.call(*value);
    }
}

#[kernel]
fn give(mut steps: DisjointSlice<Step>) {
    let i = thread::index_1d();
    if let Some(step) = steps.get_mut(i) {
        *step = if i.get().is_multiple_of(2) { device_fn!(halve) } else { device_fn!(|x: f32| x + 100.0) };
    }
}

#[kernel]
fn sizes(f: DeviceFn<fn(&[u32], u64) -> u64>, values: &[u32], mut out: DisjointSlice<u64>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = f.get()(&values[i.get()..], 10);
    }
}

/// Closures as parameters: an instance for each, and captures that differ.
#[kernel]
fn fill<T, F>(f: Closure<F>, more: usize, mut out: DisjointSlice<T>)
where
    T: DeviceCopy,
    F: Fn(usize) -> T + Copy + 'static,
{
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        *out = f(i.get() + more);
    }
}

/// Closures whose parameters have their own types; each thread changes its copy of the second one.
#[kernel]
fn map_twice<T: DeviceCopy, F: Fn(T) -> T, G>(f: F, mut g: G, mut out: DisjointSlice<T>)
where
    G: FnMut(T) -> T,
{
    if let Some(out) = out.get_mut(thread::index_1d()) {
        let first = g(apply(f, *out));
        *out = g(first);
    }
}

/// Parameters whose types have no name: a closure and a slice.
#[kernel]
fn map_from<T: DeviceCopy + From<u8>>(
    f: impl Fn(T, T) -> T,
    first: &[impl DeviceCopy + Into<T>],
    mut out: DisjointSlice<T>,
) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = f(*out, first[0].into());
    }
}

/// The function is the closure itself, and not a type of the crate.
fn apply<T>(f: impl Fn(T) -> T, value: T) -> T {
    f(value)
}

fn own_types(stream: &Stream) -> Result<()> {
    let (factor, mut step, mut wide) = (10_u64, 0, [1_u64, 2, 3]);
    let more = move |x: u64| {
        step += 1;
        x + step
    };
    map_twice.launch(stream, Grid::for_len(3, 32), (move |x| x * factor, more, &mut wide))?;
    assert_eq!(wide, [13, 23, 33]);
    let mut halves = [2.0_f32, -4.0];
    map_twice.launch(stream, Grid::for_len(2, 32), (halve, f32::abs, &mut halves))?;
    assert_eq!(halves, [1.0, 2.0]);
    map_from.launch(stream, Grid::for_len(3, 32), (move |x, y| x * factor - y, &[30_u8], &mut wide))?;
    map_from.launch(stream, Grid::for_len(2, 32), (f32::max, &[1.5_f32], &mut halves))?;
    assert_eq!((wide, halves), ([100, 200, 300], [1.5, 2.0]));
    map_twice.run_on_host(Grid::for_len(2, 32), (square::<f32>, |x| x + 1.0, &mut halves));
    assert_eq!(halves, [4.25, 6.0]);
    Ok(())
}

fn closures(stream: &Stream) -> Result<()> {
    own_types(stream)?;
    let (shift, table) = (2, [1_u8, 2, 3, 5, 8]);
    let (mut bytes, mut wide) = ([0_u8; 3], [0_u64; 3]);
    fill.launch(stream, Grid::for_len(3, 32), (Closure::new(move |i| table[i + shift]), 0, &mut bytes))?;
    fill::<u64, _>.launch(stream, Grid::for_len(3, 32), (Closure::new(move |i| 1_u64 << (i + shift)), 1, &mut wide))?;
    assert_eq!((bytes, wide), ([3, 5, 8], [8, 16, 32]));
    Ok(())
}

/// Launches all of it.
pub fn check(stream: &Stream) -> Result<()> {
    nothing.launch(stream, Grid::for_len(10, 5), ())?;
    unit.launch(stream, Grid::for_len(10, 5), ((), []))?;
    (|| {}).launch(stream, Grid::for_len(10, 5), ())?;
    stream.synchronize()?;
    closures(stream)?;
    let steps: [Step; 3] = [device_fn!(halve), device_fn!(square::<f32>), device_fn!(|x: f32| x + 0.25)];
    assert_eq!(steps.map(|step| step.call(4.0)), [2.0, 16.0, 4.25]);
    let mut values = DeviceBuffer::from_host(stream, &[4.0, 5.0, 6.0, 7.0])?;
    let own = DeviceBuffer::from_host(stream, &steps)?;
    map.launch(stream, Grid::for_len(4, 64), (&own, device_fn!(checked), &mut values))?;
    assert_eq!(values.to_host_vec(stream)?, [-2.0, -25.0, -6.25, -3.5]);

    let mut given = DeviceBuffer::from_host(stream, &[device_fn!(checked); 4])?;
    give.launch(stream, Grid::for_len(4, 64), (&mut given,))?;
    map.launch(stream, Grid::for_len(4, 64), (&given, device_fn!(halve), &mut values))?;
    assert_eq!(values.to_host_vec(stream)?, [-0.5, 37.5, -1.5625, 48.25]);

    let numbers = DeviceBuffer::from_host(stream, &[3u32, 4, 5])?;
    let mut out = DeviceBuffer::<u64>::zeroed(stream, 3)?;
    let by_reference = device_fn!(first_and_length as fn(&[u32], u64) -> u64);
    sizes.launch(stream, Grid::for_len(3, 64), (by_reference, &numbers, &mut out))?;
    assert_eq!(out.to_host_vec(stream)?, [16, 16, 16]);

    // SAFETY: it is only called where it is the host's.
    let strange: Step = unsafe { DeviceFn::from_parts(7, halve) };
    let said =
        map.launch(stream, Grid::for_len(4, 64), (&own, strange, &mut values)).and_then(|()| stream.synchronize());
    let Err(Error::Panicked(text)) = said else { panic!("{said:?}") };
    assert!(text.contains("the program's device functions do not include this one"), "{text}");
    let mut values = DeviceBuffer::from_host(stream, &[4000.0])?;
    let said = map.launch(stream, Grid::for_len(1, 64), (&own, device_fn!(checked), &mut values));
    let Err(Error::Panicked(text)) = said.and_then(|()| stream.synchronize()) else { panic!("it was not too large") };
    assert!(text.contains("too large"), "{text}");
    Ok(())
}
