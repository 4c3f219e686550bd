//! Recognises panic machinery: functions that a device never enters, because panics are replaced.
//!
//! This is decided *before* reachability, so that a bounds check does not bring `core::fmt` onto the device.

use super::demangle::demangle;
use super::owner::{is_of, path_in_rusts_library};
use super::panic_messages::message_of;
use crate::llvm::{Function, Place};

/// Functions of the runtime that implement panics; they have no path.
const RUNTIME: &[&str] = &["rust_begin_unwind", "rust_panic", "rust_eh_personality", "_Unwind_Resume"];

/// Paths in `core`, `alloc` and `std` that end the process without a panic, or that select one of several panics.
const NOT_PANICS: &[&str] = &["std::process::exit", "alloc::raw_vec::handle_error"];

/// Whether a function without a body is only an argument of a message: a formatting function whose address is taken. It
/// is never called, because its caller, `core::fmt::write`, has no body either.
pub fn is_panic_argument(function: Function<'_>) -> bool {
    let path = demangle(&function.name());
    let formats = path.contains(" as core::fmt::") && path.ends_with(">::fmt");
    formats && function.is_declaration() && function.users().iter().all(|u| !u.is_plain_call_of(function))
}

/// Whether a function of Rust's library with this path only creates `fmt::Arguments`.
pub fn makes_arguments(path: &str) -> bool {
    let path = path.trim_start_matches('<');
    path.starts_with("core::fmt::rt::") || path.starts_with("core::fmt::Arguments")
}

/// Functions that call a panic function, although LLVM has found that they never return: methods of types, and since
/// 1.101 a function that stores an error on the stack.
const CALLERS: &[&str] = &["core::option::Option<", "core::result::Result<", "core::result::unwrap_failed::<"];

/// The function that `assert_eq!` and similar macros call. The function that it calls has the same prefix.
const ASSERTION: &str = "core::panicking::assert_failed";

/// Whether a function calls one whose path has the prefix `start`.
fn calls(function: Function<'_>, start: &str) -> bool {
    let callees = function.instructions().filter_map(|instruction| instruction.called_function());
    callees.into_iter().any(|callee| path_in_rusts_library(&callee.name()).is_some_and(|path| path.starts_with(start)))
}

/// Whether a function is a panic function: it never returns, and belongs to Rust's own libraries.
pub fn is_panic(function: Function<'_>) -> bool {
    let symbol = function.name();
    if RUNTIME.contains(&symbol.as_str()) {
        return true;
    }
    if !function.has_attribute(Place::Function, "noreturn") {
        return false;
    }
    if !is_of(&symbol, &["core", "alloc", "std"]) {
        return false;
    }
    let path = demangle(&symbol);
    let path = path.trim_start_matches('<');
    // rustc's optimiser removes parameters of functions that it has instantiated.
    let specialised = || path.starts_with(ASSERTION) && !message_of(path, function).1 && calls(function, ASSERTION);
    let calls_one =
        !function.is_declaration() && (CALLERS.iter().any(|start| path.starts_with(start)) || specialised());
    !calls_one && !NOT_PANICS.contains(&path)
}
