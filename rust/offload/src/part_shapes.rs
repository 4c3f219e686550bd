//! Parts of buffers as rows and layers, for the parameters whose threads have two or three dimensions.

use core::fmt;

use crate::argument::Argument;
use crate::binding::Binding;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::layers::{DisjointLayers, LayersBits, size_of_layer};
use crate::part::PartMut;
use crate::rows::{DisjointRows, RowsBits};

impl<T> PartMut<'_, T> {
    /// The part as rows of `columns` elements, for a `DisjointRows<T>` parameter.
    ///
    /// See the example of [`DeviceBuffer::rows`](crate::DeviceBuffer::rows).
    ///
    /// # Panics
    ///
    /// If `columns` is 0.
    pub fn rows(&mut self, columns: usize) -> Rows<'_, T> {
        Rows::new(self.again(), columns)
    }

    /// The part as layers of `rows` rows of `columns` elements, for a `DisjointLayers<T>` parameter.
    ///
    /// See the example of [`DeviceBuffer::layers`](crate::DeviceBuffer::layers).
    ///
    /// # Panics
    ///
    /// If `columns` or `rows` is 0.
    pub fn layers(&mut self, columns: usize, rows: usize) -> Layers<'_, T> {
        Layers::new(self.again(), columns, rows)
    }
}

/// The elements of a buffer as rows; see [`DeviceBuffer::rows`](crate::DeviceBuffer::rows).
///
/// See the example of [`DeviceBuffer::rows`](crate::DeviceBuffer::rows).
pub struct Rows<'a, T> {
    part: PartMut<'a, T>,
    columns: usize,
}

impl<'a, T> Rows<'a, T> {
    pub(crate) fn new(part: PartMut<'a, T>, columns: usize) -> Self {
        assert!(columns != 0, "rows without columns");
        Rows { part, columns }
    }
}

impl<T> fmt::Debug for Rows<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("len", &self.part.len()).field("columns", &self.columns).finish_non_exhaustive()
    }
}

// SAFETY: as for the part, which the rows own.
unsafe impl<'a, T: DeviceCopy> Argument<DisjointRows<'a, T>> for Rows<'a, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RowsBits<T>> {
        self.part.allocation.write_in(binding)?;
        Ok(RowsBits::new(self.part.elements, self.columns))
    }
}

/// The elements of a buffer as layers of rows; see [`DeviceBuffer::layers`](crate::DeviceBuffer::layers).
///
/// See the example of [`DeviceBuffer::layers`](crate::DeviceBuffer::layers).
pub struct Layers<'a, T> {
    part: PartMut<'a, T>,
    columns: usize,
    rows: usize,
}

impl<'a, T> Layers<'a, T> {
    pub(crate) fn new(part: PartMut<'a, T>, columns: usize, rows: usize) -> Self {
        let _ = size_of_layer(columns, rows);
        Layers { part, columns, rows }
    }
}

impl<T> fmt::Debug for Layers<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Layers");
        text.field("len", &self.part.len()).field("columns", &self.columns).field("rows", &self.rows);
        text.finish_non_exhaustive()
    }
}

// SAFETY: as for the part, which the layers own.
unsafe impl<'a, T: DeviceCopy> Argument<DisjointLayers<'a, T>> for Layers<'a, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<LayersBits<T>> {
        self.part.allocation.write_in(binding)?;
        Ok(LayersBits::new(self.part.elements, self.columns, self.rows))
    }
}
