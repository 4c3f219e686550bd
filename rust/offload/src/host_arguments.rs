//! Arguments of a kernel that runs on the host, for unit tests. They are memory of the host, and have the same types as
//! the arguments of a launch.

use core::sync::atomic as core_atomic;
use std::vec::Vec;

use crate::atomic::{Atomic, AtomicValue, scope::BufferScope};
use crate::atomic_arguments::for_each_core_atomic;
use crate::chunks::DisjointChunks;
use crate::device_copy::DeviceCopy;
use crate::layers::{DisjointLayers, LayersBits};
use crate::param::{Param, Params};
use crate::rows::{DisjointRows, RowsBits};
use crate::slice::{DisjointBlocks, DisjointSlice, RawSlice};

/// An argument that [`Kernel::run_on_host`](crate::Kernel::run_on_host) accepts for a parameter of type `P`.
///
/// | parameter | argument |
/// |---|---|
/// | `&[T]` | `&x[..]` of a slice, array or vector |
/// | `DisjointSlice<T>`, `DisjointBlocks<T>`, `DisjointChunks<T, N>` | `&mut y[..]` of a slice, array or vector |
/// | `&[Atomic<T>]`, `&[AtomicU32]`, … | the same |
/// | `DisjointRows<T>` | `DisjointRows::new(&mut y, columns)` |
/// | `DisjointLayers<T>` | `DisjointLayers::new(&mut y, columns, rows)` |
/// | others | the value itself |
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the host's argument for a kernel's parameter of type `{P}`",
    label = "does not fit the parameter `{P}`",
    note = "on the host `&[T]` takes `&[T]`; `DisjointSlice<T>`, `DisjointChunks<T, N>`, `DisjointBlocks<T>` and `&[Atomic<T>]` take `&mut [T]`; others take the value itself"
)]
///
/// See the example of [`Kernel::run_on_host`](crate::Kernel::run_on_host).
///
/// # Safety
///
/// The bits must be valid for `P::from_bits` in each thread until all threads have ended.
pub unsafe trait HostArgument<P: Param> {
    /// The bytes that every thread receives.
    #[doc(hidden)]
    fn bits(self) -> P::Bits;
}

/// A tuple with one [`HostArgument`] for each of the parameters `P`.
#[diagnostic::on_unimplemented(
    message = "the host's arguments `{Self}` do not fit the kernel's parameters `{P}`",
    label = "does not fit; a call takes one argument for each parameter, as a tuple: `(2.0, &x, &mut y)`",
    note = "on the host `f32` takes `2.0`; `&[T]` takes `&x[..]`; `DisjointSlice<T>` and its like and `&[Atomic<T>]` take `&mut y[..]`; `DisjointRows<T>` takes `DisjointRows::new(&mut y, columns)`; `RawSlice<T>` takes `RawSlice::from(&mut y[..])`; the captures of a closure are `Copy`, `Send` and `Sync`: in place of a `Vec`, add a parameter `&[T]`"
)]
///
/// See the example of [`Kernel::run_on_host`](crate::Kernel::run_on_host).
///
/// # Safety
///
/// See [`HostArgument`], for each element of the tuple.
pub unsafe trait HostArguments<P: Params> {
    /// The bytes that every thread receives.
    #[doc(hidden)]
    fn bits(self) -> P::Bits;
}

// SAFETY: the bits are a copy of plain bytes.
unsafe impl<T: DeviceCopy> HostArgument<T> for T {
    fn bits(self) -> T {
        self
    }
}

// SAFETY: the value borrows the memory exclusively, and is moved into the call.
unsafe impl<'a, T: DeviceCopy> HostArgument<DisjointRows<'a, T>> for DisjointRows<'a, T> {
    fn bits(self) -> RowsBits<T> {
        self.into_bits()
    }
}

// SAFETY: as above.
unsafe impl<'a, T: DeviceCopy> HostArgument<DisjointLayers<'a, T>> for DisjointLayers<'a, T> {
    fn bits(self) -> LayersBits<T> {
        self.into_bits()
    }
}

macro_rules! mutable {
    ($([$($extra:tt)*] $host:ty),*) => { $(
        // SAFETY: the memory is borrowed until the call returns, and the threads have ended by then.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> HostArgument<&'a [T]> for &'a $host {
            fn bits(self) -> RawSlice<T> {
                RawSlice::new(self.as_ptr().cast_mut(), self.len())
            }
        }

        // SAFETY: as above, and exclusively.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> HostArgument<DisjointSlice<'a, T>> for &'a mut $host {
            fn bits(self) -> RawSlice<T> {
                RawSlice::from(&mut self[..])
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> HostArgument<DisjointBlocks<'a, T>> for &'a mut $host {
            fn bits(self) -> RawSlice<T> {
                RawSlice::from(&mut self[..])
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy, const C: usize, $($extra)*> HostArgument<DisjointChunks<'a, T, C>> for &'a mut $host {
            fn bits(self) -> RawSlice<T> {
                RawSlice::from(&mut self[..])
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: AtomicValue, S: BufferScope, $($extra)*> HostArgument<&'a [Atomic<T, S>]> for &'a mut $host {
            fn bits(self) -> RawSlice<T> {
                RawSlice::from(&mut self[..])
            }
        }
    )* };
}
mutable!([] [T], [] Vec<T>, [const N: usize] [T; N]);

macro_rules! core_atomics {
    ($($atomic:ident $ty:ty;)*) => { $(
        // SAFETY: the memory is borrowed exclusively until the threads have ended.
        unsafe impl<'a> HostArgument<&'a [core_atomic::$atomic]> for &'a mut [$ty] {
            fn bits(self) -> RawSlice<$ty> {
                RawSlice::from(self)
            }
        }
    )* };
}
for_each_core_atomic!(core_atomics);

macro_rules! tuples {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        #[diagnostic::do_not_recommend] // rustc would list all numbers of parameters
        // SAFETY: each element is an argument, and all are borrowed at the same time.
        unsafe impl<$($name: Param, $argument: HostArgument<$name>),*> HostArguments<($($name,)*)> for ($($argument,)*) {
            #[allow(clippy::unused_unit, reason = "a kernel without parameters")]
            fn bits(self) -> <($($name,)*) as Params>::Bits {
                ($(self.$field.bits(),)*)
            }
        }
    )* };
}
for_each_arity!(tuples);
