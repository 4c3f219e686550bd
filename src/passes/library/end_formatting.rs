//! Replaces formatting functions by traps if they are in a vtable but are never called.
//!
//! The vtable of `dyn Shape` has an entry for `Debug` if that is a supertrait of `Shape`. The body of this entry needs
//! much of `core::fmt`, which is not linked unless something formats (`stages/resolve.rs`). A function is never called
//! if no function that formats was reached before the code was optimised: only such a function has a `Formatter`. If
//! one was, it may be inlined now. Then a function is never called if none is reached, and no call through a pointer
//! has its type.
//!
//! Before: panics are numbers, so the arguments of their messages have been removed.

use crate::analysis::formatting::Formatting;
use crate::contract::kernel::KernelSet;
use crate::error::Result;
use crate::llvm::{Builder, Function, Linkage, Module, Value};

/// Replaces the bodies of such functions, gives a body to those that have none, and erases the functions that only they
/// needed: a call through a pointer could lead there. `formatted` is true if the code formatted anything before it was
/// optimised.
pub fn end_formatting(module: &Module<'_>, kernels: &KernelSet, formatted: bool) -> Result<()> {
    let found = Formatting::of(kernels.functions(module));
    let reached = found.reached.iter().filter_map(|global| global.as_function());
    let calls: Vec<_> = reached.flat_map(Function::instructions).filter(|i| i.is_indirect_call()).collect();
    let mut is_changed = false;
    for function in found.unused {
        let may_be = |call: &Value<'_>| call.called_type() == function.function_type();
        if formatted && calls.iter().any(may_be) {
            continue;
        }
        if !function.is_declaration() {
            function.delete_body();
        }
        let builder = Builder::at_end(function.append_block("entry"));
        builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
        builder.unreachable();
        function.set_linkage(Linkage::Internal);
        is_changed = true;
    }
    if is_changed { module.run_neutral_passes("globaldce") } else { Ok(()) }
}
