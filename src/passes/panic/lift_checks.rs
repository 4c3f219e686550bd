//! Decides checks at the start of a branch's side before the branch.
//!
//! ```text
//! if edge { if !first { panic(1) } a(); }                        if edge ? !first : !second { panic(edge ? 1 : 2) }
//! else    { if !second { panic(2) } b(); }           =>          if edge { a() } else { b() }
//! ```
//!
//! A GPU whose lanes take both sides of a branch leaves a check on one side through the ends of all branches around it:
//! AMD's code then computes the masks of the lanes that have panicked at each of these ends. In front of the branch, a
//! check is a comparison and one branch. Before a check there may be loads and arithmetic, as in `join_checks`, whose
//! checks are single branches here. A check is never moved into a loop.

use std::collections::HashSet;

use super::join_checks::{come_from, is_arithmetic, is_unobservable};
use crate::analysis::loop_nest::{Nested, loop_nest};
use crate::analysis::paths::Predecessors;
use crate::llvm::{Block, Builder, Function, IntPredicate, Module, Opcode, Value};

/// The largest number of instructions that move before a branch.
const MOST_MOVED: usize = 24;

/// Lifts the checks of all functions.
pub fn lift_checks(module: &Module<'_>) {
    for function in module.definitions() {
        let blocks = function.blocks();
        let mut cold = cold_blocks(&blocks);
        if cold.is_empty() {
            continue;
        }
        let loops = loop_nest(function, &HashSet::new());
        // Inner branches come after those around them in the order in which LLVM keeps blocks, except in few cases.
        for block in blocks.into_iter().rev() {
            if !cold.contains(&block) {
                lift_to(function, block, &mut cold, &loops);
            }
        }
    }
}

/// The blocks from which no path leads to a return.
fn cold_blocks<'c>(blocks: &[Block<'c>]) -> HashSet<Block<'c>> {
    let returns = |block: &Block<'c>| block.terminator().is_some_and(|end| end.is(Opcode::Ret));
    let warm = Predecessors::among(blocks).leading_to(blocks.iter().copied().filter(returns));
    blocks.iter().copied().filter(|block| !warm.contains(block)).collect()
}

/// A side of a branch or switch that begins with a check.
struct Side<'c> {
    block: Block<'c>,
    /// The number of the successor.
    successor: usize,
    /// The check's branch, and whether its condition holds if the thread continues.
    check: Value<'c>,
    is_positive: bool,
    next: Block<'c>,
    panic: Block<'c>,
    /// The instructions that the condition and the panic need, in order.
    moved: Vec<Value<'c>>,
}

/// Lifts the checks at the starts of the sides of a block's branch or switch.
fn lift_to<'c>(function: Function<'c>, block: Block<'c>, cold: &mut HashSet<Block<'c>>, loops: &[Nested<'c>]) {
    let is_choice = |end: &Value<'c>| matches!(end.opcode(), Opcode::Br | Opcode::Switch) && end.condition().is_some();
    let Some(end) = block.terminator().filter(is_choice) else { return };
    let successors = end.successors();
    if successors.iter().any(|side| cold.contains(side)) {
        return;
    }
    let in_loop = |side: &Block<'c>| {
        let mut around = loops.iter().filter(|around| around.blocks.contains(&block));
        around.all(|around| around.blocks.contains(side) && !around.leaving.contains(side))
    };
    let is_single = |side: &Block<'c>| successors.iter().filter(|other| *other == side).count() == 1;
    // The default of a switch has no case value.
    let sides = successors.iter().copied().enumerate().skip(usize::from(end.is(Opcode::Switch)));
    let found: Vec<_> = sides
        .filter(|(_, side)| is_single(side) && in_loop(side))
        .filter_map(|(successor, side)| checked(side, successor, block, cold))
        .collect();
    if found.is_empty() {
        return;
    }
    let builder = Builder::before(end);
    let taken: Vec<_> = found.iter().map(|side| is_taken(&builder, end, side.successor)).collect();
    let all = found.iter().zip(&taken).map(|(side, taken)| holds(&builder, side, *taken));
    let all = all.reduce(|all, one| builder.binary(Opcode::And, all, one, "")).expect("there is a side");
    let (after, failed) = (function.append_block("holds"), panic_of(function, &found, &taken, cold));
    builder.cond_br(all, after, failed);
    end.move_to(&Builder::at_end(after));
    successors.iter().for_each(|side| come_from(*side, block, after));
    after.move_before(successors[0]);
    for side in found {
        Builder::before(side.check).br(side.next);
        side.check.erase();
    }
}

