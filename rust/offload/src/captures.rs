//! What a kernel's closure may not capture: addresses of the host's, which `Copy + Send + 'static` does not keep out.
//!
//! No trait of stable Rust tells `&'static T` from a number. Its bytes do: a reference or a function's address is never null.
//! So the compiler is asked for a constant of the closure's type whose bytes are all 0, and where it captures one, at any
//! depth, there is none: an error when the launch is compiled, which names the captured variable.
//!
//! What is not found: an address in an enum that has a value without it (`Option<&'static T>`), and addresses that were made
//! numbers or raw pointers.

use core::mem::MaybeUninit;

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
    /// Whether an address could be in there at all: what a function item is, and most closures of numbers are, is let be.
    const CAN_HOLD_ADDRESS: bool = size_of::<F>() >= size_of::<usize>() && align_of::<F>() >= align_of::<usize>();

    /// An address alone leaves one pattern of bits unused, which an `Option` takes and a second one lacks.
    pub(crate) const ARE_NO_ADDRESS: () = {
        let one_unused = size_of::<Option<F>>() == size_of::<F>() && size_of::<Option<Option<F>>>() > size_of::<F>();
        assert!(
            !(Self::CAN_HOLD_ADDRESS && one_unused),
            "a kernel's closure captures a reference or a function's address, which a device cannot follow: capture the value \
            itself, use a static by its name, or launch it with a `DeviceBuffer` for a parameter (what cannot be 0, such as \
            `NonZero`, looks the same to the compiler: capture its number)"
        );
    };

    /// The constant: evaluating it is the check.
    pub(crate) const HAVE_NO_ADDRESS: KernelWithoutAddresses<F> = if Self::CAN_HOLD_ADDRESS {
        // SAFETY: never used; where the zeros are no value, this is the error that is meant.
        KernelWithoutAddresses::Bytes(unsafe { MaybeUninit::zeroed().assume_init() })
    } else {
        KernelWithoutAddresses::TooSmall
    };
}
