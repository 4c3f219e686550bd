//! Which functions are panic machinery: the ones a device never enters, because panicking is a trap there.
//!
//! The cut is made *before* reachability, so that a bounds check does not pull `core::fmt` onto the device.

use super::demangle::demangle;
use super::panic_messages::message_of;
use crate::llvm::{Place, Value};

/// Functions of the runtime behind a panic; they have no path.
const RUNTIME: &[&str] = &["rust_begin_unwind", "rust_panic", "rust_eh_personality", "_Unwind_Resume"];

/// Paths in `core`, `alloc` and `std` that end the process but are no panic, or find out which of several it is.
const NOT_PANICS: &[&str] = &["std::process::exit", "alloc::raw_vec::handle_error"];

/// Whether a function without a body is named only for a message: `core::fmt`'s half of `{}`, by address. Nothing can call
/// it, because what would, `core::fmt::write`, has no body either.
pub fn is_panic_argument(function: Value<'_>) -> bool {
    let path = demangle(&function.name());
    let formats = path.contains(" as core::fmt::") && path.ends_with(">::fmt");
    formats && function.is_declaration() && function.users().iter().all(|u| !u.is_plain_call_of(function))
}

/// Whether a function of this path only puts `fmt::Arguments` together.
pub fn makes_arguments(path: &str) -> bool {
    let path = path.trim_start_matches('<');
    path.starts_with("core::fmt::rt::") || path.starts_with("core::fmt::Arguments")
}

/// Functions that call a panic function, although LLVM has found that they never return: types' methods, and since 1.101
/// what puts an error on the stack.
const CALLERS: &[&str] = &["core::option::Option<", "core::result::Result<", "core::result::unwrap_failed::<"];

/// What `assert_eq!` and the like call, and the function behind it.
const ASSERTION: &str = "core::panicking::assert_failed";

/// Whether a function's body calls one whose path begins so.
fn calls(function: Value<'_>, start: &str) -> bool {
    let callees = function.instructions().filter_map(|instruction| instruction.called_function());
    callees.into_iter().any(|callee| demangle(&callee.name()).starts_with(start))
}

/// Whether a call of this function is a panic: it never returns and belongs to Rust's own libraries.
pub fn is_panic(function: Value<'_>) -> bool {
    let symbol = function.name();
    if RUNTIME.contains(&symbol.as_str()) {
        return true;
    }
    if !function.has_attribute(Place::Function, "noreturn") {
        return false;
    }
    let path = demangle(&symbol);
    let path = path.trim_start_matches('<');
    let ours = ["core::", "alloc::", "std::"].iter().any(|krate| path.starts_with(krate));
    // rustc's optimiser drops parameters of what it has instantiated.
    let specialised = || path.starts_with(ASSERTION) && !message_of(path, function).1 && calls(function, ASSERTION);
    let calls_one =
        !function.is_declaration() && (CALLERS.iter().any(|start| path.starts_with(start)) || specialised());
    ours && !calls_one && !NOT_PANICS.contains(&path)
}
