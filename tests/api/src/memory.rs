//! The limits of a device, and launches that exceed them; events; memory that the host can access, and copies that do
//! not wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use offload::dlpack::READ_ONLY;
use offload::{
    Argument, Binding, Device, DeviceBuffer, DeviceCopy, DisjointLayers, DisjointRows, DisjointSlice, Error, Event,
    Grid, PinnedBuffer, Result, Stream, UnifiedBuffer, Zeroable, kernel, prelude::*, thread,
};

#[kernel]
fn count(mut values: DisjointSlice<u32>) {
    if let Some(value) = values.get_mut(thread::index_1d()) {
        *value += 1;
    }
}

/// Everything in this file, on the device.
pub fn check(device: &Device) -> Result<()> {
    limits(device)?;
    events(device)?;
    readers(device)?;
    aligned(device)?;
    parts(device)?;
    divided(&device.default_stream())?;
    foreign(&device.default_stream())?;
    own_places(&device.default_stream())?;
    optional(&device.default_stream())?;
    pinned(device)?;
    unified(device)
}

#[kernel]
fn add_all(from: &[u32], mut to: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(to) = to.get_mut(i) {
        *to += from[i.get()];
    }
}

#[kernel]
fn add_column(mut rows: DisjointRows<u32>) {
    let at = thread::index_2d();
    if let Some(element) = rows.get_mut(at) {
        *element += at.x() as u32;
    }
}

#[kernel]
fn fails(mut values: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(value) = values.get_mut(i) {
        assert!(i.get() != 3, "three");
        *value = 1;
    }
}

/// Streams wait for each other, and buffers that go from one to the other see to it themselves.
fn events(device: &Device) -> Result<()> {
    let (first, second) = (device.new_stream()?, device.new_stream()?);
    let begin = first.record()?;
    let mut values = DeviceBuffer::<u32>::zeroed(&first, 100_000)?;
    for _ in 0..20 {
        count.launch(&first, Grid::for_len(100_000, 64), (&mut values,))?;
    }
    let end = first.record()?;
    second.wait(&end)?;
    let mut copy = DeviceBuffer::<u32>::zeroed(&second, 100_000)?;
    copy.copy_from(&second, &values)?;
    assert_eq!(copy.to_host_vec(&second)?, vec![20; 100_000]);
    end.synchronize()?;
    assert!(end.is_complete()?);
    let took = end.elapsed_since(&begin)?;
    assert!(took > Duration::ZERO && took < Duration::from_secs(60), "{took:?}");
    assert_eq!(begin.elapsed_since(&end)?, Duration::ZERO);
    assert_eq!((begin.elapsed_ms(&end)?, end.elapsed_ms(&begin)?), (1000.0 * took.as_secs_f32(), 0.0));

    add_all.launch(&first, Grid::for_len(100_000, 64), (&copy, &mut values))?;
    add_all.launch(&second, Grid::for_len(100_000, 64), (&values, &mut copy))?;
    assert_eq!(copy.to_host_vec(&first)?, vec![60; 100_000]);

    let never = Event::new(device)?;
    assert!(never.is_complete()? && matches!(never.elapsed_since(&end), Err(Error::Invalid(_))));
    let other = Device::open(device.name())?;
    assert!(matches!(other.default_stream().wait(&end), Err(Error::OtherDevice(_))));
    Ok(())
}

#[kernel]
pub(crate) fn read_late(from: &[u32], spins: u32, mut to: DisjointSlice<u32>) {
    let i = thread::index_1d();
    if let Some(to) = to.get_mut(i) {
        // Numbers that no compiler sums up, and a place that is known when they are.
        let late = (0..spins).fold(1_u32, |a, b| (a ^ b).wrapping_mul(0x9e37_79b9).rotate_left(7));
        *to = from[i.get() ^ usize::from(late == 0x1234_5678)];
    }
}

