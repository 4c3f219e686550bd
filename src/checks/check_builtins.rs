//! Checks that names of the device contract are declared with the contract's types.
//!
//! A declaration with another type, or a definition, would have different meanings on the host and on a device.

use crate::analysis::location::user_location;
use crate::contract::atomic::AtomicBuiltin;
use crate::contract::builtin::{BUILTINS, IS_DEVICE, MARKERS};
use crate::contract::queries::{QUERIES, query_type};
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Module, Type, Value};

/// Reports each name once.
pub fn check_builtins(module: &Module<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for builtin in BUILTINS {
        let wanted = builtin.function_type(module);
        found.extend(check(module, builtin.name, &wanted.text(), |ty| ty == wanted));
    }
    for name in module.functions().into_iter().map(|f| f.name()) {
        if let Some(atomic) = AtomicBuiltin::named(&name) {
            let wanted = atomic.function_type(module);
            found.extend(check(module, &name, &wanted.text(), |ty| ty == wanted));
        } else if AtomicBuiltin::is_misspelt(&name) {
            let message = format!("`{name}` is not an atomic of the device contract");
            found.push(Diagnostic::coded(Code::BuiltinType, message).help(
                "the names are `__offload_atomic_OPERATION_TYPE` and `__offload_atomic_fence`; the operations are load, store, exchange, compare_exchange, add, sub, min, max, and, or, xor; the types are u8 to u64, i8 to i64, f32, f64",
            ));
        }
    }
    let asks = |ty: Type<'_>| ty.result().int_width().is_some() && ty.parameters().is_empty();
    found.extend(check(module, IS_DEVICE, "i1 ()", asks));
    for query in QUERIES {
        let wanted = query_type(query, module);
        found.extend(check(module, query, &wanted.text(), |ty| ty == wanted));
    }
    for name in MARKERS {
        found.extend(check(module, name, "ptr", |_| true));
    }
    found
}

fn check<'c>(module: &Module<'c>, name: &str, wanted: &str, fits: impl Fn(Type<'c>) -> bool) -> Option<Diagnostic> {
    let wrong = |what: String| Some(Diagnostic::coded(Code::BuiltinType, format!("`{name}` {what}")));
    if module.variable(name).is_some() || module.aliases().iter().any(|a| a.name() == name) {
        return wrong("is a function of the device contract, but the input has another symbol of this name".into());
    }
    let function = module.function(name)?;
    let is_marker = MARKERS.contains(&name);
    if !function.is_declaration() {
        let place = function.instructions().find_map(user_location);
        return wrong("is defined in the input, but only offloadc may define it".into()).map(|d| d.at(place));
    }
    let ty = function.function_type();
    if !fits(ty) {
        return wrong(format!("is declared as `{}`, but its type is `{wanted}`", ty.text()));
    }
    if is_marker {
        // `find_kernels` checks each call of a marker.
        return None;
    }
    let differs = |u: &Value<'c>| u.is_call() && u.callee() == function && u.called_type() != ty;
    let call = function.users().into_iter().find(differs)?;
    wrong(format!("is called as `{}`, but its type is `{}`", call.called_type().text(), ty.text()))
        .map(|d| d.at(user_location(call)))
}
