//! Replaces functions of Rust's `std` that need an operating system by those of the `offload` crate, which call the
//! host.

use crate::llvm::{Function, Module, Value};
use crate::rust_std::device_std::{replacements, replacements_of};

/// The crate's functions that a module contains.
pub fn std_functions<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let defined = replacements().filter_map(|name| module.function(&name)).filter(|f| !f.is_declaration());
    defined.map(Value::from).collect()
}

/// Replaces the functions for which the module contains one of the crate with the same type.
pub fn call_host_std(module: &Module<'_>) {
    replace_std_functions(module);
}

/// The same within another pass.
pub fn replace_std_functions(module: &Module<'_>) {
    if std_functions(module).is_empty() {
        return;
    }
    for function in module.functions() {
        let fits = |own: &Function<'_>| {
            !own.is_declaration() && own.function_type() == function.function_type() && *own != function
        };
        let own = replacements_of(&function.name()).filter_map(|name| module.function(&name)).find(fits);
        if let Some(own) = own.filter(|_| function.is_used()) {
            function.replace_all_uses_with(*own);
        }
    }
}
