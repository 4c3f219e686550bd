//! The types whose values a launch can copy to a device byte for byte, and those of them for which all bytes 0 are a
//! value.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, offset_of};

use crate::layout::Layout;

/// A value whose bytes have the same meaning on every device: numbers, and `Copy` structs of such values.
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
/// may_cross::<(core::num::NonZeroU32, core::num::Wrapping<u8>, core::cmp::Ordering, Result<u32, u8>)>();
/// ```
///
/// The values of `core` that have no address implement it: numbers, [`NonZero`](core::num::NonZero),
/// [`Wrapping`](core::num::Wrapping), [`Saturating`](core::num::Saturating), [`Ordering`](core::cmp::Ordering),
/// [`Reverse`](core::cmp::Reverse), `Option`, `Result`, [`ControlFlow`](core::ops::ControlFlow),
/// [`Poll`](core::task::Poll), [`Bound`](core::ops::Bound), ranges that are `Copy`, [`Duration`](core::time::Duration),
/// `Instant`, the addresses of [`core::net`], [`Layout`](core::alloc::Layout), arrays, tuples, and others.
///
/// A reference to host memory, a `Box` and a `Vec` are not such values, because the device cannot read the memory that
/// they point to. Use a [`DeviceBuffer`](crate::DeviceBuffer) instead.
///
/// # Safety
///
/// No byte of the value may be part of an address of host memory that a kernel accesses. Dropping the value must do
/// nothing, and any thread must be allowed to have a copy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied to a device",
    label = "not `DeviceCopy`",
    note = "if `{Self}` is a struct or an enum of yours, add `#[derive(Clone, Copy, DeviceCopy)]` to it",
    note = "numbers can, arrays, tuples and `Option`s of them, the other values of `core` that have no address, and a closure as a `Closure<F>`; for memory that a kernel reads or writes, pass a `DeviceBuffer`"
)]
pub unsafe trait DeviceCopy: Copy + 'static {
    /// Whether a kernel that accesses elements of this type exclusively must write them before it reads them. Then no
    /// copy to the device is necessary.
    #[doc(hidden)]
    const UNREAD: bool = false;
    /// Whether the value may contain an address that the check of captures does not find: it contains a
    /// [`Closure`](crate::Closure) that is large enough.
    #[doc(hidden)]
    const MAY_HIDE_ADDRESS: bool = false;
    /// Whether the value may contain a pointer through which a kernel writes. A kernel without such a parameter writes
    /// no memory of its shared slices, and reads them as memory that does not change.
    #[doc(hidden)]
    const MAY_HOLD_POINTER: bool = true;
    /// Whether some bytes may have no meaning, such as those between two fields.
    #[doc(hidden)]
    const HAS_PADDING: bool = true;
    /// How many of its first bytes a device reads.
    #[doc(hidden)]
    const READ_BYTES: usize = size_of::<Self>();
    /// Calls `each` with the memory that the pointers in the value lead to, where their types say so: its address, and
    /// its size in bytes. A raw pointer leads to one value at least.
    #[doc(hidden)]
    #[inline(always)]
    fn pointers(&self, _each: &mut impl FnMut(*const u8, usize)) {}
    /// Calls `each` with the offset and the size of each part of the value that is not padding. The value begins at
    /// `offset`. An enum is one part, because only rustc knows its padding.
    #[doc(hidden)]
    #[inline(always)]
    fn parts(offset: usize, each: &mut impl FnMut(usize, usize)) {
        each(offset, size_of::<Self>());
    }
    /// Adds the layout of the type. An implementation by hand says nothing of its parts.
    #[doc(hidden)]
    fn layout(layout: &mut Layout) {
        layout.opaque::<Self>();
    }
    /// The derive compiles here that the type has the fields that it has seen. Nothing calls it.
    #[doc(hidden)]
    fn check_fields(_this: Self) {}
}

/// The layout of a type without parts that rustc could place elsewhere.
macro_rules! plain {
    () => {
        fn layout(layout: &mut Layout) {
            layout.plain::<Self>();
        }
    };
    ($part:ident) => {
        fn layout(layout: &mut Layout) {
            layout.plain::<Self>();
            $part::layout(layout);
        }
    };
    (unknown $part:literal) => {
        fn layout(layout: &mut Layout) {
            layout.plain::<Self>();
            layout.unknown($part);
        }
    };
}
pub(crate) use plain;

macro_rules! device_copy {
    ($($ty:ty)*) => { $(
        // SAFETY: the bytes of a number are its value.
        unsafe impl DeviceCopy for $ty {
            const MAY_HOLD_POINTER: bool = false;
            const HAS_PADDING: bool = false;
            plain!();
        }
    )* };
}
device_copy!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char);

// SAFETY: the bytes are those of a value, or have no meaning on the host and on the device.
unsafe impl<T: DeviceCopy> DeviceCopy for MaybeUninit<T> {
    const UNREAD: bool = true;
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
    plain!(T);
}
// SAFETY: an array consists of its elements, without gaps.
unsafe impl<T: DeviceCopy, const N: usize> DeviceCopy for [T; N] {
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
    const HAS_PADDING: bool = T::HAS_PADDING;
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;
    #[inline(always)]
    fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
        if const { T::MAY_HOLD_POINTER } {
            self.iter().for_each(|element| element.pointers(each));
        }
    }
    #[inline(always)]
    fn parts(offset: usize, each: &mut impl FnMut(usize, usize)) {
        if const { T::HAS_PADDING } {
            (0..N).for_each(|i| T::parts(offset + i * size_of::<T>(), each));
        } else {
            each(offset, size_of::<Self>());
        }
    }
    plain!(T);
}
// SAFETY: an option consists of a discriminant and a value, and rustc computes the layout once for the host and all
// devices.
unsafe impl<T: DeviceCopy> DeviceCopy for Option<T> {
    const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
    const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;

