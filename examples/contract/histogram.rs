//! Counts bytes into 256 bins with atomic additions on slices, bounds checks and all.
//!
//! Each thread walks the input with the stride of the grid. Indexing is Rust's own: a bin that is out of
//! bounds would panic, which on a device is a trap. Usage: `histogram [BYTES]`.

#[path = "common/offload.rs"]
mod offload;

use std::sync::atomic::{AtomicU32, Ordering};

use offload::{argument, Device, Shape};

const BINS: usize = 256;

extern "C" fn histogram(bytes: *const u8, count: u32, bins: *const AtomicU32, bin_count: u32) {
    let bytes = unsafe { std::slice::from_raw_parts(bytes, count as usize) };
    let bins = unsafe { std::slice::from_raw_parts(bins, bin_count as usize) };
    let stride = (offload::grid_dim_x() * offload::block_dim_x()) as usize;
    let mut index = offload::global_id_x() as usize;
    while index < bytes.len() {
        let bin = bytes[index] as usize;
        bins[bin].fetch_add(1, Ordering::Relaxed);
        index += stride;
    }
}

/// A byte sequence with an uneven distribution, the same on every run.
fn input(count: u32) -> Vec<u8> {
    let mut state = 0x2545_f491u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..count).map(|_| ((next() >> 24) & (next() >> 16)) as u8).collect()
}

fn main() {
    let count = offload::number_argument(1, 1 << 22);
    let bytes = input(count);

    let device = Device::open();
    let device_bytes = device.upload(&bytes);
    let device_bins = device.upload(&[0u32; BINS]);
    device.launch(
        kernel!(histogram),
        Shape { grid: [64, 1, 1], block: [256, 1, 1], shared_bytes: 0 },
        &[
            argument(&device_bytes.as_ptr()),
            argument(&count),
            argument(&device_bins.as_ptr()),
            argument(&(BINS as u32)),
        ],
    );

    let mut expected = [0u32; BINS];
    for byte in &bytes {
        expected[*byte as usize] += 1;
    }
    let result = device_bins.read();
    let wrong = (0..BINS).filter(|&bin| result[bin] != expected[bin]).count();
    offload::verdict("histogram", &format!("{count} bytes in {BINS} bins"), wrong);
}
