//! Memory in kernels: [`DisjointSlice`], in which each thread accesses only its own element, and [`RawSlice`], whose
//! accesses are `unsafe`.

use core::marker::PhantomData;

use crate::atomic::{Atomic, AtomicValue, Scope};
use crate::device_copy::{DeviceCopy, plain};
use crate::layout::Layout;
use crate::rank::Leader;
use crate::thread::{self, Index};

/// Marks a type whose values a thread cannot send to another thread. A thread that a kernel starts on the host would
/// have the same [`Index`] as a thread of the launch.
pub(crate) type Borrowed<'a, T> = PhantomData<(&'a mut [T], *const ())>;

/// An address on a device and a number of elements. Every access is `unsafe`: nothing guarantees that the memory still
/// exists, or that no other thread writes to it.
///
/// A raw slice has no lifetime. One would not say more: a launch returns before its kernel ends, kernels keep raw
/// slices in other memory of the device, as a table of buffers does, and the memory may be that of another library. It
/// would only give a lifetime to every struct with a raw slice. The `unsafe` block in a kernel therefore promises for
/// all launches of the kernel that the memory exists while it runs. Keep such a kernel private, and launch it in a
/// function that owns or borrows the buffers until the stream has been synchronized.
///
/// ```
/// use offload::RawSlice;
///
/// fn swap(values: RawSlice<u32>) {
///     // SAFETY: only one thread runs, and the values exist.
///     unsafe {
///         let first = values.get(0);
///         values.set(0, values.get(1));
///         values.set(1, first);
///     }
/// }
///
/// let mut values = [1, 2];
/// swap(RawSlice::from(&mut values[..]));
/// assert_eq!(values, [2, 1]);
/// ```
#[doc(alias = "CUdeviceptr")]
pub struct RawSlice<T> {
    pointer: *mut T,
    len: usize,
}

impl<T> Clone for RawSlice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RawSlice<T> {}

// SAFETY: the value consists of an address and a length, and every access is unsafe.
unsafe impl<T: 'static> DeviceCopy for RawSlice<T> {
    #[inline(always)]
    fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
        each(self.pointer.cast_const().cast(), self.len.wrapping_mul(size_of::<T>()));
    }
    plain!(unknown "a `RawSlice`");
}

// SAFETY: as above.
unsafe impl<T> Send for RawSlice<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for RawSlice<T> {}

impl<T> RawSlice<T> {
    pub(crate) fn layout_of_bits(layout: &mut Layout) {
        layout.plain::<Self>();
        layout.field("pointer", core::mem::offset_of!(Self, pointer));
        layout.field("len", core::mem::offset_of!(Self, len));
    }

    pub(crate) fn new(pointer: *mut T, len: usize) -> Self {
        RawSlice { pointer, len }
    }

    /// The number of elements.
    ///
    /// ```
    /// assert_eq!(offload::RawSlice::from(&mut [1, 2, 3][..]).len(), 3);
    /// ```
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether the slice is empty.
    ///
    /// ```
    /// assert!(!offload::RawSlice::from(&mut [1, 2, 3][..]).is_empty());
    /// ```
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The address on the device.
    ///
    /// ```
    /// let mut values = [1, 2, 3];
    /// assert_eq!(offload::RawSlice::from(&mut values[..]).as_ptr(), values.as_ptr());
    /// ```
    #[inline(always)]
    pub fn as_ptr(self) -> *const T {
        self.pointer
    }

    /// The address on the device.
    ///
    /// ```
    /// let mut values = [1, 2, 3];
    /// // SAFETY: the value exists, and nothing else uses it.
    /// unsafe { offload::RawSlice::from(&mut values[..]).as_mut_ptr().write(7) };
    /// assert_eq!(values, [7, 2, 3]);
    /// ```
    #[inline(always)]
    pub fn as_mut_ptr(self) -> *mut T {
        self.pointer
    }

    /// Returns the element at `index`.
    ///
    /// See the example of [`RawSlice`].
    ///
    /// # Panics
    ///
    /// If there is no such element.
    ///
    /// # Safety
    ///
    /// The buffer must still exist, and no other thread may write the element at the same time.
    #[inline(always)]
    pub unsafe fn get(self, index: usize) -> T
    where
        T: Copy,
    {
        assert!(index < self.len, "no such element in a RawSlice");
        // SAFETY: the index is in bounds, and the caller promises the rest.
        unsafe { self.pointer.add(index).read() }
    }

