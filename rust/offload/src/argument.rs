//! Arguments of launches: the values and the memory that a launch accepts for each type of parameter. The modules of
//! the types that own memory implement [`Argument`] for them.

use crate::binding::Binding;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::param::{Param, Params};

/// The arguments of a launch for the parameters `P`: a tuple with one [`Argument`] for each.
#[diagnostic::on_unimplemented(
    message = "the arguments `{Self}` do not fit the kernel's parameters `{P}`",
    label = "does not fit; a launch takes one argument for each parameter, as a tuple: `(2.0, &x, &mut y)`",
    note = "`f32` takes `2.0`; `&[T]` takes `&buffer`; `DisjointSlice<T>` and its like and `&[Atomic<T>]` take `&mut buffer`; `DisjointRows<T>` takes `buffer.rows(columns)`, `DisjointLayers<T>` `buffer.layers(columns, rows)`; `RawSlice<T>` takes `buffer.as_raw()`; the captures of a closure are `Copy`, `Send` and `Sync`: in place of a `Vec`, add a parameter `&[T]`"
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
/// `buffer.rows(columns)` for `DisjointRows<T>`, and `buffer.layers(columns, rows)` for `DisjointLayers<T>`. A
/// [`UnifiedBuffer`](crate::UnifiedBuffer) or a part of a buffer ([`Part`](crate::Part), [`PartMut`](crate::PartMut))
/// can replace a `DeviceBuffer`.
///
/// Host memory is also an argument: `&x[..]` for `&[T]` and `&mut y[..]` for the others, where `x` and `y` are slices,
/// arrays or `Vec`s. It is copied to the device for the launch, and memory that the kernel may write is copied back.
/// Elements of `MaybeUninit` are only copied back. Guards keep such memory on the device across launches:
/// [`Mapped`](crate::Mapped), [`MappedMut`](crate::MappedMut).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the argument for a kernel's parameter of type `{P}`",
    label = "does not fit the parameter `{P}`",
    note = "`f32` takes `2.0`; `&[T]` takes `&DeviceBuffer<T>`, `&Part<T>` or a `&[T]` of the host; `DisjointSlice<T>` and its like and `&[Atomic<T>]` take `&mut DeviceBuffer<T>`, `&mut PartMut<T>` or a `&mut [T]`; `DisjointRows<T>` takes `buffer.rows(columns)`, `DisjointLayers<T>` `buffer.layers(columns, rows)`; `RawSlice<T>` takes `buffer.as_raw()`"
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
/// launch(&[1, 2, 3])?; // an array of the host is also an argument for a `&[u32]`
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

// SAFETY: the bits are a copy of plain bytes.
unsafe impl<T: DeviceCopy> Argument<T> for T {
    fn bind(self, _binding: &mut Binding<'_>) -> Result<T> {
        Ok(self)
    }
}

macro_rules! tuples {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        #[diagnostic::do_not_recommend] // rustc would list all numbers of parameters
        // SAFETY: each element is an argument, and all are borrowed at the same time.
        unsafe impl<$($name: Param, $argument: Argument<$name>),*> Arguments<($($name,)*)> for ($($argument,)*) {
            fn bind(self, _binding: &mut Binding<'_>) -> Result<<($($name,)*) as Params>::Bits> {
                Ok(($(self.$field.bind(_binding)?,)*))
            }
        }
    )* };
}
for_each_arity!(tuples);
