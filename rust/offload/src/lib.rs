//! GPU kernels in ordinary Rust. A kernel is a function or a closure in the same file as the host code that launches
//! it. `cargo offloadc` compiles both from the same source, for the devices that you name.
//!
//! ```
//! use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
//!     let i = thread::index_1d();
//!     if let Some(y) = y.get_mut(i) {
//!         *y += a * x[i.get()];
//!     }
//! }
//!
//! fn main() -> offload::Result<()> {
//!     let stream = Device::new()?.default_stream();
//!     let x = DeviceBuffer::from_host(&stream, &[1.0; 1000])?;
//!     let mut y = DeviceBuffer::from_host(&stream, &[2.0; 1000])?;
//!     saxpy.launch(&stream, Grid::for_len(1000, 256), (3.0, &x, &mut y))?;
//!     assert_eq!(y.to_host_vec(&stream)?, [5.0; 1000]);
//!     Ok(())
//! }
//! ```
//!
//! The module [`concepts`] explains [streams and ordering](concepts#streams-and-ordering), [who owns
//! memory](concepts#who-owns-memory), [panics and errors](concepts#panics-and-errors), [kernels without
//! offloadc](concepts#kernels-without-offloadc), and [`unsafe` functions](concepts#what-is-unsafe-and-why).
//!
//! # Overview
//!
//! | on the host | |
//! |---|---|
//! | devices and queues of work | [`Device`], [`Limits`], [`Stream`], [`Event`] |
//! | memory | [`DeviceBuffer`], [`PinnedBuffer`], [`UnifiedBuffer`], [`Device::map`], [`Device::map_mut`] |
//! | parts of memory | [`Part`], [`PartMut`] |
//! | launches | [`Kernel::launch`], [`Grid`], [`KernelInfo`] |
//! | launches of closures that capture slices | [`Stream::scope`] |
//! | memory of other libraries | [`DeviceBuffer::from_raw_parts`], [`DeviceBuffer::from_owner`], [`dlpack`] |
//! | streams of other libraries | [`Stream::from_raw`], [`Stream::as_raw`], [`Device::raw_context`] |
//! | errors | [`Error`] |
//! | unit tests | [`Kernel::run_on_host`], [`run_on_host`] |
//!
//! | in kernels | |
//! |---|---|
//! | position, barriers, fences, clocks | [`thread`] |
//! | reductions, scans, shuffles, votes | [`block`], [`warp`] |
//! | memory that threads write | [`DisjointSlice`], [`DisjointChunks`], [`DisjointBlocks`] |
//! | the same in two and three dimensions | [`DisjointRows`], [`DisjointLayers`] |
//! | memory with `unsafe` accesses | [`RawSlice`] |
//! | shared memory, statics of the device | [`shared!`], [`device_static!`] |
//! | constants that are set before the first launch | [`late_const!`] |
//! | atomics | [`atomic`] |
//! | floats of 16 bits, vectors of 2 and 4 numbers | [`num`] |
//! | functions as parameters | [`Closure`], [`DeviceFn`] |
//! | questions about the device | [`target`] |
//! | approximate functions, unrolled loops | [`fast`], [`unroll!`] |
//! | parameters for whose values code is compiled | [`Specialized`] |
//! | output | [`device_println!`] |
//! | calls of the host | [`host_call!`] |
//!
//! The items for kernels use only `core`. The module [`cuda`] has ten idioms of CUDA C++, and the same in Rust.
//!
//! # Features
//!
//! The features `half`, `num-complex`, `glam` and `nalgebra` implement [`DeviceCopy`] and [`Zeroable`] for the numbers,
//! vectors and matrices of these crates. The feature `half` also converts its floats from and to those of [`num`].
//!
//! The feature `bytemuck` adds `PodValue<T>`, which makes a [`DeviceCopy`] value of each `T` that implements `Pod`, and
//! implements `Pod` for the types of [`num`].
//!
//! The feature `tracing` opens a span of the crate `tracing` around each launch, copy and wait. The target is
//! `offload`, the level `DEBUG`, and the fields are `device`, `kernel`, `grid`, `block`, `direction` and `bytes`.
//!
//! The feature `devices` is for programs that plain `cargo` builds: it compiles the runtime for GPUs with the C
//! compiler of the host (`CC`, or `cc`), so that kernels of crates with [`baked!`] run there.
//!
//! # Building
//!
//! `cargo offloadc build`, `run` and `test` compile kernels for GPUs and for the processor. Plain `cargo` builds the
//! same program without device code: its only device is `cpu`, whose kernels are the host code that rustc has made of
//! them. See [kernels without offloadc](concepts#kernels-without-offloadc).