/// The iterations of `read_late` that keep this device busy while a thread submits something.
pub(crate) fn spins(stream: &Stream) -> Result<u32> {
    let from = DeviceBuffer::from_host(stream, &[1_u32; 16])?;
    let mut to = DeviceBuffer::<u32>::zeroed(stream, 16)?;
    let mut spins = 20_000;
    // An emulated GPU takes a thousand times as long as others.
    while spins < 20_000_000 {
        let begin = Instant::now();
        read_late.launch(stream, Grid::for_len(16, 16), (&from, spins, &mut to))?;
        stream.synchronize()?;
        if begin.elapsed() > Duration::from_millis(100) {
            break;
        }
        spins *= 10;
    }
    Ok(spins)
}

/// An argument that takes so long that another thread submits something meanwhile.
struct Meanwhile<F>(u32, F);

// SAFETY: a number.
unsafe impl<F: FnOnce() -> Result<()>> Argument<u32> for Meanwhile<F> {
    fn bind(self, _binding: &mut Binding<'_>) -> Result<u32> {
        self.1()?;
        Ok(self.0)
    }
}

/// Two streams read a buffer at once, in any order in which threads submit that; a change of it waits for both.
fn readers(device: &Device) -> Result<()> {
    let (first, second) = (device.new_stream()?, device.new_stream()?);
    let (grid, spins) = (Grid::for_len(16, 16), spins(&first)?);
    let mut from = DeviceBuffer::from_host(&first, &[1_u32; 16])?;
    let (mut late, mut soon) = (DeviceBuffer::<u32>::zeroed(&first, 16)?, DeviceBuffer::<u32>::zeroed(&second, 16)?);
    let other = || read_late.launch(&second, grid, (&from, 1, &mut soon));
    read_late.launch(&first, grid, (&from, Meanwhile(spins, other), &mut late))?;
    from.copy_from_host(&second, &[2; 16])?;
    assert_eq!((late.to_host_vec(&first)?, soon.to_host_vec(&second)?), (vec![1; 16], vec![1; 16]));

    // Streams that are done are forgotten, those that are not are not.
    let streams = (0..20).map(|_| device.new_stream()).collect::<Result<Vec<_>>>()?;
    for stream in &streams {
        read_late.launch(stream, grid, (&from, 1, &mut soon))?;
    }
    read_late.launch(&first, grid, (&from, spins, &mut late))?;
    for stream in &streams {
        read_late.launch(stream, grid, (&from, 1, &mut soon))?;
    }
    from.set_zero(&second)?;
    assert_eq!((late.to_host_vec(&first)?, from.to_host_vec(&second)?), (vec![2; 16], vec![0; 16]));
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy, Zeroable)]
struct Star<T> {
    place: [T; 3],
    more: (u8, f64),
}

/// Parts of a buffer in one launch and in two streams, and the same memory in another shape.
fn parts(device: &Device) -> Result<()> {
    let (stream, other) = (device.default_stream(), device.new_stream()?);
    let mut values = DeviceBuffer::<u32>::zeroed(&stream, 10)?;
    let (mut first, mut rest) = values.split_at_mut(4);
    count.launch(&stream, Grid::for_len(10, 32), (&mut first,))?;
    count.launch(&other, Grid::for_len(10, 32), (&mut rest,))?;
    add_all.launch(&stream, Grid::for_len(4, 32), (&rest, &mut first))?;
    rest.copy_from_host(&other, &[7; 6])?;
    assert!(matches!(rest.copy_from_host(&other, &[7; 5]), Err(Error::Invalid(_))));
    assert_eq!(values.to_host_vec(&stream)?, [2, 2, 2, 2, 7, 7, 7, 7, 7, 7]);
    let mut sums = DeviceBuffer::<u32>::zeroed(&stream, 2)?;
    add_all.launch(&stream, Grid::for_len(2, 32), (&values.part(3..5), &mut sums))?;
    assert_eq!((sums.to_host_vec(&stream)?, values.part(8..).to_host_vec(&stream)?), (vec![2, 7], vec![7, 7]));
    let pairs = values.into_arrays::<2>()?;
    assert_eq!(pairs.part(2..).to_host_vec(&other)?, [[7, 7]; 3]);
    let values = pairs.into_flattened();
    assert!(values.len() == 10 && matches!(values.into_arrays::<3>(), Err(Error::Invalid(_))));
    let stars = DeviceBuffer::<Star<f32>>::zeroed(&stream, 2)?;
    assert_eq!(stars.to_host_vec(&stream)?, [Star { place: [0.0; 3], more: (0, 0.0) }; 2]);
    Ok(())
}

