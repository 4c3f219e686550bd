//! The position of a thread, barriers, fences and clocks.
//!
//! A launch is a grid of blocks, a block is a box of threads; each has up to three dimensions, counted from 0. Called
//! on the host outside [`run_on_host`](crate::run_on_host), there is one thread in one block.
//!
//! ```
//! use offload::{Grid, run_on_host, thread};
//!
//! run_on_host(Grid::for_rows(4, 2, (2, 2)), || {
//!     assert_eq!((thread::grid_dim::x(), thread::block_dim::y()), (2, 2));
//!     assert!(thread::block_id::x() < 2 && thread::id::y() < 2);
//!     thread::sync_threads();
//! });
//! ```

mod clock;
mod index;
mod operators;

use core::marker::PhantomData;

pub use clock::{clock, global_timer, nanosleep};
pub use index::{Index, Index2d, Index3d};

use crate::contract as device;
pub(crate) use crate::contract::is_compiled;
use crate::fallback;
use crate::host;
use crate::position::position;

/// Whether this is device code. The result is a constant before offloadc checks the code that a kernel reaches, so `if
/// is_device() { .. } else { println!() }` is a valid kernel. In a program that offloadc has not compiled, it is true
/// in a kernel that was launched.
///
/// ```
/// use offload::is_device;
///
/// fn report(value: f32) {
///     if is_device() {
///         offload::device_println!("{value}");
///     } else {
///         println!("{value} on the host");
///     }
/// }
///
/// report(0.5);
/// ```
#[doc(alias = "__CUDA_ARCH__")]
#[inline(always)]
pub fn is_device() -> bool {
    is_compiled() || fallback::is_kernel()
}

/// Whether one thread of the host runs the threads of a block one after another.
#[inline(always)]
pub(crate) fn is_processor() -> bool {
    arch() >> 24 == 1
}

/// The arch of the device as a number, which is a constant like [`is_device`]. The highest byte is 0 on the host, 1 on
/// the device `cpu`, 2 on NVIDIA's devices, 3 on AMD's devices, and 4 on devices that run SPIR-V. The lowest two bytes
/// are NVIDIA's number (80 for `sm_80`) or AMD's digits (0x90a for `gfx90a`).
///
/// ```
/// match offload::thread::arch() >> 24 {
///     2 => {} // code only for NVIDIA's devices
///     0 => println!("not on a device"),
///     _ => {}
/// }
/// ```
#[doc(alias = "__CUDA_ARCH__")]
#[inline(always)]
pub fn arch() -> u32 {
    if is_compiled() {
        device::__offload_arch()
    } else if fallback::is_kernel() {
        fallback::CPU
    } else {
        0
    }
}