#![no_std]

extern crate std;

#[macro_use]
mod arities;
#[macro_use]
mod spans;

mod abi;
mod argument;
pub mod atomic;
mod atomic_arguments;
mod baked;
mod baked_sets;
mod binding;
pub mod block;
mod buffer;
mod buffer_arguments;
mod buffer_parts;
mod captures;
mod chunks;
#[cfg(doc)]
pub mod concepts;
mod contract;
mod core_values;
mod crates;
// A page of the manual, whose examples are tests there.
#[cfg(all(doc, not(doctest)))]
#[doc = include_str!("cuda.md")]
pub mod cuda {}
mod device;
mod device_copy;
pub mod dlpack;
mod error;
mod event;
mod export;
mod fallback;
pub mod fast;
mod ffi;
mod first_launch;
mod foreign;
mod function;
mod grid;
mod host;
mod host_arguments;
mod host_buffer;
mod host_call;
mod late;
mod launch;
mod layers;
mod layout;
mod limits;
mod mapped;
mod memory;
mod no_index;
pub mod num;
mod optional;
mod overlap;
mod param;
mod part;
mod part_copies;
mod part_shapes;
mod pinned_parts;
#[cfg(feature = "bytemuck")]
mod pod;
mod position;
mod print;
mod rank;
mod raw_parts;
mod refused;
mod rows;
mod scope;
pub mod shared;
mod slice;
mod slice_index;
mod specialized;
mod statics;
mod std_calls;
pub mod target;
pub mod thread;
mod unroll;
pub mod warp;

pub use argument::{Argument, Arguments};
pub use binding::Binding;
pub use buffer::DeviceBuffer;
pub use captures::Closure;
pub use chunks::DisjointChunks;
pub use device::{Device, Stream};
pub use device_copy::{DeviceCopy, Zeroable};
pub use error::{Error, Result};
pub use event::Event;
pub use foreign::ForeignValue;
pub use function::DeviceFn;
pub use grid::{Grid, LaunchConfig};
pub use host::run_on_host;
pub use host_arguments::{HostArgument, HostArguments};
pub use host_buffer::{PinnedBuffer, UnifiedBuffer};
pub use late::LateConst;
pub use launch::{Kernel, KernelInfo};
pub use layers::{DisjointLayers, LayersBits};
pub use limits::Limits;
pub use mapped::{Mapped, MappedMut};
/// ```
/// use std::alloc::Layout; // as a type of another crate
///
/// use offload::{Device, DeviceBuffer, DeviceCopy};
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// struct Star {
///     place: [f32; 3],
///     mass: f32,
///     #[device_copy(unsafe(foreign))] // two numbers
///     layout: Layout,
/// }
///
/// let stream = Device::new()?.default_stream();
/// let stars = DeviceBuffer::from_host(&stream, &[Star { place: [0.0; 3], mass: 1.0, layout: Layout::new::<u8>() }])?;
/// assert_eq!(stars.to_host_vec(&stream)?[0].mass, 1.0);
/// # Ok::<(), offload::Error>(())
/// ```
pub use offload_macros::DeviceCopy;
/// ```
/// use offload::{DeviceCopy, Zeroable};
///
/// #[derive(Clone, Copy, DeviceCopy, Zeroable)]
/// struct Star {
///     place: [f32; 3],
///     mass: f32,
/// }
///
/// assert_eq!(Star::ZERO.place, [0.0; 3]);
/// ```
pub use offload_macros::Zeroable;
/// ```
/// use offload::{DisjointSlice, kernel, thread};
///
/// #[kernel(launch_bounds(256))]
/// fn double(mut values: DisjointSlice<u32>) {
///     if let Some(value) = values.get_mut(thread::index_1d()) {
///         *value *= 2;
///     }
/// }
/// ```
pub use offload_macros::kernel;
pub use param::{Callable, Param, ParameterInfo, Params, ScopedCallable};
pub use part::{Part, PartMut};
pub use part_shapes::{Layers, Rows};
pub use pinned_parts::{PinnedPart, PinnedPartMut};
#[cfg(feature = "bytemuck")]
pub use pod::PodValue;
pub use rows::{DisjointRows, RowsBits};
pub use scope::{Scope, ScopedMemories, ScopedMemory, ScopedSlice};
pub use shared::{SharedArray, SharedCell};
pub use slice::{DisjointBlocks, DisjointSlice, RawSlice};
pub use slice_index::OwnIndex;
pub use specialized::Specialized;
pub use statics::DeviceStatic;
pub use thread::is_device;

