//! Drops the stand-ins of the `offload` crate. They define the contract's builtins and the runtime's functions in
//! programs that offloadc has not compiled, so that unit tests link without it. offloadc defines the builtins itself
//! and links the runtime.

use crate::contract::atomic::AtomicBuiltin;
use crate::contract::builtin::{Builtin, IS_DEVICE, MARK_FUNCTION, MARK_HOST_FUNCTION, MARK_KERNEL_NAMED};
use crate::contract::queries::is_query;
use crate::contract::symbols::is_stand_in_section;
use crate::llvm::{Function, Module, Place};

/// Whether a function is a stand-in.
pub fn is_stand_in(function: Function<'_>) -> bool {
    !function.is_declaration() && is_stand_in_section(&function.section())
}

/// Turns the stand-ins into declarations. Removes `noinline` from all declarations of builtins and from their calls,
/// because a target's body of a builtin must be inlined.
pub fn drop_stand_ins(module: &Module<'_>) {
    for function in module.functions() {
        let name = function.name();
        let marks = [IS_DEVICE, MARK_FUNCTION, MARK_HOST_FUNCTION, MARK_KERNEL_NAMED];
        let other = marks.contains(&name.as_str()) || is_query(&name);
        let builtin = other || Builtin::named(&name).is_some() || AtomicBuiltin::named(&name).is_some();
        let stand_in = is_stand_in(function);
        if !builtin && !stand_in {
            continue;
        }
        for call in function.calls() {
            call.remove_attribute(Place::Function, "noinline");
        }
        if function.is_declaration() {
            function.remove_attribute(Place::Function, "noinline");
        } else if stand_in {
            // The declaration is new, because attributes of the old function describe its body.
            let fresh = module.add_function("", function.function_type());
            function.replace_all_uses_with(*fresh);
            function.erase_global();
            fresh.set_name(&name);
        }
    }
}