#[kernel]
fn add_pairs(from: &[[u32; 2]], mut to: DisjointSlice<[u32; 2]>) {
    if let Some((to, i)) = to.get_mut_indexed() {
        *to = [to[0] + from[i.get()][0], to[1] + from[i.get()][1]];
    }
}

/// Parts as arguments and as both ends of copies; chunks; the same elements as arrays.
fn divided(stream: &Stream) -> Result<()> {
    let numbers: Vec<u32> = (0..10).collect();
    let mut values = DeviceBuffer::from_host(stream, &numbers)?;
    count.launch(stream, Grid::for_len(32, 32), (&mut values.part_mut(2..=3),))?;
    for (i, mut chunk) in values.chunks_mut(4).enumerate().skip(1) {
        add_all.launch(stream, Grid::for_len(32, 32), (&DeviceBuffer::from_host(stream, &[100; 4])?, &mut chunk))?;
        assert_eq!(chunk.len(), [4, 4, 2][i]);
    }
    assert_eq!(values.to_host_vec(stream)?, [0, 1, 3, 4, 104, 105, 106, 107, 108, 109]);
    let lasts: Vec<u32> =
        values.chunks(4).rev().map(|chunk| Ok(chunk.to_host_vec(stream)?[1])).collect::<Result<_>>()?;
    assert_eq!(lasts, [109, 105, 1]);

    let (mut first, mut rest) = values.split_at_mut(5);
    let (pairs, left) = first.part(..).as_chunks::<2>();
    add_pairs.launch(stream, Grid::for_len(32, 32), (&pairs, &mut rest.as_chunks_mut::<2>().0))?;
    assert_eq!(pairs.as_flattened().part(2..).to_host_vec(stream)?, [3, 4]);
    assert_eq!((left.to_host_vec(stream)?, rest.to_host_vec(stream)?), (vec![104], vec![105, 107, 110, 112, 109]));
    first.part_mut(3..).copy_from(stream, rest.part(..2))?;
    first.as_chunks_mut::<2>().0.as_flattened_mut().part_mut(..1).copy_from_host(stream, &[7])?;
    let mut host = PinnedBuffer::from_slice(stream.device(), &[70, 80])?;
    rest.part_mut(1..3).copy_from_pinned(stream, &host)?;
    first.part(2..4).copy_to_pinned(stream, &mut host)?;
    rest.split_at_mut(3).1.set_zero(stream)?;
    assert_eq!((host[0], host[1]), (3, 105));
    rest.part(1..2).copy_to_pinned(stream, host.split_at_mut(1).1)?;
    rest.part(2..3).copy_to_pinned(stream, host.part_mut(..1))?;
    assert_eq!(*host, [80, 70]);
    host.part_mut(1..).as_mut_slice()?[0] = 71;
    rest.part_mut(1..3).copy_from_pinned(stream, host.part(..))?;
    rest.part_mut(1..2).copy_from_pinned(stream, host.chunks(1).next().unwrap())?;
    assert_eq!(rest.part(1..3).to_host_vec(stream)?, [80, 71]);
    rest.part_mut(1..3).copy_from_host(stream, &[70, 80])?;
    assert_eq!(values.to_host_vec(stream)?, [7, 1, 3, 105, 107, 105, 70, 80, 0, 0]);
    let mut short = [0; 2];
    values.split_at(8).0.split_at(6).1.copy_to_host(stream, &mut short)?;
    assert_eq!(short, [70, 80]);
    let wrong = [
        values.part(1..).copy_to_host(stream, &mut short),
        values.part(1..).copy_to_pinned(stream, &mut host),
        values.part_mut(1..).copy_from_pinned(stream, &host),
        DeviceBuffer::from_host(stream, &[1_u32])?.copy_from(stream, values.part(..2)),
    ];
    assert!(wrong.iter().all(|wrong| matches!(wrong, Err(Error::Invalid(_)))), "{wrong:?}");

    let mut unified = UnifiedBuffer::from_slice(stream.device(), &numbers)?;
    count.launch(stream, Grid::for_len(32, 32), (&mut unified.part_mut(8..),))?;
    values.part_mut(..4).copy_from(stream, unified.part(6..))?;
    assert_eq!((unified[8], values.part(..4).to_host_vec(stream)?), (9, vec![6, 7, 9, 10]));
    Ok(())
}

