//! Closures as parameters of kernels, and the check that neither they nor closures that are kernels capture addresses
//! of the host, which `Copy + Send + 'static` does not exclude.
//!
//! No trait of stable Rust distinguishes `&'static T` from a number, but their bytes do: a reference or a function
//! pointer is never null. Each launch therefore evaluates a constant of the closure's type whose bytes are all 0. If
//! the closure captures an address, at any depth, this constant does not exist: compiling the launch is an error, which
//! names the captured variable.
//!
//! The check does not find an address in an enum that also has a value without one (`Option<&'static T>`), or an
//! address that was converted to a number or a raw pointer. If a function pointer passes the check in this way, calling
//! it in a kernel is a panic on devices that run kernels in the process of the host.

use core::fmt;
use core::mem::MaybeUninit;
use core::ops::Deref;

use crate::argument::Argument;
use crate::binding::Binding;
use crate::device_copy::{DeviceCopy, plain};
use crate::error::Result;
use crate::host_arguments::HostArgument;
use crate::layout::Layout;
use crate::param::Param;

/// A function or closure as a parameter of a kernel. `F` is its own type, and its captures are copied byte for byte.
/// The kernel calls it like `F`.
///
/// A parameter whose type is a generic parameter with a bound such as `Fn(f32) -> f32`, or `impl Fn(f32) -> f32`, needs
/// no `Closure`: `#[kernel]` wraps it, and the argument of a launch is the closure itself.
///
/// ```
/// use offload::{DisjointSlice, Grid, kernel, prelude::*, thread};
///
/// #[kernel]
/// fn map<F: Fn(f32) -> f32>(f: F, x: &[f32], mut y: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if let Some(y) = y.get_mut(i) {
///         *y = f(x[i.get()]);
///     }
/// }
///
/// let (factor, mut y) = (2.5, [0.0; 3]);
/// map.run_on_host(Grid::for_len(3, 32), (move |x| x * factor, &[1.0, 2.0, 3.0], &mut y));
/// assert_eq!(y, [2.5, 5.0, 7.5]);
/// ```
///
/// A `Closure` is a [`DeviceCopy`] value, which can also be a field of a struct. The host makes it with
/// [`Closure::new`]:
///
/// ```
/// use offload::{Closure, DisjointSlice, Grid, kernel, prelude::*, thread};
///
/// #[kernel]
/// fn map<F: Fn(f32) -> f32 + Copy + 'static>(f: Closure<F>, x: &[f32], mut y: DisjointSlice<f32>) {
///     let i = thread::index_1d();
///     if let Some(y) = y.get_mut(i) {
///         *y = f(x[i.get()]);
///     }
/// }
///
/// let (factor, mut y) = (2.5, [0.0; 3]);
/// map.run_on_host(Grid::for_len(3, 32), (Closure::new(move |x| x * factor), &[1.0, 2.0, 3.0], &mut y));
/// assert_eq!(y, [2.5, 5.0, 7.5]);
/// ```
///
/// It must not capture anything that a kernel must not capture: see [`Kernel`](crate::Kernel). For functions that are
/// known only at run time, there is [`DeviceFn`](crate::DeviceFn).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Closure<F>(F);

// SAFETY: only `new` makes a value. It has found no address in the captures, and requires that any thread may use them.
// A type that is `Copy` has no `Drop`.
unsafe impl<F: Copy + 'static> DeviceCopy for Closure<F> {
    const MAY_HIDE_ADDRESS: bool = Captures::<F>::CAN_HOLD_ADDRESS;
    const MAY_HOLD_POINTER: bool = Captures::<F>::CAN_HOLD_ADDRESS;
    plain!(unknown "a closure");
}

impl<F> Closure<F>
where
    F: Copy + Send + Sync + 'static, // a closure captures values: a slice is a parameter of the kernel's own
{
    /// Makes the argument for a parameter of this type. If the closure captures a reference or a function pointer,
    /// compiling the call is an error.
    ///
    /// ```
    /// use offload::Closure;
    ///
    /// let add = Closure::new(|a: u32, b: u32| a + b);
    /// assert_eq!(add(2, 3), 5);
    /// ```
    #[inline(always)]
    pub fn new(function: F) -> Self {
        Captures::<F>::check();
        Closure(function)
    }
}

impl<F> Deref for Closure<F> {
    type Target = F;

    #[inline(always)]
    fn deref(&self) -> &F {
        &self.0
    }
}

impl<F> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Closure").field(&core::any::type_name::<F>()).finish()
    }
}

