//! Parameters of kernels: which types they may have, and which bytes a launch copies to the device for them.
//!
//! There are two traits. A [`DeviceCopy`] value is copied byte for byte. A [`Param`] is a possible type of a parameter,
//! and names the bytes that are copied for it ([`Param::Bits`]): for a slice, these are its address on the device and
//! its length.

use core::mem;

use crate::chunks::DisjointChunks;
use crate::contract;
use crate::device_copy::DeviceCopy;
use crate::layers::{DisjointLayers, LayersBits};
use crate::layout::Layout;
use crate::overlap::ParameterMemory;
use crate::rows::{DisjointRows, RowsBits};
use crate::slice::{DisjointBlocks, DisjointSlice, RawSlice};

/// A type of a kernel's parameter: a [`DeviceCopy`] value, a shared slice, a slice of [atomics](crate::atomic::Atomic),
/// or a [`DisjointSlice`].
///
/// A launch may leave a slice out if the parameter is an `Option<&[T]>` or an `Option<DisjointSlice<T>>`, where CUDA
/// has a pointer that may be null. The argument is `Some` of an argument for the slice, or `None` of such a type:
///
/// ```
/// use offload::{Device, DeviceBuffer, DisjointSlice, Grid, kernel, prelude::*, thread};
///
/// #[kernel]
/// fn add_bias(bias: Option<&[f32]>, mut y: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if let Some(y) = y.get_mut(i) {
///         *y += bias.map_or(0.0, |bias| bias[i]);
///     }
/// }
///
/// let stream = Device::new()?.default_stream();
/// let bias = DeviceBuffer::from_host(&stream, &[10.0, 20.0])?;
/// let mut y = DeviceBuffer::from_host(&stream, &[1.0, 2.0])?;
/// add_bias.launch(&stream, Grid::for_len(2, 32), (Some(&bias), &mut y))?;
/// add_bias.launch(&stream, Grid::for_len(2, 32), (None::<&DeviceBuffer<f32>>, &mut y))?;
/// assert_eq!(y.to_host_vec(&stream)?, [11.0, 22.0]);
/// # Ok::<(), offload::Error>(())
/// ```
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
/// Several threads of a launch may have the values that `from_bits` returns at the same time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "a kernel cannot take this",
    note = "if `{Self}` is a struct or an enum of yours, or a slice of one, add `#[derive(Clone, Copy, DeviceCopy)]` to that type",
    note = "a kernel takes numbers, structs with this derive, `&[T]`, `DisjointSlice<T>`, `Option`s of these, `&[Atomic<T>]` with the scope of the device or of the system, and raw pointers"
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

    /// See [`DeviceCopy`].
    #[doc(hidden)]
    const MAY_HOLD_POINTER: bool;

    /// Whether the bits are a number, or a struct of numbers.
    #[doc(hidden)]
    const IS_SCALAR: bool = false;

    /// Whether code should be compiled for the value once that is known.
    #[doc(hidden)]
    const IS_SPECIALIZED: bool = false;

    /// How many of the first bytes code is compiled for. The others may differ from one start of a program to the next,
    /// as the address of a function does.
    #[doc(hidden)]
    const SCALAR_BYTES: usize = size_of::<Self::Bits>();

    /// Tells the compiler that nothing writes the memory of a shared slice while the kernel runs.
    #[doc(hidden)]
    #[inline(always)]
    fn promise_read_only(_: &Self::Bits) {}

    /// Calls `each` with the memory that the parameter leads to.
    #[doc(hidden)]
    #[inline(always)]
    fn memory(_: &Self::Bits, _each: &mut impl FnMut(ParameterMemory)) {}

    /// Sets the padding of a specialized value to 0. Otherwise, equal values with different padding would each get
    /// code.
    #[doc(hidden)]
    #[inline(always)]
    fn clear_padding(_: &mut Self::Bits) {}

    /// Adds the layout of the bits, and of the elements that they lead to.
    #[doc(hidden)]
    fn layout(layout: &mut Layout);

    /// Returns the parameter, on the device.
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
    /// The bits must come from an argument of a launch for a parameter of this type, and must be used for the call of
    /// one thread.
    unsafe fn from_bits(bits: Self::Bits) -> Self;
}