/// Counts that the memory was freed.
struct Owner(Arc<AtomicU32>);

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Buffers that are split into raw parts and made again, memory of another owner, and tensors of DLPack.
fn foreign(stream: &Stream) -> Result<()> {
    let device = stream.device();
    let mut values = DeviceBuffer::from_host(stream, &[1_u32, 2, 3, 4, 5, 6])?;
    count.launch(stream, Grid::for_len(6, 32), (&mut values,))?;
    let (address, len) = values.into_raw_parts()?;
    let dropped = Arc::new(AtomicU32::new(0));
    // SAFETY: the memory is a buffer's, which exists until the last line of this function frees it.
    let mut inner = unsafe { DeviceBuffer::from_owner(device, address.add(1), 3, Owner(dropped.clone())) };
    count.launch(stream, Grid::for_len(3, 32), (&mut inner,))?;
    assert_eq!((inner.to_host_vec(stream)?, dropped.load(Ordering::Relaxed)), (vec![4, 5, 6], 0));
    drop(inner);
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    // SAFETY: as above, and the owner does nothing.
    let inner = unsafe { DeviceBuffer::from_owner(device, address, 6, Owner(dropped)) };
    assert!(matches!(inner.into_raw_parts(), Err(Error::Invalid(_))));
    // SAFETY: the parts are those of the buffer, and nothing uses them any more.
    let values = unsafe { DeviceBuffer::from_raw_parts(device, address, len) };
    assert_eq!(values.to_host_vec(stream)?, [2, 4, 5, 6, 6, 7]);

    let known = ["cpu", "cuda", "hip"].iter().any(|kind| device.name().starts_with(kind));
    let tensor = values.into_dlpack();
    assert!(known || matches!(tensor, Err(Error::Unsupported(_))), "{tensor:?}");
    let Ok(mut tensor) = tensor else { return Ok(()) };
    let (mut shape, mut strides) = ([2_i64, 1, 2], [2_i64, 7, 1]);
    // SAFETY: the tensor is a buffer's, and the numbers exist until it is a buffer again.
    unsafe {
        assert!(matches!(DeviceBuffer::<i32>::from_dlpack(device, tensor), Err(Error::Mismatch(_))));
        let own = &mut tensor.as_mut().dl_tensor;
        assert_eq!((own.ndim, *own.shape, *own.strides), (1, 6, 1));
        (own.ndim, own.shape, own.strides, own.byte_offset) = (3, shape.as_mut_ptr(), strides.as_mut_ptr(), 8);
        let mut values = DeviceBuffer::<u32>::from_dlpack(device, tensor)?;
        count.launch(stream, Grid::for_len(4, 32), (&mut values,))?;
        assert_eq!(values.to_host_vec(stream)?, [6, 7, 7, 8]);
        strides[0] = 3;
        let mut other = DeviceBuffer::from_host(stream, &[1_u32; 6])?.into_dlpack()?;
        let own = &mut other.as_mut().dl_tensor;
        (own.ndim, own.shape, own.strides) = (3, shape.as_mut_ptr(), strides.as_mut_ptr());
        assert!(matches!(DeviceBuffer::<u32>::from_dlpack(device, other), Err(Error::Invalid(_))));
        own.device.device_id += 1;
        assert!(matches!(DeviceBuffer::<u32>::from_dlpack(device, other), Err(Error::OtherDevice(_))));
        (other.as_ref().deleter.unwrap())(other.as_ptr());
        versioned(stream)
    }
}

