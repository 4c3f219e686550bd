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
        module
            .variables()
            .into_iter()
            .filter(|v| v.linkage() == Linkage::External)
            .for_each(|v| strip_host_of_variable(v, false));
        lower_relative_tables(module);
        trap_panics(module);
    }
}
