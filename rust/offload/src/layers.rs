//! Memory in layers of rows, for kernels whose threads have three dimensions: [`DisjointLayers`].

use core::marker::PhantomData;

use crate::layout::Layout;
use crate::slice::{Borrowed, RawSlice};
use crate::thread::{Index3d, index_3d};

/// The bytes of a [`DisjointLayers`].
///
/// See the example of [`DisjointLayers`].
pub struct LayersBits<T> {
    pointer: *mut T,
    columns: usize,
    rows: usize,
    layers: usize,
}

impl<T> Clone for LayersBits<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for LayersBits<T> {}

impl<T> LayersBits<T> {
    pub(crate) fn layout_of_bits(layout: &mut Layout) {
        layout.plain::<Self>();
        layout.field("pointer", core::mem::offset_of!(Self, pointer));
        layout.field("columns", core::mem::offset_of!(Self, columns));
        layout.field("rows", core::mem::offset_of!(Self, rows));
        layout.field("layers", core::mem::offset_of!(Self, layers));
    }

    /// All elements.
    #[inline(always)]
    pub(crate) fn as_raw(self) -> RawSlice<T> {
        RawSlice::new(self.pointer, self.layers.wrapping_mul(self.rows).wrapping_mul(self.columns))
    }

    pub(crate) fn new(slice: RawSlice<T>, columns: usize, rows: usize) -> Self {
        LayersBits { pointer: slice.as_mut_ptr(), columns, rows, layers: slice.len() / size_of_layer(columns, rows) }
    }
}

/// The number of elements in a layer. It is `usize::MAX` for a layer that is larger than the address space, so that no
/// slice contains such a layer.
pub(crate) fn size_of_layer(columns: usize, rows: usize) -> usize {
    assert!(columns != 0 && rows != 0, "layers without elements");
    columns.saturating_mul(rows)
}

/// Mutable memory in layers of rows, layer after layer: the element in column `x` of row `y` of layer `z` belongs to
/// the thread at `(x, y, z)`.
///
/// ```
/// use offload::{DisjointLayers, Grid, prelude::*, thread};
///
/// fn coordinates(mut volume: DisjointLayers<[u32; 3]>) {
///     let at = thread::index_3d();
///     if let Some(cell) = volume.get_mut(at) {
///         *cell = [at.x() as u32, at.y() as u32, at.z() as u32];
///     }
/// }
///
/// let mut volume = [[9; 3]; 2 * 3 * 4];
/// coordinates.run_on_host(Grid::for_layers(2, 3, 4, (2, 2, 2)), (DisjointLayers::new(&mut volume, 2, 3),));
/// assert_eq!((volume[1], volume[2], volume[6]), ([1, 0, 0], [0, 1, 0], [0, 0, 1]));
/// ```
pub struct DisjointLayers<'a, T> {
    bits: LayersBits<T>,
    borrowed: Borrowed<'a, T>,
}

impl<'a, T> DisjointLayers<'a, T> {
    /// Returns the value of one thread.
    ///
    /// # Safety
    ///
    /// See [`DisjointSlice::from_raw`](crate::DisjointSlice).
    #[inline(always)]
    pub(crate) unsafe fn from_raw(bits: LayersBits<T>) -> Self {
        DisjointLayers { bits, borrowed: PhantomData }
    }

    /// Makes layers of `rows` rows of `columns` elements from `slice`, to call a kernel on the host. Elements of an
    /// incomplete last layer are not accessible.
    ///
    /// ```
    /// let mut volume = [0; 14];
    /// let layers = offload::DisjointLayers::new(&mut volume, 3, 2);
    /// assert_eq!((layers.columns(), layers.rows(), layers.layers()), (3, 2, 2));
    /// ```
    ///
    /// # Panics
    ///
    /// If `columns` or `rows` is 0.
    pub fn new(slice: &'a mut [T], columns: usize, rows: usize) -> Self {
        let bits = LayersBits::new(RawSlice::from(slice), columns, rows);
        DisjointLayers { bits, borrowed: PhantomData }
    }

    pub(crate) fn into_bits(self) -> LayersBits<T> {
        self.bits
    }

    /// The number of elements in a row.
    ///
    /// See the example of [`DisjointLayers::new`].
    #[inline(always)]
    pub fn columns(&self) -> usize {
        self.bits.columns
    }

    /// The number of rows in a layer.
    ///
    /// See the example of [`DisjointLayers::new`].
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.bits.rows
    }

    /// The number of whole layers.
    ///
    /// See the example of [`DisjointLayers::new`].
    #[inline(always)]
    pub fn layers(&self) -> usize {
        self.bits.layers
    }

    /// Returns the element of this thread, if there is one at its position.
    ///
    /// See the example of [`DisjointLayers`].
    #[inline(always)]
    #[track_caller]
    pub fn get_mut(&mut self, index: Index3d) -> Option<&mut T> {
        let index = index.own();
        let LayersBits { pointer, columns, rows, layers } = self.bits;
        let inside = index.x() < columns && index.y() < rows && index.z() < layers;
        // SAFETY: the position belongs to one thread of the launch.
        inside.then(|| unsafe { &mut *pointer.add((index.z() * rows + index.y()) * columns + index.x()) })
    }

    /// Returns the element of this thread and its position, if there is one: [`index_3d`](crate::thread::index_3d) and
    /// [`get_mut`](Self::get_mut) in one call.
    ///
    /// ```
    /// let mut volume = [7; 8];
    /// let mut layers = offload::DisjointLayers::new(&mut volume, 2, 2);
    /// let (cell, at) = layers.get_mut_indexed().unwrap();
    /// assert_eq!((*cell, at.z()), (7, 0)); // on the host, the thread at (0, 0, 0)
    /// ```
    #[inline(always)]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut T, Index3d)> {
        let index = index_3d();
        self.get_mut(index).map(|element| (element, index))
    }
}
