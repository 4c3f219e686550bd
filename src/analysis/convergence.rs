//! Convergent operations: barriers and cross-lane operations, and which of them only some threads may reach.

use std::collections::HashSet;

use super::convergent_calls::{is_barrier, is_convergent_op, is_cross_lane_op};
use super::divergence::Divergence;
use super::paths::reached;
use crate::contract::builtin::Builtin;
use crate::llvm::{Block, Function, Module, Opcode, Value};

/// Whether a module contains convergent operations.
pub fn has_convergent_ops(module: &Module<'_>) -> bool {
    module.functions().into_iter().any(|f| f.is_used() && is_convergent_op(f))
}

/// The first barrier in divergent control flow.
pub fn divergent_barrier<'c>(kernel: Function<'c>, divergence: &Divergence<'c>) -> Option<Value<'c>> {
    kernel.instructions().find(|i| is_barrier(*i) && divergence.is_control_dependent(i.block()))
}

/// A cross-lane operation of the kind `which` in divergent control flow that may be a duplicate of another one.
pub fn divergent_cross_lane_op<'c>(
    kernel: Function<'c>,
    divergence: &Divergence<'c>,
    which: fn(Value<'c>) -> bool,
) -> Option<Value<'c>> {
    let operations: Vec<_> = kernel.instructions().filter(|i| is_cross_lane_op(*i) && which(*i)).collect();
    if !operations.iter().any(|i| divergence.is_control_dependent(i.block())) {
        return None;
    }
    let is_divergent = |b: &Block<'c>| b.terminator().is_some_and(|branch| divergence.is_divergent(branch));
    kernel.blocks().into_iter().filter(is_divergent).find_map(|branch| {
        let region = divergence.flow().region(branch);
        let inside = operations.iter().copied().filter(|i| region.contains(&i.block()));
        let inside: Vec<_> = inside.map(|i| (i, reachable_blocks(divergence, &region, branch, i.block()))).collect();
        let are_copies = |a: &(Value<'c>, HashSet<_>), b: &(Value<'c>, HashSet<_>)| {
            a.0.called_function() == b.0.called_function()
                && a.0.block() != b.0.block()
                && !a.1.contains(&b.0.block())
                && !b.1.contains(&a.0.block())
        };
        let copied = |(at, a): &(usize, &(_, _))| inside[..*at].iter().any(|b| are_copies(a, b));
        inside.iter().enumerate().find(copied).map(|(_, (operation, _))| *operation)
    })
}

/// The blocks of a branch's region that are reachable from `from` without passing the branch again.
fn reachable_blocks<'c>(
    divergence: &Divergence<'c>,
    region: &HashSet<Block<'c>>,
    branch: Block<'c>,
    from: Block<'c>,
) -> HashSet<Block<'c>> {
    let next = |block| {
        let next = divergence.flow().successors(block).iter().copied();
        next.filter(|b| *b != branch && region.contains(b))
    };
    reached(next(from), next)
}

/// Whether a cross-lane operation has no mask, so that the active lanes take part in it.
pub fn is_unmasked(operation: Value<'_>) -> bool {
    !Builtin::called_by(operation).is_some_and(Builtin::is_masked)
}

/// Whether the input has locals of a kernel in memory that LLVM would have made registers: no optimiser of LLVM has
/// changed it, so only rustc itself can have copied a barrier.
pub fn is_as_written(kernel: Function<'_>) -> bool {
    let is_access = |user: &Value<'_>, local: Value<'_>| match user.opcode() {
        Opcode::Load => true,
        Opcode::Store => user.operand(0) != local,
        _ => user.is_lifetime_marker(),
    };
    let is_plain = |local: &Value<'_>| local.is_used() && local.users().iter().all(|user| is_access(user, *local));
    kernel.instructions().any(|i| i.is_fixed_alloca() && is_plain(&i))
}
