//! Lets all lanes of a wave branch to a panic together, and makes the code of a panic no exit of its function.
//!
//! ```text
//! if i < n { a() } else { record(); end(); unreachable }
//!                          =>
//! if ballot(i >= n) != 0 { if i >= n { record() } end() }
//! a()
//! ```
//!
//! The instruction that ends a lane ends its whole wave, so it does not matter whether lanes without a panic continue.
//! In LLVM's structured control flow, lanes that leave a function would pass through the ends of all branches and loops
//! around them, and each of these would compute which lanes are left. The code above is one branch of the whole wave
//! around code that, as far as LLVM can see, comes back.
//!
//! Before: LLVM's pipeline has run, because it would remove the code after the end of a wave. After: code that panics
//! exists once for each branch to it. Large code, and code in which threads wait for each other, is unchanged.

use std::collections::HashSet;

use super::join_checks::{come_from, is_arithmetic};
use crate::analysis::paths::Predecessors;
use crate::llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Place, Value};

/// The largest number of instructions that the copies in one function have together.
const MOST_COPIED: usize = 2000;

/// The intrinsics of a target with waves.
pub struct Waves {
    /// Ends a wave.
    pub end: &'static str,
    /// Returns the lanes for which a condition holds, in as many bits as a wave has lanes.
    pub ballot: &'static str,
    /// The beginnings of the names of those whose result is the same in all lanes.
    pub shared: &'static [&'static str],
}

/// Rewrites the panics of all functions. A wave has so many `lanes`.
pub fn leave_as_waves(module: &Module<'_>, waves: &Waves, lanes: u32) {
    let Some(end) = module.function(waves.end) else { return };
    let ballot = module.intrinsic(waves.ballot, &[module.types().int(lanes)]);
    for function in module.definitions() {
        let leaving = leaving_blocks(function, end);
        let mut left = MOST_COPIED;
        for branch in function.blocks().into_iter().filter_map(|block| Exit::of(block, &leaving)) {
            let Some(rest) = left.checked_sub(branch.size()) else { continue };
            left = rest;
            branch.rewrite(end, ballot, waves.shared);
        }
        if left < MOST_COPIED {
            function.erase_unreachable_blocks();
        }
    }
}

/// Whether a block ends the wave.
fn ends(block: Block<'_>, end: Function<'_>) -> bool {
    let calls_end = |i: Value<'_>| i.called_function() == Some(end);
    block.terminator().is_some_and(|last| last.is(Opcode::Unreachable)) && block.instructions().any(calls_end)
}

/// The blocks from which all paths lead to the end of a wave.
fn leaving_blocks<'c>(function: Function<'c>, end: Function<'c>) -> HashSet<Block<'c>> {
    let blocks = function.blocks();
    let predecessors = Predecessors::among(&blocks);
    let stays =
        |block: &Block<'c>| !may_be_copied(*block, end) || (block.successors().is_empty() && !ends(*block, end));
    let others = predecessors.leading_to(blocks.iter().copied().filter(stays));
    let ending = predecessors.leading_to(blocks.iter().copied().filter(|block| ends(*block, end)));
    blocks.iter().copied().filter(|block| ending.contains(block) && !others.contains(block)).collect()
}

/// Whether threads do not wait for each other in a block, and it needs no other one of its kind.
fn may_be_copied<'c>(block: Block<'c>, end: Function<'c>) -> bool {
    let is_open = |i: Value<'c>| i.is(Opcode::Br) || i.is(Opcode::Switch) || i.is(Opcode::Unreachable);
    let may_be = |i: Value<'c>| match i.opcode() {
        Opcode::Alloca => false,
        Opcode::Call => {
            let converges = |v: Value<'c>| v.has_attribute(Place::Function, "convergent");
            i.called_function().is_some_and(|callee| callee == end || (!converges(i) && !converges(*callee)))
        }
        _ => !i.is_terminator() || is_open(i),
    };
    block.instructions().all(may_be)
}

