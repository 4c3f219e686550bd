//! Constants that the program sets, and functions that it chooses, in images that the runtime makes. The argument
//! `padded` sets a constant of which some bytes have no meaning.

use offload::{
    Device, DeviceCopy, DeviceFn, DisjointSlice, Grid, Result, Specialized, device_fn, kernel, late_const, prelude::*,
    thread,
};

#[derive(Clone, Copy, DeviceCopy)]
struct Extent {
    columns: u32,
    rows: u32,
}

late_const! {
    static TILE: u32 = 16;
    static EXTENT: Extent = Extent { columns: 2, rows: 3 };
    /// More than an argument has.
    static TABLE: [u16; 700] = [1; 700];
    /// With bytes that have no meaning.
    static PADDED: (u8, u32) = (1, 2);
}

#[kernel(specialize(n))]
fn mix(n: u32, mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        let sum: u32 = (0..*TILE).map(|k| k * n).sum();
        *out = sum + EXTENT.columns * EXTENT.rows + u32::from(TABLE[i.get() * 7]) + PADDED.1;
    }
}

type Step = DeviceFn<fn(u32) -> u32>;

/// One kernel instead of three, for functions that follow each other.
#[kernel]
fn fused(steps: Specialized<[Step; 3]>, mut out: DisjointSlice<u32>) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = steps.iter().fold(*out, |value, step| step.call(value));
    }
}

fn main() -> Result<()> {
    let is_padded = std::env::args().nth(1).is_some();
    TILE.set(5)?;
    EXTENT.set(Extent { columns: 7, rows: 11 })?;
    TABLE.set(std::array::from_fn(|k| k as u16))?;
    if is_padded {
        PADDED.set((3, 40))?;
    }
    let more = if is_padded { 40 } else { 2 };
    for device in [Device::new()?, Device::new()?] {
        let stream = device.default_stream();
        for n in [3, 4, 3] {
            let mut out = [0; 100];
            mix.launch(&stream, Grid::for_len(100, 32), (n, &mut out))?;
            assert!(out.iter().zip(0..).all(|(out, i)| *out == 10 * n + 77 + i * 7 + more), "{n}: {out:?}");
        }
        let [add, double]: [Step; 2] = [device_fn!(|x| x + 7), device_fn!(|x| x * 2)];
        let mut out = [1, 2];
        fused.launch(&stream, Grid::for_len(2, 32), ([add, double, add], &mut out))?;
        fused.launch(&stream, Grid::for_len(2, 32), ([double, double, add], &mut out))?;
        assert_eq!(out, [4 * 23 + 7, 4 * 25 + 7]);
    }
    assert!(TILE.set(6).is_err());
    println!("all is right");
    Ok(())
}
