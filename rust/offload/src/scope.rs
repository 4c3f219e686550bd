//! Launches of closures that capture slices: the memory is borrowed until the scope ends, which waits for the kernels.
//!
//! The lifetime `'scope` is a brand. `Stream::scope` calls its function for every such lifetime, so inside that
//! function, only values of the scope are known to live that long. A closure of the type `F: 'scope` captures no slice
//! of another scope, whose memory may be on another device, and nothing borrowed from the host. Slices are not
//! `'static`, so no other launch, no buffer and no static takes them.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use crate::argument::{Argument, Arguments};
use crate::binding::Binding;
use crate::buffer::DeviceBuffer;
use crate::device::Stream;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::grid::LaunchConfig;
use crate::host_buffer::UnifiedBuffer;
use crate::launch::launch_on;
use crate::mapped::{Mapped, MappedMut};
use crate::param::{Params, ScopedCallable};
use crate::part::{Part, PartMut};
use crate::slice::RawSlice;
use crate::thread::is_device;

/// A lifetime that is neither shorter nor longer than itself.
type Brand<'scope> = PhantomData<fn(&'scope ()) -> &'scope ()>;

/// Launches of closures that may capture the slices of the scope. [`Stream::scope`] makes it.
///
/// See the example of [`Stream::scope`].
pub struct Scope<'scope> {
    stream: Stream,
    brand: Brand<'scope>,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scope").field(&self.stream).finish()
    }
}

/// A slice of a [`Scope`], which closures capture by value. In a kernel it dereferences to a `&[T]`. On the host it has
/// a length only, because its memory may be a device's.
///
/// See the example of [`Stream::scope`].
pub struct ScopedSlice<'scope, T> {
    slice: RawSlice<T>,
    brand: Brand<'scope>,
}

impl<T> Clone for ScopedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ScopedSlice<'_, T> {}

impl<T> ScopedSlice<'_, T> {
    /// The number of elements, in kernels and on the host.
    ///
    /// See the example of [`Stream::scope`].
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.slice.len()
    }

    /// Whether the slice is empty.
    ///
    /// See the example of [`Stream::scope`].
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.slice.is_empty()
    }
}

impl<T: DeviceCopy> Deref for ScopedSlice<'_, T> {
    type Target = [T];

    /// # Panics
    ///
    /// On the host.
    #[inline(always)]
    fn deref(&self) -> &[T] {
        assert!(is_device(), "a slice of a scope is memory of the device: only kernels read it");
        // SAFETY: only a launch of the scope takes the slice to a device, which is that of the memory. The memory is
        // borrowed, and not written, until the scope has waited for its kernels.
        unsafe { core::slice::from_raw_parts(self.slice.as_ptr(), self.slice.len()) }
    }
}

impl<T> fmt::Debug for ScopedSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedSlice").field("len", &self.slice.len()).finish_non_exhaustive()
    }
}

/// Memory that a scope borrows, as the argument of a launch for a `&[T]` parameter: `&buffer`, `&vector`, `&x[..]`,
/// `&guard` or `&part`.
///
/// See the example of [`Stream::scope`].
///
/// # Safety
///
/// `bind` must return the memory that the value borrows.
#[diagnostic::on_unimplemented(
    message = "a scope cannot borrow `{Self}`",
    label = "not memory for a `&[T]`",
    note = "it takes `&DeviceBuffer<T>`, a `&[T]`, `&Vec<T>` or `&[T; N]` of the host, and guards and parts of these; numbers are captured directly",
    note = "memory that kernels write is an argument of each launch: `scope.launch(grid, (&mut y,), move |mut y: DisjointSlice<f32>| …)`"
)]
pub unsafe trait ScopedMemory {
    /// The type of the elements.
    ///
    /// See the example of [`Stream::scope`].
    type Element: DeviceCopy;

    #[doc(hidden)]
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<Self::Element>>;
}

macro_rules! memory {
    ($([$($extra:tt)*] $memory:ty),*) => { $(
        // SAFETY: it is an argument for such a parameter, and is borrowed for as long.
        unsafe impl<'m, T: DeviceCopy, $($extra)*> ScopedMemory for &'m $memory {
            type Element = T;

            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                Argument::<&'m [T]>::bind(self, binding)
            }
        }
    )* };
}
memory!(
    [] [T],
    [] std::vec::Vec<T>,
    [const N: usize] [T; N],
    [] DeviceBuffer<T>,
    [] UnifiedBuffer<T>,
    [] Mapped<'_, T>,
    [] MappedMut<'_, T>,
    [] Part<'_, T>,
    [] PartMut<'_, T>
);

/// All memory that a scope borrows: a tuple of [`ScopedMemory`].
///
/// See the example of [`Stream::scope`].
///
/// # Safety
///
/// `bind` must return slices of memory that the value borrows.
#[diagnostic::on_unimplemented(
    message = "a scope cannot borrow `{Self}`",
    label = "not a tuple of memory: `(&x, &table)`"
)]
pub unsafe trait ScopedMemories {
    /// A tuple with a slice for each.
    ///
    /// See the example of [`Stream::scope`].
    type Slices<'scope>;