/// A branch to a panic.
struct Exit<'c> {
    block: Block<'c>,
    next: Block<'c>,
    condition: Value<'c>,
    /// Whether the thread continues if the condition is true.
    is_positive: bool,
    /// The blocks that are reached through the branch; the first one is the branch's target.
    region: Vec<Block<'c>>,
}

impl<'c> Exit<'c> {
    fn of(block: Block<'c>, leaving: &HashSet<Block<'c>>) -> Option<Self> {
        let end = block.terminator().filter(|end| end.is(Opcode::Br) && !leaving.contains(&block))?;
        let condition = end.condition()?;
        let (next, panic, is_positive) = match end.successors()[..] {
            [next, panic] if leaving.contains(&panic) => (next, panic, true),
            [panic, next] if leaving.contains(&panic) => (next, panic, false),
            _ => return None,
        };
        let (mut region, mut at) = (vec![panic], 0);
        while let Some(block) = region.get(at).copied() {
            for next in block.successors() {
                if !region.contains(&next) {
                    region.push(next);
                }
            }
            at += 1;
        }
        // If the second target is in the region, this block is another predecessor of it, which a copy of the region
        // cannot have.
        (!region.contains(&next)).then_some(Exit { block, next, condition, is_positive, region })
    }

    fn size(&self) -> usize {
        self.region.iter().map(|block| block.instructions().count()).sum()
    }

    fn rewrite(&self, end: Function<'c>, ballot: Function<'c>, shared: &[&str]) {
        let function = self.block.function();
        let branch = self.block.terminator().expect("it ends with the branch");
        let first = self.block.clone_successors(&self.region);
        let (leave, behind) = (function.append_block("leave"), self.next.insert_before("holds"));
        end_in(first, end, leave);
        let builder = Builder::at_end(leave);
        builder.locate_as(branch);
        builder.call(end, &[], "");
        builder.br(behind);
        Builder::at_end(behind).br(self.next);
        come_from(self.next, self.block, behind);
        self.region[0].remove_predecessor(self.block);
        let builder = Builder::before(branch);
        builder.locate_as(branch);
        let no = self.condition.ty().zero();
        let failed = match self.is_positive {
            true => builder.icmp(IntPredicate::Eq, self.condition, no, ""),
            false => self.condition,
        };
        if is_shared(self.condition, shared, &mut HashSet::new()) {
            builder.cond_br(failed, first, behind);
        } else {
            let wave = function.append_block("failed");
            let lanes = builder.call(ballot, &[failed], "");
            builder.cond_br(builder.icmp(IntPredicate::Eq, lanes, lanes.ty().zero(), ""), behind, wave);
            let cold = Builder::at_end(wave);
            cold.locate_as(branch);
            cold.cond_br(failed, first, leave);
            come_from(first, self.block, wave);
        }
        branch.erase();
    }
}

/// Lets the code that begins with a block branch to `leave` where it would end the wave.
fn end_in<'c>(first: Block<'c>, end: Function<'c>, leave: Block<'c>) {
    let (mut seen, mut work) = (HashSet::from([first]), vec![first]);
    while let Some(block) = work.pop() {
        let last = block.terminator().expect("a block has an end");
        work.extend(block.successors().into_iter().filter(|next| seen.insert(*next)));
        if last.is(Opcode::Unreachable) {
            let is_end = |i: &Value<'c>| i.called_function() == Some(end);
            block.instructions().filter(is_end).collect::<Vec<_>>().into_iter().for_each(Value::erase);
            Builder::before(last).br(leave);
            last.erase();
        }
    }
}

/// Whether a value is the same in all lanes as far as a few instructions show it. If it is not, although this returns
/// true, the lanes diverge, which is slower.
fn is_shared<'c>(value: Value<'c>, shared: &[&str], seen: &mut HashSet<Value<'c>>) -> bool {
    if !value.is_instruction() || !seen.insert(value) {
        return true;
    }
    if let Some(callee) = value.called_function() {
        return shared.iter().any(|start| callee.name().starts_with(start));
    }
    let is_plain = is_arithmetic(value) || matches!(value.opcode(), Opcode::Phi | Opcode::Load);
    is_plain && value.operands().into_iter().all(|operand| is_shared(operand, shared, seen))
}
