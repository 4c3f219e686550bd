//! Replaces phis whose value a condition at the start of a kernel decides by selections.
//!
//! `if fits { index } else { MAX }` leaves a phi after the branch. Its value would be kept in memory across a barrier,
//! although each region can compute it again from the condition and the two values.

use std::collections::HashSet;

use crate::analysis::paths::reached;
use crate::llvm::{Block, Builder, Dominators, Function, Opcode, Value};

/// Replaces them if the first block computes the condition and the values.
pub(crate) fn select_known(function: Function<'_>) {
    let prologue = function.blocks()[0];
    let is_known = |v: Value<'_>| !v.is_instruction() || v.block() == prologue;
    // No branch changes below.
    let (dominators, mut branches) = (Dominators::of(function), Vec::new());
    for end in function.blocks().into_iter().filter_map(|block| block.terminator()) {
        branches.extend(end.condition().filter(|c| end.is(Opcode::Br) && is_known(*c)).map(|_| end));
    }
    for block in function.blocks().into_iter().filter(|block| *block != prologue) {
        let phis: Vec<_> = block.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
        let known = |phi: &Value<'_>| phi.incoming().into_iter().all(|(value, _)| is_known(value));
        for phi in phis.into_iter().filter(known) {
            // Every path to the block must lead through the branch.
            let before = |end: &Value<'_>| end.block() != block && dominators.dominates(end.block(), block);
            let decided = branches.iter().copied().filter(before).find_map(|end| decided_by(end, block, phi));
            let Some((condition, then, or_else)) = decided else { continue };
            let end = prologue.terminator().expect("the prologue goes on");
            phi.replace_all_uses_with(Builder::before(end).select(condition, then, or_else, ""));
            phi.erase();
        }
    }
}

/// The condition of a branch that every path to `block` passes through, with the values that a phi there has if it is
/// true and if it is false; none if other branches decide, too.
fn decided_by<'c>(end: Value<'c>, block: Block<'c>, phi: Value<'c>) -> Option<(Value<'c>, Value<'c>, Value<'c>)> {
    let (condition, from) = (end.condition()?, end.block());
    let [then, or_else] = end.successors()[..] else { return None };
    if then == or_else {
        return None;
    }
    let insides = [then, or_else].map(|side| (side, reached_before(side, block)));
    let comes = |number: usize, pred: Block<'c>| {
        let (side, inside) = &insides[number];
        if pred == from { *side == block } else { *side != block && inside.contains(&pred) }
    };
    // The edge of a loop to its header comes from the header, and from neither side.
    if !phi.incoming().into_iter().all(|(_, pred)| comes(0, pred) || comes(1, pred)) {
        return None;
    }
    let value = |number: usize| {
        let all = phi.incoming().into_iter();
        let mut values = all.filter(|(_, pred)| comes(number, *pred)).map(|(value, _)| value);
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    };
    Some((condition, value(0)?, value(1)?))
}

/// The blocks to which a path leads from `start`, both included, that does not pass through `end`.
fn reached_before<'c>(start: Block<'c>, end: Block<'c>) -> HashSet<Block<'c>> {
    reached([start], |block| if block == end { Vec::new() } else { block.successors() })
}
