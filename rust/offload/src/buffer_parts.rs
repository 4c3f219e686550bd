//! The methods of buffers that return parts of them.

use core::ops::RangeBounds;

use crate::buffer::DeviceBuffer;
use crate::host_buffer::UnifiedBuffer;
use crate::part::{Part, PartMut};

impl<T> DeviceBuffer<T> {
    /// Returns a part of the buffer that kernels and copies can read: `&part` is an argument for `&[T]`. It corresponds
    /// to `&x[1..3]` of a slice.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, Grid, prelude::*};
    ///
    /// let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// let kernel = |values: &[i32]| assert!(values == [2, 3]);
    /// kernel.launch(&stream, Grid::for_len(1, 1), (&numbers.part(1..3),))?;
    /// assert_eq!(numbers.part(2..).to_host_vec(&stream)?, [3, 4]);
    /// assert_eq!(numbers.part(1..).part(..=1).to_host_vec(&stream)?, [2, 3]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    #[doc(alias("slice", "CudaView"))]
    pub fn part(&self, range: impl RangeBounds<usize>) -> Part<'_, T> {
        Part::all(self.memory()).part(range)
    }

    /// Returns a part of the buffer that kernels and copies can change: `&mut part` is an argument for
    /// `DisjointSlice<T>`. It corresponds to `&mut x[1..3]` of a slice.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};
    ///
    /// #[kernel]
    /// fn double(mut values: DisjointSlice<u32>) {
    ///     if let Some(value) = values.get_mut(thread::index_1d()) {
    ///         *value *= 2;
    ///     }
    /// }
    ///
    /// let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// double.launch(&stream, Grid::for_len(2, 32), (&mut numbers.part_mut(1..3),))?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [1, 4, 6, 4]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// Two such parts exist at the same time only if one call has divided the buffer
    /// ([`split_at_mut`](Self::split_at_mut), [`chunks_mut`](Self::chunks_mut)). Ranges that could overlap do not
    /// compile:
    ///
    /// ```compile_fail,E0499
    /// # use offload::{Device, DeviceBuffer, DisjointSlice, Grid, prelude::*};
    /// # let stream = Device::new()?.default_stream();
    /// # let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// # let kernel = |_: DisjointSlice<i32>, _: DisjointSlice<i32>| {};
    /// let arguments = (&mut numbers.part_mut(0..3), &mut numbers.part_mut(2..4));
    /// kernel.launch(&stream, Grid::for_len(3, 32), arguments)?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    #[doc(alias("slice_mut", "CudaViewMut"))]
    pub fn part_mut(&mut self, range: impl RangeBounds<usize>) -> PartMut<'_, T> {
        PartMut::all(self.memory_mut()).into_part(range)
    }

    /// Splits the buffer into two parts that kernels can read.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// let (first, rest) = numbers.split_at(1);
    /// assert_eq!((first.len(), rest.to_host_vec(&stream)?), (1, vec![2, 3, 4]));
    /// let (second, _) = rest.split_at(1);
    /// assert_eq!(second.to_host_vec(&stream)?, [2]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end of the buffer.
    pub fn split_at(&self, middle: usize) -> (Part<'_, T>, Part<'_, T>) {
        self.part(..).split_at(middle)
    }

    /// Splits the buffer into two parts that kernels can change: `&mut part` is an argument for `DisjointSlice<T>`, and
    /// one launch may use both.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};
    ///
    /// #[kernel]
    /// fn swap(mut a: DisjointSlice<u32>, mut b: DisjointSlice<u32>) {
    ///     let i = thread::index_1d();
    ///     if let (Some(a), Some(b)) = (a.get_mut(i), b.get_mut(i)) {
    ///         core::mem::swap(a, b);
    ///     }
    /// }
    ///
    /// let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4])?;
    /// let (mut a, mut b) = numbers.split_at_mut(2);
    /// swap.launch(&stream, Grid::for_len(2, 32), (&mut a, &mut b))?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [3, 4, 1, 2]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `middle` is beyond the end of the buffer.
    #[doc(alias = "CudaViewMut")]
    pub fn split_at_mut(&mut self, middle: usize) -> (PartMut<'_, T>, PartMut<'_, T>) {
        PartMut::all(self.memory_mut()).into_split(middle)
    }

    /// Returns the parts of `size` elements that kernels can read, one after another; the last may be smaller.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4, 5])?;
    /// let lengths: Vec<usize> = numbers.chunks(2).map(|chunk| chunk.len()).collect();
    /// assert_eq!(lengths, [2, 2, 1]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    pub fn chunks(&self, size: usize) -> impl DoubleEndedIterator<Item = Part<'_, T>> + ExactSizeIterator {
        self.part(..).chunks(size)
    }

    /// Returns the parts of `size` elements that kernels can change, one after another; the last may be smaller.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::<usize>::zeroed(&stream, 5)?;
    /// for (i, mut chunk) in numbers.chunks_mut(2).enumerate() {
    ///     chunk.copy_from_host(&stream, &vec![i; chunk.len()])?;
    /// }
    /// assert_eq!(numbers.to_host_vec(&stream)?, [0, 0, 1, 1, 2]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    pub fn chunks_mut(&mut self, size: usize) -> impl DoubleEndedIterator<Item = PartMut<'_, T>> + ExactSizeIterator {
        PartMut::all(self.memory_mut()).into_chunks(size)
    }

    /// Returns the elements as arrays of `N`, for a `&[[T; N]]` parameter, and the elements that are left.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4, 5])?;
    /// let (pairs, rest) = numbers.as_chunks::<2>();
    /// assert_eq!((pairs.to_host_vec(&stream)?, rest.len()), (vec![[1, 2], [3, 4]], 1));
    /// assert_eq!(pairs.part(1..).as_flattened().to_host_vec(&stream)?, [3, 4]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// [`into_arrays`](Self::into_arrays) does the same with a whole buffer.
    pub fn as_chunks<const N: usize>(&self) -> (Part<'_, [T; N]>, Part<'_, T>) {
        self.part(..).as_chunks()
    }

    /// Returns the elements as arrays of `N`, for a `DisjointSlice<[T; N]>` parameter, and the elements that are left.
    ///
    /// ```
    /// # use offload::{Device, DeviceBuffer};
    /// # let stream = Device::new()?.default_stream();
    /// let mut numbers = DeviceBuffer::from_host(&stream, &[1, 2, 3, 4, 5])?;
    /// let (mut pairs, _) = numbers.as_chunks_mut::<2>();
    /// pairs.part_mut(1..).copy_from_host(&stream, &[[7, 8]])?;
    /// pairs.as_flattened_mut().part_mut(1..2).set_zero(&stream)?;
    /// assert_eq!(numbers.to_host_vec(&stream)?, [1, 0, 7, 8, 5]);
    /// # Ok::<(), offload::Error>(())
    /// ```
    pub fn as_chunks_mut<const N: usize>(&mut self) -> (PartMut<'_, [T; N]>, PartMut<'_, T>) {
        PartMut::all(self.memory_mut()).into_arrays()
    }
}

impl<T> UnifiedBuffer<T> {
    /// Returns a part of the buffer that kernels and copies can read.
    ///
    /// See the example of [`DeviceBuffer::part`].
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    pub fn part(&self, range: impl RangeBounds<usize>) -> Part<'_, T> {
        Part::all(&self.memory).part(range)
    }

    /// Returns a part of the buffer that kernels and copies can change.
    ///
    /// See the example of [`DeviceBuffer::part_mut`].
    ///
    /// # Panics
    ///
    /// If the range is not within the buffer.
    pub fn part_mut(&mut self, range: impl RangeBounds<usize>) -> PartMut<'_, T> {
        PartMut::all(&mut self.memory).into_part(range)
    }
}
