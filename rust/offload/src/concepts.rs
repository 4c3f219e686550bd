//! How the crate works: streams, memory, panics, tests, and `unsafe` functions. This module contains only
//! documentation.
//!
//! The example uses most of the features that the sections below explain:
//!
//! ```
//! use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};
//!
//! #[kernel]
//! fn scale(factor: f32, mut values: DisjointSlice<f32>) {
//!     if let Some(value) = values.get_mut(thread::index_1d()) {
//!         *value *= factor;
//!     }
//! }
//!
//! let device = Device::new()?; // opens the default device
//! let stream = device.default_stream(); // a queue of work
//! let mut values = DeviceBuffer::from_host(&stream, &[1.0; 1000])?; // owns memory of the device
//! scale.launch(&stream, Grid::for_len(1000, 256), (2.0, &mut values))?; // submits a kernel
//! assert_eq!(values.to_host_vec(&stream)?, [2.0; 1000]); // waits for the kernel, and copies the result
//! # Ok::<(), offload::Error>(())
//! ```
//!
//! # Streams and ordering
//!
//! A [`Stream`] is a queue of work for one device: launches, copies and events. Work in one stream runs in the order of
//! the calls. Work in different streams may run at the same time. Every device has a
//! [default stream](Device::default_stream); [`Device::new_stream`] creates others. The default stream is not ordered
//! with other streams.
//!
//! A launch *submits* a kernel. It may return before the kernel has run. These calls wait:
//!
//! | call | waits for |
//! |---|---|
//! | [`Stream::synchronize`] | all work of the stream; with the default stream, all work of the device |
//! | [`Device::synchronize`] | all work of the device |
//! | [`Event::synchronize`] | the work that was submitted before the event |
//! | [`DeviceBuffer::to_host_vec`], [`DeviceBuffer::copy_to_host`] | the stream, and other writes of the buffer |
//! | a launch with host memory among its arguments | all work of the stream, and the copies |
//! | reading a [`PinnedBuffer`] or [`UnifiedBuffer`] as a slice | copies and kernels that write it |
//! | dropping a buffer, [`Mapped`] or [`MappedMut`] | all work that uses it |
//!
//! On the device `cpu` and on libomptarget's devices, work is complete when its call returns. Do not rely on this: with
//! the other drivers, the host continues while kernels run.
//!
//! **The crate orders the uses of a buffer.** Each buffer records which streams write and read it. Before a stream
//! reads a buffer, it waits on the device for the stream that wrote the buffer last. Before a stream writes a buffer,
//! it waits for all streams that use the buffer. The host does not wait. A program with several streams therefore gets
//! the same result as with one stream, as long as its kernels use buffers:
//!
//! ```
//! use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};
//!
//! #[kernel]
//! fn increment(mut values: DisjointSlice<u32>) {
//!     if let Some(value) = values.get_mut(thread::index_1d()) {
//!         *value += 1;
//!     }
//! }
//!
//! let device = Device::new()?;
//! let (first, second) = (device.new_stream()?, device.new_stream()?);
//! let mut values = DeviceBuffer::<u32>::zeroed(&first, 1000)?;
//! increment.launch(&first, Grid::for_len(1000, 256), (&mut values,))?;
//! increment.launch(&second, Grid::for_len(1000, 256), (&mut values,))?; // runs after the launch in `first`
//! assert_eq!(values.to_host_vec(&second)?, [2; 1000]);
//! # Ok::<(), offload::Error>(())
//! ```
//!
//! **Everything else must be ordered by events.** This concerns memory that the crate does not see: the address of a
//! [`RawSlice`] or of [`DeviceBuffer::device_ptr`], and a [`DeviceStatic`]. [`Stream::record`] makes an [`Event`], and
//! [`Stream::wait`] makes another stream wait for it:
//!
//! ```
//! let device = offload::Device::new()?;
//! let (producer, consumer) = (device.new_stream()?, device.new_stream()?);
//! // launches in `producer` …
//! consumer.wait(&producer.record()?)?;
//! // launches in `consumer` run after those in `producer`
//! # Ok::<(), offload::Error>(())
//! ```
//!
//! # Who owns memory
//!
//! | memory | owner | how kernels access it |
//! |---|---|---|
//! | [`DeviceBuffer`] | the value on the host; dropping it frees the memory | `&buffer`, `&mut buffer` |
//! | [`PinnedBuffer`] | the value on the host | not at all: it is for copies |
//! | [`UnifiedBuffer`] | the value on the host | `&buffer`, `&mut buffer` |
//! | a slice of the host in a launch | the host; the launch makes a copy for itself | `&x[..]`, `&mut y[..]` |
//! | [`Device::map`], [`Device::map_mut`] | the host; the guard keeps a copy on the device | `&guard`, `&mut guard` |
//! | [`device_static!`] | the open device, which has its own copy | by its name |
//! | [`shared!`] | one block, while it runs | by its name |
//!
//! Rust's borrow rules apply to launches. A parameter `&[T]` takes a shared borrow (`&buffer`), and a parameter
//! [`DisjointSlice<T>`](DisjointSlice) takes an exclusive borrow (`&mut buffer`). rustc therefore refuses a launch that
//! reads and writes the same buffer through two arguments. The borrow ends when the launch returns, although the kernel
//! may still run. This is sound because every later use of the buffer is ordered after the kernel, and because dropping
//! the buffer waits for it.
//!
//! Within a kernel, many threads share one argument. A `&mut [T]` would give all of them the same elements, so it is
//! not a valid parameter. A `DisjointSlice<T>` gives each thread only the element with its own index.
//!
//! A slice of the host is copied to the device and back by each launch that takes it. A guard copies it once, and
//! borrows it until the guard is dropped:
//!
//! ```
//! use offload::{Device, DisjointSlice, Grid, kernel, prelude::*, thread};
//!
//! #[kernel]
//! fn double(mut values: DisjointSlice<u32>) {
//!     if let Some(value) = values.get_mut(thread::index_1d()) {
//!         *value *= 2;
//!     }
//! }
//!
//! let device = Device::new()?;
//! let stream = device.default_stream();
//! let mut values = [1, 2, 3];
//! double.launch(&stream, Grid::for_len(3, 32), (&mut values,))?; // copies to the device and back
//!
//! let mut guard = device.map_mut(&mut values)?; // copies to the device
//! double.launch(&stream, Grid::for_len(3, 32), (&mut guard,))?; // copies nothing
//! double.launch(&stream, Grid::for_len(3, 32), (&mut guard,))?;
//! guard.unmap()?; // copies back; dropping the guard does the same, but ignores errors
//! assert_eq!(values, [8, 16, 24]);
//! # Ok::<(), offload::Error>(())
//! ```
//!
//! A buffer belongs to one open [`Device`]. Opening the same device again gives a second `Device`, whose streams cannot
//! use the buffers of the first ([`Error::OtherDevice`]). Clone a `Device` to share it. The device closes when the last
//! of its clones, streams, events and buffers is dropped.
//!
//! A [`DeviceStatic`] also exists once for each open device, and once for the host; its documentation names the
//! exceptions. The host changes the device's copy with [`DeviceStatic::copy_from_host`], and reads it with
//! [`DeviceStatic::to_host`].
//!
//! # Panics and errors
//!
//! Calls of the host return [`Error`]. A launch that cannot start returns its error immediately: a shape beyond the
//! [`Limits`] of the device, a program without code for the device, a buffer of another device.
//!
//! A panic in a kernel is [`Error::Panicked`]. It ends neither the process nor the device. The next call that waits for
//! the stream returns it: [`Stream::synchronize`], [`Device::synchronize`], a copy to the host, or
//! [`MappedMut::unmap`]. If the kernel has ended when the launch returns, the launch itself returns the error. It is
//! returned once. A program that handles panics therefore treats the launch and the call that waits alike:
//!
//! ```
//! use offload::{Device, DeviceBuffer, Error, Grid, kernel, prelude::*, thread};
//!
//! #[kernel]
//! fn check(values: &[u32]) {
//!     assert!(values[thread::index_1d().get()] != 0, "a value is zero");
//! }
//!
//! let stream = Device::new()?.default_stream();
//! let values = DeviceBuffer::from_host(&stream, &[1, 0])?;
//! let launched = check.launch(&stream, Grid::for_len(2, 2), (&values,));
//! let result = launched.and_then(|()| stream.synchronize());
//! assert!(matches!(result, Err(Error::Panicked(text)) if text.contains("a value is zero")));
//!
//! assert_eq!(values.to_host_vec(&stream)?, [1, 0]); // the device and its memory remain valid
//! # Ok::<(), offload::Error>(())
//! ```
//!
//! Memory keeps the values that the kernel wrote before the panic. An [`Event`] becomes complete whether kernels panic
//! or not, so waiting for an event does not report a panic. Dropping a buffer, a stream or a guard waits if it must,
//! but ignores errors. If a panic must not be lost, wait for the stream.
//!
//! # Kernels without offloadc
//!
//! `cargo offloadc` compiles kernels for devices. A program that plain `cargo` builds has no device code, and runs all
//! the same: its only device is `cpu`, and a launch calls the host code of the kernel for every thread. A crate that
//! launches kernels can therefore be tested, published and installed with cargo alone. When such a program opens the
//! device, it prints one line on standard error, which says how to get device code. [`Device::open`] of any other
//! device is an error with the same advice.
//!
//! A library can also bring GPU code of its kernels to such programs: see [`baked!`](crate::baked!).
//!
//! The results are those of the device `cpu` in a program that offloadc has compiled: blocks run on all cores, a block
//! has its own shared memory, a warp has 32 lanes, and a panic is [`Error::Panicked`] with its place and thread.
//! The differences are:
//!
//! - Kernels are slower, because no compiler makes loops of the threads of a block. A thread that waits for others, at
//!   a barrier or in an operation of a warp, is suspended on its own stack. The environment variable `RUST_MIN_STACK`
//!   has the size of such a stack in bytes; the default is 2 MiB. An overflow ends the program with a message.
//! - Threads of a block share a thread of the system and its thread-locals. An access with the
//!   [`Index`](crate::thread::Index) of another thread panics.
//! - When a block fails, the stacks of its waiting threads are unwound, as a panic does: destructors run, and a
//!   `std::thread::scope` waits for its threads. A destructor that runs because of a panic cannot wait for other
//!   threads of a failed block: that is a second panic, which ends the program.
//! - An operation of a whole block, such as [`block::reduce`](crate::block::reduce), in a part of the block is an error
//!   of the launch. offloadc refuses such a kernel.
//! - Operations of a warp without a mask, such as [`warp::ballot`], must stand in the text of a function with
//!   `#[kernel]`. Elsewhere (in other functions, in closures, in macros) host code cannot tell which lanes are in the
//!   same iteration of a loop, and the launch returns [`Error::Failed`] with the place. A warp with one lane, and
//!   operations with a mask, work everywhere.
//! - `Box`, `Vec` and `String` use the memory of the host, and ignore
//!   [`heap_bytes`](crate::LaunchConfig::heap_bytes).
//! - Math functions such as `sin` are those of the host's C library, whose last bits can differ.
//! - With `panic = "abort"`, a panic of a kernel ends the program.
//! - [`device_println!`](crate::device_println) always prints. [`KernelInfo`](crate::KernelInfo) does not know launch
//!   bounds and bytes of shared memory. A launch that exceeds its bounds is refused all the same.
//! - Shared memory must be declared with [`shared!`](crate::shared!), and the intrinsics of LLVM do not exist.
//!
//! Without a device, kernels are ordinary functions of the host:
//!
//! - A direct call runs the kernel as one thread in one block.
//! - [`Kernel::run_on_host`] and [`run_on_host`] run a whole launch, with one thread of the operating
//!   system for each thread of a block. Barriers, shared memory and atomics work. A warp has one lane.
//! - Both work under Miri, which finds undefined behaviour and data races. There is no device under Miri.
//!
//! ```
//! use offload::{DisjointSlice, Grid, kernel, prelude::*, thread};
//!
//! #[kernel]
//! fn add(x: &[u32], mut y: DisjointSlice<u32>) {
//!     let i = thread::index_1d();
//!     if let Some(y) = y.get_mut(i) {
//!         *y += x[i.get()];
//!     }
//! }
//!
//! let mut y = [10, 20, 30];
//! add(&[1, 2, 3], DisjointSlice::from(&mut y[..])); // only thread 0
//! assert_eq!(y, [11, 20, 30]);
//! add.run_on_host(Grid::for_len(3, 2), (&[1, 2, 3], &mut y)); // all threads
//! assert_eq!(y, [12, 22, 33]);
//! ```
//!
//! In a program that offloadc has compiled, the default device is `cpu`, unless the environment variable
//! `OFFLOADRT_DEVICE` names another. It runs kernels with all optimisations, needs no driver, and is always present.
//! The function [`is_device`] distinguishes the code of a device from the code of the host. It is false in
//! `run_on_host` and in direct calls, and true on the device `cpu`, also in a program that plain `cargo` has built.
//!
//! # What is unsafe, and why
//!
//! Launches are safe. rustc checks the arguments against the parameters, and borrows them. A parameter's type decides
//! the accesses of its threads: [`Param`] is not implemented for types that would let safe code of several threads
//! write the same memory. Atomics ([`Atomic`]) are the safe way to share memory that threads write.
//!
//! Barriers and warp operations are safe, too. offloadc refuses a kernel with a barrier that not all threads of a block
//! provably reach. [`warp`] describes the effect of a missing lane of a mask, which is never undefined behaviour.
//!
//! The caller must guarantee something that the compiler cannot see for these:
//!
//! | `unsafe` | the caller guarantees |
//! |---|---|
//! | [`RawSlice::get`], [`RawSlice::set`] | the memory still exists, and there is no data race |
//! | [`RawSlice::atomic`], [`Atomic::with_scope`] | only threads of the scope use the element, and only atomically |
//! | [`DisjointSlice::get_unchecked_mut`] | the index is in bounds, and no other thread uses the element |
//! | [`SharedArray`], [`shared::dynamic`] | elements are written before they are read; there is no data race |
//! | [`DeviceStatic::store`], [`DeviceStatic::set`] | nothing else uses the static at the same time |
//! | [`DeviceStatic::copy_from_host`] | kernels in other streams do not use the static during the copy |
//! | [`DeviceBuffer::from_raw_parts`], [`DeviceBuffer::from_owner`] | the memory exists, and nothing else uses it |
//! | [`Stream::from_raw`] | the queue exists, and belongs to the device |
//! | [`Device::from_raw_context`] | the context exists until the device is closed |
//! | `unsafe impl` of [`DeviceCopy`], [`Zeroable`], `WarpValue` | the trait's requirements; the derives check them |
//!
//! The usual mistake is to access shared memory without a barrier. Miri and ThreadSanitizer can find such data races in
//! a test that calls [`Kernel::run_on_host`].

#[allow(unused_imports, reason = "only links use them")]
use crate::{
    Device, DeviceBuffer, DeviceCopy, DeviceStatic, DisjointSlice, Error, Event, Kernel, Limits, Mapped, MappedMut,
    Param, PinnedBuffer, RawSlice, SharedArray, Stream, UnifiedBuffer, Zeroable, atomic::Atomic, device_static,
    is_device, run_on_host, shared, warp,
};