    /// Sets the element at `index`.
    ///
    /// See the example of [`RawSlice`].
    ///
    /// # Panics
    ///
    /// If there is no such element.
    ///
    /// # Safety
    ///
    /// The buffer must still exist, and no other thread may read or write the element at the same time.
    #[inline(always)]
    pub unsafe fn set(self, index: usize, value: T)
    where
        T: Copy,
    {
        assert!(index < self.len, "no such element in a RawSlice");
        // SAFETY: the index is in bounds, and the caller promises the rest.
        unsafe { self.pointer.add(index).write(value) }
    }

    /// Returns the element at `index` as an atomic for the threads of the scope `S`. In launch-sized shared memory, `S`
    /// is the block: `tile.atomic::<scope::Block>(i)`.
    ///
    /// ```
    /// use offload::{RawSlice, atomic::AtomicOrdering::Relaxed, atomic::scope};
    ///
    /// let mut counts = [0, 0];
    /// let raw = RawSlice::from(&mut counts[..]);
    /// // SAFETY: the counts exist, and nothing else uses them.
    /// unsafe { raw.atomic::<scope::Device>(1) }.fetch_add(1, Relaxed);
    /// assert_eq!(counts, [0, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no such element.
    ///
    /// # Safety
    ///
    /// The buffer must exist for `'a` and contain a value at `index`. While a thread uses the atomic, only threads in
    /// the scope `S` may use it, and no thread may get or set the element in another way.
    #[inline(always)]
    pub unsafe fn atomic<'a, S: Scope>(self, index: usize) -> &'a Atomic<T, S>
    where
        T: AtomicValue,
    {
        assert!(index < self.len, "no such element in a RawSlice");
        // SAFETY: the index is in bounds, and the caller promises the rest.
        unsafe { Atomic::from_ptr(self.pointer.add(index)) }
    }
}

/// Makes a slice to call a kernel on the host. It does not borrow the memory.
///
/// ```
/// use offload::RawSlice;
///
/// let mut values = [1, 2, 3];
/// let raw = RawSlice::from(&mut values[..]);
/// // SAFETY: the values exist, and nothing else uses them.
/// assert_eq!(unsafe { raw.get(2) }, 3);
/// ```
impl<T> From<&mut [T]> for RawSlice<T> {
    fn from(slice: &mut [T]) -> Self {
        RawSlice { pointer: slice.as_mut_ptr(), len: slice.len() }
    }
}

/// Mutable memory that all threads of a launch share. Each thread accesses only the element of its own [`Index`], so no
/// two threads can write the same element.
///
/// ```
/// use offload::{DisjointSlice, thread};
///
/// fn double(mut values: DisjointSlice<u32>) {
///     if let Some(value) = values.get_mut(thread::index_1d()) {
///         *value *= 2;
///     }
/// }
///
/// // On the host it is an ordinary function, called by one thread.
/// let mut values = [21, 5];
/// double(DisjointSlice::from(&mut values[..]));
/// assert_eq!(values, [42, 5]);
/// ```
#[doc(alias = "__restrict__")]
pub struct DisjointSlice<'a, T> {
    raw: RawSlice<T>,
    borrowed: Borrowed<'a, T>,
}

impl<'a, T> DisjointSlice<'a, T> {
    /// Returns the slice of one thread.
    ///
    /// # Safety
    ///
    /// The memory must exist for `'a`, and all accesses must go through such slices of the same launch.
    #[inline(always)]
    pub(crate) unsafe fn from_raw(raw: RawSlice<T>) -> Self {
        DisjointSlice { raw, borrowed: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn as_raw(&self) -> RawSlice<T> {
        self.raw
    }

    /// The number of elements.
    ///
    /// ```
    /// assert_eq!(offload::DisjointSlice::from(&mut [1, 2, 3][..]).len(), 3);
    /// ```
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.raw.len
    }

    /// Whether the slice is empty.
    ///
    /// ```
    /// assert!(!offload::DisjointSlice::from(&mut [1, 2, 3][..]).is_empty());
    /// ```
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.raw.len == 0
    }

