//! Where a thread stands, and what the threads of a block do together.
//!
//! A launch is a grid of blocks, a block is a box of threads; each has up to three dimensions, counted from 0. Called on
//! the host outside [`run_on_host`](crate::run_on_host), there is one thread in one block.
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

use core::marker::PhantomData;

use crate::contract as device;
use crate::host;

/// Whether this is device code. A constant that is known before offloadc looks at what a kernel reaches, so that
/// `if is_device() { .. } else { println!() }` is a good kernel.
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
#[inline(always)]
pub fn is_device() -> bool {
    !cfg!(miri) && device::__offload_is_device()
}

/// The device's arch as a number, a constant as [`is_device`]. The highest byte is 0 on the host, 1 on the `cpu`, 2 on NVIDIA's
/// devices, 3 on AMD's, 4 where SPIR-V runs; the lowest two are NVIDIA's number (80 for `sm_80`) or AMD's digits (0x90a).
///
/// ```
/// match offload::thread::arch() >> 24 {
///     2 => {} // code for NVIDIA's devices alone
///     0 => println!("not on a device"),
///     _ => {}
/// }
/// ```
#[inline(always)]
pub fn arch() -> u32 {
    if is_device() { device::__offload_arch() } else { 0 }
}

macro_rules! dimensions {
    ($($(#[$doc:meta])* $name:ident: $x:ident $y:ident $z:ident, $field:ident;)*) => { $(
        $(#[$doc])*
        pub mod $name {
            use super::{device, host, is_device};

            /// Along x.
            ///
            /// ```
            #[doc = concat!("assert!(offload::thread::", stringify!($name), "::x() <= 1); // on the host, there is one thread")]
            /// ```
            #[inline(always)]
            pub fn x() -> u32 {
                if is_device() { device::$x() } else { host::position().$field[0] }
            }

            /// Along y.
            ///
            /// ```
            #[doc = concat!("assert!(offload::thread::", stringify!($name), "::y() <= 1); // on the host, there is one thread")]
            /// ```
            #[inline(always)]
            pub fn y() -> u32 {
                if is_device() { device::$y() } else { host::position().$field[1] }
            }

            /// Along z.
            ///
            /// ```
            #[doc = concat!("assert!(offload::thread::", stringify!($name), "::z() <= 1); // on the host, there is one thread")]
            /// ```
            #[inline(always)]
            pub fn z() -> u32 {
                if is_device() { device::$z() } else { host::position().$field[2] }
            }
        }
    )* };
}

dimensions! {
    /// The thread's place in its block.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(4, 4), || assert!(thread::id::x() < 4));
    /// ```
    id: __offload_thread_id_x __offload_thread_id_y __offload_thread_id_z, thread_id;
    /// The block's place in the grid.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(8, 4), || assert!(thread::block_id::x() < 2));
    /// ```
    block_id: __offload_block_id_x __offload_block_id_y __offload_block_id_z, block_id;
    /// Threads in a block.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(8, 4), || assert_eq!(thread::block_dim::x(), 4));
    /// ```
    block_dim: __offload_block_dim_x __offload_block_dim_y __offload_block_dim_z, block_dim;
    /// Blocks in the grid.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, thread};
    ///
    /// run_on_host(Grid::for_len(8, 4), || assert_eq!(thread::grid_dim::x(), 2));
    /// ```
    grid_dim: __offload_grid_dim_x __offload_grid_dim_y __offload_grid_dim_z, grid_dim;
}

/// [`id`] by its longer name.
#[doc(no_inline)]
pub use self::id as thread_id;

/// A number that no other thread of the launch has. Only the functions of this module make one, and it cannot be sent
/// to another thread: that is what makes [`DisjointSlice::get_mut`](crate::DisjointSlice::get_mut) safe.
///
/// See the example of [`index_1d`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index {
    value: usize,
    own: PhantomData<*const ()>,
}

impl Index {
    #[inline(always)]
    fn new(value: usize) -> Self {
        Index { value, own: PhantomData }
    }

    /// The number.
    ///
    /// ```
    /// assert_eq!(offload::thread::index_1d().get(), 0); // on the host, there is one thread
    /// ```
    #[inline(always)]
    pub fn get(self) -> usize {
        self.value
    }
}

impl From<Index> for usize {
    #[inline(always)]
    fn from(index: Index) -> usize {
        index.value
    }
}

/// A place in two dimensions that no other thread of the launch has.
///
/// See the example of [`index_2d`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index2d {
    x: usize,
    y: usize,
    own: PhantomData<*const ()>,
}

impl Index2d {
    /// The column.
    ///
    /// See the example of [`index_2d`].
    #[inline(always)]
    pub fn x(self) -> usize {
        self.x
    }

    /// The row.
    ///
    /// See the example of [`index_2d`].
    #[inline(always)]
    pub fn y(self) -> usize {
        self.y
    }
}

/// What no slice is as long as: the index of a thread that has none.
pub(crate) const NOWHERE: usize = usize::MAX;

#[inline(always)]
fn x() -> usize {
    block_id::x() as usize * block_dim::x() as usize + id::x() as usize
}

#[inline(always)]
fn y() -> usize {
    block_id::y() as usize * block_dim::y() as usize + id::y() as usize
}

/// This thread's place along x in the whole grid. In a launch of more dimensions only the threads of the first row have
/// one; the others get an index that no slice is as long as.
///
/// ```
/// use offload::{Grid, run_on_host, thread};
///
/// run_on_host(Grid::for_len(8, 4), || {
///     assert_eq!(thread::index_1d().get(), (4 * thread::block_id::x() + thread::id::x()) as usize);
/// });
/// ```
#[inline(always)]
pub fn index_1d() -> Index {
    let first_row = (id::y() | id::z() | block_id::y() | block_id::z()) == 0;
    Index::new(if first_row { x() } else { NOWHERE })
}

/// This thread's place along x and y in the whole grid. In a launch of three dimensions only the threads of the first
/// layer have one.
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
#[inline(always)]
pub fn index_2d() -> Index2d {
    let first_layer = (id::z() | block_id::z()) == 0;
    Index2d { x: if first_layer { x() } else { NOWHERE }, y: y(), own: PhantomData }
}

/// The indices of this thread when fewer threads than `count` share the work: its place along x, then every so many
/// threads further on.
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
#[inline(always)]
pub fn indices_1d(count: usize) -> impl Iterator<Item = Index> {
    let step = grid_dim::x() as usize * block_dim::x() as usize;
    (index_1d().get()..count).step_by(step).map(Index::new)
}

/// Waits until every thread of the block is here; what they wrote to shared and global memory before is then seen by
/// all. Every thread of the block must come to the same call the same number of times.
///
/// See the example of [`shared!`](crate::shared!).
#[inline(always)]
pub fn sync_threads() {
    if is_device() { device::__offload_sync_threads() } else { host::wait_for_block() }
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
            if is_device() {
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
    /// What this thread wrote is seen by the threads of its block before what it writes later.
    fence_block threadfence_block __offload_fence_block;
    /// What this thread wrote is seen by all threads of the device before what it writes later.
    fence_device threadfence __offload_fence_device;
    /// What this thread wrote is seen by the host and all devices before what it writes later.
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
