//! Launches of closures that capture slices: of host memory, of buffers, of guards and of parts.

use std::panic::{AssertUnwindSafe, catch_unwind};

use offload::{Device, DeviceBuffer, DisjointSlice, Error, Event, Grid, Result, Stream, thread};

use crate::memory::spins;

/// The memory of all kinds, and a scope that returns a value and ends with the work of its stream.
fn captured(device: &Device, stream: &Stream) -> Result<()> {
    let numbers: Vec<u32> = (0..100).collect();
    let buffer = DeviceBuffer::from_host(stream, &numbers)?;
    let (mapped, part, mut table) = (device.map(&numbers[..50])?, buffer.part(50..), [3, 5]);
    let mut y = DeviceBuffer::<u32>::zeroed(stream, 100)?;
    let memory = (&numbers, &buffer, &mapped, &part, &table, &numbers[..10]);
    let more = 7;
    let sum = stream.scope(memory, |scope, (all, buffer, first, second, table, few)| {
        assert_eq!((all.len(), first.len(), second.len(), few.is_empty()), (100, 50, 50, false));
        for turn in 0..2 {
            scope.launch(Grid::for_len(100, 32), (&mut y,), move |mut y: DisjointSlice<u32>| {
                let i = thread::index_1d();
                if let Some(y) = y.get_mut(i) {
                    let half = if i.get() < 50 { first[i.get()] } else { second[i.get() - 50] };
                    let few = few.get(i.get()).copied().unwrap_or(0);
                    *y += table[turn] * (all[i] + buffer.iter().rev().nth(i.get()).unwrap_or(&0)) + half + few + more;
                }
            })?;
        }
        Ok(table.len() as u32)
    })?;
    let few = |i: u32| if i < 10 { i } else { 0 };
    let expected: Vec<u32> = (0..100).map(|i| 8 * 99 + 2 * (i + few(i) + more)).collect();
    assert_eq!((sum, y.to_host_vec(stream)?), (2, expected));
    table[0] = 4;
    // The copies of the scope are gone: a larger slice of the same memory is mapped, and has its own values.
    stream.scope((&numbers, &table), |scope, (all, table)| {
        scope.launch(Grid::for_len(100, 32), (&mut y,), move |mut y: DisjointSlice<u32>| {
            let i = thread::index_1d();
            if let Some(y) = y.get_mut(i) {
                *y = table[0] * all[i];
            }
        })
    })?;
    assert_eq!(y.to_host_vec(stream)?[99], 396);
    Ok(())
}

/// A scope with a launch that takes a while, followed by an event, and a panic or an error.
fn launch_slow(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    y: &mut DeviceBuffer<u32>,
    event: &mut Option<Event>,
    fails: bool,
) -> Result<()> {
    let turns = spins(stream)? as usize;
    stream.scope((x,), |scope, (x,)| {
        scope.launch(Grid::for_len(1, 1), (y,), move |mut y: DisjointSlice<u32>| {
            if let Some(y) = y.get_mut(thread::index_1d()) {
                *y = (0..turns).fold(0, |sum: u32, i| (sum ^ x[i % x.len()]).wrapping_mul(i as u32 | 1));
            }
        })?;
        *event = Some(stream.record()?);
        assert!(!fails, "the host's own panic");
        Err(Error::Invalid("the body's own error".into()))
    })
}

pub(crate) fn check(device: &Device) -> Result<()> {
    let stream = device.new_stream()?;
    captured(device, &stream)?;
    // However a scope ends, the work in its stream has ended. The buffers are not dropped before, which would wait.
    let x = [1, 2, 3];
    let (there, mut y) = (DeviceBuffer::from_host(&stream, &x)?, DeviceBuffer::<u32>::zeroed(&stream, 1)?);
    let mut event = None;
    let own = Err(Error::Invalid("the body's own error".into()));
    assert_eq!(launch_slow(&stream, &there, &mut y, &mut event, false), own);
    assert!(event.take().expect("the launch came first").is_complete()?);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let panicked = catch_unwind(AssertUnwindSafe(|| launch_slow(&stream, &there, &mut y, &mut event, true)));
    assert!(panicked.is_err() && event.expect("the launch came first").is_complete()?);
    // Only kernels read the slices.
    let read = catch_unwind(AssertUnwindSafe(|| stream.scope((&x,), |_, (x,)| Ok(x[0]))));
    assert!(read.is_err());
    std::panic::set_hook(hook);
    let failed = stream
        .scope((&x,), |scope, (x,)| scope.launch(Grid::for_len(4, 4), (), move || assert!(x[thread::index_1d()] > 0)));
    assert!(matches!(failed, Err(Error::Panicked(_))), "{failed:?}");
    Ok(())
}