macro_rules! dimensions {
    ($($(#[$doc:meta])* $name:ident: $x:ident $y:ident $z:ident, $field:ident;)*) => { $(
        $(#[$doc])*
        pub mod $name {
            use super::{device, is_compiled, position};

            /// Along x.
            ///
            /// ```
            #[doc = concat!("assert!(offload::thread::", stringify!($name), "::x() <= 1); // on the host, there is one thread")]
            /// ```
            #[inline(always)]
            pub fn x() -> u32 {
                if is_compiled() { device::$x() } else { position().$field[0] }
            }

            /// Along y.
            ///
            /// ```
            #[doc = concat!("assert!(offload::thread::", stringify!($name), "::y() <= 1); // on the host, there is one thread")]
            /// ```
            #[inline(always)]
            pub fn y() -> u32 {
                if is_compiled() { device::$y() } else { position().$field[1] }
            }

            /// Along z.
            ///
            /// ```
            #[doc = concat!("assert!(offload::thread::", stringify!($name), "::z() <= 1); // on the host, there is one thread")]
            /// ```
            #[inline(always)]
            pub fn z() -> u32 {
                if is_compiled() { device::$z() } else { position().$field[2] }
            }
        }
    )* };
}

dimensions! {
    /// The position of the thread in its block.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(4, 4), || assert!(thread::id::x() < 4));
    /// ```
    id: __offload_thread_id_x __offload_thread_id_y __offload_thread_id_z, thread_id;
    /// The position of the block in the grid.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(8, 4), || assert!(thread::block_id::x() < 2));
    /// ```
    block_id: __offload_block_id_x __offload_block_id_y __offload_block_id_z, block_id;
    /// The number of threads in a block.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(8, 4), || assert_eq!(thread::block_dim::x(), 4));
    /// ```
    block_dim: __offload_block_dim_x __offload_block_dim_y __offload_block_dim_z, block_dim;
    /// The number of blocks in the grid.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(8, 4), || assert_eq!(thread::grid_dim::x(), 2));
    /// ```
    grid_dim: __offload_grid_dim_x __offload_grid_dim_y __offload_grid_dim_z, grid_dim;
}

/// The long name of [`id`].
#[doc(no_inline)]
pub use self::id as thread_id;

/// The index of a thread without a valid index: no slice is that long.
pub(crate) const NOWHERE: usize = usize::MAX;

#[inline(always)]
fn x() -> usize {
    block_id::x() as usize * block_dim::x() as usize + id::x() as usize
}

#[inline(always)]
fn y() -> usize {
    block_id::y() as usize * block_dim::y() as usize + id::y() as usize
}

#[inline(always)]
fn z() -> usize {
    block_id::z() as usize * block_dim::z() as usize + id::z() as usize
}

/// The position of this thread along x in the whole grid. In a launch with more dimensions, only the threads of the
/// first row have a valid index; the others have an index that is larger than every slice.
///
/// ```
/// use offload::{Grid, run_on_host, thread};
///
/// run_on_host(Grid::for_len(8, 4), || {
///     assert_eq!(thread::index_1d().get(), (4 * thread::block_id::x() + thread::id::x()) as usize);
/// });
/// ```
#[doc(alias = "threadIdx")]
#[inline(always)]
pub fn index_1d() -> Index {
    if !is_compiled() {
        return Index::new(position().index_1d().unwrap_or(NOWHERE));
    }
    let first_row = (id::y() | id::z() | block_id::y() | block_id::z()) == 0;
    // A choice of two values, and no branch around the computation of one of them.
    let x = x();
    Index::new(if first_row { x } else { NOWHERE })
}

/// The position of this thread along x and y in the whole grid. In a launch with three dimensions, only the threads of
/// the first layer have a valid index.
///
/// ```
/// use offload::{Grid, run_on_host, thread};
///
/// run_on_host(Grid::for_rows(4, 6, (2, 3)), || {
///     let at = thread::index_2d();
///     assert_eq!(at.x(), (2 * thread::block_id::x() + thread::id::x()) as usize);
///     assert_eq!(at.y(), (3 * thread::block_id::y() + thread::id::y()) as usize);
/// });
/// ```
#[doc(alias = "threadIdx")]
#[inline(always)]
pub fn index_2d() -> Index2d {
    let first_layer = (id::z() | block_id::z()) == 0;
    let x = x();
    Index2d::new(if first_layer { x } else { NOWHERE }, y())
}

/// The position of this thread along x, y and z in the whole grid.
///
/// ```
/// use offload::{Grid, run_on_host, thread};
///
/// run_on_host(Grid::for_layers(2, 2, 4, (1, 2, 2)), || {
///     let at = thread::index_3d();
///     assert_eq!((at.x(), at.y()), (thread::block_id::x() as usize, thread::id::y() as usize));
///     assert_eq!(at.z(), (2 * thread::block_id::z() + thread::id::z()) as usize);
/// });
/// ```
#[doc(alias = "threadIdx")]
#[inline(always)]
pub fn index_3d() -> Index3d {
    Index3d::new(x(), y(), z())
}

/// The indices of this thread if fewer than `count` threads share the work: its position along x, then steps of the
/// number of threads (a grid-stride loop).
///
/// ```
/// use offload::{DisjointSlice, thread};
///
/// fn fill(mut values: DisjointSlice<u32>, value: u32) {
///     for index in thread::indices_1d(values.len()) {
///         *values.get_mut(index).unwrap() = value;
///     }
/// }
///
/// let mut values = [0; 3];
/// fill(DisjointSlice::from(&mut values[..]), 7);
/// assert_eq!(values, [7; 3]);
/// ```
///
/// # Panics
///
/// If `count` plus the number of threads is more than [`usize::MAX`].
#[doc(alias = "grid_stride")]
#[inline(always)]
pub fn indices_1d(count: usize) -> impl Iterator<Item = Index> {
    let step = grid_dim::x() as usize * block_dim::x() as usize;
    assert!(count <= usize::MAX - step, "too many indices for a grid-stride loop");
    Strided { next: index_1d().get(), count, step, own: PhantomData }
}

/// The indices of a grid-stride loop. `StepBy` would divide in each thread. As an [`Index`], it stays with its thread.
struct Strided {
    next: usize,
    count: usize,
    step: usize,
    own: PhantomData<*const ()>,
}

impl Iterator for Strided {
    type Item = Index;

    #[inline(always)]
    fn next(&mut self) -> Option<Index> {
        let index = self.next;
        if index >= self.count {
            return None;
        }
        // It does not wrap: the index is below the count.
        self.next = index.wrapping_add(self.step);
        Some(Index::new(index))
    }
}

/// Waits until every thread of the block has reached this call. All threads of the block then see the writes to shared
/// and global memory before it. Every thread of the block must reach the same call the same number of times.
///
/// See the example of [`shared!`](crate::shared!).
#[doc(alias("__syncthreads", "syncthreads", "barrier"))]
#[inline(always)]
pub fn sync_threads() {
    if is_compiled() { device::__offload_sync_threads() } else { host::wait_for_block() }
}

// The three fences are sequentially consistent; `atomic::fence` has the other orderings.
macro_rules! fences {
    ($($(#[$doc:meta])* $name:ident $cuda:ident $builtin:ident;)*) => { $(
        $(#[$doc])*
        ///
        /// ```
        #[doc = concat!("offload::thread::", stringify!($name), "();")]
        /// ```
        #[inline(always)]
        pub fn $name() {
            if is_compiled() {
                device::$builtin()
            } else {
                core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst)
            }
        }

        #[doc = concat!("[`", stringify!($name), "`] by its name in CUDA.")]
        ///
        /// ```
        #[doc = concat!("offload::thread::", stringify!($cuda), "();")]
        /// ```
        #[inline(always)]
        pub fn $cuda() {
            $name()
        }
    )* };
}

fences! {
    /// The threads of the block see the earlier writes of this thread before its later writes.
    fence_block threadfence_block __offload_fence_block;
    /// All threads of the device see the earlier writes of this thread before its later writes.
    fence_device threadfence __offload_fence_device;
    /// The host and all devices see the earlier writes of this thread before its later writes.
    fence_system threadfence_system __offload_fence_system;
}

macro_rules! cuda_names {
    ($($name:ident = $module:ident::$axis:ident;)*) => { $(
        #[doc = concat!("[`", stringify!($module), "::", stringify!($axis), "`](", stringify!($module), "::", stringify!($axis), ") by its name in CUDA.")]
        ///
        /// ```
        #[doc = concat!("assert_eq!(offload::thread::", stringify!($name), "(), offload::thread::", stringify!($module), "::", stringify!($axis), "());")]
        /// ```
        #[allow(non_snake_case, reason = "the name that users of CUDA know")]
        #[inline(always)]
        pub fn $name() -> u32 {
            $module::$axis()
        }
    )* };
}

cuda_names! {
    threadIdx_x = id::x;
    threadIdx_y = id::y;
    threadIdx_z = id::z;
    blockIdx_x = block_id::x;
    blockIdx_y = block_id::y;
    blockIdx_z = block_id::z;
    blockDim_x = block_dim::x;
    blockDim_y = block_dim::y;
    blockDim_z = block_dim::z;
    gridDim_x = grid_dim::x;
    gridDim_y = grid_dim::y;
    gridDim_z = grid_dim::z;
}
