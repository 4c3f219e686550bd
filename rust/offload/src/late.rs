//! Constants that a program sets before its first launch.
//!
//! The value of the host is in a static of the host. Each device has a separate static with the value, like those of
//! `statics.rs`, which the first launch on an open device writes: it launches a kernel of this file for each constant
//! that was set, and waits for it. The runtime knows the value, too, and images that it makes have it in their code.
//! The compiler sees whether the program contains a call that sets a constant. Without one, no such kernel exists, and
//! the initial value is a constant in the code.

use core::marker::PhantomData;
use core::ops::Deref;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use core::{any, fmt, ptr, slice};
use std::boxed::Box;
use std::format;

use crate::buffer::DeviceBuffer;
use crate::contract;
use crate::device::Stream;
use crate::device_copy::DeviceCopy;
use crate::error::{Error, Result};
use crate::ffi;
use crate::first_launch::{Constant, pending};
use crate::grid::LaunchConfig;
use crate::launch::{kernel_of, launch_now};
use crate::statics::MOST_OF_AN_ARGUMENT;
use crate::thread;

/// A constant that the program sets before its first launch, which [`late_const!`](crate::late_const!) declares: for
/// example a size that depends on the device, or on an option of the user.
///
/// Kernels and host code read it by `*NAME` or [`get`](Self::get). It is the same in all kernels of all devices, and no
/// launch has an argument for it. If nothing in the program calls [`set`](Self::set), the initial value is a constant
/// in each image. Otherwise it is a constant in images that the runtime makes of a generic image. In other images it is
/// in global memory, which kernels read like the memory of a shared slice. It is also there if the type has bytes whose
/// values have no meaning, such as the padding between two fields, or those of an `Option` that is `None`. Kernels of
/// such an object have no variants for [`Specialized`](crate::Specialized) parameters, because each image has memory of
/// its own.
///
/// It cannot be the length of an array: that is part of a type, and types are known before the program runs.
///
/// ```
/// use offload::{Device, DisjointSlice, Grid, kernel, late_const, prelude::*, thread};
///
/// late_const! {
///     /// Elements that one thread adds.
///     static TILE: u32 = 16;
/// }
///
/// #[kernel]
/// fn sum_tiles(x: &[f32], mut sums: DisjointSlice<f32>) {
///     let (i, tile) = (thread::index_1d(), *TILE as usize);
///     if let Some(sum) = sums.get_mut(i) {
///         *sum = x[i.get() * tile..][..tile].iter().sum();
///     }
/// }
///
/// TILE.set(4)?;
/// let (stream, mut sums) = (Device::new()?.default_stream(), [0.0; 2]);
/// sum_tiles.launch(&stream, Grid::for_len(2, 32), (&[1.0; 8], &mut sums))?;
/// assert_eq!((sums, *TILE), ([4.0; 2], 4));
/// assert!(TILE.set(8).is_err()); // a kernel has been launched
/// # Ok::<(), offload::Error>(())
/// ```
pub struct LateConst<S> {
    place: PhantomData<fn() -> S>,
}

impl<S> Clone for LateConst<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for LateConst<S> {}

impl<S: LatePlace<Value: fmt::Debug>> fmt::Debug for LateConst<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LateConst").field(&**self).finish()
    }
}

/// The places of a constant. [`late_const!`](crate::late_const!) makes a type for each constant, which implements this.
///
/// # Safety
///
/// The functions must always return the same addresses, of statics that are used only through [`LateConst`].
pub unsafe trait LatePlace: 'static {
    /// The type of the constant.
    type Value: DeviceCopy + Send + Sync;

    /// Returns the address of the device's value.
    fn value() -> *mut Self::Value;

    /// Returns the address of the device's number that is 1 once its value has been written.
    fn is_written() -> *mut u32;

    /// Returns the value of the host.
    fn host() -> &'static HostValue<Self::Value>;
}

/// The value of the host.
pub struct HostValue<T: 'static> {
    initial: T,
    /// The value that was set last, or null. Values live for ever, because a reference to an earlier one may exist.
    set: AtomicPtr<T>,
    /// Whether the constant is in the list of those that the first launch writes.
    is_listed: AtomicBool,
}

impl<T: DeviceCopy> HostValue<T> {
    /// The value of the program until it is set.
    pub const fn new(initial: T) -> Self {
        HostValue { initial, set: AtomicPtr::new(ptr::null_mut()), is_listed: AtomicBool::new(false) }
    }

    fn get(&self) -> &T {
        // SAFETY: the address is null or that of a value that lives for ever, and that was written before.
        unsafe { self.set.load(Ordering::Acquire).as_ref() }.unwrap_or(&self.initial)
    }
}

impl<S: LatePlace> LateConst<S> {
    #[doc(hidden)]
    pub const NEW: Self = LateConst { place: PhantomData };

    /// The value.
    ///
    /// ```
    /// offload::late_const!(static GAMMA: f32 = 2.2);
    /// assert_eq!(GAMMA.get(), 2.2);
    /// ```
    #[inline(always)]
    pub fn get(self) -> S::Value {
        *self.value()
    }

