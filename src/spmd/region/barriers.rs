//! The barriers of a module.

use crate::contract::builtin::BUILTINS;
use crate::llvm::{Function, Module, Value};

/// The barrier builtins that the module declares.
pub(crate) fn builtins<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    BUILTINS.iter().filter(|b| b.barrier).filter_map(|b| module.function(b.name)).collect()
}

/// The barriers in a function.
pub(crate) fn in_function<'c>(module: &Module<'c>, function: Function<'c>) -> Vec<Value<'c>> {
    let builtins = builtins(module);
    function.instructions().filter(|i| i.called_function().is_some_and(|f| builtins.contains(&f))).collect()
}
