//! Closures as parameters of kernels, and what they and kernels' own closures may not capture: addresses of the host's, which
//! `Copy + Send + 'static` does not keep out.
//!
//! No trait of stable Rust tells `&'static T` from a number. Its bytes do: a reference or a function's address is never null.
//! So the compiler is asked for a constant of the closure's type whose bytes are all 0, and where it captures one, at any
//! depth, there is none: an error when the launch is compiled, which names the captured variable.
//!
//! What is not found: an address in an enum that has a value without it (`Option<&'static T>`), and addresses that were made
//! numbers or raw pointers. A function's address that comes through so is a panic of the kernel that calls it, where kernels run
//! in the host's process.

use core::fmt;
use core::mem::MaybeUninit;
use core::ops::Deref;

use crate::param::DeviceCopy;

/// A function or closure as a kernel's parameter: `F` is its own type, and its captures travel as they are. It is called
/// as `F` is.
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
/// What it must not capture is what a kernel's own closure must not: see [`Kernel`](crate::Kernel). For functions that are
/// only known when the program runs there is [`DeviceFn`](crate::DeviceFn).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Closure<F>(F);

// SAFETY: only `new` makes one, which has found no address in there and lets captures go to any thread; what is `Copy` has no
// `Drop`.
unsafe impl<F: Copy + 'static> DeviceCopy for Closure<F> {
    const MAY_HIDE_ADDRESS: bool = Captures::<F>::CAN_HOLD_ADDRESS;
}

impl<F> Closure<F>
where
    F: Copy + Send + Sync + 'static, // a closure captures values: a slice is a parameter of the kernel's own
{
    /// The argument for a parameter of this type. A reference or a function's address among what it captures is an error
    /// when this is compiled.
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

/// The two checks of a kernel's captures. The first has words of its own, but is blind where another captured value has more
/// unused patterns of bits, as a `bool` has; the second is rustc's, and names the variable.
pub(crate) struct Captures<F>(F);

/// A value of the closure's, told from none by its first bytes and never by the value's own. The name is in rustc's message.
#[repr(C)]
#[allow(dead_code, reason = "it is only evaluated")]
pub(crate) enum KernelWithoutAddresses<F> {
    TooSmall,
    Bytes(F),
}

impl<F: Copy> Captures<F> {
    /// Both checks, evaluated for each type when the call is compiled.
    #[inline(always)]
    pub(crate) fn check() {
        const { Self::ARE_NO_ADDRESS };
        const {
            let _zeros = Self::HAVE_NO_ADDRESS;
        }
    }

    /// Whether an address could be in there at all: what a function item is, and many closures of numbers are, is let be. Its
    /// alignment says nothing: a packed struct holds an address at any place.
    pub(crate) const CAN_HOLD_ADDRESS: bool = size_of::<F>() >= size_of::<usize>();

    /// An address alone leaves one pattern of bits unused, which an `Option` takes and a second one lacks.
    const ARE_NO_ADDRESS: () = {
        let one_unused = size_of::<Option<F>>() == size_of::<F>() && size_of::<Option<Option<F>>>() > size_of::<F>();
        assert!(
            !(Self::CAN_HOLD_ADDRESS && one_unused),
            "a kernel's closure captures a reference or a function's address, which a device cannot follow: capture the value \
            itself, use a static by its name, or launch it with a `DeviceBuffer` for a parameter (what cannot be 0, such as \
            `NonZero`, looks the same to the compiler: capture its number)"
        );
    };

    /// The constant: evaluating it is the check.
    const HAVE_NO_ADDRESS: KernelWithoutAddresses<F> = if Self::CAN_HOLD_ADDRESS {
        // SAFETY: never used; where the zeros are no value, this is the error that is meant.
        KernelWithoutAddresses::Bytes(unsafe { MaybeUninit::zeroed().assume_init() })
    } else {
        KernelWithoutAddresses::TooSmall
    };
}
