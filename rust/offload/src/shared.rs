//! Shared memory, which the threads of one block have in common. It is uninitialised when a block begins.
//!
//! See the example of [`shared!`](crate::shared!) for memory of a declared size, and of [`dynamic`] for memory whose
//! size the launch chooses.

use core::any::TypeId;
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;
use core::ops::{Deref, Index};
use std::boxed::Box;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::atomic::{Atomic, AtomicValue, scope};
use crate::contract;
use crate::device_copy::DeviceCopy;
use crate::fallback;
use crate::host;
use crate::slice::RawSlice;
use crate::thread::is_compiled;

/// `N` elements of shared memory, as a static that [`shared!`](crate::shared!) declares.
///
/// See the example of [`shared!`](crate::shared!).
#[doc(alias = "__shared__")]
#[repr(transparent)]
pub struct SharedArray<T, const N: usize> {
    elements: UnsafeCell<MaybeUninit<[T; N]>>,
}

// SAFETY: every access is unsafe and documents its requirements.
unsafe impl<T: DeviceCopy, const N: usize> Sync for SharedArray<T, N> {}

impl<const N: usize> SharedArray<u64, N> {
    /// The same memory for as many values of another type; none if they are larger.
    #[inline(always)]
    pub(crate) fn holding<T: DeviceCopy>(&self) -> Option<RawSlice<T>> {
        let fits = size_of::<T>() <= size_of::<u64>() && align_of::<T>() <= align_of::<u64>();
        fits.then(|| RawSlice::new(self.place().cast(), N))
    }
}

impl<T: DeviceCopy, const N: usize> SharedArray<T, N> {
    /// The address of the block's array. Without offloadc, blocks that run at the same time have separate memory.
    #[inline(always)]
    fn place(&self) -> *mut MaybeUninit<[T; N]> {
        let place = self.elements.get();
        if fallback::is_kernel() { fallback::block::shared_array(place) } else { place }
    }

