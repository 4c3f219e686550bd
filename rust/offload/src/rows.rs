//! Memory in rows, for kernels whose threads have two dimensions: [`DisjointRows`].

use core::marker::PhantomData;

use crate::layout::Layout;
use crate::slice::{Borrowed, RawSlice};
use crate::thread::{Index2d, index_2d};

/// The bytes of a [`DisjointRows`].
///
/// See the example of [`DisjointRows`].
pub struct RowsBits<T> {
    pointer: *mut T,
    columns: usize,
    rows: usize,
}

impl<T> Clone for RowsBits<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RowsBits<T> {}

impl<T> RowsBits<T> {
    pub(crate) fn layout_of_bits(layout: &mut Layout) {
        layout.plain::<Self>();
        layout.field("pointer", core::mem::offset_of!(Self, pointer));
        layout.field("columns", core::mem::offset_of!(Self, columns));
        layout.field("rows", core::mem::offset_of!(Self, rows));
    }
}

impl<T> RowsBits<T> {
    /// All elements.
    #[inline(always)]
    pub(crate) fn as_raw(self) -> RawSlice<T> {
        RawSlice::new(self.pointer, self.rows.wrapping_mul(self.columns))
    }

    pub(crate) fn new(slice: RawSlice<T>, columns: usize) -> Self {
        assert!(columns != 0, "rows without columns");
        RowsBits { pointer: slice.as_mut_ptr(), columns, rows: slice.len() / columns }
    }
}

/// Mutable memory in rows, row after row: the element in column `x` of row `y` belongs to the thread at `(x, y)`.
///
/// ```
/// use offload::{DisjointRows, thread};
///
/// fn coordinates(mut image: DisjointRows<[u32; 2]>) {
///     let at = thread::index_2d();
///     if let Some(pixel) = image.get_mut(at) {
///         *pixel = [at.x() as u32, at.y() as u32];
///     }
/// }
///
/// let mut image = [[9, 9]; 6];
/// coordinates(DisjointRows::new(&mut image, 3));
/// assert_eq!(image[0], [0, 0]);
/// ```
pub struct DisjointRows<'a, T> {
    bits: RowsBits<T>,
    borrowed: Borrowed<'a, T>,
}

impl<'a, T> DisjointRows<'a, T> {
    /// Returns the value of one thread.
    ///
    /// # Safety
    ///
    /// See [`DisjointSlice::from_raw`].
    #[inline(always)]
    pub(crate) unsafe fn from_raw(bits: RowsBits<T>) -> Self {
        DisjointRows { bits, borrowed: PhantomData }
    }

    /// Makes rows of `columns` elements from `slice`, to call a kernel on the host. Elements of an incomplete last row
    /// are not accessible.
    ///
    /// ```
    /// let mut image = [0; 6];
    /// let rows = offload::DisjointRows::new(&mut image, 3);
    /// assert_eq!((rows.columns(), rows.rows()), (3, 2));
    /// ```
    ///
    /// # Panics
    ///
    /// If `columns` is 0.
    pub fn new(slice: &'a mut [T], columns: usize) -> Self {
        let bits = RowsBits::new(RawSlice::new(slice.as_mut_ptr(), slice.len()), columns);
        DisjointRows { bits, borrowed: PhantomData }
    }

    pub(crate) fn into_bits(self) -> RowsBits<T> {
        self.bits
    }

    /// The number of elements in a row.
    ///
    /// See the example of [`DisjointRows::new`].
    #[inline(always)]
    pub fn columns(&self) -> usize {
        self.bits.columns
    }

    /// The number of whole rows.
    ///
    /// See the example of [`DisjointRows::new`].
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.bits.rows
    }

    /// Returns the element of this thread, if there is one at its position.
    ///
    /// See the example of [`DisjointRows`].
    #[inline(always)]
    #[track_caller]
    pub fn get_mut(&mut self, index: Index2d) -> Option<&mut T> {
        let index = index.own();
        let inside = index.x() < self.bits.columns && index.y() < self.bits.rows;
        // SAFETY: the position belongs to one thread of the launch.
        inside.then(|| unsafe { &mut *self.bits.pointer.add(index.y() * self.bits.columns + index.x()) })
    }

    /// Returns the element of this thread and its position, if there is one: [`index_2d`](crate::thread::index_2d) and
    /// [`get_mut`](Self::get_mut) in one call.
    ///
    /// ```
    /// let mut image = [7; 6];
    /// let mut rows = offload::DisjointRows::new(&mut image, 3);
    /// let (pixel, at) = rows.get_mut_indexed().unwrap();
    /// assert_eq!((*pixel, at.x(), at.y()), (7, 0, 0)); // on the host, the thread at (0, 0)
    /// ```
    #[inline(always)]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, Index2d)> {
        let index = index_2d();
        self.get_mut(index).map(|element| (element, index))
    }
}