/// An element of a slice that is a parameter: `#[kernel]` checks it separately from the slice, because the error then
/// names the type that lacks an attribute.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a kernel cannot take a slice of `{Self}`",
    label = "not `DeviceCopy`",
    note = "if `{Self}` is a struct or an enum of yours, add `#[derive(Clone, Copy, DeviceCopy)]` to it"
)]
pub trait Element {}

impl<T: DeviceCopy> Element for T {}

/// A parameter with the name of a collection of the host: `#[kernel]` checks it so that the error is about that.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is memory of the host, and cannot be a parameter of a kernel",
    label = "a kernel cannot take this",
    note = "take a `&[T]` of its elements, or a `DisjointSlice<T>` to write them; a launch takes `&buffer` or `&mut buffer` of a `DeviceBuffer<T>`, or `&vector[..]`"
)]
pub trait NoCollection {}

#[diagnostic::do_not_recommend]
impl<T: Param> NoCollection for T {}

/// The same for text.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is memory of the host, and cannot be a parameter of a kernel",
    label = "a kernel cannot take this",
    note = "take its bytes as a `&[u8]`; a launch takes `text.as_bytes()`, or a `&DeviceBuffer<u8>`"
)]
pub trait NoText {}

#[diagnostic::do_not_recommend]
impl<T: Param> NoText for T {}

/// The same for a `&mut`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "it would be the same memory in every thread",
    note = "take a `DisjointSlice<T>`, in which each thread accesses its own element; a launch takes `&mut buffer`"
)]
pub trait NoExclusiveReference {}

#[diagnostic::do_not_recommend]
impl<T: Param> NoExclusiveReference for T {}

// SAFETY: each thread has its own copy of plain bytes.
unsafe impl<T: DeviceCopy> Param for T {
    type Bits = T;
    type For<'k> = T;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
    const IS_SCALAR: bool = !T::MAY_HOLD_POINTER && size_of::<T>() != 0;

    #[inline(always)]
    fn memory(bits: &T, each: &mut impl FnMut(ParameterMemory)) {
        bits.pointers(&mut |address, bytes| each(ParameterMemory { address, bytes, is_shared: false }));
    }

    fn layout(layout: &mut Layout) {
        <T as DeviceCopy>::layout(layout);
    }

    #[inline(always)]
    unsafe fn from_bits(bits: T) -> T {
        bits
    }
}

// SAFETY: many threads may read at the same time, and nothing writes a buffer that a kernel borrows shared.
unsafe impl<'a, T: DeviceCopy> Param for &'a [T] {
    type Bits = RawSlice<T>;
    type For<'k> = &'k [T];
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;

    #[inline(always)]
    fn promise_read_only(bits: &RawSlice<T>) {
        contract::__offload_read_only(bits.as_ptr().cast());
    }

    #[inline(always)]
    fn memory(bits: &RawSlice<T>, each: &mut impl FnMut(ParameterMemory)) {
        each(ParameterMemory::shared(*bits));
    }

    fn layout(layout: &mut Layout) {
        RawSlice::<T>::layout_of_bits(layout);
        T::layout(layout);
    }

    #[inline(always)]
    unsafe fn from_bits(bits: RawSlice<T>) -> &'a [T] {
        // SAFETY: the launch has borrowed the buffer until the kernel has ended.
        unsafe { core::slice::from_raw_parts(bits.as_ptr(), bits.len()) }
    }
}