/// The requirements of a launch for a function or closure that it copies to the device: `#[kernel]` adds this bound.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot take this function or closure: `{Self}`",
    label = "a value that it captures cannot be copied to a device",
    note = "its captures are copied byte for byte, so they must be `Copy`, `Send` and `Sync`: numbers, arrays, and structs with `#[derive(Clone, Copy)]`",
    note = "for a `Vec` or a slice, add a parameter `&[T]` to the kernel, and give `&buffer` or `&vector[..]` to the launch"
)]
pub trait KernelFunction: Copy + Send + Sync + 'static
// a `Vec` or slice is host memory: take `&[T]`, launch with `&buffer`; or `stream.scope`
{
}

#[diagnostic::do_not_recommend]
impl<F: Copy + Send + Sync + 'static> KernelFunction for F {}

/// The type that `#[kernel]` gives a parameter of a type `F: Fn(A) -> R`: the argument of a launch is the function or
/// closure itself.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct ClosureParameter<F>(Closure<F>);

impl<F: Copy> ClosureParameter<F> {
    /// The function.
    #[inline(always)]
    pub fn function(self) -> F {
        self.0.0
    }
}

// SAFETY: each thread has its own copy, in which the launch has found no address.
unsafe impl<F: KernelFunction> Param for ClosureParameter<F> {
    type Bits = Closure<F>;
    type For<'k> = Self;
    const MAY_HIDE_ADDRESS: bool = <Closure<F> as DeviceCopy>::MAY_HIDE_ADDRESS;
    const MAY_HOLD_POINTER: bool = <Closure<F> as DeviceCopy>::MAY_HOLD_POINTER;

    fn layout(layout: &mut Layout) {
        <Closure<F> as DeviceCopy>::layout(layout);
    }

    #[inline(always)]
    unsafe fn from_bits(bits: Closure<F>) -> Self {
        ClosureParameter(bits)
    }
}

// SAFETY: the bits are a copy of the captures, and `new` has found no address in them.
unsafe impl<F: KernelFunction> Argument<ClosureParameter<F>> for F {
    #[inline(always)]
    fn bind(self, _binding: &mut Binding<'_>) -> Result<Closure<F>> {
        Ok(Closure::new(self))
    }
}

// SAFETY: as above.
unsafe impl<F: KernelFunction> HostArgument<ClosureParameter<F>> for F {
    fn bits(self) -> Closure<F> {
        Closure::new(self)
    }
}

/// The check of a kernel's captures, in two steps. The first has its own message, but does not notice an address if
/// another captured value has more unused bit patterns, as a `bool` has. The second has rustc's message, which names
/// the variable.
pub(crate) struct Captures<F>(F);

/// The message of the first step. A device can use neither.
const MESSAGE: &str = "the closure captures a reference or a function pointer, which a device cannot use: capture the \
    value itself, name a static directly, or pass a `DeviceBuffer` as an argument (a type that cannot be 0, such as \
    `NonZero`, looks like a reference to the compiler: capture its number)";

/// A value of the closure's type, or nothing; the first bytes distinguish them, never the niche of the value. The name
/// appears in rustc's message.
#[repr(C)]
#[allow(dead_code, reason = "it is only evaluated")]
pub(crate) enum KernelWithoutAddresses<F> {
    TooSmall,
    Bytes(F),
}

impl<F: Copy> Captures<F> {
    /// The check. It is evaluated for each type when the call is compiled, and nothing of it is left in the code.
    #[inline(always)]
    pub(crate) fn check() {
        const {
            let _zeros = Self::HAVE_NO_ADDRESS;
        }
    }

    /// Whether the type is large enough for an address. Function items and many closures of numbers are not, and need
    /// no check. The alignment is no criterion: a packed struct contains an address at any offset.
    pub(crate) const CAN_HOLD_ADDRESS: bool = size_of::<F>() >= size_of::<usize>();

    /// Whether the type has one unused bit pattern, as one that consists of an address: an `Option` uses it, and a
    /// second one has none left.
    const HAS_ONE_UNUSED: bool =
        size_of::<Option<F>>() == size_of::<F>() && size_of::<Option<Option<F>>>() > size_of::<F>();

    /// The constant whose evaluation is the check.
    #[expect(clippy::unnecessary_literal_unwrap, reason = "rustc reports `panic!` at a line of the standard library")]
    const HAVE_NO_ADDRESS: KernelWithoutAddresses<F> = {
        if !Self::CAN_HOLD_ADDRESS {
            KernelWithoutAddresses::TooSmall
        } else if Self::HAS_ONE_UNUSED {
            None.expect(MESSAGE)
        } else {
            // SAFETY: never used; where the zeros are no value, this is the error that is meant.
            KernelWithoutAddresses::Bytes(unsafe { MaybeUninit::zeroed().assume_init() })
        }
    };
}
