//! Atomics as parameters of kernels: `&[Atomic<T>]` and slices of core's atomics. The arguments are `&mut
//! DeviceBuffer<T>` and exclusively borrowed memory of the host.

use core::sync::atomic as core_atomic;
use std::vec::Vec;

use crate::argument::Argument;
use crate::atomic::{Atomic, AtomicValue, scope::BufferScope};
use crate::binding::Binding;
use crate::buffer::DeviceBuffer;
use crate::error::Result;
use crate::host_buffer::UnifiedBuffer;
use crate::layout::Layout;
use crate::mapped::MappedMut;
use crate::overlap::ParameterMemory;
use crate::param::{Element, Param};
use crate::slice::RawSlice;

impl<T: AtomicValue, S: BufferScope> Element for Atomic<T, S> {}

// SAFETY: every access to an element is atomic, and its scope contains all threads of the launch.
unsafe impl<T: AtomicValue, S: BufferScope> Param for &[Atomic<T, S>] {
    type Bits = RawSlice<T>;
    type For<'k> = &'k [Atomic<T, S>];
    const MAY_HIDE_ADDRESS: bool = false;
    const MAY_HOLD_POINTER: bool = false;

    #[inline(always)]
    fn memory(bits: &RawSlice<T>, each: &mut impl FnMut(ParameterMemory)) {
        each(ParameterMemory::written(*bits));
    }

    fn layout(layout: &mut Layout) {
        RawSlice::<T>::layout_of_bits(layout);
        layout.plain::<T>();
    }

    #[inline(always)]
    unsafe fn from_bits(bits: RawSlice<T>) -> Self {
        // SAFETY: the launch has borrowed the buffer exclusively, and an atomic has the layout of its value.
        unsafe { core::slice::from_raw_parts(bits.as_ptr().cast(), bits.len()) }
    }
}

// SAFETY: the buffer is borrowed exclusively, and its later uses are ordered after the launch.
unsafe impl<'a, T: AtomicValue, S: BufferScope> Argument<&'a [Atomic<T, S>]> for &'a mut DeviceBuffer<T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        self.memory().write_in(binding)?;
        Ok(self.as_raw())
    }
}

// SAFETY: as above.
unsafe impl<'a, T: AtomicValue, S: BufferScope> Argument<&'a [Atomic<T, S>]> for &'a mut UnifiedBuffer<T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        self.memory().write_in(binding)?;
        Ok(self.as_raw())
    }
}

// SAFETY: as above.
unsafe impl<'a, T: AtomicValue, S: BufferScope> Argument<&'a [Atomic<T, S>]> for &'a mut MappedMut<'_, T> {
    fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
        Argument::<&'a [Atomic<T, S>]>::bind(self.buffer(), binding)
    }
}

macro_rules! host_slices {
    ($([$($extra:tt)*] $host:ty),*) => { $(
        // SAFETY: the memory is borrowed exclusively until the launch returns, and the launch waits for the kernel.
        unsafe impl<'a, T: AtomicValue, S: BufferScope, $($extra)*> Argument<&'a [Atomic<T, S>]> for &'a mut $host {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                binding.map_mut(self)
            }
        }
    )* };
}
host_slices!([] [T], [] Vec<T>, [const N: usize] [T; N]);

/// Calls a macro with core's atomics and the types of their values.
macro_rules! for_each_core_atomic {
    ($what:ident) => {
        $what! {
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
    };
}
pub(crate) use for_each_core_atomic;

macro_rules! core_atomics {
    ($($atomic:ident $ty:ty;)*) => { $(
        impl Element for core_atomic::$atomic {}

        // SAFETY: every access to an element is atomic, and its scope is the whole system.
        unsafe impl Param for &[core_atomic::$atomic] {
            type Bits = RawSlice<$ty>;
            type For<'k> = &'k [core_atomic::$atomic];
            const MAY_HIDE_ADDRESS: bool = false;
            const MAY_HOLD_POINTER: bool = false;

            #[inline(always)]
            fn memory(bits: &RawSlice<$ty>, each: &mut impl FnMut(ParameterMemory)) {
                each(ParameterMemory::written(*bits));
            }

            fn layout(layout: &mut Layout) {
                RawSlice::<$ty>::layout_of_bits(layout);
                layout.plain::<$ty>();
            }

            #[inline(always)]
            unsafe fn from_bits(bits: RawSlice<$ty>) -> Self {
                // SAFETY: the launch has borrowed the buffer exclusively, and core documents that both types have the
                // same representation.
                unsafe { core::slice::from_raw_parts(bits.as_ptr().cast(), bits.len()) }
            }
        }

        // SAFETY: as for `Atomic`.
        unsafe impl<'a> Argument<&'a [core_atomic::$atomic]> for &'a mut DeviceBuffer<$ty> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<$ty>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: as for `Atomic`.
        unsafe impl<'a> Argument<&'a [core_atomic::$atomic]> for &'a mut UnifiedBuffer<$ty> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<$ty>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: as for `Atomic`.
        unsafe impl<'a> Argument<&'a [core_atomic::$atomic]> for &'a mut MappedMut<'_, $ty> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<$ty>> {
                Argument::<&'a [core_atomic::$atomic]>::bind(self.buffer(), binding)
            }
        }

        // SAFETY: as for `Atomic`.
        unsafe impl<'a> Argument<&'a [core_atomic::$atomic]> for &'a mut [$ty] {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<$ty>> {
                binding.map_mut(self)
            }
        }
    )* };
}

for_each_core_atomic!(core_atomics);