macro_rules! disjoint {
    ($($ty:ident $bits:ident ($memory:expr), [$($extra:tt)*] [$($argument:tt)*];)*) => { $(
        // SAFETY: only one thread accesses a part of the memory; see the type.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> Param for $ty<'a, T, $($argument)*> {
            type Bits = $bits<T>;
            type For<'k> = $ty<'k, T, $($argument)*>;
            const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
            const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;

            #[inline(always)]
            fn memory(bits: &$bits<T>, each: &mut impl FnMut(ParameterMemory)) {
                let elements = $memory;
                each(ParameterMemory::written(elements(*bits)));
            }

            fn layout(layout: &mut Layout) {
                $bits::<T>::layout_of_bits(layout);
                T::layout(layout);
            }

            #[inline(always)]
            unsafe fn from_bits(bits: $bits<T>) -> Self {
                // SAFETY: the launch has borrowed the buffer exclusively.
                unsafe { $ty::from_raw(bits) }
            }
        }
    )* };
}
disjoint! {
    DisjointSlice RawSlice (|slice| slice), [] [];
    DisjointBlocks RawSlice (|slice| slice), [] [];
    DisjointChunks RawSlice (|slice| slice), [const N: usize] [N];
    DisjointRows RowsBits (RowsBits::as_raw), [] [];
    DisjointLayers LayersBits (LayersBits::as_raw), [] [];
}

/// A parameter of a kernel: its position in the bytes of the arguments. The captures of a closure come first.
///
/// The bytes of a slice are its address and its length.
///
/// See the example of [`KernelInfo`](crate::KernelInfo).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// The offset in bytes from the first argument.
    pub offset: usize,
    /// The size in bytes.
    pub size: usize,
    /// The alignment in bytes, a power of two.
    pub align: usize,
    name: fn() -> &'static str,
}

impl ParameterInfo {
    pub(crate) const fn new<P: Param>(offset: usize) -> Self {
        let name = core::any::type_name::<P>;
        ParameterInfo { offset, size: size_of::<P::Bits>(), align: mem::align_of::<P::Bits>(), name }
    }

    /// The type of the parameter as Rust writes it, with its path.
    ///
    /// See the example of [`KernelInfo`](crate::KernelInfo).
    pub fn type_name(&self) -> &'static str {
        (self.name)()
    }
}

/// The argument block that a launch copies to the device: the captures of the closure, and the bytes of the parameters.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Block<F, B> {
    pub(crate) function: F,
    pub(crate) bits: B,
}

/// All parameters of a kernel, as a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameters of a kernel",
    label = "not a kernel",
    note = "it has at most 12 parameters"
)]
///
/// ```
/// fn may_be_parameters<P: offload::Params>() {}
/// may_be_parameters::<(f32, &[f32])>();
/// ```
///
/// # Safety
///
/// `Bits` must consist of the bits of [`Param`]s.
pub unsafe trait Params {
    /// The bytes of all parameters.
    ///
    /// See the example of [`Params`].
    type Bits: Copy;

    /// Whether a parameter may hide an address.
    #[doc(hidden)]
    const MAY_HIDE_ADDRESS: bool;

    /// Whether a parameter may contain a pointer through which the kernel writes.
    #[doc(hidden)]
    const MAY_HOLD_POINTER: bool;

    /// Calls the function of this name of each parameter.
    #[doc(hidden)]
    fn promise_read_only(bits: &Self::Bits);

    /// Calls `each` with the memory that each parameter leads to, and with the number of the parameter.
    #[doc(hidden)]
    fn memory(bits: &Self::Bits, each: &mut impl FnMut(usize, ParameterMemory));

    /// Calls the function of this name of each parameter.
    #[doc(hidden)]
    fn clear_padding(bits: &mut Self::Bits);

    /// Tells the compiler where the scalars are in the argument block of a function or closure `F`.
    #[doc(hidden)]
    fn describe_scalars<F>();

    /// Returns the positions of the parameters in the argument block of a function or closure `F`.
    #[doc(hidden)]
    fn parameters<F>() -> &'static [ParameterInfo];

    /// Adds the layout of the argument block of a function `F`.
    #[doc(hidden)]
    fn layout<F>(layout: &mut Layout);
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
    note = "it has at most 12 parameters",
    note = "a closure must be `move`, and must not capture references",
    note = "it must accept `&[T]` and `DisjointSlice<T>` with any lifetime, because their memory may exist only for the launch"
)]
pub trait Callable<P: Params>: ScopedCallable<P> + 'static {
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

