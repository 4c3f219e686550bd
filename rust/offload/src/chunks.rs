//! Memory in chunks, for kernels whose threads access several elements each: [`DisjointChunks`].

use core::marker::PhantomData;

use crate::slice::{Borrowed, RawSlice};
use crate::thread::{self, Index};

/// Mutable memory in chunks of `N` elements: chunk `i` belongs to the thread of index `i`.
///
/// ```
/// use offload::{Device, DisjointChunks, Grid, prelude::*, thread};
///
/// fn sort_pairs(mut pairs: DisjointChunks<u32, 2>) {
///     if let Some(pair) = pairs.get_mut(thread::index_1d()) {
///         pair.sort_unstable();
///     }
/// }
///
/// let (stream, mut array, mut vector) = (Device::new()?.default_stream(), [2, 1], vec![4, 3, 6, 5]);
/// sort_pairs.launch(&stream, Grid::for_len(1, 32), (&mut array,))?;
/// sort_pairs.launch(&stream, Grid::for_len(2, 32), (&mut vector,))?;
/// assert_eq!((array, &vector[..]), ([1, 2], &[3, 4, 5, 6][..]));
///
/// sort_pairs.run_on_host(Grid::for_len(2, 2), (&mut vector,)); // in a unit test
/// sort_pairs(DisjointChunks::from(&mut array[..])); // as thread 0
/// # Ok::<(), offload::Error>(())
/// ```
pub struct DisjointChunks<'a, T, const N: usize> {
    raw: RawSlice<T>,
    borrowed: Borrowed<'a, T>,
}

impl<'a, T, const N: usize> DisjointChunks<'a, T, N> {
    /// Returns the value of one thread.
    ///
    /// # Safety
    ///
    /// See [`DisjointSlice::from_raw`](crate::DisjointSlice).
    #[inline(always)]
    pub(crate) unsafe fn from_raw(raw: RawSlice<T>) -> Self {
        DisjointChunks { raw, borrowed: PhantomData }
    }

    /// The number of whole chunks.
    ///
    /// ```
    /// use offload::DisjointChunks;
    ///
    /// assert_eq!(DisjointChunks::<_, 2>::from(&mut [1, 2, 3][..]).len(), 1);
    /// ```
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.raw.len() / N
    }

    /// Whether there is no whole chunk.
    ///
    /// ```
    /// use offload::DisjointChunks;
    ///
    /// assert!(DisjointChunks::<_, 4>::from(&mut [1, 2, 3][..]).is_empty());
    /// ```
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the chunk of this thread, if there is a whole chunk at its index.
    ///
    /// See the example of [`DisjointChunks`].
    #[inline(always)]
    #[track_caller]
    pub fn get_mut(&mut self, index: Index) -> Option<&mut [T; N]> {
        let index = index.own();
        // SAFETY: the index belongs to one thread of the launch, and chunks do not overlap.
        (index < self.len()).then(|| unsafe { &mut *self.raw.as_mut_ptr().add(index * N).cast() })
    }

    /// Returns the chunk of this thread and its index, if there is one: [`index_1d`](crate::thread::index_1d) and
    /// [`get_mut`](Self::get_mut) in one call.
    ///
    /// ```
    /// let mut values = [7, 8, 9];
    /// let mut pairs = offload::DisjointChunks::<_, 2>::from(&mut values[..]);
    /// let (pair, i) = pairs.get_mut_indexed().unwrap();
    /// assert_eq!((*pair, i.get()), ([7, 8], 0)); // on the host, thread 0
    /// ```
    #[inline(always)]
    pub fn get_mut_indexed(&mut self) -> Option<(&mut [T; N], Index)> {
        let index = thread::index_1d();
        self.get_mut(index).map(|chunk| (chunk, index))
    }
}

/// Makes a slice to call a kernel on the host.
impl<'a, T, const N: usize> From<&'a mut [T]> for DisjointChunks<'a, T, N> {
    fn from(slice: &'a mut [T]) -> Self {
        DisjointChunks { raw: RawSlice::new(slice.as_mut_ptr(), slice.len()), borrowed: PhantomData }
    }
}
