//! Marks everything that reaches a convergent builtin as convergent, before any of LLVM's passes runs.
//!
//! A host's IR does not say it, and without it LLVM may copy or move a barrier into a branch. Functions that reach a
//! barrier are also marked to be inlined: the check of control flow and the cpu's barriers look at one function.

use std::collections::HashSet;

use crate::builtin::BUILTINS;
use crate::llvm::{Module, Place, Value};

/// Marks functions and calls.
pub fn mark_convergent(module: &Module<'_>) {
    let named = |barrier: bool| {
        let wanted = BUILTINS.iter().filter(move |b| if barrier { b.barrier } else { b.convergent });
        wanted.filter_map(|b| module.function(b.name)).collect::<Vec<_>>()
    };
    let (convergent, indirect) = reaching(&named(false));
    for function in &convergent {
        function.mark("convergent");
        for user in function.users().into_iter().filter(|u| u.called_function() == Some(*function)) {
            user.mark("convergent");
        }
    }
    if indirect {
        mark_indirect_calls(module);
    }
    for function in reaching(&named(true)).0 {
        if !function.is_declaration() {
            function.remove_attribute(Place::Function, "noinline");
            function.mark("alwaysinline");
            // rustc repeats `#[inline(never)]` at calls that its own inliner has copied.
            for call in function.users().into_iter().filter(|u| u.called_function() == Some(function)) {
                call.remove_attribute(Place::Function, "noinline");
            }
        }
    }
}

/// The functions from which one of `targets` can be reached by calls, in a stable order, and whether one of them may be
/// called through a pointer.
fn reaching<'c>(targets: &[Value<'c>]) -> (Vec<Value<'c>>, bool) {
    let mut order: Vec<Value<'c>> = targets.to_vec();
    let mut seen: HashSet<Value<'c>> = targets.iter().copied().collect();
    let (mut next, mut indirect) = (0, false);
    while next < order.len() {
        let function = order[next];
        next += 1;
        for user in function.users() {
            if user.called_function() != Some(function) {
                indirect = true;
                continue;
            }
            let caller = user.function();
            if seen.insert(caller) {
                order.push(caller);
            }
        }
    }
    (order, indirect)
}

fn mark_indirect_calls(module: &Module<'_>) {
    for function in module.functions() {
        for call in function.instructions().filter(|i| i.is_call() && i.called_function().is_none()) {
            if !call.calls_inline_asm() {
                call.mark("convergent");
                function.mark("convergent");
            }
        }
    }
}
