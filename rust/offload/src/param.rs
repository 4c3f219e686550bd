//! Parameters of kernels: which types they may have, and which bytes a launch copies to the device for them.
//!
//! There are two traits. A [`DeviceCopy`] value is copied byte for byte. A [`Param`] is a possible type of a parameter,
//! and names the bytes that are copied for it ([`Param::Bits`]): for a slice, these are its address on the device and
//! its length.

use core::marker::PhantomData;
use core::mem;
use core::mem::MaybeUninit;

use crate::buffer::{DeviceBuffer, Rows};
use crate::error::Result;
use crate::host_buffer::UnifiedBuffer;
use crate::launch::{Block, ParameterInfo};
use crate::mapped::Binding;
use crate::slice::{DisjointBlocks, DisjointChunks, DisjointRows, DisjointSlice, RawSlice, RowsBits};

/// A value whose bytes mean the same on every device: numbers, and `Copy` structs of such.
///
/// ```
/// use offload::DeviceCopy;
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// struct Star {
///     place: [f32; 3],
///     mass: f32,
/// }
///
/// fn may_cross<T: DeviceCopy>() {}
/// may_cross::<(Star, Option<u32>)>();
/// ```
///
/// A reference to host memory, a `Box` or a `Vec` is none, because the
/// device cannot read what it points to; use [`DeviceBuffer`](crate::DeviceBuffer).
///
/// # Safety
///
/// No byte of the value may be part of an address of host memory that a kernel accesses. Dropping the value must do
/// nothing, and any thread must be allowed to have a copy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied to a device",
    label = "this type's bytes mean nothing on a device",
    note = "numbers, arrays and tuples of them, and structs with `#[derive(Clone, Copy, DeviceCopy)]` can",
    note = "a closure can as a `Closure<F>`, which `Closure::new` makes",
    note = "for memory that a kernel reads or writes, pass a `DeviceBuffer`"
)]
pub unsafe trait DeviceCopy: Copy + 'static {
    /// Whether a kernel that has host memory of such values alone cannot read it before it writes it, so that there is
    /// nothing to copy to the device.
    #[doc(hidden)]
    const UNREAD: bool = false;
    /// Whether the value may contain an address that the check of captures does not find: it contains a
    /// [`Closure`](crate::Closure) that is large enough.
    #[doc(hidden)]
    const MAY_HIDE_ADDRESS: bool = false;
}

macro_rules! device_copy {
    ($($ty:ty)*) => { $(
        // SAFETY: a number; its bytes are its value.
        unsafe impl DeviceCopy for $ty {}
    )* };
}
device_copy!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char);

// SAFETY: a value, or bytes that mean nothing on either side.
unsafe impl<T: DeviceCopy> DeviceCopy for MaybeUninit<T> {
    const UNREAD: bool = true;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
}
// SAFETY: elements beside each other.
unsafe impl<T: DeviceCopy, const N: usize> DeviceCopy for [T; N] {
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
}
// SAFETY: a discriminant and the value; rustc lays both out once, for host and device alike.
unsafe impl<T: DeviceCopy> DeviceCopy for Option<T> {
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
}
// SAFETY: no bytes.
unsafe impl DeviceCopy for () {}
// SAFETY: no bytes.
unsafe impl<T: 'static> DeviceCopy for PhantomData<T> {}
// SAFETY: an address as such; following one is unsafe, and the kernel's business.
unsafe impl<T: 'static> DeviceCopy for *const T {}
// SAFETY: as above.
unsafe impl<T: 'static> DeviceCopy for *mut T {}
// SAFETY: an address and a length; every access is unsafe.
unsafe impl<T: 'static> DeviceCopy for RawSlice<T> {}

macro_rules! device_copy_tuples {
    ($(($($name:ident)+))*) => { $(
        // SAFETY: each part is.
        unsafe impl<$($name: DeviceCopy),+> DeviceCopy for ($($name,)+) {
            const MAY_HIDE_ADDRESS: bool = $($name::MAY_HIDE_ADDRESS)||+;
        }
    )* };
}
device_copy_tuples!((A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F));

