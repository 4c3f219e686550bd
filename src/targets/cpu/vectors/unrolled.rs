//! Loops over elements of arrays of the threads, which are unrolled so that the elements become values.
//!
//! LLVM unrolls such a loop of one thread if it is short. An operation of several threads is one of several vectors,
//! for LLVM as many instructions, so that the loop is too long. The arrays would then stay in memory, and each place in
//! them would be computed in each iteration, where one thread has constants.

use std::collections::HashSet;

use super::arrays;
use super::divergence::Plan;
use super::shapes::Shape;
use super::trips;
use crate::analysis::cycles::{Loop, loops};
use crate::llvm::{Block, Function, Opcode, Value};

/// The most instructions of one thread that are left of a loop.
const MOST_INSTRUCTIONS: u64 = 1024;

/// The loops that are unrolled.
#[derive(Default)]
pub(super) struct Unrolled<'c> {
    /// The blocks with the edges back.
    pub(super) latches: HashSet<Block<'c>>,
    /// All blocks.
    pub(super) blocks: HashSet<Block<'c>>,
}

/// Finds the loops that all threads iterate as often, with accesses to elements that are numbered by their iterations.
pub(super) fn find<'c>(function: Function<'c>, plan: &Plan<'_, 'c>) -> Unrolled<'c> {
    let mut found = Unrolled::default();
    if !plan.together.iter().flat_map(|block| block.instructions()).any(|i| arrays::element_size(i).is_some()) {
        return found;
    }
    let all = loops(function);
    for own in all.iter().filter(|own| has_numbered_elements(own, plan)) {
        let nest: Vec<_> = all.iter().filter(|inner| own.blocks.contains(&inner.header)).collect();
        let is_short = nest.iter().all(|inner| has_one_way_out(inner, plan)) && size(own, &nest, plan).is_some();
        if is_short {
            found.latches.extend(nest.iter().map(|inner| inner.latch));
            found.blocks.extend(&own.blocks);
        }
    }
    found
}

/// The number of instructions that are left of a loop with the loops in it; none if it is too large.
fn size<'c>(own: &Loop<'c>, nest: &[&Loop<'c>], plan: &Plan<'_, 'c>) -> Option<u64> {
    let mut size: u64 = 0;
    for block in &own.blocks {
        let around = nest.iter().filter(|inner| inner.blocks.contains(block));
        let times = around.map(|inner| trips::known_iterations(inner)).product::<Option<u64>>()?;
        let left = block.instructions().filter(|i| !is_of_counters(*i, plan));
        size = size.saturating_add(times.saturating_mul(left.count() as u64));
    }
    (size <= MOST_INSTRUCTIONS).then_some(size)
}

/// Whether nothing is left of an instruction in a loop that is unrolled: it computes a place in an array, or loads a
/// constant.
pub(super) fn is_of_counters<'c>(instruction: Value<'c>, plan: &Plan<'_, 'c>) -> bool {
    let is_uniform = |value: Value<'c>| plan.shapes.of(value) == Shape::Uniform;
    match instruction.opcode() {
        Opcode::Store | Opcode::Call => false,
        Opcode::Load => is_uniform(instruction.operand(0)) && is_in_table(instruction.operand(0)),
        Opcode::GetElementPtr => is_uniform(instruction) || arrays::start(instruction).is_some(),
        _ => is_uniform(instruction),
    }
}

/// Whether an address is in a constant table.
fn is_in_table(address: Value<'_>) -> bool {
    let base = address.base();
    base.is_global_variable() && base.is_constant_global()
}

/// Whether threads execute all of a loop together, call nothing in it, and leave it at one edge.
fn has_one_way_out<'c>(own: &Loop<'c>, plan: &Plan<'_, 'c>) -> bool {
    let exits = own.blocks.iter().flat_map(|block| block.successors()).filter(|next| !own.blocks.contains(next));
    let diverges = plan.divergences.iter().any(|divergence| own.blocks.contains(&divergence.block));
    let calls = |i: Value<'c>| i.is_call() && i.called_intrinsic().is_none();
    let is_together = own.blocks.iter().all(|b| plan.together.contains(b) && !b.instructions().any(calls));
    exits.count() == 1 && !diverges && is_together
}

/// Whether a loop accesses an element whose number depends on its iteration.
fn has_numbered_elements<'c>(own: &Loop<'c>, plan: &Plan<'_, 'c>) -> bool {
    let phis: Vec<_> = own.header.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
    let counters = phis.into_iter().filter(|phi| plan.shapes.of(*phi) == Shape::Uniform).collect();
    let counted = dependent(own, counters);
    let mut all = own.blocks.iter().flat_map(|block| block.instructions().collect::<Vec<_>>());
    all.any(|i| i.is(Opcode::GetElementPtr) && counted.contains(&i) && arrays::start(i).is_some())
}

/// The values of a loop that depend on one of these, which are included.
fn dependent<'c>(own: &Loop<'c>, of: Vec<Value<'c>>) -> HashSet<Value<'c>> {
    let (mut found, mut work): (HashSet<_>, _) = (of.iter().copied().collect(), of);
    while let Some(value) = work.pop() {
        let users = value.users().into_iter().filter(|user| own.blocks.contains(&user.block()));
        work.extend(users.filter(|user| found.insert(*user)));
    }
    found
}
