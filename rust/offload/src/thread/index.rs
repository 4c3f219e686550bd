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

    /// The number, for an access to an element that belongs to the thread with this index. A thread of the host checks
    /// that it is this thread: several threads of a block may share a thread of the system, and its thread-locals.
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

/// A position in several dimensions that no other thread of the launch has.
macro_rules! position {
    ($(#[$doc:meta])* $name:ident of $current:ident: $($(#[$of_axis:meta])* $axis:ident),+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $($axis: usize,)+
            own: PhantomData<*const ()>,
        }

        impl $name {
            #[inline(always)]
            pub(super) fn new($($axis: usize),+) -> Self {
                $name { $($axis,)+ own: PhantomData }
            }

            $(
                $(#[$of_axis])*
                #[inline(always)]
                pub fn $axis(self) -> usize {
                    self.$axis
                }
            )+

            /// The same position, for an access, as [`Index::own`].
            #[inline(always)]
            #[track_caller]
            pub(crate) fn own(self) -> $name {
                if !is_compiled() {
                    assert!(self == $current(), "{NOT_OWN}");
                }
                self
            }
        }
    };
}

position! {
    /// A position in two dimensions that no other thread of the launch has.
    ///
    /// See the example of [`index_2d`].
    Index2d of index_2d:
    /// The column.
    ///
    /// See the example of [`index_2d`].
    x,
    /// The row.
    ///
    /// See the example of [`index_2d`].
    y
}

position! {
    /// A position in three dimensions that no other thread of the launch has.
    ///
    /// See the example of [`index_3d`].
    Index3d of index_3d:
    /// The column.
    ///
    /// See the example of [`index_3d`].
    x,
    /// The row.
    ///
    /// See the example of [`index_3d`].
    y,
    /// The layer.
    ///
    /// See the example of [`index_3d`].
    z
}