/// What a parameter of a kernel may be: a [`DeviceCopy`] value, a shared slice, a slice of
/// [atomics](crate::atomic::Atomic), or a [`DisjointSlice`].
///
/// ```
/// use offload::{DisjointSlice, Param};
///
/// fn may_be_a_parameter<P: Param>() {}
/// may_be_a_parameter::<f32>();
/// may_be_a_parameter::<&[f32]>();
/// may_be_a_parameter::<DisjointSlice<f32>>();
/// ```
///
/// # Safety
///
/// `from_bits` must give what a launch may be called with from several threads at once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "a kernel cannot take this",
    note = "a kernel takes numbers, structs with `#[derive(Clone, Copy, DeviceCopy)]`, `&[T]`, `DisjointSlice<T>`, `&[Atomic<T>]` and raw pointers",
    note = "`&mut [T]` would be the same memory in every thread at once: `DisjointSlice<T>` gives each thread an element of its own",
    note = "atomics of a buffer, which all blocks reach, have the device's scope or the system's"
)]
pub unsafe trait Param {
    /// The bytes that are copied to the device.
    ///
    /// See the example of [`Param`].
    type Bits: Copy;

    /// The same parameter with references of the lifetime `'k`. A kernel must accept every `'k`: a kernel that requires
    /// `&'static [T]` could keep memory that exists only for its launch.
    #[doc(hidden)]
    type For<'k>: Param;

    /// See [`DeviceCopy`].
    #[doc(hidden)]
    const MAY_HIDE_ADDRESS: bool;

    /// The parameter, on the device.
    ///
    /// ```
    /// use offload::Param;
    ///
    /// // SAFETY: a number's bits are itself.
    /// assert_eq!(unsafe { <f32 as Param>::from_bits(0.5) }, 0.5);
    /// ```
    ///
    /// # Safety
    ///
    /// The bits must come from a launch's argument of this type, and be used for one thread's call.
    unsafe fn from_bits(bits: Self::Bits) -> Self;
}

// SAFETY: a copy of plain bytes for each thread.
unsafe impl<T: DeviceCopy> Param for T {
    type Bits = T;
    type For<'k> = T;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;

    #[inline(always)]
    unsafe fn from_bits(bits: T) -> T {
        bits
    }
}

// SAFETY: many threads may read at once, and while a kernel holds the buffer shared nobody writes.
unsafe impl<'a, T: DeviceCopy> Param for &'a [T] {
    type Bits = RawSlice<T>;
    type For<'k> = &'k [T];
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;

    #[inline(always)]
    unsafe fn from_bits(bits: RawSlice<T>) -> &'a [T] {
        // SAFETY: a launch borrowed the buffer for the kernel's run.
        unsafe { core::slice::from_raw_parts(bits.as_ptr(), bits.len()) }
    }
}

// SAFETY: an element goes to one thread only; see `DisjointSlice`.
unsafe impl<'a, T: DeviceCopy> Param for DisjointSlice<'a, T> {
    type Bits = RawSlice<T>;
    type For<'k> = DisjointSlice<'k, T>;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;

    #[inline(always)]
    unsafe fn from_bits(bits: RawSlice<T>) -> DisjointSlice<'a, T> {
        // SAFETY: a launch borrowed the buffer for itself alone.
        unsafe { DisjointSlice::from_raw(bits) }
    }
}

// SAFETY: an element goes to one thread only; see `DisjointBlocks`.
unsafe impl<'a, T: DeviceCopy> Param for DisjointBlocks<'a, T> {
    type Bits = RawSlice<T>;
    type For<'k> = DisjointBlocks<'k, T>;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;

    #[inline(always)]
    unsafe fn from_bits(bits: RawSlice<T>) -> DisjointBlocks<'a, T> {
        // SAFETY: a launch borrowed the buffer for itself alone.
        unsafe { DisjointBlocks::from_raw(bits) }
    }
}

// SAFETY: a chunk goes to one thread only; see `DisjointChunks`.
unsafe impl<'a, T: DeviceCopy, const N: usize> Param for DisjointChunks<'a, T, N> {
    type Bits = RawSlice<T>;
    type For<'k> = DisjointChunks<'k, T, N>;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;

    #[inline(always)]
    unsafe fn from_bits(bits: RawSlice<T>) -> Self {
        // SAFETY: a launch borrowed the buffer for itself alone.
        unsafe { DisjointChunks::from_raw(bits) }
    }
}

// SAFETY: an element goes to one thread only; see `DisjointRows`.
unsafe impl<'a, T: DeviceCopy> Param for DisjointRows<'a, T> {
    type Bits = RowsBits<T>;
    type For<'k> = DisjointRows<'k, T>;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;

    #[inline(always)]
    unsafe fn from_bits(bits: RowsBits<T>) -> Self {
        // SAFETY: a launch borrowed the buffer for itself alone.
        unsafe { DisjointRows::from_raw(bits) }
    }
}

/// All parameters of a kernel, as a tuple.
///
/// ```
/// fn may_be_parameters<P: offload::Params>() {}
/// may_be_parameters::<(f32, &[f32])>();
/// ```
///
/// # Safety
///
/// `Bits` must be the bits of [`Param`]s: what a device may be given.
pub unsafe trait Params {
    /// The bytes of all, side by side.
    ///
    /// See the example of [`Params`].
    type Bits: Copy;

