//! Atomics as a kernel's parameters: `&[Atomic<T>]` and slices of core's atomics, for `&mut DeviceBuffer<T>`
//! and memory of the host that is borrowed alone.

use core::sync::atomic as core_atomic;
use std::vec::Vec;

use crate::argument::Argument;
use crate::atomic::{Atomic, AtomicValue, scope::BufferScope};
use crate::binding::Binding;
use crate::buffer::DeviceBuffer;
use crate::error::Result;
use crate::host_buffer::UnifiedBuffer;
use crate::mapped::MappedMut;
use crate::param::Param;
use crate::slice::RawSlice;

// SAFETY: every access of an element is atomic, in a scope that all threads of the launch are in.
unsafe impl<T: AtomicValue, S: BufferScope> Param for &[Atomic<T, S>] {
    type Bits = RawSlice<T>;
    type For<'k> = &'k [Atomic<T, S>];
    const MAY_HIDE_ADDRESS: bool = false;

    #[inline(always)]
    unsafe fn from_bits(bits: RawSlice<T>) -> Self {
        // SAFETY: a launch borrowed the buffer for itself alone, and an atomic lies in memory as its value does.
        unsafe { core::slice::from_raw_parts(bits.as_ptr().cast(), bits.len()) }
    }
}

// SAFETY: borrowed alone, and whatever uses the buffer next comes after the launch.
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
        // SAFETY: borrowed alone until the launch returns, which waits for the kernel.
        unsafe impl<'a, T: AtomicValue, S: BufferScope, $($extra)*> Argument<&'a [Atomic<T, S>]> for &'a mut $host {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                binding.map_mut(self)
            }
        }
    )* };
}
host_slices!([] [T], [] Vec<T>, [const N: usize] [T; N]);

macro_rules! core_atomics {
    ($($atomic:ident $ty:ty;)*) => { $(
        // SAFETY: every access of an element is atomic, for the whole system.
        unsafe impl Param for &[core_atomic::$atomic] {
            type Bits = RawSlice<$ty>;
            type For<'k> = &'k [core_atomic::$atomic];
            const MAY_HIDE_ADDRESS: bool = false;

            #[inline(always)]
            unsafe fn from_bits(bits: RawSlice<$ty>) -> Self {
                // SAFETY: a launch borrowed the buffer for itself alone; core says that the bits are the same.
                unsafe { core::slice::from_raw_parts(bits.as_ptr().cast(), bits.len()) }
            }
        }

        // SAFETY: as `Atomic`'s.
        unsafe impl<'a> Argument<&'a [core_atomic::$atomic]> for &'a mut DeviceBuffer<$ty> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<$ty>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: as `Atomic`'s.
        unsafe impl<'a> Argument<&'a [core_atomic::$atomic]> for &'a mut UnifiedBuffer<$ty> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<$ty>> {
                self.memory().write_in(binding)?;
                Ok(self.as_raw())
            }
        }

        // SAFETY: as `Atomic`'s.
        unsafe impl<'a> Argument<&'a [core_atomic::$atomic]> for &'a mut MappedMut<'_, $ty> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<$ty>> {
                Argument::<&'a [core_atomic::$atomic]>::bind(self.buffer(), binding)
            }
        }

        // SAFETY: as `Atomic`'s.
        unsafe impl<'a> Argument<&'a [core_atomic::$atomic]> for &'a mut [$ty] {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<$ty>> {
                binding.map_mut(self)
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
