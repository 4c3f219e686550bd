//! Statics that the host writes and reads on a device: of all sizes, and in the same stream as the kernels that use
//! them.

use offload::{
    Device, DeviceBuffer, DeviceCopy, DisjointSlice, Grid, Result, atomic, device_static, kernel, prelude::*, thread,
};

/// With padding, and aligned to more than a word.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(align(32))]
struct Camera {
    name: u8,
    place: [f32; 3],
    zoom: Option<f64>,
}

device_static! {
    static SCALE: f32 = 1.5;
    static OTHER: f32 = 2.5;
    /// Odd bytes: more than an argument has.
    static BYTES: [u8; 1003] = [7; 1003];
    static WIDE: [u64; 500] = [1; 500];
    static CAMERA: Camera = Camera { name: 1, place: [1.0, 2.0, 3.0], zoom: None };
    static CAMERAS: [Camera; 10] = [Camera { name: 1, place: [0.0; 3], zoom: None }; 10];
    /// It is never written.
    static FIXED: [i16; 3] = [-1, 0, 1];
    static TALLY: [u32; 3] = [0; 3];
}

mod inner {
    offload::device_static! {
        pub(super) static SCALE: i32 = -3;
    }
}

#[kernel]
fn scaled(mut out: DisjointSlice<f32>) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = SCALE.load() * 100.0 + OTHER.load() + inner::SCALE.load() as f32;
    }
}

#[kernel]
fn looked_up(mut out: DisjointSlice<u64>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        let (i, camera) = (i.get(), CAMERAS.get(i.get() % CAMERAS.len()));
        let seen = u64::from(camera.name) + camera.place[2] as u64 + camera.zoom.map_or(0, |zoom| zoom as u64);
        let fixed = i64::from(FIXED.get(i % 3)) as u64;
        *out = (u64::from(BYTES.get(i)) + WIDE.get(i % 500) + seen).wrapping_add(fixed);
    }
}

#[kernel]
fn count(values: &[u32]) {
    let i = thread::index_1d().get();
    if i < values.len() {
        // SAFETY: this kernel uses it atomically alone.
        let tally = unsafe { TALLY.as_raw().atomic::<atomic::scope::Device>(values[i] as usize % 3) };
        tally.fetch_add(1, atomic::AtomicOrdering::Relaxed);
    }
}

/// Everything in this file, on the device. It is run once in a program: on the processor all devices have one copy.
pub fn check(device: &Device) -> Result<()> {
    let stream = device.new_stream()?;
    small(&stream)?;
    large(&stream)?;
    written_by_kernels(&stream)?;
    // The host's own are as they were.
    assert_eq!((SCALE.load(), inner::SCALE.load(), BYTES.get(1002), CAMERA.load().zoom), (1.5, -3, 7, None));
    assert_eq!(TALLY.load(), [0; 3]);
    Ok(())
}

/// Nothing waits between copies and launches, and each launch sees the values that were copied before it.
fn small(stream: &offload::Stream) -> Result<()> {
    assert_eq!((SCALE.to_host(stream)?, CAMERA.to_host(stream)?.place), (1.5, [1.0, 2.0, 3.0]));
    let mut outs = Vec::new();
    for step in 0..10 {
        let mut out = DeviceBuffer::zeroed(stream, 3)?;
        scaled.launch(stream, Grid::for_len(3, 32), (&mut out,))?;
        outs.push(out);
        // SAFETY: all that uses it is in this stream.
        unsafe { SCALE.copy_from_host(stream, &(step as f32))? };
    }
    for (step, out) in outs.iter().enumerate() {
        let scale = if step == 0 { 1.5 } else { step as f32 - 1.0 };
        assert_eq!(out.to_host_vec(stream)?, [scale * 100.0 - 0.5; 3]);
    }
    let camera = Camera { name: 9, place: [0.5; 3], zoom: Some(0.25) };
    // SAFETY: as above.
    unsafe { CAMERA.copy_from_host(stream, &camera)? };
    assert_eq!((CAMERA.to_host(stream)?, SCALE.to_host(stream)?, OTHER.to_host(stream)?), (camera, 9.0, 2.5));
    Ok(())
}

fn large(stream: &offload::Stream) -> Result<()> {
    let look_up = || {
        let mut out = DeviceBuffer::zeroed(stream, BYTES.len())?;
        looked_up.launch(stream, Grid::for_len(BYTES.len(), 64), (&mut out,))?;
        out.to_host_vec(stream)
    };
    let fixed = |i: usize| (i % 3) as u64;
    assert_eq!(look_up()?, (0..1003).map(|i| 8 + fixed(i)).collect::<Vec<_>>());
    let bytes: [u8; 1003] = std::array::from_fn(|i| (i * 31) as u8);
    let wide: [u64; 500] = std::array::from_fn(|i| 1 << (i % 40));
    let camera = |i: usize| Camera { name: i as u8, place: [0.0, 0.0, 2.0], zoom: i.is_multiple_of(2).then_some(50.0) };
    // SAFETY: all that uses them is in this stream.
    unsafe {
        BYTES.copy_from_host(stream, &bytes)?;
        WIDE.copy_from_host(stream, &wide)?;
        CAMERAS.copy_from_host(stream, &std::array::from_fn(camera))?;
    }
    let expected = |i: usize| {
        let seen = (i % 10) as u64 + 2 + if i.is_multiple_of(2) { 50 } else { 0 };
        u64::from(bytes[i]) + wide[i % 500] + seen + fixed(i) - 1
    };
    assert_eq!(look_up()?, (0..1003).map(expected).collect::<Vec<_>>());
    assert_eq!((BYTES.to_host(stream)?, WIDE.to_host(stream)?), (bytes, wide));
    assert_eq!(CAMERAS.to_host(stream)?[4], camera(4));
    Ok(())
}

fn written_by_kernels(stream: &offload::Stream) -> Result<()> {
    let values = DeviceBuffer::from_host(stream, &(0..1000).collect::<Vec<u32>>())?;
    for launches in 1..3 {
        count.launch(stream, Grid::for_len(1000, 256), (&values,))?;
        assert_eq!(TALLY.to_host(stream)?, [334 * launches, 333 * launches, 333 * launches]);
    }
    // SAFETY: all that uses it is in this stream.
    unsafe { TALLY.copy_from_host(stream, &[0, 5, 0])? };
    count.launch(stream, Grid::for_len(3, 3), (&values,))?;
    assert_eq!(TALLY.to_host(stream)?, [1, 6, 1]);
    Ok(())
}