/// The trait that gives kernels their methods.
///
/// ```
/// use offload::prelude::*;
///
/// fn nothing() {}
/// nothing.run_on_host(offload::Grid::for_len(4, 4), ());
/// ```
pub mod prelude {
    pub use crate::launch::Kernel;
    #[doc(hidden)]
    pub use crate::refused::{Refused as _, TooLong as _};
}

/// The items that the macros use. They are not part of the interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::baked::{baked_kernel, enter_baked};
    pub use crate::baked_sets::{Baked, BakedKernel};
    pub use crate::captures::{ClosureParameter, KernelFunction};
    pub use crate::contract::{__offload_fast_math, __offload_fp_contract, __offload_function};
    pub use crate::export::{Export, ExportParam, check_export};
    use crate::fallback;
    pub use crate::fallback::path::{Place, Text};
    pub use crate::foreign::{ForeignField, Word};
    pub use crate::function::DeviceFunction;
    pub use crate::host_call::host_call;
    pub use crate::late::{HostValue, LatePlace};
    pub use crate::launch::checked_kernel;
    pub use crate::layout::Layout;
    use crate::param::{Element, NoCollection, NoExclusiveReference, NoText};
    pub use crate::print::print_line;
    pub use crate::refused::{Reported, ResultWith};
    pub use crate::specialized::Specialized;
    pub use crate::statics::{StaticCell, StaticPlace};
    use crate::{Param, contract};
    pub use offload_macros::{baked_inputs, build_conditions, source_hash};

    /// Whether this code runs in a kernel of a program that offloadc has not compiled.
    #[inline(always)]
    pub fn is_fallback_kernel() -> bool {
        fallback::is_kernel()
    }

    /// A kernel with this text begins.
    #[inline(always)]
    pub fn enter(text: &'static Text) {
        if fallback::is_kernel() {
            fallback::block::enter(text);
        }
    }

    /// An iteration begins of the loop `index`, whose inner loops have the indices up to `end`.
    #[inline(always)]
    pub fn iteration(index: usize, end: usize) {
        if fallback::is_kernel() {
            fallback::block::iteration(index, end);
        }
    }

    /// The promise of a field with `#[device_copy(unsafe(foreign))]`.
    ///
    /// # Safety
    ///
    /// That of [`ForeignValue::new`](crate::ForeignValue::new).
    pub unsafe fn foreign<T: Copy + 'static>() {}

    pub const fn check_parameter<P: Param>() {}

    pub const fn check_element<E: Element>() {}

    pub const fn check_collection<P: NoCollection>() {}

    pub const fn check_text<P: NoText>() {}

    pub const fn check_exclusive_reference<P: NoExclusiveReference>() {}

    /// A type with no trait but `DeviceCopy` and those that it implies, for the number of a kernel's parameter.
    #[derive(Clone, Copy)]
    pub struct StandIn<const NUMBER: usize>(());

    // SAFETY: it has no bytes.
    unsafe impl<const NUMBER: usize> crate::DeviceCopy for StandIn<NUMBER> {}

    /// The result of a kernel, which `#[kernel]` writes as `<() as Checked<{CHECKS}>>::Result`, is `()`.
    pub trait Checked<const IS_CHECKED: bool> {
        type Result;
    }

    impl Checked<true> for () {
        type Result = ();
    }

    #[inline(always)]
    pub fn launch_bounds(threads: u32, blocks: u32) {
        if is_compiled() {
            contract::__offload_launch_bounds(threads, blocks);
        } else if fallback::is_kernel() {
            fallback::block::launch_bounds(threads);
        }
    }

    #[inline(always)]
    pub fn specialize_block_dim() {
        if is_compiled() {
            contract::__offload_specialize_block_dim();
        }
    }

    /// # Safety
    ///
    /// Memory that the kernel writes through one parameter must be reached through no other one.
    #[inline(always)]
    pub unsafe fn restrict() {
        if is_compiled() {
            contract::__offload_restrict();
        } else if fallback::is_kernel() {
            fallback::block::restrict();
        }
    }

    #[inline(always)]
    pub fn max_registers(count: u32) {
        if is_compiled() {
            contract::__offload_max_registers(count);
        }
    }

    #[inline(always)]
    pub fn unroll(count: u32) {
        if is_compiled() {
            contract::__offload_unroll(count);
        }
    }

    /// Whether offloadc has compiled this code for a device.
    #[inline(always)]
    pub fn is_compiled() -> bool {
        crate::thread::is_compiled()
    }

    #[inline(always)]
    pub fn block_size(x: u32, y: u32, z: u32) {
        if is_compiled() {
            contract::__offload_block_size(x, y, z);
        } else if fallback::is_kernel() {
            fallback::block::launch_bounds(x * y * z);
        }
    }
}