/// The same with the struct of DLPack's version 1.
///
/// # Safety
///
/// DLPack must support the device.
unsafe fn versioned(stream: &Stream) -> Result<()> {
    let device = stream.device();
    let mut tensor = DeviceBuffer::from_host(stream, &[1_u32, 2])?.into_dlpack_versioned()?;
    // SAFETY: the tensor is a buffer's, and the last call is its only use.
    unsafe {
        let from = |tensor| DeviceBuffer::<u32>::from_dlpack_versioned(device, tensor);
        let own = tensor.as_mut();
        assert_eq!((own.version.major, own.flags, own.dl_tensor.ndim, *own.dl_tensor.shape), (1, 0, 1, 2));
        own.version.major = 2;
        assert!(matches!(from(tensor), Err(Error::Unsupported(text)) if text.contains("DLPack 2.0")));
        (tensor.as_mut().version.major, tensor.as_mut().flags) = (1, READ_ONLY);
        assert!(matches!(from(tensor), Err(Error::Invalid(text)) if text.contains("read-only")));
        (tensor.as_mut().version.minor, tensor.as_mut().flags) = (7, 2);
        let mut values = from(tensor)?;
        count.launch(stream, Grid::for_len(2, 32), (&mut values,))?;
        assert_eq!(values.to_host_vec(stream)?, [2, 3]);
    }
    Ok(())
}

/// Slices that a launch may leave out.
#[kernel]
fn scale_or_count(factors: Option<&[u32]>, mut values: DisjointSlice<u32>, counts: Option<DisjointSlice<u32>>) {
    let i = thread::index_1d();
    if let Some(value) = values.get_mut(i) {
        *value *= factors.map_or(7, |factors| factors.len() as u32 + factors.get(i.get()).unwrap_or(&0));
    }
    let Some(mut counts) = counts else { return };
    if let Some(count) = counts.get_mut(i) {
        *count += 1;
    }
}

fn optional(stream: &Stream) -> Result<()> {
    let mut values = DeviceBuffer::from_host(stream, &[1_u32, 2])?;
    let (factors, empty) = (DeviceBuffer::from_host(stream, &[3_u32, 4])?, DeviceBuffer::<u32>::zeroed(stream, 0)?);
    let (mut counts, grid) = (DeviceBuffer::<u32>::zeroed(stream, 2)?, Grid::for_len(2, 32));
    scale_or_count.launch(stream, grid, (Some(&factors), &mut values, Some(&mut counts)))?;
    assert_eq!((values.to_host_vec(stream)?, counts.to_host_vec(stream)?), (vec![5, 12], vec![1, 1]));
    let none = None::<&mut DeviceBuffer<u32>>;
    scale_or_count.launch(stream, grid, (None::<&[u32]>, &mut values, none))?;
    assert_eq!(values.to_host_vec(stream)?, [35, 84]);
    let mut host = [1, 2];
    scale_or_count.launch(stream, grid, (Some(&empty), &mut host, Some(&mut counts.part_mut(1..))))?;
    assert_eq!((host, counts.to_host_vec(stream)?), ([0, 0], vec![1, 2]));
    let none = None::<&mut [u32; 2]>;
    scale_or_count.run_on_host(grid, (Some(&[2, 1]), &mut [5, 6], none));
    Ok(())
}

#[kernel]
fn places(mut volume: DisjointLayers<[u32; 3]>) {
    if let Some((cell, at)) = volume.get_mut_indexed() {
        *cell = [at.x() as u32, at.y() as u32, at.z() as u32];
    }
}

/// Each thread adds its number to all of its places, and then swaps the first two if there is a third.
#[kernel]
fn strided(mut values: DisjointSlice<usize>) {
    let threads = thread::grid_dim::x() as usize * thread::block_dim::x() as usize;
    for (value, i) in values.iter_mut_indexed() {
        *value += i.get() % threads;
    }
    let mut own = thread::indices_1d(values.len());
    let (Some(a), Some(b), Some(c)) = (own.next(), own.next(), own.next()) else { return };
    assert!(values.get_disjoint_mut([a, b, a]).is_none());
    if let Some([a, b, _]) = values.get_disjoint_mut([a, b, c]) {
        core::mem::swap(a, b);
    }
}

