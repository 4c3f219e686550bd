//! A histogram of a million numbers. Each block counts into its own bins, in shared memory, and adds them to the whole
//! at its end: atomics of a block's scope are cheap, and few atomics of the whole device remain.

use offload::atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32};
use offload::{Device, DeviceBuffer, Grid, kernel, prelude::*, shared, thread};

const BINS: usize = 64;

fn bin(number: u16) -> usize {
    usize::from(number) / (65536 / BINS)
}

#[kernel(block_size(64, 1, 1))]
fn histogram(numbers: &[u16], bins: &[DeviceAtomicU32]) {
    shared! { static COUNTS: [u32; BINS]; }
    let here = thread::id::x() as usize;
    // SAFETY: each thread sets a different bin; from the first barrier on, all of them use atomics.
    unsafe { COUNTS.set(here, 0) };
    let count = |bin| unsafe { COUNTS.atomic(bin) };
    thread::sync_threads();
    for i in thread::indices_1d(numbers.len()) {
        count(bin(numbers[i.get()])).fetch_add(1, Relaxed);
    }
    thread::sync_threads();
    bins[here].fetch_add(count(here).load(Relaxed), Relaxed);
}

fn main() -> offload::Result<()> {
    // Mean values of four numbers each, which crowd in the middle.
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 48) as u32
    };
    let numbers: Vec<u16> = (0..1_000_000).map(|_| ((random() + random() + random() + random()) / 4) as u16).collect();

    let device = Device::new()?;
    let stream = device.default_stream();
    let input = DeviceBuffer::from_host(&stream, &numbers)?;
    let mut bins = DeviceBuffer::<u32>::zeroed(&stream, BINS)?;
    histogram.launch(&stream, Grid::for_len(100 * BINS, BINS as u32), (&input, &mut bins))?;
    let bins = bins.to_host_vec(&stream)?;

    let mut expected = [0; BINS];
    numbers.iter().for_each(|number| expected[bin(*number)] += 1);
    assert_eq!(bins, expected);
    println!("histogram: {} numbers on {}", numbers.len(), device.name());
    for pair in bins.chunks(2) {
        println!("{}", "#".repeat((pair[0] + pair[1]) as usize / 1500));
    }
    Ok(())
}
