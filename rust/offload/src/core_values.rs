//! Values of `core` and `std` that consist of plain bytes, as [`DeviceCopy`].
//!
//! Left out are types that have or may have an address of the host (references, functions, `Location`, `TypeId`), types
//! that name a thing of the host (`ThreadId`), and types that are not `Copy` (`Range`).

use core::alloc::Layout as AllocLayout;
use core::cmp::{self, Reverse};
use core::convert::Infallible;
use core::marker::PhantomPinned;
use core::mem::{Discriminant, ManuallyDrop};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use core::num::{FpCategory, NonZero, Saturating, TryFromIntError, Wrapping};
use core::ops::{Bound, ControlFlow, RangeFull, RangeTo, RangeToInclusive};
use core::ptr::NonNull;
use core::sync::atomic;
use core::task::Poll;
use core::time::Duration;
use std::time::{Instant, SystemTime};

use crate::device_copy::{DeviceCopy, Zeroable, plain};
use crate::layout::Layout;

/// Numbers with a value that they cannot have, and an `Option` that has it as `None`: `core` documents both layouts.
macro_rules! non_zero {
    ($($number:ident)*) => { $(
        // SAFETY: the bytes are those of the number.
        unsafe impl DeviceCopy for NonZero<$number> {
            const MAY_HOLD_POINTER: bool = false;
            const HAS_PADDING: bool = false;
            plain!();
        }
        // SAFETY: `core` says that the bytes of `None` are 0.
        unsafe impl Zeroable for Option<NonZero<$number>> {}
    )* };
}
non_zero!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// Structs of one public field and nothing else.
macro_rules! wrappers {
    ($($wrapper:ident)*) => { $(
        // SAFETY: the one field implements the trait.
        unsafe impl<T: DeviceCopy> DeviceCopy for $wrapper<T> {
            const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
            const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
            const HAS_PADDING: bool = T::HAS_PADDING;
            #[inline(always)]
            fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
                self.0.pointers(each);
            }
            #[inline(always)]
            fn parts(offset: usize, each: &mut impl FnMut(usize, usize)) {
                T::parts(offset, each);
            }
            plain!(T);
        }
        // SAFETY: the one field implements the trait.
        unsafe impl<T: Zeroable> Zeroable for $wrapper<T> {}
    )* };
}
wrappers!(Wrapping Saturating Reverse);

// SAFETY: the value has the layout of the one in it, which has nothing to drop.
unsafe impl<T: DeviceCopy> DeviceCopy for ManuallyDrop<T> {
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
    const HAS_PADDING: bool = T::HAS_PADDING;
    #[inline(always)]
    fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
        (**self).pointers(each);
    }
    #[inline(always)]
    fn parts(offset: usize, each: &mut impl FnMut(usize, usize)) {
        T::parts(offset, each);
    }
    plain!(T);
}
// SAFETY: as above.
unsafe impl<T: Zeroable> Zeroable for ManuallyDrop<T> {}

/// Enums of values, whose layout only rustc knows; it computes it once for the host and all devices.
macro_rules! enums {
    ($($name:ident<$($value:ident),+>;)*) => { $(
        // SAFETY: the values implement the trait, and nothing else is in it but the number of the variant.
        unsafe impl<$($value: DeviceCopy),+> DeviceCopy for $name<$($value),+> {
            const MAY_HIDE_ADDRESS: bool = $($value::MAY_HIDE_ADDRESS)||+;
            const MAY_HOLD_POINTER: bool = $($value::MAY_HOLD_POINTER)||+;
            fn layout(layout: &mut Layout) {
                layout.opaque::<Self>();
                $($value::layout(layout);)+
            }
        }
    )* };
}
enums! {
    Result<T, E>;
    ControlFlow<B, C>;
    Poll<T>;
    Bound<T>;
}

/// Structs of one public field with a name.
macro_rules! ends {
    ($($range:ident)*) => { $(
        // SAFETY: the one field implements the trait.
        unsafe impl<T: DeviceCopy> DeviceCopy for $range<T> {
            const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
            const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
            const HAS_PADDING: bool = T::HAS_PADDING;
            #[inline(always)]
            fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
                self.end.pointers(each);
            }
            #[inline(always)]
            fn parts(offset: usize, each: &mut impl FnMut(usize, usize)) {
                T::parts(offset, each);
            }
            plain!(T);
        }
        // SAFETY: the one field implements the trait.
        unsafe impl<T: Zeroable> Zeroable for $range<T> {}
    )* };
}
ends!(RangeTo RangeToInclusive);

/// Values whose fields are private, or whose variants have the numbers that rustc gives them. Bytes that are all 0 may
/// be none of their values.
macro_rules! opaque {
    ($($ty:ty)*) => { $(
        // SAFETY: the value consists of numbers, and its meaning does not depend on where it is.
        unsafe impl DeviceCopy for $ty {
            const MAY_HOLD_POINTER: bool = false;
        }
    )* };
}
opaque! {
    Duration Instant SystemTime
    Ipv4Addr Ipv6Addr IpAddr SocketAddrV4 SocketAddrV6 SocketAddr
    AllocLayout FpCategory atomic::Ordering TryFromIntError Infallible
}

// SAFETY: the value is the number of a variant.
unsafe impl<T: 'static> DeviceCopy for Discriminant<T> {
    const MAY_HOLD_POINTER: bool = false;
}

// SAFETY: the numbers -1, 0 and 1 as an `i8`, which `core` documents.
unsafe impl DeviceCopy for cmp::Ordering {
    const MAY_HOLD_POINTER: bool = false;
    const HAS_PADDING: bool = false;
    plain!();
}
// SAFETY: 0 is `Equal`.
unsafe impl Zeroable for cmp::Ordering {}

macro_rules! empty {
    ($($ty:ty)*) => { $(
        // SAFETY: the type has no bytes.
        unsafe impl DeviceCopy for $ty {
            const MAY_HOLD_POINTER: bool = false;
            plain!();
        }
        // SAFETY: as above.
        unsafe impl Zeroable for $ty {}
    )* };
}
empty!(RangeFull PhantomPinned);

// SAFETY: the pointer is copied as a number. To dereference it is unsafe, and the kernel is responsible for that.
unsafe impl<T: 'static> DeviceCopy for NonNull<T> {
    #[inline(always)]
    fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
        self.as_ptr().pointers(each);
    }
    plain!(unknown "a raw pointer");
}
// SAFETY: `core` says that the bytes of `None` are those of the null pointer.
unsafe impl<T: 'static> Zeroable for Option<NonNull<T>> {}
