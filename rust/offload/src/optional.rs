//! Slices that a launch may leave out: `Option<&[T]>` and `Option<DisjointSlice<T>>` as parameters, where CUDA has a
//! pointer that may be null.
//!
//! The bits are those of the slice. A null address is `None`, so an empty buffer without an address gets one.

use core::ptr::{self, NonNull};

use crate::argument::Argument;
use crate::binding::Binding;
use crate::device_copy::DeviceCopy;
use crate::error::Result;
use crate::host_arguments::HostArgument;
use crate::layout::Layout;
use crate::overlap::ParameterMemory;
use crate::param::Param;
use crate::slice::{DisjointSlice, RawSlice};

fn bits_of<T>(slice: Option<RawSlice<T>>) -> RawSlice<T> {
    match slice {
        Some(slice) if slice.as_ptr().is_null() => RawSlice::new(NonNull::dangling().as_ptr(), slice.len()),
        Some(slice) => slice,
        None => RawSlice::new(ptr::null_mut(), 0),
    }
}

macro_rules! optional {
    ($($slice:ty;)*) => { $(
        // SAFETY: as for the slice itself.
        unsafe impl<'a, T: DeviceCopy> Param for Option<$slice> {
            type Bits = RawSlice<T>;
            type For<'k> = Option<<$slice as Param>::For<'k>>;
            const MAY_HIDE_ADDRESS: bool = T::MAY_HIDE_ADDRESS;
            const MAY_HOLD_POINTER: bool = T::MAY_HOLD_POINTER;

            #[inline(always)]
            fn promise_read_only(bits: &RawSlice<T>) {
                <$slice as Param>::promise_read_only(bits);
            }

            #[inline(always)]
            fn memory(bits: &RawSlice<T>, each: &mut impl FnMut(ParameterMemory)) {
                <$slice as Param>::memory(bits, each);
            }

            fn layout(layout: &mut Layout) {
                <$slice as Param>::layout(layout);
            }

            #[inline(always)]
            unsafe fn from_bits(bits: RawSlice<T>) -> Self {
                // SAFETY: the bits of a slice that is there have an address, and the caller promises the rest.
                (!bits.as_ptr().is_null()).then(|| unsafe { <$slice as Param>::from_bits(bits) })
            }
        }

        // SAFETY: the bits are those of the slice's argument, or of no slice.
        unsafe impl<'a, T: DeviceCopy, A: Argument<$slice>> Argument<Option<$slice>> for Option<A> {
            fn bind(self, binding: &mut Binding<'_>) -> Result<RawSlice<T>> {
                self.map(|argument| argument.bind(binding)).transpose().map(bits_of)
            }
        }

        // SAFETY: as above.
        unsafe impl<'a, T: DeviceCopy, A: HostArgument<$slice>> HostArgument<Option<$slice>> for Option<A> {
            fn bits(self) -> RawSlice<T> {
                bits_of(self.map(HostArgument::bits))
            }
        }
    )* };
}
optional! {
    &'a [T];
    DisjointSlice<'a, T>;
}