    /// Returns uninitialised memory, which [`shared!`](crate::shared!) uses as the initial value.
    ///
    /// ```
    /// use offload::SharedArray;
    ///
    /// #[unsafe(link_section = ".offload.shared")] // as `shared!` writes it
    /// static TILE: SharedArray<f32, 64> = SharedArray::uninit();
    /// assert_eq!(TILE.len(), 64);
    /// ```
    pub const fn uninit() -> Self {
        SharedArray { elements: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    /// The number of elements.
    ///
    /// ```
    /// offload::shared! { static TILE: [f32; 64]; }
    /// assert_eq!(TILE.len(), 64);
    /// ```
    #[inline(always)]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether the array is empty.
    ///
    /// ```
    /// offload::shared! { static TILE: [f32; 64]; }
    /// assert!(!TILE.is_empty());
    /// ```
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }

    /// Returns the element at `index`.
    ///
    /// ```
    /// offload::shared! { static TILE: [f32; 64]; }
    /// // SAFETY: the only thread has set it.
    /// unsafe {
    ///     TILE.set(5, 0.5);
    ///     assert_eq!(TILE.get(5), 0.5);
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such element.
    ///
    /// # Safety
    ///
    /// A thread of the block must have set the element, and either that thread is this thread, or a
    /// [`sync_threads`](crate::thread::sync_threads) separates the two calls.
    #[inline(always)]
    pub unsafe fn get(&self, index: usize) -> T {
        // SAFETY: the caller meets the requirements of the function.
        unsafe { self.as_raw().get(index) }
    }

    /// Sets the element at `index`.
    ///
    /// See the example of [`get`](Self::get).
    ///
    /// # Panics
    ///
    /// If there is no such element.
    ///
    /// # Safety
    ///
    /// No other thread of the block may read or set the element before the next
    /// [`sync_threads`](crate::thread::sync_threads).
    #[inline(always)]
    pub unsafe fn set(&self, index: usize, value: T) {
        // SAFETY: the caller meets the requirements of the function.
        unsafe { self.as_raw().set(index, value) }
    }

    /// Returns the element at `index` as an atomic for all threads of the block.
    ///
    /// ```
    /// use offload::atomic::AtomicOrdering::Relaxed;
    /// use offload::{Grid, run_on_host, shared, thread};
    ///
    /// fn count_even() {
    ///     shared! { static EVEN: [u32; 1]; }
    ///     // SAFETY: one thread sets it, and until the last barrier all use it atomically.
    ///     let even = unsafe {
    ///         if thread::id::x() == 0 {
    ///             EVEN.set(0, 0);
    ///         }
    ///         thread::sync_threads();
    ///         EVEN.atomic(0)
    ///     };
    ///     even.fetch_add(u32::from(thread::id::x() % 2 == 0), Relaxed);
    ///     thread::sync_threads();
    ///     assert_eq!(even.load(Relaxed), 16);
    /// }
    ///
    /// run_on_host(Grid::for_len(32, 32), count_even);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such element.
    ///
    /// # Safety
    ///
    /// A thread of the block must have set the element, and either that thread is this thread, or a
    /// [`sync_threads`](crate::thread::sync_threads) separates the two calls.
    #[inline(always)]
    pub unsafe fn atomic(&self, index: usize) -> &Atomic<T, scope::Block>
    where
        T: AtomicValue,
    {
        // SAFETY: the caller promises the rest, and only threads of the block access its shared memory.
        unsafe { self.as_raw().atomic(index) }
    }

    /// Returns the elements as cells: `tile[i].set(value)`, `tile[i].get()`, and in two dimensions `tile[k][j].get()`.
    /// The compiler cannot check the accesses of other threads of the block, so there is no `TILE[i]` without `unsafe`.
    ///
    /// ```
    /// use offload::{Grid, run_on_host, shared, thread};
    ///
    /// fn transpose_block() {
    ///     shared! { static TILE: [[u32; 8]; 8]; }
    ///     // SAFETY: each thread sets its own element, and all are set before one is read.
    ///     let tile = unsafe { TILE.cells() };
    ///     let (x, y) = (thread::id::x() as usize, thread::id::y() as usize);
    ///     tile[y][x].set((8 * y + x) as u32);
    ///     thread::sync_threads();
    ///     assert_eq!(tile[x][y].get(), (8 * x + y) as u32);
    /// }
    ///
    /// run_on_host(Grid::for_rows(8, 8, (8, 8)), transpose_block);
    /// ```
    ///
    /// # Safety
    ///
    /// Each `get` and `set` of a cell must fulfil the requirements of [`get`](Self::get) and [`set`](Self::set).
    #[inline(always)]
    pub unsafe fn cells(&self) -> &[SharedCell<T>] {
        // SAFETY: the array has `N` elements, a cell has the layout of its value, and the caller promises the rest.
        unsafe { core::slice::from_raw_parts(self.place().cast(), N) }
    }

    /// The address and the length.
    ///
    /// ```
    /// offload::shared! { static TILE: [f32; 64]; }
    /// assert_eq!(TILE.as_raw().len(), 64);
    /// ```
    #[inline(always)]
    pub fn as_raw(&self) -> RawSlice<T> {
        RawSlice::new(self.place().cast(), N)
    }
}

/// An element of shared memory that the threads of a block access in turn: a [`Cell`], which has the elements of an
/// array as cells, too.
///
/// See the example of [`SharedArray::cells`].
#[repr(transparent)]
pub struct SharedCell<T> {
    value: Cell<T>,
}

impl<T> Deref for SharedCell<T> {
    type Target = Cell<T>;

    #[inline(always)]
    fn deref(&self) -> &Cell<T> {
        &self.value
    }
}

impl<T, const N: usize> Index<usize> for SharedCell<[T; N]> {
    type Output = SharedCell<T>;

