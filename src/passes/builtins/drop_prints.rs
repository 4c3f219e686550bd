//! Removes printing from device code, unless `--device-print` requests it.

use crate::analysis::location::user_location;
use crate::contract::builtin::PRINT;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Builder, Module, Place};

/// Removes every call of `__offload_print`. The diagnostic has the location of the first one.
pub fn drop_prints(module: &Module<'_>) -> Option<Diagnostic> {
    let function = module.function(PRINT).filter(|f| f.is_declaration() && f.is_used())?;
    let place = function.users().into_iter().filter(|u| u.is_call()).find_map(user_location);
    Builder::at_end(function.append_block("entry")).ret_void();
    function.remove_attribute(Place::Function, "memory");
    function.make_inlined();
    let dropped = Diagnostic::coded(Code::PrintDropped, format!("calls of `{PRINT}` print nothing on devices"));
    Some(dropped.at(place).help("`--device-print` keeps them"))
}