    /// Sets the value, for all kernels and for the host. The last call before the first launch counts.
    ///
    /// ```
    /// offload::late_const!(static GAMMA: f32 = 2.2);
    /// GAMMA.set(1.8)?;
    /// assert_eq!(GAMMA.get(), 1.8);
    /// # Ok::<(), offload::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the program has launched a kernel before, on any device. A copy to a
    /// [`DeviceStatic`](crate::DeviceStatic) is a launch, too. [`run_on_host`](crate::run_on_host) is none.
    pub fn set(self, value: S::Value) -> Result<()> {
        let mut pending = pending();
        if pending.launched {
            let name = any::type_name::<S>();
            return Err(Error::Invalid(format!(
                "the constant `{name}` was set after the first launch of a kernel: set it before, because kernels use \
                 its value from then on"
            )));
        }
        let host = S::host();
        host.set.store(Box::leak(Box::new(value)), Ordering::Release);
        if !host.is_listed.swap(true, Ordering::Relaxed) {
            pending.constants.push(Constant { tell: tell::<S>, write: write::<S> });
        }
        Ok(())
    }

    #[inline(always)]
    fn value(&self) -> &'static S::Value {
        if !thread::is_compiled() {
            return S::host().get();
        }
        contract::__offload_read_only(S::value().cast_const().cast());
        // SAFETY: only the first launch on a device writes it, and it has ended before any other begins.
        unsafe { &*S::value() }
    }
}

impl<S: LatePlace> Deref for LateConst<S> {
    type Target = S::Value;

    #[inline(always)]
    fn deref(&self) -> &S::Value {
        self.value()
    }
}

/// Tells the runtime the value. Bytes without a meaning could differ in each run, and each would make an image.
fn tell<S: LatePlace>() -> Result<()> {
    let kernel = match const { size_of::<S::Value>() <= MOST_OF_AN_ARGUMENT } {
        true => kernel_of(set::<S>),
        false => kernel_of(copy::<S>),
    };
    let value = if const { S::Value::HAS_PADDING } { ptr::null() } else { ptr::from_ref(S::host().get()) };
    // SAFETY: the handle is a kernel's, and the bytes of the value are valid.
    Error::check(unsafe { ffi::offloadrt_set_late_constant(kernel, value.cast(), size_of::<S::Value>()) })
}

/// Writes a constant on the stream's device.
fn write<S: LatePlace>(stream: &Stream) -> Result<()> {
    let (value, one) = (S::host().get(), LaunchConfig::for_len(1, 1));
    if const { size_of::<S::Value>() <= MOST_OF_AN_ARGUMENT } {
        launch_now(set::<S>, stream, one, (*value,))?;
        return stream.synchronize();
    }
    let from = DeviceBuffer::from_host(stream, slice::from_ref(value))?;
    launch_now(copy::<S>, stream, one, (&from,))?;
    stream.synchronize()
}

/// The kernel that writes a constant.
fn set<S: LatePlace>(value: S::Value) {
    store::<S>(&value);
}

/// The kernel that writes a large constant.
fn copy<S: LatePlace>(from: &[S::Value]) {
    store::<S>(&from[0]);
}

/// Writes the value of a device, unless it has been written. A device that a program opens twice may have one memory
/// for both, and kernels of the first one may be running.
fn store<S: LatePlace>(value: &S::Value) {
    // SAFETY: one thread runs, and no other kernel uses the constant until it has been written once.
    unsafe {
        if S::is_written().read() == 0 {
            S::value().write(*value);
            S::is_written().write(1);
        }
    }
}

/// Declares constants that the program sets before its first launch. See [`LateConst`].
///
/// ```
/// use offload::{DeviceCopy, late_const};
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// pub struct Extent {
///     columns: u32,
///     rows: u32,
/// }
///
/// late_const! {
///     /// The size of each image.
///     pub static EXTENT: Extent = Extent { columns: 640, rows: 480 };
///     static GAMMA: f32 = 2.2;
/// }
///
/// EXTENT.set(Extent { columns: 1920, rows: 1080 })?;
/// assert_eq!((EXTENT.columns, EXTENT.get().rows, *GAMMA), (1920, 1080, 2.2));
/// # Ok::<(), offload::Error>(())
/// ```
///
/// Types are known before the program runs, so the constant is not the length of an array:
///
/// ```compile_fail
/// offload::late_const!(static TILE: usize = 16);
/// let tile = [0.0; *TILE];
/// ```
#[macro_export]
macro_rules! late_const {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $ty:ty = $value:expr);+ $(;)?) => { $(
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, reason = "a type for each constant, of its name")]
        $visibility struct $name {}

        // SAFETY: nothing else names these statics.
        unsafe impl $crate::__private::LatePlace for $name {
            type Value = $ty;

            #[inline(always)]
            fn value() -> *mut $ty {
                #[unsafe(link_section = ".offload.static")]
                static __OFFLOAD_LATE: $crate::__private::StaticCell<$ty> = $crate::__private::StaticCell::new($value);
                __OFFLOAD_LATE.as_mut_ptr()
            }

            #[inline(always)]
            fn is_written() -> *mut u32 {
                #[unsafe(link_section = ".offload.static")]
                static __OFFLOAD_IS_WRITTEN: $crate::__private::StaticCell<u32> = $crate::__private::StaticCell::new(0);
                __OFFLOAD_IS_WRITTEN.as_mut_ptr()
            }

            #[inline(always)]
            fn host() -> &'static $crate::__private::HostValue<$ty> {
                static __OFFLOAD_HOST: $crate::__private::HostValue<$ty> = $crate::__private::HostValue::new($value);
                &__OFFLOAD_HOST
            }
        }

        $(#[$attribute])*
        $visibility static $name: $crate::LateConst<$name> = $crate::LateConst::NEW;
    )+ };
    ($($other:tt)*) => {
        ::core::compile_error!("expected `static NAME: T = VALUE;`, without `mut`: the host sets it by `NAME.set(value)`, \
            before the first launch");
    };
}