    fn layout(layout: &mut Layout) {
        layout.opaque::<Self>();
        T::layout(layout);
    }
}
// SAFETY: the type has no bytes.
unsafe impl DeviceCopy for () {
    const MAY_HOLD_POINTER: bool = false;
    plain!();
}
// SAFETY: the type has no bytes.
unsafe impl<T: 'static> DeviceCopy for PhantomData<T> {
    const MAY_HOLD_POINTER: bool = false;
    plain!();
}
// SAFETY: the pointer is copied as a number. To dereference it is unsafe, and the kernel is responsible for that.
unsafe impl<T: 'static> DeviceCopy for *const T {
    #[inline(always)]
    fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
        each(self.cast(), size_of::<T>());
    }
    plain!(unknown "a raw pointer");
}
// SAFETY: as above.
unsafe impl<T: 'static> DeviceCopy for *mut T {
    #[inline(always)]
    fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
        each(self.cast::<u8>(), size_of::<T>());
    }
    plain!(unknown "a raw pointer");
}
/// Calls a macro with the name of the type and the number of each field of each tuple; std's traits have as many.
macro_rules! for_each_tuple {
    ($tuples:ident) => {
        $tuples!(
            (A 0)
            (A 0 B 1)
            (A 0 B 1 C 2)
            (A 0 B 1 C 2 D 3)
            (A 0 B 1 C 2 D 3 E 4)
            (A 0 B 1 C 2 D 3 E 4 F 5)
            (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
            (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
            (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8)
            (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9)
            (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10)
            (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11)
        );
    };
}

macro_rules! device_copy_tuples {
    ($(($($name:ident $field:tt)+))*) => { $(
        // SAFETY: the types of all fields implement the trait.
        unsafe impl<$($name: DeviceCopy),+> DeviceCopy for ($($name,)+) {
            const MAY_HIDE_ADDRESS: bool = $($name::MAY_HIDE_ADDRESS)||+;
            const MAY_HOLD_POINTER: bool = $($name::MAY_HOLD_POINTER)||+;
            const HAS_PADDING: bool = $($name::HAS_PADDING)||+ || size_of::<Self>() != 0 $(+ size_of::<$name>())+;

            #[inline(always)]
            fn pointers(&self, each: &mut impl FnMut(*const u8, usize)) {
                #[allow(non_snake_case, reason = "the fields have the names of their types")]
                let ($($name,)+) = self;
                $($name.pointers(each);)+
            }

            #[inline(always)]
            fn parts(offset: usize, each: &mut impl FnMut(usize, usize)) {
                $($name::parts(offset + offset_of!(Self, $field), each);)+
            }

            fn layout(layout: &mut Layout) {
                layout.opaque::<Self>();
                $($name::layout(layout);)+
            }
        }
    )* };
}
for_each_tuple!(device_copy_tuples);

/// A [`DeviceCopy`] type of which bytes that are all 0 are a valid value. Structs of such types can derive it.
///
/// ```
/// use offload::{DeviceCopy, Zeroable};
///
/// #[derive(Clone, Copy, DeviceCopy, Zeroable)]
/// struct Star {
///     place: [f32; 3],
///     mass: f32,
/// }
///
/// assert_eq!(Star::ZERO.mass, 0.0);
/// ```
///
/// # Safety
///
/// Bytes that are all 0 must be a valid value of the type.
pub unsafe trait Zeroable: DeviceCopy {
    /// The value whose bytes are all 0.
    ///
    /// ```
    /// assert_eq!(<[u32; 3] as offload::Zeroable>::ZERO, [0; 3]);
    /// ```
    // SAFETY: the trait requires that these bytes are a valid value.
    const ZERO: Self = unsafe { core::mem::zeroed() };
    /// As [`DeviceCopy::check_fields`].
    #[doc(hidden)]
    fn check_fields(_this: Self) {}
}

macro_rules! zeroable {
    ($($ty:ty)*) => { $(
        // SAFETY: bytes that are all 0 are the number 0.
        unsafe impl Zeroable for $ty {}
    )* };
}
zeroable!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char);

// SAFETY: an array consists of its elements, without gaps.
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}
// SAFETY: all bytes are valid.
unsafe impl<T: DeviceCopy> Zeroable for MaybeUninit<T> {}
// SAFETY: the type has no bytes.
unsafe impl Zeroable for () {}
// SAFETY: the type has no bytes.
unsafe impl<T: 'static> Zeroable for PhantomData<T> {}
// SAFETY: the value is the null pointer.
unsafe impl<T: 'static> Zeroable for *const T {}
// SAFETY: the value is the null pointer.
unsafe impl<T: 'static> Zeroable for *mut T {}

macro_rules! zeroable_tuples {
    ($(($($name:ident $field:tt)+))*) => { $(
        // SAFETY: the types of all fields implement the trait.
        unsafe impl<$($name: Zeroable),+> Zeroable for ($($name,)+) {}
    )* };
}
for_each_tuple!(zeroable_tuples);