    /// Whether one of them may hide an address.
    #[doc(hidden)]
    const MAY_HIDE_ADDRESS: bool;

    /// Where each stands among the arguments of a function or closure `F`.
    #[doc(hidden)]
    fn parameters<F>() -> &'static [ParameterInfo];
}

/// A function or closure of the parameters `P` that a device can call: any `Copy` function of up to twelve [`Param`]s
/// that returns nothing.
///
/// ```
/// use offload::{Callable, Params};
///
/// fn may_be_launched<P: Params>(_: impl Callable<P>) {}
/// may_be_launched(|_values: &[f32]| {});
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be launched as a kernel",
    label = "not a kernel",
    note = "a kernel is a function that returns nothing and takes numbers, structs with `#[derive(Clone, Copy, DeviceCopy)]`, `&[T]` or `DisjointSlice<T>`",
    note = "a closure must be `move`, and capture no reference",
    note = "it must take `&[T]` and `DisjointSlice<T>` for any lifetime: what is behind them may be there for its launch only"
)]
pub trait Callable<P: Params>: Copy + Send + 'static {
    /// Calls the function in one thread.
    ///
    /// ```
    /// use offload::Callable;
    ///
    /// fn print(value: f32) {
    ///     println!("{value}");
    /// }
    /// // SAFETY: the bits of one number.
    /// unsafe { Callable::<(f32,)>::call(print, (0.5,)) };
    /// ```
    ///
    /// # Safety
    ///
    /// The requirements of [`Param::from_bits`] hold for each parameter.
    unsafe fn call(self, bits: P::Bits);
}

/// A function that accepts the parameters `P` with references of the lifetime `'k`. A kernel must accept every `'k`,
/// because the memory behind the references may exist only for its launch.
#[doc(hidden)]
pub trait TakesFor<'k, P: Params> {}

