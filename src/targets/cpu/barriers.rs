//! Barriers stand in the kernels themselves: what reaches one is inlined, and what cannot be is refused.

use std::collections::HashSet;

use crate::builtin::BUILTINS;
use crate::diagnostics::{Code, Diagnostic};
use crate::error::{Error, Result};
use crate::kernel::KernelSet;
use crate::llvm::{Machine, Module, Place, Value};
use crate::passes::panics::demangle;

/// The barrier builtins that the module declares.
pub(super) fn builtins<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    BUILTINS.iter().filter(|b| b.barrier).filter_map(|b| module.function(b.name)).collect()
}

/// The barriers in a function.
pub(super) fn in_function<'c>(module: &Module<'c>, function: Value<'c>) -> Vec<Value<'c>> {
    let builtins = builtins(module);
    function.instructions().filter(|i| i.called_function().is_some_and(|f| builtins.contains(&f))).collect()
}

/// Functions that call a barrier, directly or through others, the builtins first.
fn reaching<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let mut order = builtins(module);
    let mut next = 0;
    while next < order.len() {
        for caller in callers(order[next]) {
            if !order.contains(&caller) {
                order.push(caller);
            }
        }
        next += 1;
    }
    order
}

fn callers<'c>(function: Value<'c>) -> impl Iterator<Item = Value<'c>> {
    function.users().into_iter().filter(move |u| u.called_function() == Some(function)).map(|u| u.function())
}

/// Barriers that cannot be inlined into a kernel: behind a recursion or behind a pointer.
pub(super) fn check(module: &Module<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for function in reaching(module) {
        let name = demangle(&function.name());
        let calls = callers(function).count();
        if function.users().len() > calls {
            let message = format!("`{name}` reaches a barrier and its address is taken");
            let help = "call it directly: the device must know which threads wait";
            found.push(Diagnostic::coded(Code::IndirectCall, message).help(help));
        }
        if calls_itself(function) {
            let message = format!("`{name}` reaches a barrier and calls itself");
            found.push(Diagnostic::coded(Code::RecursiveBarrier, message).help("turn the recursion into a loop"));
        }
    }
    found
}

/// Whether a function is among its own direct or indirect callers.
fn calls_itself(function: Value<'_>) -> bool {
    let mut seen = HashSet::new();
    let mut work: Vec<_> = callers(function).collect();
    while let Some(caller) = work.pop() {
        if caller == function {
            return true;
        }
        if seen.insert(caller) {
            work.extend(callers(caller));
        }
    }
    false
}

/// Inlines into the kernels what reaches a barrier. Says whether there are barriers.
pub(super) fn inline(module: &Module<'_>, kernels: &KernelSet, machine: &Machine) -> Result<bool> {
    let is_kernel = |f: &Value<'_>| kernels.iter().any(|k| k.name == f.name());
    let inlined: Vec<_> = reaching(module).into_iter().filter(|f| !f.is_declaration() && !is_kernel(f)).collect();
    for function in &inlined {
        function.remove_attribute(Place::Function, "noinline");
        function.mark("alwaysinline");
    }
    if !inlined.is_empty() {
        module.run_passes("always-inline,globaldce", machine)?;
    }
    let left = reaching(module).into_iter().find(|f| !f.is_declaration() && !is_kernel(f));
    if let Some(function) = left {
        return Err(Error::internal(format!("`{}` was not inlined, and it has a barrier", function.name())));
    }
    Ok(builtins(module).iter().any(|b| b.is_used()))
}