/// Whether a branch or switch goes to a successor.
fn is_taken<'c>(builder: &Builder<'c>, end: Value<'c>, successor: usize) -> Value<'c> {
    let condition = end.condition().expect("it is a choice");
    match (end.opcode(), successor) {
        (Opcode::Switch, case) => builder.icmp(IntPredicate::Eq, condition, end.case_value(case as u32), ""),
        (_, 0) => condition,
        _ => builder.binary(Opcode::Xor, condition, condition.ty().constant(1), ""),
    }
}

/// Whether the check of a side holds if the side is taken. The operands of the check may be poison if the side is not
/// taken.
fn holds<'c>(builder: &Builder<'c>, side: &Side<'c>, taken: Value<'c>) -> Value<'c> {
    side.moved.iter().for_each(|value| value.move_to(builder));
    let (condition, yes) = (side.check.condition().expect("a check is a branch"), taken.ty().constant(1));
    let holds = if side.is_positive { condition } else { builder.binary(Opcode::Xor, condition, yes, "") };
    builder.select(taken, holds, yes, "")
}

/// The block that decides which side's panic it is.
fn panic_of<'c>(
    function: Function<'c>,
    found: &[Side<'c>],
    taken: &[Value<'c>],
    cold: &mut HashSet<Block<'c>>,
) -> Block<'c> {
    let mut decides = None;
    for (side, taken) in found.iter().zip(taken).rev() {
        let edge = function.append_block("failed");
        let builder = Builder::at_end(edge);
        builder.locate_as(side.check);
        builder.br(side.panic);
        come_from(side.panic, side.block, edge);
        cold.insert(edge);
        decides = Some(match decides {
            None => edge,
            Some(other) => {
                let block = function.append_block("failed");
                let builder = Builder::at_end(block);
                builder.locate_as(side.check);
                builder.cond_br(*taken, edge, other);
                cold.insert(block);
                block
            }
        });
    }
    decides.expect("there is a side")
}

/// The check at the start of a block, if it can be decided in its only predecessor.
fn checked<'c>(block: Block<'c>, successor: usize, before: Block<'c>, cold: &HashSet<Block<'c>>) -> Option<Side<'c>> {
    if block == before || !is_unobservable(block) {
        return None;
    }
    let check = block.terminator().filter(|end| end.is(Opcode::Br) && end.condition().is_some())?;
    let (is_positive, next, panic) = match check.successors()[..] {
        [next, panic] if !cold.contains(&next) && cold.contains(&panic) => (true, next, panic),
        [panic, next] if !cold.contains(&next) && cold.contains(&panic) => (false, next, panic),
        _ => return None,
    };
    let leads = |other: &Block<'c>| *other != before && other.successors().contains(&block);
    if block.function().blocks().iter().any(leads) {
        return None;
    }
    let mut moved = Vec::new();
    let used_in_panic = |value: &Value<'c>| value.users().iter().any(|user| cold.contains(&user.block()));
    let needed = block.instructions().filter(used_in_panic).chain(check.condition());
    for value in needed.collect::<Vec<_>>() {
        if !take(value, block, &mut moved) {
            return None;
        }
    }
    Some(Side { block, successor, check, is_positive, next, panic, moved })
}

/// Adds a value of a block and its operands to those that move. Returns whether they can.
fn take<'c>(value: Value<'c>, block: Block<'c>, moved: &mut Vec<Value<'c>>) -> bool {
    if !value.is_instruction() || value.block() != block || moved.contains(&value) {
        return true;
    }
    if !is_arithmetic(value) || !value.operands().into_iter().all(|operand| take(operand, block, moved)) {
        return false;
    }
    moved.push(value);
    moved.len() <= MOST_MOVED
}
