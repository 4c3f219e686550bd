//! Lets formatting functions trap that a vtable names and nobody calls.
//!
//! The vtable of `dyn Shape` has an entry for `Debug` if that is a supertrait of `Shape`. The body of this entry needs
//! much of `core::fmt`, which is not linked unless something formats (`stages/resolve.rs`). A function is never called
//! if no function that formats is reached, and no call through a pointer has its type.
//!
//! Before: panics are numbers, so the arguments of their messages are gone.

use crate::analysis::formatting::Formatting;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Builder, Function, Linkage, Module, Value};

/// Replaces the bodies of such functions, and gives a body to those that have none.
pub fn end_formatting(module: &Module<'_>, kernels: &KernelSet) {
    let found = Formatting::of(kernels.functions(module));
    let reached = found.reached.iter().filter_map(|global| global.as_function());
    let calls: Vec<_> = reached.flat_map(Function::instructions).filter(|i| i.is_indirect_call()).collect();
    for function in found.unused {
        let may_be = |call: &Value<'_>| call.called_type() == function.function_type();
        if calls.iter().any(may_be) {
            continue;
        }
        if !function.is_declaration() {
            function.delete_body();
        }
        let builder = Builder::at_end(function.append_block("entry"));
        builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
        builder.unreachable();
        function.set_linkage(Linkage::Internal);
    }
}
