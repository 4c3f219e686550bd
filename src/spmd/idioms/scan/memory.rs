//! The accesses of threads to memory before and after a loop, up to the next barrier.

use std::collections::HashSet;

use super::address::{is_call_of, is_gep};
use crate::analysis::convergent_calls::is_barrier;
use crate::analysis::effects::{only_reads, touches_memory};
use crate::contract::builtin::{DeviceBuiltin, SHARED_SECTION};
use crate::llvm::{Block, Module, Opcode, Value};
use crate::spmd::region::hoist::is_argument_load;

/// The effects at the end of a block and of the blocks before it that lead only there, in reverse order.
pub(crate) fn effects_before<'c>(end: Block<'c>) -> impl Iterator<Item = Value<'c>> {
    let all = end.function().blocks();
    let only_predecessor = move |block: Block<'c>| {
        let mut before = all.iter().filter(|b| b.successors().contains(&block));
        before.next().copied().filter(|_| before.next().is_none())
    };
    let mut seen = HashSet::new();
    seen.insert(end);
    let blocks = std::iter::successors(Some(end), move |block| only_predecessor(*block).filter(|b| seen.insert(*b)));
    blocks.flat_map(|block| {
        let mut instructions: Vec<_> = block.instructions().filter(|i| touches_memory(*i) && !only_reads(*i)).collect();
        instructions.reverse();
        instructions
    })
}

/// Whether a thread may write to the array between the start of a block and the next barriers.
pub(crate) fn touches_before_barrier<'c>(module: &Module<'c>, start: Block<'c>, array: Value<'c>) -> bool {
    let (mut seen, mut work) = (HashSet::from([start]), vec![start]);
    while let Some(block) = work.pop() {
        // A thread that panics ends the block of threads.
        if block.terminator().is_some_and(|end| end.is(Opcode::Unreachable)) {
            continue;
        }
        let effects = block.instructions().filter(|i| touches_memory(*i) && !only_reads(*i));
        let is_harmless = |i: Value<'c>| i.is(Opcode::Store) && is_elsewhere(module, i.operand(1), array);
        if !effects.take_while(|i| !is_barrier(*i)).all(is_harmless) {
            return true;
        }
        if !block.instructions().any(is_barrier) {
            work.extend(block.successors().into_iter().filter(|next| seen.insert(*next)));
        }
    }
    false
}

/// Whether an address is in another object than the shared array: in another static, or in memory whose address the
/// host has passed.
fn is_elsewhere<'c>(module: &Module<'c>, mut address: Value<'c>, array: Value<'c>) -> bool {
    loop {
        if is_gep(address) {
            address = address.operand(0);
        } else if address.is_global_variable() {
            return array.is_global_variable() && address != array;
        } else if address.is_instruction() && address.is(Opcode::Load) {
            // A field of an argument. A pointer in a buffer of the host may be one that a thread has stored there.
            return is_argument_load(module, address);
        } else {
            return address.is_argument();
        }
    }
}

/// Whether an object is shared memory: a static, or the launch-sized memory.
pub(crate) fn is_shared(object: Value<'_>) -> bool {
    let is_dynamic = || is_call_of(object, DeviceBuiltin::DynamicShared);
    if object.is_global_variable() { object.section() == SHARED_SECTION } else { is_dynamic() }
}
