//! Values of types of other crates, for which a program promises what nothing can check.

use core::ops::{Deref, DerefMut};

use crate::device_copy::DeviceCopy;

/// A value of a type of another crate as [`DeviceCopy`], which cannot be derived there. The constructor is `unsafe`,
/// because nothing checks the fields of the type. For a field of a struct, the derive has the attribute
/// `#[device_copy(unsafe(foreign))]`.
///
/// A kernel takes `&[ForeignValue<T>]`, and uses an element like a `T`. On the host, [`wrap_slice`](Self::wrap_slice)
/// makes the argument from a slice of `T`, without a copy; [`peel_slice`](Self::peel_slice) is the way back. A type
/// that implements `bytemuck::Pod` needs no `unsafe`: see the feature `bytemuck`.
///
/// ```
/// use offload::{Device, DeviceBuffer, DisjointSlice, ForeignValue, Grid, kernel, prelude::*, thread};
///
/// # mod pixels {
/// #[derive(Clone, Copy, Debug, PartialEq)] // in another crate
/// pub struct Pixel {
///     pub grey: f32,
///     pub alpha: f32,
/// }
/// # }
/// # use pixels::Pixel;
/// #[kernel]
/// fn invert(brightest: ForeignValue<Pixel>, mut image: DisjointSlice<ForeignValue<Pixel>>) {
///     if let Some(pixel) = image.get_mut(thread::index_1d()) {
///         pixel.grey = brightest.grey - pixel.grey;
///     }
/// }
///
/// let stream = Device::new()?.default_stream();
/// let pixels = [Pixel { grey: 0.25, alpha: 1.0 }; 3];
/// // SAFETY: a pixel has two numbers, and no address.
/// let brightest = unsafe { ForeignValue::new(Pixel { grey: 1.0, alpha: 1.0 }) };
/// // SAFETY: as above.
/// let image = unsafe { ForeignValue::wrap_slice(&pixels) };
/// let mut image = DeviceBuffer::from_host(&stream, image)?;
/// invert.launch(&stream, Grid::for_len(3, 32), (brightest, &mut image))?;
/// assert_eq!(ForeignValue::peel_slice(&image.to_host_vec(&stream)?), [Pixel { grey: 0.75, alpha: 1.0 }; 3]);
/// # Ok::<(), offload::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ForeignValue<T>(T);

// SAFETY: whoever has made the first value of this type has promised it.
unsafe impl<T: Copy + 'static> DeviceCopy for ForeignValue<T> {
    const MAY_HOLD_POINTER: bool = false;
}

impl<T: Copy + 'static> ForeignValue<T> {
    /// Wraps a value.
    ///
    /// See the example of [`ForeignValue`].
    ///
    /// # Safety
    ///
    /// No value of the type may have a pointer or a reference in it, or any other part that means something on the host
    /// only. Any thread must be allowed to have a copy of the value.
    pub const unsafe fn new(value: T) -> Self {
        ForeignValue(value)
    }

    /// Wraps the elements of a slice where they are.
    ///
    /// See the example of [`ForeignValue`].
    ///
    /// # Safety
    ///
    /// The requirements of [`new`](Self::new).
    pub const unsafe fn wrap_slice(values: &[T]) -> &[Self] {
        // SAFETY: the wrapper has the layout of the value.
        unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
    }

    /// The same for a slice that is written.
    ///
    /// ```
    /// use offload::{DisjointSlice, ForeignValue, Grid, kernel, prelude::*};
    ///
    /// #[kernel]
    /// fn clear(mut values: DisjointSlice<ForeignValue<char>>) {
    ///     if let Some((value, _)) = values.get_mut_indexed() {
    ///         **value = ' ';
    ///     }
    /// }
    ///
    /// let mut text = ['a', 'b'];
    /// // SAFETY: a character is a number.
    /// clear.run_on_host(Grid::for_len(2, 2), (unsafe { ForeignValue::wrap_slice_mut(&mut text) },));
    /// assert_eq!(text, [' ', ' ']);
    /// ```
    ///
    /// # Safety
    ///
    /// The requirements of [`new`](Self::new).
    pub const unsafe fn wrap_slice_mut(values: &mut [T]) -> &mut [Self] {
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) }
    }

    /// The values in a slice.
    ///
    /// See the example of [`ForeignValue`].
    pub const fn peel_slice(values: &[Self]) -> &[T] {
        // SAFETY: the wrapper has the layout of the value.
        unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
    }

    /// The value.
    ///
    /// ```
    /// use offload::ForeignValue;
    ///
    /// // SAFETY: a character is a number.
    /// assert_eq!(unsafe { ForeignValue::new('a') }.into_inner(), 'a');
    /// ```
    #[inline(always)]
    pub const fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for ForeignValue<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for ForeignValue<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