    #[inline(always)]
    fn index(&self, index: usize) -> &SharedCell<T> {
        // SAFETY: an array consists of its elements, and a cell has the layout of its value. There is no reference to a
        // value, as with `Cell::as_slice_of_cells`.
        let cells: &[SharedCell<T>; N] = unsafe { &*self.value.as_ptr().cast() };
        &cells[index]
    }
}

/// The array that a `let` of [`shared!`](crate::shared!) declares, of which each `Key` has another one.
#[doc(hidden)]
#[inline(always)]
pub fn named<Key: 'static, T: DeviceCopy, const N: usize>() -> &'static SharedArray<T, N> {
    if !is_compiled() {
        return on_host::<Key, T, N>();
    }
    let name: fn() -> [&'static str; 2] = name::<Key, T, N>;
    let (size, align) = (size_of::<SharedArray<T, N>>(), align_of::<SharedArray<T, N>>());
    let place = contract::__offload_shared_array(name as *const (), size, align);
    // SAFETY: the memory has the size and the alignment of the array, which may be uninitialised, and exists as long as
    // the block. All accesses of its elements are unsafe.
    unsafe { &*place.cast() }
}

/// A function for each array. Its result differs, so that no two of these functions are merged.
fn name<Key, T, const N: usize>() -> [&'static str; 2] {
    [core::any::type_name::<Key>(), core::any::type_name::<[T; N]>()]
}

/// The same on the host: an array that exists until the program ends, as a static does.
fn on_host<Key: 'static, T: DeviceCopy, const N: usize>() -> &'static SharedArray<T, N> {
    static ARRAYS: Mutex<BTreeMap<TypeId, usize>> = Mutex::new(BTreeMap::new());
    let mut arrays = ARRAYS.lock().unwrap_or_else(PoisonError::into_inner);
    let address = *arrays.entry(TypeId::of::<(Key, SharedArray<T, N>)>()).or_insert_with(|| {
        let array: &'static SharedArray<T, N> = Box::leak(Box::new(SharedArray::uninit()));
        (&raw const *array).expose_provenance()
    });
    // SAFETY: the array of this type is never freed, and all accesses of its elements are unsafe.
    unsafe { &*core::ptr::with_exposed_provenance(address) }
}

/// Declares shared memory: one array for each block that runs.
///
/// ```
/// use offload::{shared, thread};
///
/// fn reverse_block() {
///     shared! { static TILE: [u32; 64]; }
///     let i = thread::id::x() as usize;
///     // SAFETY: each thread sets its own element, and all are set before one is read.
///     unsafe {
///         TILE.set(i, i as u32);
///         thread::sync_threads();
///         assert_eq!(TILE.get(63 - i), 63 - i as u32);
///     }
/// }
///
/// offload::run_on_host(offload::Grid::for_len(64, 64), reverse_block);
/// ```
///
/// A static cannot depend on the parameters of a generic function. There, a `let` declares a reference to an array, of
/// which each instance of the function has its own:
///
/// ```
/// use offload::{DeviceCopy, DisjointSlice, Grid, kernel, prelude::*, shared, thread};
///
/// #[kernel]
/// fn reverse<T: DeviceCopy, const N: usize>(mut values: DisjointSlice<T>) {
///     shared! { let tile: [T; N]; }
///     let (i, here) = (thread::index_1d(), thread::id::x() as usize);
///     // SAFETY: each thread sets its own element, and all are set before one is read.
///     unsafe {
///         tile.set(here, values[i]);
///         thread::sync_threads();
///         values[i] = tile.get(N - 1 - here);
///     }
/// }
///
/// let mut values = [1, 2, 3, 4];
/// reverse::<u32, 4>.run_on_host(Grid::for_len(4, 4), (&mut values,));
/// assert_eq!(values, [4, 3, 2, 1]);
/// ```
#[doc(alias = "__shared__")]
#[macro_export]
macro_rules! shared {
    ($($visibility:vis static $name:ident: [$ty:ty; $len:expr];)+) => { $(
        #[unsafe(link_section = ".offload.shared")]
        $visibility static $name: $crate::SharedArray<$ty, { $len }> = $crate::SharedArray::uninit();
    )+ };
    // A word is passed on as it is, because it may be a parameter of the function. Other lengths are expressions.
    (let $name:ident: [$ty:ty; $len:tt]; $($others:tt)*) => {
        $crate::__shared_let!($name, $ty, $len);
        $crate::shared!($($others)*);
    };
    (let $name:ident: [$ty:ty; $len:expr]; $($others:tt)*) => {
        $crate::__shared_let!($name, $ty, { $len });
        $crate::shared!($($others)*);
    };
    () => {};
    ($($other:tt)*) => {
        ::core::compile_error!("expected `static NAME: [T; N];`, or `let name: [T; N];` in a generic kernel: shared \
            memory is arrays, without `mut` and without a first value; `NAME.set(index, value)` sets an element")
    };
}

/// One `let` of [`shared!`](crate::shared!).
#[doc(hidden)]
#[macro_export]
macro_rules! __shared_let {
    ($name:ident, $ty:ty, $len:tt) => {
        let $name: &'static $crate::SharedArray<$ty, $len> = {
            #[allow(non_camel_case_types, reason = "it has the name of the array")]
            enum $name<const LINE: u32, const COLUMN: u32> {}
            $crate::shared::named::<$name<{ ::core::line!() }, { ::core::column!() }>, $ty, $len>()
        };
    };
}

/// Returns the dynamic shared memory of the block ([`LaunchConfig::shared_mem_bytes`](crate::LaunchConfig)): its
/// address, with the number of elements that the caller states.
///
/// ```
/// use offload::{Grid, run_on_host, shared, thread};
///
/// fn last_of_block() {
///     let (here, len) = (thread::id::x() as usize, thread::block_dim::x() as usize);
///     // SAFETY: the launch reserves 4 bytes for each thread, and each thread sets its element before the barrier.
///     unsafe {
///         let tile = shared::dynamic::<u32>(len);
///         tile.set(here, here as u32);
///         thread::sync_threads();
///         assert_eq!(tile.get(len - 1), 31);
///     }
/// }
///
/// run_on_host(Grid::for_len(64, 32).with_shared_bytes(32 * 4), last_of_block);
/// ```
///
/// # Panics
///
/// If the launch has reserved less than `len * size_of::<T>()` bytes.
///
/// # Safety
///
/// The alignment of `T` must not exceed 16 bytes.
#[doc(alias("extern__shared__", "DynamicSharedArray"))]
#[inline(always)]
#[track_caller]
pub unsafe fn dynamic<T: DeviceCopy>(len: usize) -> RawSlice<T> {
    // SAFETY: the caller promises the same.
    unsafe { dynamic_at(0, len) }
}

/// Returns a part of the dynamic shared memory of the block, which begins `offset` bytes after its start: for arrays of
/// several types in one launch.
///
/// ```
/// use offload::{Grid, run_on_host, shared, thread};
///
/// fn pairs() {
///     let (here, len) = (thread::id::x() as usize, thread::block_dim::x() as usize);
///     // SAFETY: the launch reserves 12 bytes for each thread, and each sets its elements before the barrier.
///     unsafe {
///         let (weights, counts) = (shared::dynamic::<f64>(len), shared::dynamic_at::<u32>(8 * len, len));
///         weights.set(here, 0.5);
///         counts.set(here, here as u32);
///         thread::sync_threads();
///         assert_eq!((weights.get(0), counts.get(len - 1)), (0.5, 31));
///     }
/// }
///
/// run_on_host(Grid::for_len(64, 32).with_shared_bytes(32 * 12), pairs);
/// ```
///
/// # Panics
///
/// If the launch has reserved less than `offset + len * size_of::<T>()` bytes.
///
/// # Safety
///
/// `offset` must be a multiple of the alignment of `T`, which must not exceed 16 bytes.
#[doc(alias("extern__shared__", "DynamicSharedArray"))]
#[inline(always)]
#[track_caller]
pub unsafe fn dynamic_at<T: DeviceCopy>(offset: usize, len: usize) -> RawSlice<T> {
    let (start, reserved) = if is_compiled() {
        (contract::__offload_dynamic_shared(), contract::__offload_dynamic_shared_size() as usize)
    } else {
        host::dynamic_shared()
    };
    let used = len.saturating_mul(size_of::<T>()).saturating_add(offset);
    assert!(
        used <= reserved,
        "more dynamic shared memory than the launch reserves: `Grid::with_shared_bytes` takes the bytes for each block"
    );
    // SAFETY: the memory reaches as far.
    RawSlice::new(unsafe { start.add(offset) }.cast(), len)
}