    #[doc(hidden)]
    fn bind<'scope>(self, binding: &mut Binding<'_>) -> Result<Self::Slices<'scope>>;
}

macro_rules! tuples {
    ($(($($name:ident $memory:ident $field:tt)*))*) => { $(
        // SAFETY: each slice is that of an element.
        unsafe impl<$($memory: ScopedMemory),*> ScopedMemories for ($($memory,)*) {
            type Slices<'scope> = ($(ScopedSlice<'scope, $memory::Element>,)*);

            fn bind<'scope>(self, _binding: &mut Binding<'_>) -> Result<Self::Slices<'scope>> {
                Ok(($(ScopedSlice { slice: self.$field.bind(_binding)?, brand: PhantomData },)*))
            }
        }
    )* };
}
for_each_arity!(tuples);

/// The memory of a scope. It waits for the kernels before the memory is given back, also after a panic.
struct Borrowed<'s> {
    binding: Option<Binding<'s>>,
}

impl Borrowed<'_> {
    fn end<R>(mut self, result: Result<R>) -> Result<R> {
        let Some(binding) = self.binding.take() else { return result };
        let waited = binding.synchronize();
        let ended = binding.finish(Ok(()));
        result.and_then(|value| waited.and(ended).map(|()| value))
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Some(binding) = &self.binding {
            // The panic that led here is the error. Then the binding ends the mappings.
            let _ = binding.synchronize();
        }
    }
}

impl Stream {
    /// Borrows memory, and calls `body` with a scope and with a slice for each. Closures capture these slices by value,
    /// and [`Scope::launch`] launches such closures in this stream. The scope waits for the stream before it ends, also
    /// if `body` panics.
    ///
    /// Memory of the host is copied to the device once. Memory that kernels write is an argument of each launch.
    ///
    /// ```
    /// use offload::{Device, DeviceBuffer, DisjointSlice, Grid, thread};
    ///
    /// let stream = Device::new()?.default_stream();
    /// let (x, weights) = (vec![1.0; 1000], DeviceBuffer::from_host(&stream, &[0.25, 0.5])?);
    /// let (a, mut y) = (3.0, DeviceBuffer::from_host(&stream, &[2.0; 1000])?);
    /// let count = stream.scope((&x, &weights), |scope, (x, weights)| {
    ///     for turn in 0..2 {
    ///         scope.launch(Grid::for_len(x.len(), 256), (&mut y,), move |mut y: DisjointSlice<f64>| {
    ///             let i = thread::index_1d();
    ///             if let Some(y) = y.get_mut(i) {
    ///                 *y += a * x[i] * weights[turn];
    ///             }
    ///         })?;
    ///     }
    ///     Ok(if weights.is_empty() { 0 } else { x.len() })
    /// })?;
    /// assert_eq!((count, y.to_host_vec(&stream)?), (1000, vec![4.25; 1000]));
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// The closure cannot capture anything that the scope has not borrowed:
    ///
    /// ```compile_fail,E0597
    /// # let stream = offload::Device::new()?.default_stream();
    /// stream.scope((), |scope, ()| {
    ///     let table = [1, 2, 3];
    ///     let table = &table;
    ///     scope.launch(offload::Grid::for_len(3, 3), (), move || assert_eq!(table[0], 1))
    /// })?;
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The error of `body`, or else those of its launches and of their kernels. [`Error::OtherDevice`] if memory
    /// belongs to another device, and the errors of [`Device::map`] for memory of the host.
    ///
    /// [`Error::OtherDevice`]: crate::Error::OtherDevice
    /// [`Device::map`]: crate::Device::map
    #[doc(alias("[=]", "parallel_for"))]
    pub fn scope<M: ScopedMemories, R>(
        &self,
        memory: M,
        body: impl for<'scope> FnOnce(&Scope<'scope>, M::Slices<'scope>) -> Result<R>,
    ) -> Result<R> {
        let mut borrowed = Borrowed { binding: None };
        let binding = borrowed.binding.insert(Binding::new(self));
        let slices = memory.bind(binding)?;
        let scope = Scope { stream: self.clone(), brand: PhantomData };
        let result = body(&scope, slices);
        borrowed.end(result)
    }
}

impl<'scope> Scope<'scope> {
    /// Submits `kernel` to the stream of the scope, with one argument for each parameter: see [`Kernel::launch`]. The
    /// closure may capture numbers, and slices of this scope.
    ///
    /// See the example of [`Stream::scope`].
    ///
    /// # Errors
    ///
    /// See [`Kernel::launch`].
    ///
    /// [`Kernel::launch`]: crate::Kernel::launch
    pub fn launch<P: Params, A: Arguments<P>, F>(&self, config: LaunchConfig, arguments: A, kernel: F) -> Result<()>
    where
        F: ScopedCallable<P> + 'scope, // a closure captures values and slices of this scope, and borrows nothing else
    {
        launch_on(kernel, &self.stream, config, arguments)
    }
}
