//! Arguments of a kernel that runs on the host, for unit tests: the host's own memory, typed as a launch's.

use core::sync::atomic as core_atomic;
use std::vec::Vec;

use crate::atomic::{Atomic, AtomicValue, scope::BufferScope};
use crate::param::{DeviceCopy, Param, Params};
use crate::slice::{DisjointBlocks, DisjointChunks, DisjointRows, DisjointSlice, RawSlice, RowsBits};

/// What [`Kernel::run_on_host`](crate::Kernel::run_on_host) takes for a parameter `P`: the value itself, `&x[..]` for `&[T]`,
/// `&mut y[..]` for `DisjointSlice<T>`, `DisjointBlocks<T>`, `DisjointChunks<T, N>` and `&[Atomic<T>]`, of slices, arrays and vectors, and
/// `DisjointRows::new(&mut y, columns)` for `DisjointRows<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the host's argument for a kernel's parameter of type `{P}`",
    label = "does not fit the parameter `{P}`",
    note = "on the host `&[T]` takes `&[T]`, `DisjointSlice<T>` and `&[Atomic<T>]` take `&mut [T]`, others take the value itself"
)]
///
/// See the example of [`Kernel::run_on_host`](crate::Kernel::run_on_host).
///
/// # Safety
///
/// Until the threads have ended, the bits must be good for `P::from_bits` in each of them.
pub unsafe trait HostArgument<P: Param> {
    /// The bytes that every thread gets.
    #[doc(hidden)]
    fn bits(self) -> P::Bits;
}

/// A tuple with one [`HostArgument`] for each of the parameters `P`.
#[diagnostic::on_unimplemented(
    message = "the arguments `{Self}` do not fit the kernel's parameters `{P}`",
    label = "one argument for each parameter, as a tuple: `(a, &x, &mut y)`"
)]
///
/// See the example of [`Kernel::run_on_host`](crate::Kernel::run_on_host).
///
/// # Safety
///
/// As [`HostArgument`], for each.
pub unsafe trait HostArguments<P: Params> {
    /// The bytes that every thread gets.
    #[doc(hidden)]
    fn bits(self) -> P::Bits;
}

// SAFETY: a copy of plain bytes.
unsafe impl<T: DeviceCopy> HostArgument<T> for T {
    fn bits(self) -> T {
        self
    }
}

// SAFETY: borrowed alone, and given away.
unsafe impl<'a, T: DeviceCopy> HostArgument<DisjointRows<'a, T>> for DisjointRows<'a, T> {
    fn bits(self) -> RowsBits<T> {
        self.into_bits()
    }
}

macro_rules! mutable {
    ($([$($extra:tt)*] $host:ty),*) => { $(
        // SAFETY: borrowed until the call returns, which is when the threads have ended.
        unsafe impl<'a, T: DeviceCopy, $($extra)*> HostArgument<&'a [T]> for &'a $host {
            fn bits(self) -> RawSlice<T> {
                RawSlice::new(self.as_ptr().cast_mut(), self.len())
            }
        }

        // SAFETY: as above, and alone.
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
        unsafe impl<'a, T: AtomicValue, S: BufferScope, $($extra)*> HostArgument<&'a [Atomic<T, S>]> for &'a mut $host {
            fn bits(self) -> RawSlice<T> {
                RawSlice::from(&mut self[..])
            }
        }
    )* };
}
mutable!([] [T], [] Vec<T>, [const N: usize] [T; N]);

// SAFETY: borrowed alone until the threads have ended.
unsafe impl<'a, T: DeviceCopy, const N: usize> HostArgument<DisjointChunks<'a, T, N>> for &'a mut [T] {
    fn bits(self) -> RawSlice<T> {
        RawSlice::from(self)
    }
}

macro_rules! core_atomics {
    ($($atomic:ident $ty:ty;)*) => { $(
        // SAFETY: borrowed alone until the threads have ended.
        unsafe impl<'a> HostArgument<&'a [core_atomic::$atomic]> for &'a mut [$ty] {
            fn bits(self) -> RawSlice<$ty> {
                RawSlice::from(self)
            }
        }
    )* };
}
core_atomics! {
    AtomicBool bool;
    AtomicU8 u8;
    AtomicU16 u16;
    AtomicU32 u32;
    AtomicU64 u64;
    AtomicUsize usize;
    AtomicI8 i8;
    AtomicI16 i16;
    AtomicI32 i32;
    AtomicI64 i64;
    AtomicIsize isize;
}

macro_rules! tuples {
    ($(($($name:ident $argument:ident $field:tt)*))*) => { $(
        // SAFETY: each is an argument, and all are borrowed at once.
        unsafe impl<$($name: Param, $argument: HostArgument<$name>),*> HostArguments<($($name,)*)> for ($($argument,)*) {
            #[allow(clippy::unused_unit, reason = "a kernel without parameters")]
            fn bits(self) -> <($($name,)*) as Params>::Bits {
                ($(self.$field.bits(),)*)
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
