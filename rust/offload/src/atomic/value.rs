//! The atomic operations on each type: functions of the device contract on a device, and core's atomics on the host.
//!
//! If an operation does not allow an ordering, core's atomic panics on the host, and offloadc reports an error for a
//! device.

use core::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
    Ordering,
};

use crate::contract::atomics;
use crate::thread::is_compiled;

/// Returns the number of an ordering in the contract, which is the number of C's `memory_order`.
#[inline(always)]
pub(super) fn number(ordering: Ordering) -> u32 {
    match ordering {
        Ordering::Relaxed => 0,
        Ordering::Acquire => 2,
        Ordering::Release => 3,
        Ordering::AcqRel => 4,
        _ => 5,
    }
}

/// The operations on the value at an address, with a scope by its number.
///
/// # Safety
///
/// For each method, `at` must be aligned, valid for reads and writes, and point to an initialised value. All accesses
/// at the same time must be atomic.
#[allow(
    missing_docs,
    clippy::missing_safety_doc,
    reason = "the methods have the names of core's, and the trait has their requirements"
)]
pub trait Operations: Copy {
    unsafe fn load(at: *mut Self, ordering: Ordering, scope: u32) -> Self;
    unsafe fn store(at: *mut Self, value: Self, ordering: Ordering, scope: u32);
    unsafe fn swap(at: *mut Self, value: Self, ordering: Ordering, scope: u32) -> Self;
    unsafe fn compare_exchange(
        at: *mut Self,
        current: Self,
        new: Self,
        orderings: (Ordering, Ordering),
        scope: u32,
    ) -> Result<Self, Self>;
    unsafe fn add(at: *mut Self, value: Self, ordering: Ordering, scope: u32) -> Self;
    unsafe fn sub(at: *mut Self, value: Self, ordering: Ordering, scope: u32) -> Self;
    unsafe fn min(at: *mut Self, value: Self, ordering: Ordering, scope: u32) -> Self;
    unsafe fn max(at: *mut Self, value: Self, ordering: Ordering, scope: u32) -> Self;
}

/// The operations that only integers have.
///
/// # Safety
///
/// See [`Operations`].
#[allow(missing_docs, clippy::missing_safety_doc, reason = "see `Operations`")]
pub trait Bitwise: Operations {
    unsafe fn and(at: *mut Self, value: Self, ordering: Ordering, scope: u32) -> Self;
    unsafe fn or(at: *mut Self, value: Self, ordering: Ordering, scope: u32) -> Self;
    unsafe fn xor(at: *mut Self, value: Self, ordering: Ordering, scope: u32) -> Self;
}

/// Read-modify-write operations, which return the previous value.
macro_rules! updates {
    ($ty:ty as $word:ty, $core:ident: $($name:ident $method:ident $builtin:ident)*) => { $(
        #[inline(always)]
        unsafe fn $name(at: *mut $ty, value: $ty, ordering: Ordering, scope: u32) -> $ty {
            if is_compiled() {
                atomics::$builtin(at.cast(), value as $word, number(ordering), scope) as $ty
            } else {
                // SAFETY: the caller meets the requirements of the function.
                unsafe { $core::from_ptr(at) }.$method(value, ordering)
            }
        }
    )* };
}

