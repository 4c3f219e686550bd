//! Atomics of floats of 16 bits. All operations are those of an integer with the same bits; a target without accesses
//! of 16 bits changes the 32 bits that contain them, by a compare-and-exchange.

use core::sync::atomic::Ordering;

use super::value::Operations;
use crate::num::{Bf16, F16};

/// Replaces the bits at `at` with those that `next` returns for them, and returns the previous ones.
///
/// # Safety
///
/// See [`Operations`].
#[inline(always)]
unsafe fn update(at: *mut u16, ordering: Ordering, scope: u32, next: impl Fn(u16) -> u16) -> u16 {
    // SAFETY: the caller meets the requirements of the function.
    let mut found = unsafe { u16::load(at, Ordering::Relaxed, scope) };
    loop {
        // SAFETY: as above.
        match unsafe { u16::compare_exchange(at, found, next(found), (ordering, Ordering::Relaxed), scope) } {
            Ok(found) => return found,
            Err(other) => found = other,
        }
    }
}

/// Read-modify-write operations, which return the previous value.
macro_rules! updates {
    ($ty:ident: $($name:ident $result:expr;)*) => { $(
        #[inline(always)]
        unsafe fn $name(at: *mut $ty, value: $ty, ordering: Ordering, scope: u32) -> $ty {
            let result: fn($ty, $ty) -> $ty = $result;
            let next = |found| result($ty::from_bits(found), value).to_bits();
            // SAFETY: the caller promises the rest, and the integer has the size and the alignment of the float.
            $ty::from_bits(unsafe { update(at.cast(), ordering, scope, next) })
        }
    )* };
}

macro_rules! small_floats {
    ($($ty:ident)*) => { $(
        impl Operations for $ty {
            #[inline(always)]
            unsafe fn load(at: *mut $ty, ordering: Ordering, scope: u32) -> $ty {
                // SAFETY: the caller promises the rest, and the integer has the size and the alignment of the float.
                $ty::from_bits(unsafe { u16::load(at.cast(), ordering, scope) })
            }

            #[inline(always)]
            unsafe fn store(at: *mut $ty, value: $ty, ordering: Ordering, scope: u32) {
                // SAFETY: as above.
                unsafe { u16::store(at.cast(), value.to_bits(), ordering, scope) }
            }

            #[inline(always)]
            unsafe fn swap(at: *mut $ty, value: $ty, ordering: Ordering, scope: u32) -> $ty {
                // SAFETY: as above.
                $ty::from_bits(unsafe { u16::swap(at.cast(), value.to_bits(), ordering, scope) })
            }

            #[inline(always)]
            unsafe fn compare_exchange(
                at: *mut $ty,
                current: $ty,
                new: $ty,
                orderings: (Ordering, Ordering),
                scope: u32,
            ) -> Result<$ty, $ty> {
                let (current, new) = (current.to_bits(), new.to_bits());
                // SAFETY: as above.
                let found = unsafe { u16::compare_exchange(at.cast(), current, new, orderings, scope) };
                found.map($ty::from_bits).map_err($ty::from_bits)
            }

            updates! { $ty:
                add |found, value| found + value;
                sub |found, value| found - value;
                min $ty::min;
                max $ty::max;
            }
        }
    )* };
}

small_floats!(F16 Bf16);
