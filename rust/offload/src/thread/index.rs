//! The numbers that only one thread of a launch has.

use core::marker::PhantomData;

use super::{NOWHERE, index_2d, index_3d, is_compiled};
use crate::position::position;

/// A number that no other thread of the launch has. Only the functions of this module make one, and it cannot be sent
/// to another thread. [`DisjointSlice::get_mut`](crate::DisjointSlice::get_mut) is safe for this reason.
///
/// In a program that offloadc has not compiled, threads of a block share a thread of the system, and with it a
/// `thread_local!` that could hand an index over. There, an access with the index of another thread panics.
///
/// It is compared with numbers and computed with as its number is. The results are `usize`, because they may be the
/// indices of other threads.
///
/// ```
/// use offload::{DisjointSlice, Grid, kernel, prelude::*, thread};
///
/// #[kernel]
/// fn differences(x: &[f32], mut y: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if i < y.len() {
///         y[i] = x[i + 1] - x[i];
///     }
/// }
///
/// let mut y = [0.0; 3];
/// differences.run_on_host(Grid::for_len(3, 32), (&[1.0, 2.0, 4.0, 8.0], &mut y));
/// assert_eq!(y, [1.0, 2.0, 4.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index {
    value: usize,
    own: PhantomData<*const ()>,
}

impl Index {
    #[inline(always)]
    pub(super) fn new(value: usize) -> Self {
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

    /// The number, for an access to what belongs to the thread with this index. Threads of the host check that they
    /// are this thread: several threads of a block may share a thread of the system, and its thread-locals.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn own(self) -> usize {
        if !is_compiled() {
            // No slice has an element at the index that stands for none.
            assert!(self.value == NOWHERE || position().has_index(self.value), "{NOT_OWN}");
        }
        self.value
    }
}

/// Why an index is refused.
const NOT_OWN: &str = "this index belongs to another thread of the launch";

impl From<Index> for usize {
    #[inline(always)]
    fn from(index: Index) -> usize {
        index.value
    }
}

/// A position in two dimensions that no other thread of the launch has.
///
/// See the example of [`index_2d`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index2d {
    x: usize,
    y: usize,
    own: PhantomData<*const ()>,
}

impl Index2d {
    #[inline(always)]
    pub(super) fn new(x: usize, y: usize) -> Self {
        Index2d { x, y, own: PhantomData }
    }

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

    /// The same position, for an access, as [`Index::own`].
    #[inline(always)]
    #[track_caller]
    pub(crate) fn own(self) -> Index2d {
        if !is_compiled() {
            assert!(self == index_2d(), "{NOT_OWN}");
        }
        self
    }
}

/// A position in three dimensions that no other thread of the launch has.
///
/// See the example of [`index_3d`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index3d {
    x: usize,
    y: usize,
    z: usize,
    own: PhantomData<*const ()>,
}

impl Index3d {
    #[inline(always)]
    pub(super) fn new(x: usize, y: usize, z: usize) -> Self {
        Index3d { x, y, z, own: PhantomData }
    }

    /// The column.
    ///
    /// See the example of [`index_3d`].
    #[inline(always)]
    pub fn x(self) -> usize {
        self.x
    }

    /// The row.
    ///
    /// See the example of [`index_3d`].
    #[inline(always)]
    pub fn y(self) -> usize {
        self.y
    }

    /// The layer.
    ///
    /// See the example of [`index_3d`].
    #[inline(always)]
    pub fn z(self) -> usize {
        self.z
    }

    /// The same position, for an access, as [`Index::own`].
    #[inline(always)]
    #[track_caller]
    pub(crate) fn own(self) -> Index3d {
        if !is_compiled() {
            assert!(self == index_3d(), "{NOT_OWN}");
        }
        self
    }
}