/// Three dimensions, and several places for each thread.
fn own_places(stream: &Stream) -> Result<()> {
    let mut volume = DeviceBuffer::from_host(stream, &[[9_u32; 3]; 61])?;
    places.launch(stream, Grid::for_layers(5, 4, 3, (4, 2, 2)), (volume.layers(5, 4),))?;
    let found = volume.to_host_vec(stream)?;
    for (i, [x, y, z]) in found[..60].iter().enumerate() {
        assert!((*x + 5 * (*y + 4 * *z)) as usize == i && *x < 5 && *y < 4, "{i}: {found:?}");
    }
    assert_eq!(found[60], [9; 3]);
    let numbers: Vec<usize> = (0..20).map(|i| 100 * i).collect();
    let mut values = DeviceBuffer::from_host(stream, &numbers)?;
    strided.launch(stream, Grid { grid_dim: (2, 1, 1), ..Grid::for_len(4, 4) }, (&mut values,))?;
    let mut expected: Vec<usize> = (0..20).map(|i| 100 * i + i % 8).collect();
    (0..4).for_each(|i| expected.swap(i, i + 8));
    assert_eq!(values.to_host_vec(stream)?, expected);
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(align(4096))]
struct Page(u32, [Nothing; 3]);

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(align(64))]
struct Nothing;

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(align(64))]
struct Line(u32);

#[kernel]
fn turn_page(first: Line, from: &[Page], mut to: DisjointSlice<Page>, mut places: DisjointSlice<Nothing>) {
    let i = thread::index_1d();
    if let (Some(to), Some(place)) = (to.get_mut(i), places.get_mut(i)) {
        let away =
            [(&raw const first).addr(), from.as_ptr().addr(), (&raw const *to).addr(), (&raw const *place).addr()];
        to.0 += first.0 + from[i.get()].0 + away.iter().map(|at| (at % 64) as u32).sum::<u32>();
    }
}

/// Elements that are aligned to more than the driver's memory is, and some without bytes.
fn aligned(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let page = |number| Page(number, [Nothing; 3]);
    let from = DeviceBuffer::from_host(&stream, &[page(1), page(2)])?;
    let mut to = UnifiedBuffer::from_slice(device, &[page(10), page(20)])?;
    let mut places = DeviceBuffer::from_host(&stream, &[Nothing; 2])?;
    turn_page.launch(&stream, Grid::for_len(2, 2), (Line(100), &from, &mut to, &mut places))?;
    assert!(to.as_ptr().is_aligned() && to[..] == [page(111), page(122)], "{:?}", &to[..]);
    assert_eq!(places.to_host_vec(&stream)?, [Nothing; 2]);
    let mut pinned = PinnedBuffer::from_slice(device, &[page(0); 2])?;
    from.copy_to_pinned(&stream, &mut pinned)?;
    assert!(pinned.as_ptr().is_aligned() && pinned[..] == [page(1), page(2)], "{:?}", &pinned[..]);
    Ok(())
}

/// Copies from and to pinned memory, which the host looks at when they are over.
fn pinned(device: &Device) -> Result<()> {
    let stream = device.new_stream()?;
    let numbers: Vec<u32> = (0..50_000).collect();
    let mut host = PinnedBuffer::from_slice(device, &numbers)?;
    host[7] = 70;
    let mut values = DeviceBuffer::<u32>::zeroed(&stream, host.len())?;
    values.copy_from_pinned(&stream, &host)?;
    host[8] = 80; // waits: the copy has the number from before
    count.launch(&stream, Grid::for_len(50_000, 256), (&mut values,))?;
    let mut back = PinnedBuffer::<u32>::zeroed(device, values.len())?;
    values.copy_to_pinned(&stream, &mut back)?;
    assert_eq!((back[6], back[7], back[8], back[49_999]), (7, 71, 9, 50_000));
    values.set_zero(&stream)?;
    values.copy_to_pinned(&stream, &mut back)?;
    assert!(back.iter().all(|value| *value == 0));
    // More than the host sends, in copies of which the last is not a whole one.
    values.part_mut(1..).fill(&stream, 0x0102_0304)?;
    values.part_mut(3..3).fill(&stream, 9)?;
    values.copy_to_pinned(&stream, &mut back)?;
    assert!(back[0] == 0 && back[1..].iter().all(|value| *value == 0x0102_0304));
    let mut short = PinnedBuffer::<u32>::zeroed(device, 3)?;
    assert!(matches!(values.copy_from_pinned(&stream, &short), Err(Error::Invalid(_))));
    assert!(matches!(values.copy_to_pinned(&stream, &mut short), Err(Error::Invalid(_))));
    Ok(())
}

