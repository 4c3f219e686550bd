//! Clocks and pauses; and the error of a device without a clock.

use offload::atomic::{AtomicOrdering::*, DeviceAtomicU32};
use offload::{Device, DeviceBuffer, DisjointSlice, Error, Grid, Result, kernel, prelude::*, thread};

/// Reads a clock, calculates and pauses, and reads the clock again.
fn measured(clock: impl Fn() -> u64, numbers: &[f32], out: &mut [u64; 2], pause: u32) {
    let begin = clock();
    let sum: f32 = numbers.iter().sum();
    thread::nanosleep(pause);
    let end = clock();
    *out = [if sum == 1000.0 { begin } else { 0 }, end];
}

#[kernel]
fn by_cycles(numbers: &[f32], mut out: DisjointSlice<[u64; 2]>) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        measured(|| thread::clock(), numbers, out, 3000);
    }
}

#[kernel]
fn by_nanoseconds(numbers: &[f32], mut out: DisjointSlice<[u64; 2]>) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        measured(|| thread::global_timer(), numbers, out, 0);
    }
}

/// The first block waits until the last one is there.
#[kernel]
fn wait(ready: &[DeviceAtomicU32]) {
    if thread::block_id::x() + 1 == thread::grid_dim::x() {
        ready[0].store(7, Release);
    } else {
        while ready[0].load(Acquire) == 0 {
            thread::nanosleep(100);
        }
        ready[1].store(ready[0].load(Relaxed), Relaxed);
    }
}

/// Launches them, and checks that time passes.
pub(crate) fn check(device: &Device) -> Result<()> {
    let stream = device.new_stream()?;
    let numbers = DeviceBuffer::from_host(&stream, &[1.0; 1000])?;
    let passes =
        |times: [[u64; 2]; 3]| assert!(times.iter().all(|[begin, end]| 0 < *begin && begin < end), "{times:?}");
    let refused = |launched: Result<()>, text: &str| {
        let Err(Error::Panicked(found)) = launched.and_then(|()| stream.synchronize()) else { panic!("no panic") };
        assert!(found.contains(text) && found.contains("src/clocks.rs:"), "{found}");
    };
    let mut times = [[0; 2]; 3];
    let cycles = by_cycles.launch(&stream, Grid::for_len(3, 32), (&numbers, &mut times));
    if device.name().starts_with("opencl:") {
        refused(cycles, "this device has no clock");
    } else {
        cycles?;
        passes(times);
    }
    let mut times = [[0; 2]; 3];
    by_nanoseconds.launch(&stream, Grid::for_len(3, 32), (&numbers, &mut times))?;
    passes(times);
    // Blocks of a CPU run one after another if it has one core.
    if device.arch().starts_with("sm_") {
        let mut ready = [0; 2];
        wait.launch(&stream, Grid::for_len(2, 1), (&mut ready,))?;
        assert_eq!(ready, [7, 7]);
    }
    Ok(())
}
