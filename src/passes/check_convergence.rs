//! Finds barriers under control flow that differs between the threads of a block.
//!
//! Every thread of a block must reach the same barrier. A barrier is wrong when it stands between a branch on a
//! divergent value (`divergence.rs`) and the point where the branch's ways meet again (`control_flow.rs`). Host
//! optimisation may have put a correct program's barrier there; what `repair_convergence` cannot prove to be right is
//! refused.
//!
//! Before: barriers stand in the kernels themselves (`mark_convergent` has them inlined) and locals are in registers.
//! A barrier that could not be inlined is refused too: nobody has looked at the ways to it.

use std::collections::HashSet;

use super::call_chain::Chain;
use super::divergence::{Divergence, asking};
use super::location::{outer_location, user_location};
use super::panics::demangle;
use super::reach::Reach;
use crate::builtin::{BUILTINS, Builtin};
use crate::diagnostics::{Code, Diagnostic};
use crate::kernel::KernelSet;
use crate::llvm::{Module, Value};

/// Reports each kernel that has such a barrier once, and each function that keeps one for itself. `proven` names kernels whose
/// barriers need no look: `repair_convergence` gave them.
pub fn check_convergence(module: &Module<'_>, kernels: &KernelSet, proven: &HashSet<String>) -> Vec<Diagnostic> {
    let barriers = || BUILTINS.iter().filter(|b| b.barrier).filter_map(|b| module.function(b.name));
    if !barriers().any(|b| b.is_used()) {
        return Vec::new();
    }
    let asking = asking(module);
    let mut found = Vec::new();
    for kernel in kernels.iter().filter(|k| !proven.contains(&k.name)) {
        let Some(function) = module.function(&kernel.name) else { continue };
        if let Some(barrier) = divided_barrier(function, &Divergence::of(function, &asking)) {
            found.push(refuse(&kernel.display, barrier));
        }
    }
    found.extend(hidden_barriers(module, kernels));
    found
}

/// The first barrier that only some threads may reach.
pub fn divided_barrier<'c>(kernel: Value<'c>, divergence: &Divergence<'c>) -> Option<Value<'c>> {
    kernel.instructions().find(|i| is_barrier(*i) && divergence.is_controlled(i.block()))
}

/// Whether an instruction is a barrier for the whole block.
pub fn is_barrier(instruction: Value<'_>) -> bool {
    instruction.called_function().and_then(|f| Builtin::named(&f.name())).is_some_and(|b| b.barrier)
}

fn refuse(kernel: &str, barrier: Value<'_>) -> Diagnostic {
    Diagnostic::coded(
        Code::DivergentBarrier,
        format!("kernel `{kernel}` has a barrier under control flow that differs between threads"),
    )
    .at(outer_location(barrier))
    .note("all threads of a block must reach the same barrier; the compiler that made this input may have duplicated or moved it")
    .help("compile with `-C opt-level=3 -C no-prepopulate-passes`, or with `-C opt-level=0` where rustc itself copied the barrier")
    .help("if the source has the barrier inside a condition on the thread's position, move it out")
}

/// Barriers that kernels reach outside their own bodies.
fn hidden_barriers<'c>(module: &Module<'c>, kernels: &KernelSet) -> Vec<Diagnostic> {
    let entries: Vec<_> = kernels.iter().filter_map(|k| module.function(&k.name)).collect();
    let own: HashSet<_> = entries.iter().copied().collect();
    let reach = Reach::new(&entries);
    let chain = Chain::new(&reach, kernels);
    let mut found = Vec::new();
    for function in reach.order.iter().copied().filter(|g| g.is_function() && !own.contains(g)) {
        let kernel = chain.kernel(function);
        if let Some(barrier) = function.instructions().find(|i| is_barrier(*i)) {
            found.push(hidden(&kernel, function).at(user_location(barrier)));
        } else if Builtin::named(&function.name()).is_some_and(|b| b.barrier) && !is_only_called(function) {
            found.push(hidden(&kernel, function));
        }
    }
    found
}

/// Why a barrier could not be inlined into the kernel.
fn hidden(kernel: &str, function: Value<'_>) -> Diagnostic {
    let name = demangle(&function.name());
    if is_only_called(function) {
        let message = format!("kernel {kernel} reaches a barrier in `{name}`, which is recursive");
        return Diagnostic::coded(Code::RecursiveBarrier, message).help("turn the recursion into a loop");
    }
    let message = format!("kernel {kernel} reaches a barrier in `{name}`, which is called through a pointer");
    Diagnostic::coded(Code::IndirectCall, message).help("call it directly, so that all threads are seen to reach it")
}

fn is_only_called(function: Value<'_>) -> bool {
    function.users().iter().all(|u| u.is_plain_call_of(function))
}