/// Kernels and the host by turns in the same memory. Waiting for the stream returns a panic, also after a host access.
fn unified(device: &Device) -> Result<()> {
    let stream = device.default_stream();
    let mut values = UnifiedBuffer::from_slice(device, &[1_u32; 1000])?;
    let mut sums = DeviceBuffer::<u32>::zeroed(&stream, 1000)?;
    for round in 0..3 {
        count.launch(&stream, Grid::for_len(1000, 64), (&mut values,))?;
        assert_eq!(values[999], 2 + 2 * round);
        values[999] += 1;
        add_all.launch(&stream, Grid::for_len(1000, 64), (&values, &mut sums))?;
    }
    assert_eq!(sums.to_host_vec(&stream)?[998..], [9, 15]);
    add_column.launch(&stream, Grid::for_rows(10, 100, (8, 8)), (values.rows(10),))?;
    assert_eq!(values.as_slice()?[20..23], [4, 5, 6]);

    let failed = fails.launch(&stream, Grid::for_len(32, 32), (&mut values,));
    let _ = values[0];
    let failed = failed.and_then(|()| stream.synchronize());
    assert!(matches!(failed, Err(Error::Panicked(_))), "{failed:?}");
    Ok(())
}

fn limits(device: &Device) -> Result<()> {
    let of_cpu = ("cpu", "this machine's processor");
    let (arch, product) = (device.arch(), device.product());
    assert!(device.name() != "cpu" || (arch, product) == of_cpu, "{arch}, {product}");
    assert!(!device.name().starts_with("opencl") || arch == "spirv64" && !product.is_empty(), "{arch}, {product}");
    assert_eq!(device.compute_capability().is_some(), arch.starts_with("sm_"));
    let stream = device.default_stream();
    let limits = device.limits()?;
    let most = limits.threads_per_block;
    // libomptarget does not report them.
    let units = limits.compute_units > 0 || device.name().starts_with("omptarget");
    assert!(most >= 256 && limits.shared_mem_bytes >= 16 << 10 && units, "{limits:?}");

    let mut values = DeviceBuffer::<u32>::zeroed(&stream, 10)?;
    let beyond = count.launch(&stream, Grid::for_len(10, most + 1), (&mut values,));
    let Err(Error::Invalid(text)) = beyond else { panic!("{beyond:?}") };
    let numbers = [format!("{} x 1 x 1", most + 1), format!("`{}`", device.name()), format!("allows {most}")];
    assert!(numbers.iter().all(|number| text.contains(number)), "{text}");
    for bytes in [limits.shared_mem_bytes.saturating_add(1), i32::MAX as u32 + 1, u32::MAX - 3, u32::MAX] {
        let beyond = count.launch(&stream, Grid::for_len(10, 32).with_shared_bytes(bytes), (&mut values,));
        // The CPU has the host's memory, as much as there is.
        let is_right = matches!(beyond, Err(Error::Invalid(_)))
            || bytes <= limits.shared_mem_bytes && matches!(beyond, Ok(()) | Err(Error::NoMemory(_)));
        assert!(is_right, "{bytes}: {beyond:?}");
    }
    let many = Grid::for_len((u32::MAX as usize + 1) * 32, 32);
    let Err(Error::Invalid(text)) = count.launch(&stream, many, (&mut values,)) else { panic!("no threads") };
    assert!(text.contains("no count may be 0; `Grid::for_len` and its like make a grid of 0 blocks if more"), "{text}");
    values.copy_from_host(&stream, &[0; 10])?;
    count.launch(&stream, Grid::for_len(10, 32), (&mut values,))?;
    assert_eq!(values.to_host_vec(&stream)?, [1; 10]);
    Ok(())
}
