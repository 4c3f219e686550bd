//! Functions of the host that kernels call, and memory of the host that is gone. Each attempt names the promise that it
//! attacks, and whether the promise was broken once.

use std::sync::Mutex;

use offload::{
    Device, DeviceBuffer, DisjointSlice, Error, Grid, Result, Stream, host_call, kernel, prelude::*, thread,
};

/// A value whose end is another panic.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("the payload ends");
    }
}

#[kernel]
fn throw(mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    let n = i.get() as u32;
    let result = host_call!(|n| {
        if n == 3 {
            std::panic::panic_any(Bomb);
        }
        n
    });
    if let Some(out) = out.get_mut(i) {
        *out = result;
    }
}

static BUFFER: Mutex<Option<DeviceBuffer<u32>>> = Mutex::new(None);

/// Each thread reads memory that a closure tries to free.
#[kernel]
fn read_freed(values: &[u32], mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    let freed = host_call!(|| BUFFER.try_lock().is_ok_and(|mut buffer| buffer.take().is_some()));
    if let Some(out) = out.get_mut(i) {
        *out = values[i] + u32::from(freed);
    }
}

#[kernel]
fn launch_again(what: u32, mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    let result = host_call!(|what| {
        // libomptarget's device is refused here, as a GPU is.
        let Ok(device) = Device::new() else { return 1 };
        let stream = device.default_stream();
        let mut own = [0; 4];
        let launched = match what {
            0 => throw.launch(&stream, Grid::for_len(4, 4), (&mut own,)),
            _ => DeviceBuffer::<u32>::zeroed(&stream, 1).map(drop),
        };
        u32::from(launched.is_err())
    });
    if let Some(out) = out.get_mut(i) {
        *out = result;
    }
}

#[kernel]
fn copy(from: &[bool], mut to: DisjointSlice<bool>) {
    if let Some((to, i)) = to.get_mut_indexed() {
        *to = from[i];
    }
}

/// All of it.
pub fn check(device: &Device, stream: &Stream) -> Result<()> {
    // Promise: a panic of the host is the error of the launch, also with a payload that panics when it is dropped.
    let mut out = [0; 8];
    let thrown = throw.launch(stream, Grid::for_len(8, 8), (&mut out,));
    assert!(matches!(thrown, Err(Error::Panicked(_))), "{thrown:?}");

    // Promise: a buffer is not freed while a kernel uses it. The launch borrows it, and with it the lock.
    *BUFFER.lock().unwrap() = Some(DeviceBuffer::from_host(stream, &[7; 8])?);
    {
        let kept = BUFFER.lock().unwrap();
        read_freed.launch(stream, Grid::for_len(8, 8), (kept.as_ref().unwrap(), &mut out))?;
    }
    assert_eq!(out, [7; 8]);

    // Promise: a kernel and the function that it waits for do not wait for each other.
    for what in [0, 1] {
        launch_again.launch(stream, Grid::for_len(8, 8), (what, &mut out))?;
        assert_eq!(out, [1; 8], "{what}");
    }

    // Promise: a guard that is forgotten maps no memory of another owner, with bytes that its type does not have.
    for turn in 0..20 {
        let mut numbers = vec![0x4142_4344_u32; 256];
        std::mem::forget(device.map_mut(&mut numbers)?);
        drop(numbers);
        let (flags, mut out) = (vec![turn % 2 == 0; 1024], vec![false; 1024]);
        copy.launch(stream, Grid::for_len(1024, 64), (&flags[..], &mut out[..]))?;
        assert!(out.iter().all(|flag| *std::hint::black_box(flag) as u8 == u8::from(turn % 2 == 0)));
    }
    *BUFFER.lock().unwrap() = None;
    Ok(())
}

#[kernel]
fn call_deep(depth: u32, mut out: DisjointSlice<u32>) {
    let result = host_call!(|depth| deep(depth));
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = result;
    }
}

fn deep(depth: u32) -> u32 {
    let words = std::hint::black_box([depth; 1000]);
    if depth == 0 { 0 } else { deep(depth - 1) + words[depth as usize % 1000] }
}

/// Promise: a full stack in a function of the host ends the program before it reaches other memory. It did, without a
/// word in a thread of the runtime.
pub fn overflow(stream: &Stream) -> Result<()> {
    call_deep.launch(stream, Grid::for_len(64, 1), (100_000_000, &mut [0; 64]))?;
    stream.synchronize()
}
