//! Functions as values. A value contains a number, which each device converts to a pointer to its own code of the
//! function. It also contains the pointer of the host, which devices do not read.

use core::fmt;
use core::mem;

use crate::contract;
use crate::device_copy::{DeviceCopy, plain};
use crate::fallback;
use crate::layout::Layout;
use crate::thread::is_compiled;

/// A function as a value, which kernels and the host can call. `F` is the type of the function as a pointer, such as
/// `fn(f32) -> f32`.
///
/// [`device_fn!`](crate::device_fn!) makes such a value, on the host or in a kernel. The value can be a parameter of a
/// kernel, a capture, or an element of a [`DeviceBuffer`](crate::DeviceBuffer), so that each thread can call a
/// different function. It has 16 bytes.
///
/// A value belongs to the object that offloadc wrote with it: a program or a shared object. A kernel of another object
/// can be given it if both have a generic image (`--offload-arch=cpu,generic`). The runtime then links the two when the
/// kernel is launched, and an error of the launch says why that is not possible. The manual's page about the generic
/// image has the rules, in "Functions of other objects".
///
/// A kernel that calls a value of no object that is loaded panics: the plugin with the function was closed, or the
/// program was compiled again since the value was stored.
///
/// ```
/// use offload::{DeviceFn, DisjointSlice, device_fn, kernel, thread};
///
/// fn twice(x: f32) -> f32 {
///     2.0 * x
/// }
///
/// #[kernel]
/// fn map(f: DeviceFn<fn(f32) -> f32>, mut values: DisjointSlice<f32>) {
///     if let Some(value) = values.get_mut(thread::index_1d()) {
///         *value = f.call(*value);
///     }
/// }
///
/// let mut values = [1.0];
/// map(device_fn!(twice), DisjointSlice::from(&mut values[..]));
/// map(device_fn!(|x: f32| x + 0.5), DisjointSlice::from(&mut values[..]));
/// assert_eq!(values, [2.5]);
/// ```
#[doc(alias = "__device__")]
#[repr(C)]
pub struct DeviceFn<F> {
    number: u64,
    /// `None` if a device made the value.
    host: Option<F>,
}

impl<F: Copy> Clone for DeviceFn<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Copy> Copy for DeviceFn<F> {}

// SAFETY: a device reads only the number, and does not change the pointer of the host.
unsafe impl<F: Copy + 'static> DeviceCopy for DeviceFn<F> {
    const MAY_HOLD_POINTER: bool = false;
    const READ_BYTES: usize = size_of::<u64>();
    plain!(unknown "a function");
}

impl<F> fmt::Debug for DeviceFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeviceFn").field(&format_args!("{:#x}", self.number)).finish()
    }
}

impl<F: Copy> DeviceFn<F> {
    /// Returns the function as a pointer for the device (or host) that runs this code: `f.get()(x)` calls the function.
    ///
    /// ```
    /// let half = offload::device_fn!(|x: f32| 0.5 * x);
    /// assert_eq!(half.get()(3.0), 1.5);
    /// ```
    ///
    /// # Panics
    ///
    /// On a device, if the function belongs to another program, or to an object that the kernel is not linked with. On
    /// the host, if a device made the value.
    #[inline(always)]
    pub fn get(self) -> F {
        if !is_compiled() {
            // Without offloadc, every function has the number 0.
            let is_known = self.number == 0 || !fallback::is_kernel();
            assert!(is_known, "the program's device functions do not include this one");
            return self.host.expect("a device made this function's value, and the host has no pointer for it");
        }
        const { assert!(size_of::<F>() == size_of::<*const ()>(), "`F` of `DeviceFn<F>` must be a function pointer") }
        let pointer = contract::__offload_function_pointer(self.number);
        assert!(
            !pointer.is_null(),
            "the program's device functions do not include this one, or it cannot be linked with this kernel"
        );
        // SAFETY: only `from_parts` makes a value, and its caller promises that the number belongs to a function of
        // type `F`.
        unsafe { mem::transmute_copy(&pointer) }
    }

    /// # Safety
    ///
    /// `F` must be a type of function pointers. `number` must be 0, or the number that the device contract has for the
    /// function `host`.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn from_parts(number: u64, host: F) -> Self {
        DeviceFn { number, host: if is_compiled() { None } else { Some(host) } }
    }
}

