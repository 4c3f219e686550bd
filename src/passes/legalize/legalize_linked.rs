//! Removes the properties of the host from functions that are linked from a library after the stage `legalize`.

use super::lower_relative_tables::lower_relative_tables;
use super::strip_host::{strip_host, strip_host_of_variable};
use crate::llvm::{Function, Linkage, Module};
use crate::passes::panic::lower_panics::trap_panics;

/// Runs the parts of the stage `legalize` that library functions need.
pub fn legalize_linked(module: &Module<'_>, functions: &[Function<'_>]) {
    for function in functions {
        strip_host(*function);
        if !function.is_declaration() {
            function.set_linkage(Linkage::Internal);
            function.set_unnamed_address();
            function.clear_personality();
        }
    }
    if !functions.is_empty() {
        // Each part of a module would define an alias. Later passes find functions of a library by their names.
        for alias in module.aliases() {
            let (name, target) = (alias.name(), alias.aliasee().as_function());
            alias.replace_all_uses_with(alias.alias_target());
            alias.erase_global();
            target.into_iter().for_each(|function| function.set_name(&name));
        }
        module
            .variables()
            .into_iter()
            .filter(|v| v.linkage() == Linkage::External)
            .for_each(|v| strip_host_of_variable(v, false));
        lower_relative_tables(module);
        trap_panics(module);
    }
}
