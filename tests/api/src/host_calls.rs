//! Closures that kernels call on the host: their arguments and results, generic ones, and their panics.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, OnceLock};

use offload::{Device, DeviceBuffer, DeviceCopy, DisjointSlice, Error, Grid, Result, Stream, host_call, kernel};
use offload::{prelude::*, thread};

static FOUND: Mutex<BTreeMap<usize, (f64, u32)>> = Mutex::new(BTreeMap::new());

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Pair {
    first: u8,
    second: f64,
}

/// Another function of the host for each type.
fn length<T: DeviceCopy + Debug>(value: T) -> usize {
    host_call!(|value| format!("{value:?}").len())
}

#[kernel]
fn find(wanted: u32, values: &[u32], mut out: DisjointSlice<Pair>) {
    let i = thread::index_1d();
    let Some(out) = out.get_mut(i) else { return };
    let (index, value) = (i.get(), values[i.get()]);
    let lengths = length(*out) + length((value, 1.5_f32)) + length([value; 3]);
    *out = Pair { first: lengths as u8, second: 0.25 };
    if value == wanted {
        let pair = *out;
        *out = host_call!(|index, value, pair| {
            FOUND.lock().unwrap().insert(index, (pair.second, value));
            Pair { first: pair.first + 1, second: pair.second * 3.0 }
        });
        // Nothing goes to the host, and nothing comes back.
        host_call!(|| FOUND.lock().unwrap().values_mut().for_each(|(_, count)| *count += 100));
    }
}

#[kernel]
fn refuse(mut out: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(out) = out.get_mut(i) {
        let value = *out;
        *out = host_call!(|value| -> u32 {
            assert!(value != 7, "the host has no {value}");
            value + 1
        });
    }
}

static STREAM: OnceLock<Stream> = OnceLock::new();

/// The closure waits for the kernel, which waits for the closure.
#[kernel]
fn wait_for_itself(mut out: DisjointSlice<u32>) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = host_call!(|| {
            let stream = STREAM.get().unwrap();
            let launched = refuse.launch(stream, Grid::for_len(1, 1), (&mut [1_u32][..],));
            launched.and_then(|()| stream.synchronize()).map_or_else(|error| panic!("{error}"), |()| 1)
        });
    }
}

/// The use that a closure makes of the device whose kernel waits for it, and whether that is an error.
#[kernel]
fn use_own_device(what: u32, mut out: DisjointSlice<u32>) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = host_call!(|what| {
            let (stream, mut kept) = (STREAM.get().unwrap(), KEPT.lock().unwrap());
            let (buffer, other) = kept.as_mut().unwrap();
            let done = match what {
                // The processor has no library that could wait.
                0 => Device::open(stream.device().name()).map(|device| assert!(is_cpu(&device))),
                1 => DeviceBuffer::<u32>::zeroed(stream, 1).map(drop),
                2 => buffer.to_host_vec(stream).map(drop),
                3 => buffer.copy_from_host(stream, &[1, 2, 3]),
                4 => stream.synchronize(),
                5 => stream.device().new_stream().map(drop),
                6 => stream.record().map(drop),
                // Dropped, with any result of the device.
                _ => {
                    *other = None;
                    Ok(())
                }
            };
            match done {
                Ok(()) => 1,
                Err(Error::Invalid(text)) if text.contains("which waits for it, so it cannot use that device") => 2,
                Err(error) => panic!("{error}"),
            }
        });
    }
}

static KEPT: Mutex<Option<(DeviceBuffer<u32>, Option<Stream>)>> = Mutex::new(None);

/// The device on which opening it again is no error.
fn is_cpu(device: &Device) -> bool {
    device.name() == "cpu"
}

fn check_own_device(device: &Device, stream: &Stream) -> Result<()> {
    *KEPT.lock().unwrap() = Some((DeviceBuffer::from_host(stream, &[7; 3])?, Some(device.new_stream()?)));
    for what in 0..8 {
        let mut found = [0];
        use_own_device.launch(stream, Grid::for_len(1, 1), (what, &mut found))?;
        let wanted = if what == 7 || what == 0 && is_cpu(device) { 1 } else { 2 };
        assert_eq!(found, [wanted], "{what}");
    }
    let kept = KEPT.lock().unwrap().take();
    assert_eq!(kept.unwrap().0.to_host_vec(stream)?, [7; 3]);
    Ok(())
}

pub(crate) fn check(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    check_values(&stream)?;
    // Each stream has its own calls.
    let streams = [device.new_stream()?, device.new_stream()?];
    let mut buffers =
        [DeviceBuffer::from_host(&streams[0], &[1, 2, 3])?, DeviceBuffer::from_host(&streams[1], &[4; 40])?];
    for (stream, buffer) in streams.iter().zip(&mut buffers) {
        refuse.launch(stream, Grid::for_len(40, 64), (&mut *buffer,))?;
        refuse.launch(stream, Grid::for_len(40, 64), (&mut *buffer,))?;
    }
    assert_eq!(buffers[0].to_host_vec(&streams[0])?, [3, 4, 5]);
    assert_eq!(buffers[1].to_host_vec(&streams[1])?, [6; 40]);
    check_errors(&stream)
}

fn check_values(stream: &Stream) -> Result<()> {
    let values = DeviceBuffer::from_host(stream, &[10, 20, 10, 30])?;
    let start = Pair { first: 0, second: 1.5 };
    let mut out = DeviceBuffer::from_host(stream, &[start; 4])?;
    find.launch(stream, Grid::for_len(4, 32), (10, &values, &mut out))?;
    let lengths = |value: u32| {
        (format!("{start:?}").len() + format!("{:?}", (value, 1.5)).len() + format!("{:?}", [value; 3]).len()) as u8
    };
    let wanted = [10, 20, 10, 30].map(|value| match value {
        10 => Pair { first: lengths(10) + 1, second: 0.75 },
        _ => Pair { first: lengths(value), second: 0.25 },
    });
    assert_eq!(out.to_host_vec(stream)?, wanted);
    let found = std::mem::take(&mut *FOUND.lock().unwrap());
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), [0, 2]);
    assert!(found.values().all(|(second, count)| *second == 0.25 && [110, 210].contains(count)), "{found:?}");
    Ok(())
}

fn check_errors(stream: &Stream) -> Result<()> {
    let panicked = |launched: Result<()>| match launched.and_then(|()| stream.synchronize()) {
        Err(Error::Panicked(text)) => text,
        other => panic!("{other:?}"),
    };
    let mut values = [5, 6, 7, 8];
    let text = panicked(refuse.launch(stream, Grid::for_len(4, 4), (&mut values[..],)));
    let says = [
        "kernel `host_calls::refuse` panicked at api/src/host_calls.rs:",
        ": a function of the host panicked: the host has no 7",
    ];
    assert!(says.iter().all(|part| text.contains(part)) && text.contains("(block 0, thread 2)"), "{text}");
    refuse.launch(stream, Grid::for_len(1, 1), (&mut values[..1],))?;

    let _ = STREAM.set(Device::new()?.default_stream());
    let own = STREAM.get().unwrap();
    check_own_device(own.device(), own)?;
    let text = panicked(wait_for_itself.launch(stream, Grid::for_len(1, 1), (&mut values[..1],)));
    assert!(text.contains("this host function was called by a kernel on `"), "{text}");
    assert!(text.contains("which waits for it, so it cannot use that device"), "{text}");
    Ok(())
}
