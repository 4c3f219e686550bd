//! Finds functions that kernels of other objects cannot be linked with.
//!
//! Such a kernel runs in a separate image. When the kernel was compiled, the functions were not known:
//! - The image would have a second copy of a static that device code writes.
//! - A call of the host names a function of the kernel's own object, and the launch has a heap and workgroup memory for
//!   the needs of the kernel alone.
//! - A call through a pointer was no barrier when the kernel was optimised, so it may not lead to one now.

use crate::analysis::location::{function_location, user_location};
use crate::analysis::reach::Reach;
use crate::contract::builtin::{
    BUILTINS, CALL_HOST, DeviceBuiltin, SHARED_ARRAY, SHARED_SECTION, STATIC_SECTION, intrinsic_name,
};
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Function, Place, Value};
use crate::rust_std::allocator::is_allocator;
use crate::rust_std::demangle::demangle;

/// Reports a function that cannot be linked, with the first cause.
pub fn check_linkable(function: Function<'_>) -> Option<Diagnostic> {
    refusal(function, &cause)
}

/// Reports a function that uses statics of the device. This must be known before the module is optimised: the kernels
/// that write a static are not in it, so that LLVM would take its initial value for the only one, or erase stores.
pub fn check_linkable_statics(function: Function<'_>) -> Option<Diagnostic> {
    refusal(function, &|global| cause(global).filter(|_| global.section() == STATIC_SECTION))
}

/// The reason why code that reaches a global cannot be linked, and the remedy.
type Cause = Option<(String, &'static str)>;

fn refusal<'c>(function: Function<'c>, cause: &impl Fn(Value<'c>) -> Cause) -> Option<Diagnostic> {
    let reach = Reach::new(&[function]);
    let (global, cause) = reach.order.iter().find_map(|global| Some((*global, cause(*global)?)))?;
    let name = demangle(&function.name());
    let (what, help) = cause;
    let message = format!("function `{name}` {what}, and cannot be linked with kernels of other objects");
    let user = reach.from.get(&global).and_then(|(_, instruction)| *instruction);
    let place = user.and_then(user_location).or_else(|| function_location(function));
    Some(Diagnostic::coded(Code::NotLinkable, message).at(place).help(help))
}

fn cause(global: Value<'_>) -> Cause {
    const PASS: &str = "pass a pointer to the memory as an argument of the function";
    const ASK: &str = "call it in the kernel, and pass the result to the function";
    let name = global.name();
    if global.is_global_variable() {
        let shared = global.section() == SHARED_SECTION;
        let what = if shared { "uses the workgroup memory" } else { "uses the static" };
        let written = shared || !global.is_constant_global();
        return written.then(|| (format!("{what} `{}`", demangle(&name)), PASS));
    }
    let function = global.as_function().filter(|function| function.is_declaration())?;
    if name == CALL_HOST {
        return Some(("calls the host".to_owned(), ASK));
    }
    if name == SHARED_ARRAY || name == DeviceBuiltin::DynamicShared.symbol() {
        return Some(("uses workgroup memory".to_owned(), PASS));
    }
    if is_allocator(&name) {
        return Some(("allocates memory".to_owned(), PASS));
    }
    let is_intrinsic = intrinsic_name(&name).is_some() && function.has_attribute(Place::Function, "convergent");
    let of_threads =
        BUILTINS.iter().any(|builtin| builtin.name == name && (builtin.convergent || builtin.is_of_lanes()));
    (is_intrinsic || of_threads).then(|| (format!("calls `{name}`, which concerns other threads"), ASK))
}
