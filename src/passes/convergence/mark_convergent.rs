//! Marks everything that reaches a convergent builtin as `convergent`, before any pass of LLVM runs. Later removes the
//! attribute from functions and calls that no longer reach one.
//!
//! A host's IR lacks the attribute, and without it LLVM may duplicate a barrier or move it into a branch. Functions
//! that reach a convergent builtin are also marked for inlining, because the check of control flow and the CPU's
//! barriers look at one function. The same applies to functions that reach a promise or an option of a kernel, which
//! must be in the kernel itself, and to functions that pass on an argument which must be a constant. Without the mark,
//! these would depend on the choices of LLVM's inliner, and there is none at `-O0`.

use std::collections::HashSet;

use crate::contract::builtin::{BLOCK_SIZE, BUILTINS, LAUNCH_BOUNDS, OF_KERNELS, UNROLL, intrinsic_name};
use crate::contract::queries::HAS_FEATURE;
use crate::llvm::{Function, Module, Place, Value};

/// Marks functions and calls.
pub fn mark_convergent(module: &Module<'_>) {
    mark_reaching(module);
    let bounds = [LAUNCH_BOUNDS, BLOCK_SIZE].into_iter().filter_map(|name| module.function(name));
    reaching(module, convergent(module).into_iter().chain(bounds).collect()).into_iter().for_each(inline_calls);
    let passing_on = |call: Value<'_>| !call.arguments().into_iter().all(Value::is_constant);
    let options = callers(module, &OF_KERNELS, |_| true).into_iter();
    // The kernels themselves, which nothing calls, remain functions for a debugger.
    let inner = options.chain(callers(module, &OF_CONSTANTS, passing_on)).filter(|f| f.has_local_linkage());
    inner.for_each(inline_calls);
}

fn inline_calls(function: Function<'_>) {
    if function.is_declaration() {
        function.calls().iter().for_each(|call| call.remove_attribute(Place::Function, "noinline"));
    } else {
        function.inline_calls();
    }
}

/// Removes `convergent` from functions and calls that no longer reach a convergent builtin, because their callees were
/// inlined, resolved or removed. Empty assembly that prevents duplication keeps the attribute.
pub fn drop_convergent(module: &Module<'_>) {
    for function in module.definitions().filter(|function| !names_convergence(*function)) {
        function.remove_attribute(Place::Function, "convergent");
        for call in function.instructions().filter(|i| i.is_call() && !i.keeps_whole()) {
            call.remove_attribute(Place::Function, "convergent");
        }
    }
    mark_reaching(module);
}

/// Whether a function has tokens for its convergent operations. They are valid in a convergent function only. No target
/// has code for them, so such a function is refused later.
fn names_convergence(function: Function<'_>) -> bool {
    let control = |f: Function<'_>| f.name().starts_with("llvm.experimental.convergence.");
    function.instructions().any(|i| i.is_call() && i.called_function().is_some_and(control))
}

/// The convergent operations: builtins, and intrinsics by name.
fn convergent<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    let builtins = BUILTINS.iter().filter(|b| b.convergent).filter_map(|b| module.function(b.name));
    let described =
        |f: &Function<'_>| intrinsic_name(&f.name()).is_some() && f.has_attribute(Place::Function, "convergent");
    builtins.chain(module.functions().into_iter().filter(described)).collect()
}

fn mark_reaching(module: &Module<'_>) {
    for function in reaching(module, convergent(module)) {
        function.mark("convergent");
        for call in function.calls() {
            call.mark("convergent");
        }
    }
}

/// Returns `targets` and the functions that reach one of them, in a stable order. If one of them may be called through
/// a pointer, every call through a pointer reaches it; these calls are marked here.
fn reaching<'c>(module: &Module<'c>, targets: Vec<Function<'c>>) -> Vec<Function<'c>> {
    let mut seen: HashSet<Function<'c>> = targets.iter().copied().collect();
    let mut order = targets;
    let (mut next, mut indirect) = (0, false);
    while next < order.len() {
        let function = order[next];
        next += 1;
        let mut callers: Vec<_> = function.calls().into_iter().map(Value::function).collect();
        if !indirect && !function.is_only_called() {
            indirect = true;
            callers.extend(mark_indirect_calls(module));
        }
        order.extend(callers.into_iter().filter(|c| seen.insert(*c)));
    }
    order
}

/// The functions of the contract whose arguments must be constants where the functions around them are inlined. An
/// argument that is no constant may be one of a caller. In a debug build, even a parameter goes through memory, so all
/// callers count whose own arguments are not all constants.
const OF_CONSTANTS: [&str; 2] = [UNROLL, HAS_FEATURE];

/// The functions with a call of one of these, as far as calls count, and their callers.
fn callers<'c>(module: &Module<'c>, names: &[&str], counts: impl Fn(Value<'c>) -> bool) -> Vec<Function<'c>> {
    let mut work: Vec<_> = names.iter().filter_map(|name| module.function(name)).collect();
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    while let Some(function) = work.pop() {
        for caller in function.direct_calls().into_iter().filter(|call| counts(*call)).map(Value::function) {
            if seen.insert(caller) {
                found.push(caller);
                work.push(caller);
            }
        }
    }
    found
}

/// Marks every call through a pointer. Returns the functions that contain them.
fn mark_indirect_calls<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    let mut callers = Vec::new();
    for function in module.functions() {
        for call in function.instructions().filter(|i| i.is_indirect_call()) {
            call.mark("convergent");
            callers.push(function);
        }
    }
    callers
}