    /// Returns the element of this thread, if there is one at its index.
    ///
    /// ```
    /// use offload::{DisjointSlice, thread};
    ///
    /// let mut values = [1, 2, 3];
    /// let mut shared = DisjointSlice::from(&mut values[..]);
    /// assert_eq!(shared.get_mut(thread::index_1d()), Some(&mut 1)); // on the host, thread 0
    /// ```
    ///
    /// # Panics
    ///
    /// If the index belongs to another thread, in a program that offloadc has not compiled.
    #[inline(always)]
    #[track_caller]
    pub fn get_mut(&mut self, index: Index) -> Option<&mut T> {
        let index = index.own();
        // SAFETY: the index belongs to one thread of the launch, and `self` is borrowed as long as the element.
        (index < self.raw.len).then(|| unsafe { &mut *self.raw.pointer.add(index) })
    }

    /// Returns the element of this thread and its index, if there is one: [`index_1d`](crate::thread::index_1d) and
    /// [`get_mut`](Self::get_mut) in one call.
    ///
    /// ```
    /// use offload::{DisjointSlice, Grid, kernel, prelude::*};
    ///
    /// #[kernel]
    /// fn add(a: &[f32], b: &[f32], mut c: DisjointSlice<f32>) {
    ///     if let Some((c, i)) = c.get_mut_indexed() {
    ///         *c = a[i.get()] + b[i.get()];
    ///     }
    /// }
    ///
    /// let mut c = [0.0; 2];
    /// add.run_on_host(Grid::for_len(2, 2), (&[1.0, 2.0], &[0.5, 0.25], &mut c));
    /// assert_eq!(c, [1.5, 2.25]);
    /// ```
    #[inline(always)]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, Index)> {
        let index = thread::index_1d();
        self.get_mut(index).map(|element| (element, index))
    }

    /// Returns several elements of this thread at once, if there is one at each index and no index appears twice.
    /// [`indices_1d`](crate::thread::indices_1d) makes more than one index of a thread.
    ///
    /// ```
    /// use offload::{DisjointSlice, Grid, kernel, prelude::*, thread};
    ///
    /// /// Swaps the halves of a slice, with a thread for each pair of elements.
    /// #[kernel]
    /// fn swap_halves(mut values: DisjointSlice<u32>) {
    ///     let mut own = thread::indices_1d(values.len());
    ///     let (Some(a), Some(b)) = (own.next(), own.next()) else { return };
    ///     if let Some([a, b]) = values.get_disjoint_mut([a, b]) {
    ///         core::mem::swap(a, b);
    ///     }
    /// }
    ///
    /// let mut values = [1, 2, 3, 4];
    /// swap_halves.run_on_host(Grid::for_len(2, 2), (&mut values,));
    /// assert_eq!(values, [3, 4, 1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// If an index belongs to another thread, in a program that offloadc has not compiled.
    #[inline(always)]
    #[track_caller]
    pub fn get_disjoint_mut<const N: usize>(&mut self, indices: [Index; N]) -> Option<[&mut T; N]> {
        let twice = |at: usize| indices[..at].contains(&indices[at]);
        let good = (0..N).all(|at| indices[at].own() < self.raw.len && !twice(at));
        // SAFETY: the indices are in bounds, they belong to one thread of the launch, and no two are the same.
        good.then(|| indices.map(|index| unsafe { &mut *self.raw.pointer.add(index.get()) }))
    }

    /// Returns all elements of this thread with their indices, if fewer threads than elements share the work:
    /// [`indices_1d`](crate::thread::indices_1d) and [`get_mut`](Self::get_mut) in one loop.
    ///
    /// ```
    /// use offload::{DisjointSlice, Grid, kernel, prelude::*};
    ///
    /// #[kernel]
    /// fn square(mut values: DisjointSlice<usize>) {
    ///     for (value, i) in values.iter_mut_indexed() {
    ///         *value = i.get() * i.get();
    ///     }
    /// }
    ///
    /// let mut values = [0; 5];
    /// square.run_on_host(Grid::for_len(2, 2), (&mut values,));
    /// assert_eq!(values, [0, 1, 4, 9, 16]);
    /// ```
    #[doc(alias = "grid_stride")]
    #[inline(always)]
    pub fn iter_mut_indexed(&mut self) -> impl Iterator<Item = (&mut T, Index)> {
        let pointer = self.raw.pointer;
        // SAFETY: the indices are in bounds, they belong to one thread of the launch, and each comes once.
        thread::indices_1d(self.raw.len).map(move |index| (unsafe { &mut *pointer.add(index.get()) }, index))
    }

    /// Returns the element at any index, for a kernel that divides the work in another way.
    ///
    /// ```
    /// let mut values = [1, 2, 3];
    /// let mut shared = offload::DisjointSlice::from(&mut values[..]);
    /// // SAFETY: the element exists, and there is only one thread.
    /// unsafe { *shared.get_unchecked_mut(2) = 7 };
    /// assert_eq!(values, [1, 2, 7]);
    /// ```
    ///
    /// # Safety
    ///
    /// `index` must be less than [`len`](Self::len), and no other thread may use that element at the same time.
    #[inline(always)]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: the caller meets the requirements of the function.
        unsafe { &mut *self.raw.pointer.add(index) }
    }

    /// Returns the address, for `unsafe` accesses.
    ///
    /// ```
    /// let mut values = [1, 2, 3];
    /// // SAFETY: the element exists, and there is only one thread.
    /// unsafe { offload::DisjointSlice::from(&mut values[..]).as_mut_ptr().write(7) };
    /// assert_eq!(values, [7, 2, 3]);
    /// ```
    #[inline(always)]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.raw.pointer
    }
}

