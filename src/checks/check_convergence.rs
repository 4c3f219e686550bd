//! Finds barriers and cross-lane operations under control flow that differs between the threads of a block.
//!
//! Every thread of a block must reach the same barrier. A barrier is a violation if it is control-dependent on a
//! divergent branch: it lies between a branch on a divergent value (`divergence.rs`) and the join point of that branch,
//! which is its immediate post-dominator (`control_flow.rs`). A host's optimiser may have moved the barrier of a
//! correct program there. If `repair_convergence` cannot prove that the kernel is correct, it is refused.
//!
//! The lanes of a warp must reach shuffles, ballots and votes together. A kernel may contain one under a condition that
//! is uniform for a warp, and the number of lanes of a warp is not known here, so a single operation is accepted. Two
//! operations of one kind on different paths of one divergent branch, of which no thread takes both, may be copies of
//! one operation and are violations.
//!
//! An operation with a mask states which lanes take part. It is correct in divergent control flow, also on both sides
//! of a branch, and is never refused. An execution without a lane of the mask is a panic (`report_masks.rs`).
//!
//! Precondition: barriers are in the kernels themselves (`mark_convergent` inlines them), and locals are in registers.
//! A barrier that could not be inlined is also refused, because the paths to it have not been checked.

use std::collections::HashSet;

use super::call_chain::Chain;
use crate::analysis::convergence::{divergent_barrier, divergent_cross_lane_op, has_convergent_ops, is_unmasked};
use crate::analysis::convergent_calls::is_barrier;
use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::analysis::location::{call_location, own_location};
use crate::analysis::reach::Reach;
use crate::contract::builtin::{Builtin, intrinsic_name};
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Block, Function, Module, Opcode, Value};
use crate::rust_std::demangle::demangle;

/// Reports each kernel with such a barrier once, and each function with a barrier that was not inlined. `proven`
/// contains the kernels whose barriers `repair_convergence` has proven to be correct, and `as_written` those that no
/// optimiser of LLVM has changed before.
pub fn check_convergence(
    module: &Module<'_>,
    kernels: &KernelSet,
    proven: &HashSet<String>,
    as_written: &HashSet<String>,
) -> Vec<Diagnostic> {
    if !has_convergent_ops(module) {
        return Vec::new();
    }
    let sources = divergence_sources(module);
    let mut found = Vec::new();
    for kernel in kernels.iter().filter(|k| !proven.contains(&k.name)) {
        let Some(function) = module.function(&kernel.name) else { continue };
        let divergence = Divergence::of(module, function, &sources);
        let remedy = if as_written.contains(&kernel.name) { WITHOUT_COPIES_OF_RUSTC } else { WITHOUT_COPIES };
        if let Some(barrier) = divergent_barrier(function, &divergence) {
            found.push(refuse(&kernel.display, barrier, &divergence, remedy));
        } else if let Some(operation) = divergent_cross_lane_op(function, &divergence, is_unmasked) {
            found.push(refuse_cross_lane_op(&kernel.display, operation, remedy));
        }
    }
    found.extend(check_hidden(module, kernels, &BARRIERS));
    found
}

fn refuse<'c>(kernel: &str, barrier: Value<'c>, divergence: &Divergence<'c>, remedy: &str) -> Diagnostic {
    let message = format!("kernel `{kernel}` has a barrier under control flow that differs between threads");
    let mut diagnostic = Diagnostic::coded(Code::DivergentBarrier, message).at(own_location(barrier));
    if let Some(place) = call_location(barrier) {
        diagnostic = diagnostic.note(format!("the call in the kernel that leads there is at {place}"));
    }
    if let Some(branch) = divergent_branch_around(barrier, divergence) {
        diagnostic = diagnostic.note(divergence_note(branch, divergence));
    }
    diagnostic = diagnostic.note("all threads of a block must reach the same barrier");
    if may_be_copied(barrier) {
        diagnostic = diagnostic.note("the compiler that made this input may have duplicated or moved it").help(remedy);
    }
    if diagnostic.location.is_none() {
        let lines = "compile with debug information (`-g`, or `debug = \"line-tables-only\"` in cargo's profile) to see \
                     where it is";
        diagnostic = diagnostic.help(lines);
    }
    diagnostic.help(
        "if the source has the barrier inside or after a condition on the thread's position, let all threads reach it",
    )
}

/// The divergent branch that a barrier is control-dependent on; if there are several, the one with the smallest region.
fn divergent_branch_around<'c>(barrier: Value<'c>, divergence: &Divergence<'c>) -> Option<Value<'c>> {
    let branches = barrier.function().blocks().into_iter().filter_map(|block| block.terminator());
    let regions = branches.filter(|b| divergence.is_divergent(*b)).map(|b| (divergence.flow().region(b.block()), b));
    let around = regions.filter(|(region, _)| region.contains(&barrier.block()));
    around.min_by_key(|(region, _)| region.len()).map(|(_, branch)| branch)
}

