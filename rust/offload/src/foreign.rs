//! Values of types of other crates, about which a program makes promises that nothing can check.

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use crate::device_copy::DeviceCopy;

/// The type of a static that the derive makes for each field with `#[device_copy(unsafe(foreign))]`, so that offloadc
/// can look at the type in debug information. It has no bytes.
pub struct ForeignField<T>(PhantomData<fn() -> T>);

impl<T> ForeignField<T> {
    /// The value.
    pub const MARK: Self = Self(PhantomData);
}

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

/// Declares a value of a type of another crate that is not `Copy`, for kernels: a struct of the same bytes, which is.
///
/// The word `unsafe` is a promise, as for [`ForeignValue::new`]: no value of the type has a pointer, a reference or any
/// other part that means something on the host only, and a copy of the bytes is a value as good as the first. A type
/// that has something to drop is refused.
///
/// ```
/// use std::ops::Range;
///
/// use offload::{DisjointSlice, Grid, foreign_value, kernel, prelude::*};
///
/// foreign_value! {
///     // SAFETY: two numbers.
///     unsafe struct Numbers(Range<u32>);
/// }
///
/// #[kernel]
/// fn count(ranges: &[Numbers], mut counts: DisjointSlice<u32>) {
///     if let Some((count, i)) = counts.get_mut_indexed() {
///         *count = ranges[i].end - ranges[i].start;
///     }
/// }
///
/// let mut counts = [0; 2];
/// count.run_on_host(Grid::for_len(2, 2), (&[Numbers::new(3..8), Numbers::new(0..1)], &mut counts));
/// assert_eq!(counts, [5, 1]);
/// assert_eq!(Numbers::new(3..8).into_inner(), 3..8);
/// ```
#[macro_export]
macro_rules! foreign_value {
    ($(#[$attribute:meta])* $visibility:vis unsafe struct $name:ident($ty:ty);) => {
        $(#[$attribute])*
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #[repr(transparent)]
        $visibility struct $name(
            [::core::mem::MaybeUninit<$crate::__private::Word<{ ::core::mem::align_of::<$ty>() }>>;
                ::core::mem::size_of::<$ty>() / ::core::mem::align_of::<$ty>()],
        );

        // SAFETY: whoever has written the word `unsafe` has promised it.
        unsafe impl $crate::DeviceCopy for $name {
            const MAY_HOLD_POINTER: bool = false;
        }

        #[allow(dead_code, reason = "a program may use one direction only")]
        impl $name {
            /// The value for kernels.
            $visibility const fn new(value: $ty) -> Self {
                const { ::core::assert!(!::core::mem::needs_drop::<$ty>(), "the type has something to drop") };
                // SAFETY: the words have the size of the value, and its alignment.
                unsafe { ::core::mem::transmute::<$ty, Self>(value) }
            }

            /// The value of the other crate.
            $visibility const fn into_inner(self) -> $ty {
                // SAFETY: the words are those of a value.
                unsafe { ::core::mem::transmute::<Self, $ty>(self) }
            }
        }

        impl ::core::ops::Deref for $name {
            type Target = $ty;

            #[inline(always)]
            fn deref(&self) -> &$ty {
                // SAFETY: as above.
                unsafe { &*(&raw const *self).cast() }
            }
        }

        impl ::core::ops::DerefMut for $name {
            #[inline(always)]
            fn deref_mut(&mut self) -> &mut $ty {
                // SAFETY: as above.
                unsafe { &mut *(&raw mut *self).cast() }
            }
        }
    };
    ($($other:tt)*) => {
        ::core::compile_error!("expected `unsafe struct NAME(TYPE);`: the promise that a value of the type, which is of \
            another crate, has no address of the host");
    };
}

/// The number with an alignment.
#[doc(hidden)]
pub struct Alignment<const BYTES: usize>(());

/// The type of [`Alignment`].
#[doc(hidden)]
pub trait Aligned {
    /// It.
    type Word: Copy + 'static;
}

#[doc(hidden)]
pub type Word<const BYTES: usize> = <Alignment<BYTES> as Aligned>::Word;

macro_rules! aligned {
    ($($bytes:literal $word:ident;)*) => { $(
        const _: () = assert!(size_of::<$word>() == $bytes && align_of::<$word>() == $bytes);
        impl Aligned for Alignment<$bytes> {
            type Word = $word;
        }
    )* };
}
aligned! { 1 u8; 2 u16; 4 u32; 8 u64; 16 u128; }
