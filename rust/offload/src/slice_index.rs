//! `y[i]` for a [`DisjointSlice`], and `x[i]` for a slice, where `i` is the thread's own [`Index`].

use core::ops;
use std::vec::Vec;

use crate::slice::DisjointSlice;
use crate::thread::Index;

/// The types that can index a [`DisjointSlice`]: only the [`Index`] of a thread. Other crates cannot implement this
/// trait.
///
/// ```
/// use offload::{DisjointSlice, Grid, kernel, prelude::*, thread};
///
/// #[kernel]
/// fn double(mut values: DisjointSlice<u32>) {
///     let i = thread::index_1d();
///     values[i] *= 2; // panics in a thread beyond the end of the slice
///     assert!(values[i] > 1);
/// }
///
/// let mut values = [1, 2, 3];
/// double.run_on_host(Grid::for_len(3, 3), (&mut values,));
/// assert_eq!(values, [2, 4, 6]);
/// ```
#[diagnostic::on_unimplemented(
    message = "a `DisjointSlice` cannot be indexed by `{Self}`",
    label = "the element could belong to another thread",
    note = "use `y[thread::index_1d()]`, or `y.get_mut(thread::index_1d())` if a launch has more threads than `y` has elements",
    note = "for accesses that you divide among the threads in another way, take a `RawSlice<T>`"
)]
pub trait OwnIndex: own::Own {}

mod own {
    /// The number of an element that belongs to one thread of the launch.
    pub trait Own {
        /// The number, in the thread that it belongs to.
        #[track_caller]
        fn number(self) -> usize;
    }
}

impl OwnIndex for Index {}

impl own::Own for Index {
    #[inline(always)]
    #[track_caller]
    fn number(self) -> usize {
        self.own()
    }
}

impl<T, I: OwnIndex> ops::Index<I> for DisjointSlice<'_, T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: I) -> &T {
        let index = index.number();
        assert!(index < self.len(), "this thread has no element in the DisjointSlice");
        // SAFETY: the index is in bounds and belongs to one thread of the launch, which has no exclusive borrow of it.
        unsafe { &*self.as_raw().as_ptr().add(index) }
    }
}

impl<T, I: OwnIndex> ops::IndexMut<I> for DisjointSlice<'_, T> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut T {
        let index = index.number();
        assert!(index < self.len(), "this thread has no element in the DisjointSlice");
        // SAFETY: the index is in bounds and belongs to one thread of the launch, and `self` is borrowed as long as the
        // element.
        unsafe { &mut *self.as_raw().as_mut_ptr().add(index) }
    }
}

// Without it, rustc would name this index, and not the closure, where a closure captures a `Vec`.
/// The element of a `Vec` with the number of the thread, as of a slice.
impl<T> ops::Index<Index> for Vec<T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: Index) -> &T {
        &self[index.get()]
    }
}

/// The element of a slice or an array with the number of the thread: `x[i]` is `x[i.get()]`.
///
/// ```
/// use offload::{DisjointSlice, Grid, kernel, prelude::*, thread};
///
/// #[kernel]
/// fn saxpy(a: f32, x: &[f32], mut y: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if let Some(y) = y.get_mut(i) {
///         *y += a * x[i];
///     }
/// }
///
/// let mut y = [1.0, 2.0];
/// saxpy.run_on_host(Grid::for_len(2, 2), (2.0, &[10.0, 20.0], &mut y));
/// assert_eq!(y, [21.0, 42.0]);
/// ```
impl<T> ops::Index<Index> for [T] {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: Index) -> &T {
        &self[index.get()]
    }
}