/// Integer types. For each: the unsigned type of the same size, the type of that size whose signedness `min` and `max`
/// use, core's atomic, and the functions of the contract.
macro_rules! integers {
    ($($ty:ident as $word:ident $signed:ident, $core:ident: $load:ident $store:ident $swap:ident $compare_exchange:ident
        $add:ident $sub:ident $and:ident $or:ident $xor:ident $min:ident $max:ident;)*) => { $(
        impl Operations for $ty {
            #[inline(always)]
            unsafe fn load(at: *mut $ty, ordering: Ordering, scope: u32) -> $ty {
                if is_compiled() {
                    atomics::$load(at.cast(), number(ordering), scope) as $ty
                } else {
                    // SAFETY: the caller meets the requirements of the function.
                    unsafe { $core::from_ptr(at) }.load(ordering)
                }
            }

            #[inline(always)]
            unsafe fn store(at: *mut $ty, value: $ty, ordering: Ordering, scope: u32) {
                if is_compiled() {
                    atomics::$store(at.cast(), value as $word, number(ordering), scope)
                } else {
                    // SAFETY: the caller meets the requirements of the function.
                    unsafe { $core::from_ptr(at) }.store(value, ordering)
                }
            }

            #[inline(always)]
            unsafe fn compare_exchange(
                at: *mut $ty,
                current: $ty,
                new: $ty,
                (success, failure): (Ordering, Ordering),
                scope: u32,
            ) -> Result<$ty, $ty> {
                if is_compiled() {
                    let orderings = (number(success), number(failure));
                    let (current, new) = (current as $word, new as $word);
                    let found = atomics::$compare_exchange(at.cast(), current, new, orderings.0, orderings.1, scope);
                    if found == current { Ok(found as $ty) } else { Err(found as $ty) }
                } else {
                    // SAFETY: the caller meets the requirements of the function.
                    unsafe { $core::from_ptr(at) }.compare_exchange(current, new, success, failure)
                }
            }

            updates! { $ty as $word, $core: swap swap $swap add fetch_add $add sub fetch_sub $sub }
            updates! { $ty as $signed, $core: min fetch_min $min max fetch_max $max }
        }

        impl Bitwise for $ty {
            updates! { $ty as $word, $core: and fetch_and $and or fetch_or $or xor fetch_xor $xor }
        }
    )* };
}

integers! {
    u8 as u8 u8, AtomicU8: __offload_atomic_load_u8 __offload_atomic_store_u8 __offload_atomic_exchange_u8
        __offload_atomic_compare_exchange_u8 __offload_atomic_add_u8 __offload_atomic_sub_u8
        __offload_atomic_and_u8 __offload_atomic_or_u8 __offload_atomic_xor_u8
        __offload_atomic_min_u8 __offload_atomic_max_u8;
    i8 as u8 i8, AtomicI8: __offload_atomic_load_u8 __offload_atomic_store_u8 __offload_atomic_exchange_u8
        __offload_atomic_compare_exchange_u8 __offload_atomic_add_u8 __offload_atomic_sub_u8
        __offload_atomic_and_u8 __offload_atomic_or_u8 __offload_atomic_xor_u8
        __offload_atomic_min_i8 __offload_atomic_max_i8;
    u16 as u16 u16, AtomicU16: __offload_atomic_load_u16 __offload_atomic_store_u16 __offload_atomic_exchange_u16
        __offload_atomic_compare_exchange_u16 __offload_atomic_add_u16 __offload_atomic_sub_u16
        __offload_atomic_and_u16 __offload_atomic_or_u16 __offload_atomic_xor_u16
        __offload_atomic_min_u16 __offload_atomic_max_u16;
    i16 as u16 i16, AtomicI16: __offload_atomic_load_u16 __offload_atomic_store_u16 __offload_atomic_exchange_u16
        __offload_atomic_compare_exchange_u16 __offload_atomic_add_u16 __offload_atomic_sub_u16
        __offload_atomic_and_u16 __offload_atomic_or_u16 __offload_atomic_xor_u16
        __offload_atomic_min_i16 __offload_atomic_max_i16;
    u32 as u32 u32, AtomicU32: __offload_atomic_load_u32 __offload_atomic_store_u32 __offload_atomic_exchange_u32
        __offload_atomic_compare_exchange_u32 __offload_atomic_add_u32 __offload_atomic_sub_u32
        __offload_atomic_and_u32 __offload_atomic_or_u32 __offload_atomic_xor_u32
        __offload_atomic_min_u32 __offload_atomic_max_u32;
    i32 as u32 i32, AtomicI32: __offload_atomic_load_u32 __offload_atomic_store_u32 __offload_atomic_exchange_u32
        __offload_atomic_compare_exchange_u32 __offload_atomic_add_u32 __offload_atomic_sub_u32
        __offload_atomic_and_u32 __offload_atomic_or_u32 __offload_atomic_xor_u32
        __offload_atomic_min_i32 __offload_atomic_max_i32;
    u64 as u64 u64, AtomicU64: __offload_atomic_load_u64 __offload_atomic_store_u64 __offload_atomic_exchange_u64
        __offload_atomic_compare_exchange_u64 __offload_atomic_add_u64 __offload_atomic_sub_u64
        __offload_atomic_and_u64 __offload_atomic_or_u64 __offload_atomic_xor_u64
        __offload_atomic_min_u64 __offload_atomic_max_u64;
    i64 as u64 i64, AtomicI64: __offload_atomic_load_u64 __offload_atomic_store_u64 __offload_atomic_exchange_u64
        __offload_atomic_compare_exchange_u64 __offload_atomic_add_u64 __offload_atomic_sub_u64
        __offload_atomic_and_u64 __offload_atomic_or_u64 __offload_atomic_xor_u64
        __offload_atomic_min_i64 __offload_atomic_max_i64;
    usize as u64 u64, AtomicUsize: __offload_atomic_load_u64 __offload_atomic_store_u64 __offload_atomic_exchange_u64
        __offload_atomic_compare_exchange_u64 __offload_atomic_add_u64 __offload_atomic_sub_u64
        __offload_atomic_and_u64 __offload_atomic_or_u64 __offload_atomic_xor_u64
        __offload_atomic_min_u64 __offload_atomic_max_u64;
    isize as u64 i64, AtomicIsize: __offload_atomic_load_u64 __offload_atomic_store_u64 __offload_atomic_exchange_u64
        __offload_atomic_compare_exchange_u64 __offload_atomic_add_u64 __offload_atomic_sub_u64
        __offload_atomic_and_u64 __offload_atomic_or_u64 __offload_atomic_xor_u64
        __offload_atomic_min_i64 __offload_atomic_max_i64;
}

