//! Constants that the program sets before its first launch.

use offload::{
    Device, DeviceBuffer, DeviceCopy, DisjointSlice, Error, Grid, Result, kernel, late_const, prelude::*, thread,
};

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Extent {
    name: u8,
    columns: u64,
    scale: Option<f32>,
}

late_const! {
    /// How many numbers each thread adds.
    static TILE: u32 = 16;
    /// Set twice; with padding.
    static EXTENT: Extent = Extent { name: 1, columns: 2, scale: None };
    /// More than an argument has.
    static TABLE: [u16; 501] = [1; 501];
    /// Never set.
    static UNSET: i64 = -7;
}

mod inner {
    offload::late_const!(pub(super) static TILE: f32 = 0.5);
}

#[kernel]
fn sum_tiles(x: &[u32], mut sums: DisjointSlice<u64>) {
    let i = thread::index_1d();
    let tile = *TILE as usize;
    if let Some(sum) = sums.get_mut(i) {
        let of_tile: u32 = x[i.get() * tile..][..tile].iter().sum();
        let extent = EXTENT.get();
        let more = extent.scale.map_or(0, |scale| (scale / *inner::TILE) as u64);
        let table = u64::from(TABLE[500 - i.get()]);
        *sum = (u64::from(of_tile) + EXTENT.columns + more + table).wrapping_add(UNSET.get() as u64);
    }
}

/// Before the first launch.
pub fn set() -> Result<()> {
    assert_eq!((*TILE, EXTENT.name, TABLE[7]), (16, 1, 1));
    TILE.set(3)?;
    let first = &*EXTENT;
    EXTENT.set(Extent { name: 2, ..*first })?;
    EXTENT.set(Extent { name: 3, columns: 1 << 40, scale: Some(8.0) })?;
    assert_eq!(first.name, 1);
    let mut table = [0; 501];
    table.iter_mut().zip(0..).for_each(|(entry, i)| *entry = i * 2);
    TABLE.set(table)?;
    inner::TILE.set(0.25)?;
    assert_eq!((*TILE, EXTENT.name, TABLE[7], *inner::TILE), (3, 3, 14, 0.25));
    Ok(())
}

pub fn check(device: &Device) -> Result<()> {
    let x: Vec<u32> = (0..300).collect();
    // The second time on another stream of a device that is opened again.
    for device in [device.clone(), Device::new()?] {
        let stream = device.new_stream()?;
        let (x, mut sums) = (DeviceBuffer::from_host(&stream, &x)?, DeviceBuffer::<u64>::zeroed(&stream, 100)?);
        sum_tiles.launch(&stream, Grid::for_len(100, 32), (&x, &mut sums))?;
        let expected = |i: u64| 9 * i + 3 + (1 << 40) + 32 + 2 * (500 - i) - 7;
        assert!(sums.to_host_vec(&stream)?.into_iter().zip(0..).all(|(sum, i)| sum == expected(i)));
    }
    let late = TILE.set(4);
    let Err(Error::Invalid(text)) = late else { panic!("{late:?}") };
    assert!(text.starts_with("the constant `api::late::TILE` was set after the first launch"), "{text}");
    assert_eq!((*TILE, *UNSET), (3, -7));
    Ok(())
}