/// A note about the branch where threads diverge, and that some of them end there.
fn divergence_note<'c>(branch: Value<'c>, divergence: &Divergence<'c>) -> String {
    let place = own_location(branch).map_or("before it".to_owned(), |place| format!("at {place}"));
    let ends = |block: Block<'c>| block.instructions().all(|i| i.is(Opcode::Ret) || i.is(Opcode::Phi));
    match divergence.flow().post_dominator(branch.block()) {
        Some(join) if !ends(join) => format!("threads diverge {place}"),
        _ => format!("threads diverge {place}, and some then reach the end of the kernel: an early `return` counts"),
    }
}

/// Whether a barrier may be a compiler's copy: several barriers have its location, or the location is unknown.
fn may_be_copied(barrier: Value<'_>) -> bool {
    let place = own_location(barrier);
    let same = |other: &Value<'_>| is_barrier(*other) && own_location(*other) == place;
    place.is_none() || barrier.function().instructions().filter(same).count() > 1
}

fn refuse_cross_lane_op(kernel: &str, operation: Value<'_>, remedy: &str) -> Diagnostic {
    let name = operation.called_function().map(|f| f.name()).unwrap_or_default();
    let name = intrinsic_name(&name).unwrap_or(&name);
    Diagnostic::coded(
        Code::DivergentBarrier,
        format!("kernel `{kernel}` has `{name}` on several paths of control flow that differs between threads"),
    )
    .at(own_location(operation))
    .note("the lanes of a warp must reach it together; the compiler that made this input may have duplicated it")
    .help(remedy)
    .help("if the source has it on both sides of a condition, call it once, after the condition")
}

/// The remedy if a compiler has copied a barrier. An input does not show how it was compiled, unless its locals are in
/// memory: then the flags that leave LLVM's optimiser out were set already.
const WITHOUT_COPIES: &str =
    "compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`";

const WITHOUT_COPIES_OF_RUSTC: &str =
    "LLVM's optimiser has not changed this input, but rustc's own may have: it copies none with `-C opt-level=0`";

/// A kind of convergent builtins, and the texts about it.
pub struct ConvergentOps {
    builtins: fn(&Builtin) -> bool,
    what: &'static str,
    remedy: &'static str,
}

/// Barriers.
static BARRIERS: ConvergentOps = ConvergentOps {
    builtins: |b| b.barrier,
    what: "a barrier",
    remedy: "so that offloadc can check that all threads reach it",
};
/// Cross-lane operations, for a target that runs the lanes of a warp one after another.
pub static CROSS_LANE_OPS: ConvergentOps = ConvergentOps {
    builtins: |b| b.convergent && !b.barrier,
    what: "a cross-lane operation",
    remedy: "or make each thread a warp of its own with `--cpu-warp-size=1`",
};

impl ConvergentOps {
    fn has(&self, function: Function<'_>) -> bool {
        Builtin::named(&function.name()).is_some_and(self.builtins)
    }
}

/// Reports convergent operations that kernels reach in other functions.
pub fn check_hidden(module: &Module<'_>, kernels: &KernelSet, ops: &ConvergentOps) -> Vec<Diagnostic> {
    let entries: Vec<_> = kernels.functions(module).collect();
    let own: HashSet<_> = entries.iter().copied().collect();
    let reach = Reach::new(&entries);
    let chain = Chain::new(&reach, kernels);
    let mut found = Vec::new();
    for function in reach.order.iter().filter_map(|g| g.as_function()).filter(|f| !own.contains(f)) {
        let kernel = chain.kernel(*function);
        if let Some(call) = function.instructions().find(|i| i.called_function().is_some_and(|f| ops.has(f))) {
            found.push(hidden(&kernel, function, ops).at(own_location(call)));
        } else if ops.has(function) && !function.is_only_called() {
            found.push(hidden(&kernel, function, ops));
        }
    }
    found
}

/// Why the function could not be inlined into the kernel.
fn hidden(kernel: &str, function: Function<'_>, ops: &ConvergentOps) -> Diagnostic {
    let (name, ConvergentOps { what, remedy, .. }) = (demangle(&function.name()), ops);
    if function.is_only_called() {
        let message = format!("kernel {kernel} reaches {what} in `{name}`, which is recursive");
        return Diagnostic::coded(Code::RecursiveBarrier, message).help("turn the recursion into a loop");
    }
    let message = format!("kernel {kernel} reaches {what} in `{name}`, which is called through a pointer");
    Diagnostic::coded(Code::IndirectCall, message).help(format!("call it directly, {remedy}"))
}