/// A function item, or a closure without captures, with the parameters `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a device function",
    label = "not a function with up to six parameters",
    note = "for a function whose parameters are references, write `device_fn!(f as fn(&T) -> R)`"
)]
pub trait DeviceFunction<P>: Copy + Send + Sync + 'static {
    /// The type of the function as a pointer.
    type Pointer: Copy + 'static;

    /// Returns the value that `device_fn!` returns.
    fn device_fn(self) -> DeviceFn<Self::Pointer>;
}

macro_rules! arities {
    ($(($($name:ident $argument:ident)*))*) => { $(
        impl<Function, R, $($name),*> DeviceFunction<($($name,)*)> for Function
        where
            Function: Fn($($name),*) -> R + Copy + Send + Sync + 'static,
            fn($($name),*) -> R: Copy + 'static,
        {
            type Pointer = fn($($name),*) -> R;

            #[inline]
            fn device_fn(self) -> DeviceFn<Self::Pointer> {
                fn function<Function: Fn($($name),*) -> R + Copy, R, $($name),*>($($argument: $name),*) -> R {
                    // SAFETY: a type without bytes has one value, which `device_fn` was called with, and which any
                    // thread may use.
                    let function = unsafe { mem::zeroed::<Function>() };
                    function($($argument),*)
                }
                const {
                    let message = "a device function is a function item or a closure without captures, not a function pointer";
                    assert!(size_of::<Function>() == 0, "{}", message);
                }
                let pointer: Self::Pointer = function::<Function, R, $($name),*>;
                let code = function::<Function, R, $($name),*> as *const ();
                let number = if cfg!(miri) { 0 } else { contract::__offload_function(code) };
                // SAFETY: both belong to this function.
                unsafe { DeviceFn::from_parts(number, pointer) }
            }
        }

        impl<R, $($name),*> DeviceFn<fn($($name),*) -> R> {
            /// Calls the function.
            ///
            /// ```
            /// let half = offload::device_fn!(|x: f32| 0.5 * x);
            /// assert_eq!(half.call(3.0), 1.5);
            /// ```
            ///
            /// # Panics
            ///
            /// See [`DeviceFn::get`].
            #[inline(always)]
            pub fn call(self, $($argument: $name),*) -> R {
                self.get()($($argument),*)
            }
        }
    )* };
}
arities!(
    ()
    (A a)
    (A a B b)
    (A a B b C c)
    (A a B b C c D d)
    (A a B b C c D d E e)
    (A a B b C c D d E e F f)
);

/// Makes a [`DeviceFn`] of a function, of an instance of a generic function, or of a closure without captures.
///
/// The type of the value is `DeviceFn<fn(A, B) -> R>`. If a parameter of the function is a reference with any lifetime,
/// the type of the function must be written:
///
/// ```
/// use offload::{DeviceFn, device_fn};
///
/// fn longest(values: &[u32]) -> usize {
///     values.len()
/// }
///
/// fn scale<T: core::ops::Mul<Output = T>>(a: T, b: T) -> T {
///     a * b
/// }
///
/// let by_reference: DeviceFn<fn(&[u32]) -> usize> = device_fn!(longest as fn(&[u32]) -> usize);
/// assert_eq!(by_reference.get()(&[1, 2]), 2);
/// assert_eq!(device_fn!(scale::<u64>).call(6, 7), 42);
/// ```
#[macro_export]
macro_rules! device_fn {
    (move $($closure:tt)*) => {
        $crate::__private::DeviceFunction::device_fn(move $($closure)*)
    };
    ($function:path as $pointer:ty) => {{
        let pointer: $pointer = $function;
        let code = pointer as *const ();
        let number = if ::core::cfg!(miri) { 0 } else { $crate::__private::__offload_function(code) };
        // SAFETY: both belong to this function, and its pointer has this type. If it is not a function, offloadc
        // reports an error.
        unsafe { $crate::DeviceFn::<$pointer>::from_parts(number, pointer) }
    }};
    ($function:expr) => {
        $crate::__private::DeviceFunction::device_fn($function)
    };
}