/// The arguments of a launch for the parameters `P`: a tuple with one [`Argument`] for each.
#[diagnostic::on_unimplemented(
    message = "the arguments `{Self}` do not fit the kernel's parameters `{P}`",
    label = "one argument for each parameter, as a tuple: `(a, &x, &mut y)`"
)]
///
/// ```
/// use offload::{Arguments, Kernel, LaunchConfig, Params, Stream};
///
/// fn twice<P: Params>(
///     kernel: impl Kernel<P>,
///     stream: &Stream,
///     arguments: impl Arguments<P> + Copy,
/// ) -> offload::Result<()> {
///     kernel.launch(stream, LaunchConfig::for_len(1, 1), arguments)?;
///     kernel.launch(stream, LaunchConfig::for_len(1, 1), arguments)
/// }
///
/// twice(|_: u32| {}, &offload::Device::new()?.default_stream(), (7,))?;
/// # Ok::<(), offload::Error>(())
/// ```
///
/// # Safety
///
/// The requirements of [`Argument`] hold for each element.
pub unsafe trait Arguments<P: Params> {
    /// The bytes that are copied to the device.
    ///
    /// See the example of [`Arguments`].
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`](crate::Error::OtherDevice) if a buffer belongs to another device than the stream.
    fn bind(self, binding: &mut Binding<'_>) -> Result<P::Bits>;
}

/// The argument of a launch for a parameter `P`: the value itself, `&DeviceBuffer<T>` for `&[T]`, `&mut
/// DeviceBuffer<T>` for `DisjointSlice<T>`, `DisjointBlocks<T>`, `DisjointChunks<T, N>` and `&[Atomic<T>]`, and
/// `buffer.rows(columns)` for `DisjointRows<T>`. A [`UnifiedBuffer`](crate::UnifiedBuffer) can replace a
/// `DeviceBuffer`.
///
/// Host memory is also an argument: `&x[..]` for `&[T]` and `&mut y[..]` for the others, where `x` and `y` are slices,
/// arrays or `Vec`s. It is copied to the device for the launch, and memory that the kernel may write is copied back.
/// Elements of `MaybeUninit` are only copied back. Guards keep such memory on the device across launches:
/// [`Mapped`](crate::Mapped), [`MappedMut`](crate::MappedMut).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the argument for a kernel's parameter of type `{P}`",
    label = "does not fit the parameter `{P}`",
    note = "`&[T]` takes `&DeviceBuffer<T>` or a `&[T]` of the host, `DisjointSlice<T>` and `&[Atomic<T>]` take `&mut DeviceBuffer<T>` or a `&mut [T]`, others take the value itself"
)]
///
/// ```
/// use offload::{Argument, Device, Grid, prelude::*};
///
/// fn launch<'a>(values: impl Argument<&'a [u32]>) -> offload::Result<()> {
///     let kernel = |values: &[u32]| assert_eq!(values.len(), 3);
///     kernel.launch(&Device::new()?.default_stream(), Grid::for_len(1, 1), (values,))
/// }
///
/// launch(&[1, 2, 3])?; // an array of the host's does for a `&[u32]`
/// # Ok::<(), offload::Error>(())
/// ```
///
/// # Safety
///
/// For as long as the kernel may run, the bits of `bind` must be valid for `P::from_bits` in every thread of the
/// launch: the memory exists, nothing writes shared memory, and nothing else uses exclusive memory.
pub unsafe trait Argument<P: Param> {
    /// The bytes that are copied to the device.
    ///
    /// See the example of [`Argument`].
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`](crate::Error::OtherDevice) if a buffer belongs to another device than the stream.
    fn bind(self, binding: &mut Binding<'_>) -> Result<P::Bits>;
}

// SAFETY: a copy of plain bytes.
unsafe impl<T: DeviceCopy> Argument<T> for T {
    fn bind(self, _binding: &mut Binding<'_>) -> Result<T> {
        Ok(self)
    }
}

macro_rules! buffers {
    ($($buffer:ident)*) => { $(
        // SAFETY: to write the buffer takes `&mut`, which comes after the launch, in its stream or by waiting for it.
        unsafe impl<'a, T: DeviceCopy> Argument<&'a [T]> for &'a $buffer<T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory().read_in(binding.submission())?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: borrowed alone, and whatever uses the buffer next comes after the launch.
        unsafe impl<'a, T: DeviceCopy> Argument<DisjointSlice<'a, T>> for &'a mut $buffer<T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy> Argument<DisjointBlocks<'a, T>> for &'a mut $buffer<T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy, const N: usize> Argument<DisjointChunks<'a, T, N>> for &'a mut $buffer<T> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }
    )* };
}
buffers!(DeviceBuffer UnifiedBuffer);

// SAFETY: as a buffer's; the rows borrow it alone.
unsafe impl<'a, T: DeviceCopy> Argument<DisjointRows<'a, T>> for Rows<'a, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RowsBits<T>> {
        self.memory.write_in(binding)?;
        Ok(RowsBits::new(self.memory.as_raw(), self.columns))
    }
}

macro_rules! tuples {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        // SAFETY: the bits of each.
        unsafe impl<$($name: Param),*> Params for ($($name,)*) {
            type Bits = ($($name::Bits,)*);
            const MAY_HIDE_ADDRESS: bool = false $(|| $name::MAY_HIDE_ADDRESS)*;

            #[inline(always)]
            fn parameters<Function>() -> &'static [ParameterInfo] {
                const { &[$(ParameterInfo::new::<$name>(mem::offset_of!(Block<Function, Self::Bits>, bits.$field))),*] }
            }
        }

        impl<Function, $($name: Param),*> Callable<($($name,)*)> for Function
        where
            Function: Fn($($name),*) + for<'k> TakesFor<'k, ($($name,)*)> + Copy + Send + 'static,
        {
            #[inline(always)]
            unsafe fn call(self, _bits: <($($name,)*) as Params>::Bits) {
                // SAFETY: the caller's promise.
                #[allow(unused_unsafe, reason = "a kernel without parameters has nothing to take apart")]
                unsafe {
                    self($($name::from_bits(_bits.$field)),*)
                }
            }
        }

        impl<'k, Function, $($name: Param),*> TakesFor<'k, ($($name,)*)> for Function
        where
            Function: Fn($($name::For<'k>),*),
        {
        }

        // SAFETY: each is an argument, and all are borrowed at once.
        unsafe impl<$($name: Param, $argument: Argument<$name>),*> Arguments<($($name,)*)> for ($($argument,)*) {
            fn bind(self, _binding: &mut Binding<'_>) -> Result<<($($name,)*) as Params>::Bits> {
                Ok(($(self.$field.bind(_binding)?,)*))
            }
        }
    )* };
}
tuples!(
    ()
    (A A1 0)
    (A A1 0 B B1 1)
    (A A1 0 B B1 1 C C1 2)
    (A A1 0 B B1 1 C C1 2 D D1 3)
    (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4)
    (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5)
    (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6)
    (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7)
    (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8)
    (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9)
    (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10)
    (A A1 0 B B1 1 C C1 2 D D1 3 E E1 4 F F1 5 G G1 6 H H1 7 I I1 8 J J1 9 K K1 10 L L1 11)
);