/// Read-modify-write operations of floats. On the host, they are a loop that exchanges the bits.
macro_rules! float_updates {
    ($ty:ident, $core:ident: $($name:ident $builtin:ident $result:expr;)*) => { $(
        #[inline(always)]
        unsafe fn $name(at: *mut $ty, value: $ty, ordering: Ordering, scope: u32) -> $ty {
            if is_compiled() {
                return atomics::$builtin(at, value, number(ordering), scope);
            }
            let result: fn($ty, $ty) -> $ty = $result;
            // SAFETY: the caller promises the rest, and the integer has the size and the alignment of the float.
            let bits = unsafe { $core::from_ptr(at.cast()) };
            let mut found = bits.load(Ordering::Relaxed);
            loop {
                let next = result($ty::from_bits(found), value).to_bits();
                match bits.compare_exchange_weak(found, next, ordering, Ordering::Relaxed) {
                    Ok(_) => break,
                    Err(other) => found = other,
                }
            }
            $ty::from_bits(found)
        }
    )* };
}

/// Floats. Loads, stores and exchanges use the functions for the unsigned integer with the same bits.
macro_rules! floats {
    ($($ty:ident as $word:ident, $core:ident: $add:ident $sub:ident $min:ident $max:ident;)*) => { $(
        impl Operations for $ty {
            #[inline(always)]
            unsafe fn load(at: *mut $ty, ordering: Ordering, scope: u32) -> $ty {
                // SAFETY: the caller promises the rest, and the integer has the size and the alignment of the float.
                $ty::from_bits(unsafe { $word::load(at.cast(), ordering, scope) })
            }

            #[inline(always)]
            unsafe fn store(at: *mut $ty, value: $ty, ordering: Ordering, scope: u32) {
                // SAFETY: as above.
                unsafe { $word::store(at.cast(), value.to_bits(), ordering, scope) }
            }

            #[inline(always)]
            unsafe fn swap(at: *mut $ty, value: $ty, ordering: Ordering, scope: u32) -> $ty {
                // SAFETY: as above.
                $ty::from_bits(unsafe { $word::swap(at.cast(), value.to_bits(), ordering, scope) })
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
                let found = unsafe { $word::compare_exchange(at.cast(), current, new, orderings, scope) };
                found.map($ty::from_bits).map_err($ty::from_bits)
            }

            float_updates! { $ty, $core:
                add $add |found, value| found + value;
                sub $sub |found, value| found - value;
                min $min $ty::min;
                max $max $ty::max;
            }
        }
    )* };
}

floats! {
    f32 as u32, AtomicU32: __offload_atomic_add_f32 __offload_atomic_sub_f32
        __offload_atomic_min_f32 __offload_atomic_max_f32;
    f64 as u64, AtomicU64: __offload_atomic_add_f64 __offload_atomic_sub_f64
        __offload_atomic_min_f64 __offload_atomic_max_f64;
}