/// Makes a slice to call a kernel on the host.
impl<'a, T> From<&'a mut [T]> for DisjointSlice<'a, T> {
    fn from(slice: &'a mut [T]) -> Self {
        DisjointSlice { raw: RawSlice::new(slice.as_mut_ptr(), slice.len()), borrowed: PhantomData }
    }
}

/// Mutable memory with one element for each block: element `i` belongs to block `i` of the grid, counted along x first,
/// and only the [`Leader`] of the block accesses it.
///
/// ```
/// use offload::{DisjointBlocks, Grid, block, prelude::*, thread};
///
/// fn mark(mut blocks: DisjointBlocks<u32>) {
///     if let Some(mark) = block::leader().and_then(|leader| blocks.get_mut(leader)) {
///         *mark = 100 + thread::block_id::x();
///     }
/// }
///
/// let mut marks = [0; 3];
/// mark.run_on_host(Grid::for_len(12, 4), (&mut marks,));
/// assert_eq!(marks, [100, 101, 102]);
/// ```
pub struct DisjointBlocks<'a, T> {
    raw: RawSlice<T>,
    borrowed: Borrowed<'a, T>,
}

impl<'a, T> DisjointBlocks<'a, T> {
    /// Returns the value of one thread.
    ///
    /// # Safety
    ///
    /// See [`DisjointSlice::from_raw`].
    #[inline(always)]
    pub(crate) unsafe fn from_raw(raw: RawSlice<T>) -> Self {
        DisjointBlocks { raw, borrowed: PhantomData }
    }

    /// The number of elements.
    ///
    /// ```
    /// use offload::DisjointBlocks;
    ///
    /// assert_eq!(DisjointBlocks::from(&mut [1, 2, 3][..]).len(), 3);
    /// ```
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.raw.len
    }

    /// Whether the slice is empty.
    ///
    /// ```
    /// use offload::DisjointBlocks;
    ///
    /// assert!(!DisjointBlocks::from(&mut [1, 2, 3][..]).is_empty());
    /// ```
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.raw.len == 0
    }

    /// Returns the element of the block, if there is one.
    ///
    /// ```
    /// use offload::{DisjointBlocks, block};
    ///
    /// let (mut none, leader) = ([0; 0], block::leader().unwrap()); // on the host, the one thread leads
    /// assert_eq!(DisjointBlocks::from(&mut none[..]).get_mut(leader), None);
    /// ```
    ///
    /// # Panics
    ///
    /// If another thread is the leader, in a program that offloadc has not compiled.
    #[inline(always)]
    #[track_caller]
    pub fn get_mut(&mut self, leader: Leader) -> Option<&mut T> {
        let block = leader.own();
        // SAFETY: each block has its own number and one leader, and `self` is borrowed as long as the element.
        (block < self.raw.len).then(|| unsafe { &mut *self.raw.pointer.add(block) })
    }
}

/// Makes a slice to call a kernel on the host.
impl<'a, T> From<&'a mut [T]> for DisjointBlocks<'a, T> {
    fn from(slice: &'a mut [T]) -> Self {
        DisjointBlocks { raw: RawSlice::new(slice.as_mut_ptr(), slice.len()), borrowed: PhantomData }
    }
}