/// The same for a closure of a [`Scope`](crate::Scope), which may capture its slices.
///
/// See the example of [`Stream::scope`](crate::Stream::scope).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be launched in a scope",
    label = "not a kernel",
    note = "a kernel is a function that returns nothing and takes numbers, structs with `#[derive(Clone, Copy, DeviceCopy)]`, `&[T]` or `DisjointSlice<T>`",
    note = "it has at most 12 parameters",
    note = "a closure must be `move`, and captures numbers, and slices that the scope has borrowed",
    note = "it must accept `&[T]` and `DisjointSlice<T>` with any lifetime, because their memory may exist only for the launch"
)]
pub trait ScopedCallable<P: Params>: Copy + Send {
    /// Calls the function in one thread.
    ///
    /// # Safety
    ///
    /// The requirements of [`Param::from_bits`] hold for each parameter.
    #[doc(hidden)]
    unsafe fn run(self, bits: P::Bits);
}

/// A function that accepts the parameters `P` with references of the lifetime `'k`. A kernel must accept every `'k`,
/// because the memory that the references point to may exist only for its launch.
#[doc(hidden)]
pub trait TakesFor<'k, P: Params> {}

macro_rules! tuples {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        // SAFETY: the bits are those of each parameter.
        unsafe impl<$($name: Param),*> Params for ($($name,)*) {
            type Bits = ($($name::Bits,)*);
            const MAY_HIDE_ADDRESS: bool = false $(|| $name::MAY_HIDE_ADDRESS)*;
            const MAY_HOLD_POINTER: bool = false $(|| $name::MAY_HOLD_POINTER)*;

            #[inline(always)]
            fn promise_read_only(_bits: &Self::Bits) {
                $($name::promise_read_only(&_bits.$field);)*
            }

            #[inline(always)]
            fn memory(_bits: &Self::Bits, _each: &mut impl FnMut(usize, ParameterMemory)) {
                $($name::memory(&_bits.$field, &mut |memory| _each($field, memory));)*
            }

            #[inline(always)]
            fn clear_padding(_bits: &mut Self::Bits) {
                $($name::clear_padding(&mut _bits.$field);)*
            }

            #[inline(always)]
            fn describe_scalars<Function>() {
                $(
                    if const { $name::IS_SCALAR } {
                        contract::__offload_parameter(
                            const { mem::offset_of!(Block<Function, Self::Bits>, bits.$field) as u32 },
                            const { $name::SCALAR_BYTES as u32 },
                            const { $name::IS_SPECIALIZED as u32 },
                        );
                    }
                )*
            }

            #[inline(always)]
            fn parameters<Function>() -> &'static [ParameterInfo] {
                const { &[$(ParameterInfo::new::<$name>(mem::offset_of!(Block<Function, Self::Bits>, bits.$field))),*] }
            }

            fn layout<Function>(layout: &mut Layout) {
                layout.plain::<Block<(), Self::Bits>>();
                if size_of::<Function>() != 0 {
                    layout.unknown("captures");
                }
                $(
                    layout.field("", mem::offset_of!(Block<Function, Self::Bits>, bits.$field));
                    $name::layout(layout);
                )*
            }
        }

        impl<Function, $($name: Param),*> Callable<($($name,)*)> for Function
        where
            Function: Fn($($name),*) + for<'k> TakesFor<'k, ($($name,)*)> + Copy + Send + 'static,
        {
            #[inline(always)]
            unsafe fn call(self, bits: <($($name,)*) as Params>::Bits) {
                // SAFETY: the caller promises the same.
                unsafe { self.run(bits) }
            }
        }

        impl<Function, $($name: Param),*> ScopedCallable<($($name,)*)> for Function
        where
            Function: Fn($($name),*) + for<'k> TakesFor<'k, ($($name,)*)> + Copy + Send,
        {
            #[inline(always)]
            unsafe fn run(self, _bits: <($($name,)*) as Params>::Bits) {
                // SAFETY: the caller meets the requirements of the function.
                #[allow(unused_unsafe, reason = "a kernel without parameters has no call of `from_bits`")]
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

    )* };
}
for_each_arity!(tuples);
