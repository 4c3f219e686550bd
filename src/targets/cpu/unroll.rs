//! Unrolls short loops in loops, so that their checks become those of the outer loop.
//!
//! A filter has `for dy in 0..5 { for dx in 0..5 { … points[y + dy][x + dx] … } }`. LLVM unrolls the inner loop when it
//! optimises, but then the threads of a row have been put together, with its checks in each iteration. If it is
//! unrolled before, `hoist_checks` decides them in front of the outer loop, and `rows.rs` decides that for a whole row.
//! Other loops are left to LLVM: an iteration of a loop is often the same in all threads, and threads stop in some.
//!
//! A loop that only reads a small array of the thread, such as the coordinates of a point, is unrolled as well: the
//! array becomes values, and the threads that are executed together need not gather its elements.
//!
//! Loops of cross-lane operations are unrolled, too: the distance of a shuffle is then a constant, and no lane waits at
//! a latch. Their number of iterations is that of all lanes, because nothing else leads out of them.

use std::collections::HashSet;

use super::thread::LANE;
use crate::analysis::cycles::loops;
use crate::contract::builtin::{Builtin, DeviceBuiltin};
use crate::error::Result;
use crate::llvm::{Attribute, Block, Builder, Function, Machine, Module, Opcode, Place, Value};

/// The number of iterations is known, and small. A loop that may end earlier would become branches on which the threads
/// of a row do not agree.
const PASSES: &str = "function(loop-unroll<O2;no-partial;no-peeling;no-runtime;no-upperbound;full-unroll-max=8>,\
                      sroa,simplifycfg)";

/// How many operations lead from the counter of a loop to an index.
const MOST_DEPTH: u32 = 4;

/// Unrolls these loops in all functions, for warps with this number of lanes.
pub(super) fn unroll_inner_loops(module: &Module<'_>, lanes: u32, machine: &Machine) -> Result<()> {
    name_lane_count(module, lanes, machine)?;
    let functions: Vec<_> = module.definitions().collect();
    let chosen = |function: &Function<'_>| headers(*function).iter().any(|(_, unrolls)| *unrolls);
    if !functions.iter().any(chosen) {
        return Ok(());
    }
    // So that each loop has one latch, and is found.
    module.run_passes("function(loop-simplify)", machine)?;
    // LLVM unrolls no loop with a call that may not be duplicated.
    let keep = module.declare("offload.cpu.keep", module.types().void().function(&[]));
    for (header, _) in functions.into_iter().flat_map(headers).filter(|(_, unrolls)| !unrolls) {
        let first = header.instructions().find(|i| !i.is(Opcode::Phi)).expect("a block has a terminator");
        let call = Builder::before(first).call(keep, &[], "");
        call.add_attribute(Place::Function, &Attribute::Enum("noduplicate", 0));
    }
    let result = module.run_passes(PASSES, machine);
    keep.users().into_iter().for_each(Value::erase);
    keep.erase_global();
    result
}

/// Replaces the number of lanes by a constant, so that numbers of iterations are constants.
fn name_lane_count(module: &Module<'_>, lanes: u32, machine: &Machine) -> Result<()> {
    let Some(count) = module.function(DeviceBuiltin::LaneCount.symbol()) else { return Ok(()) };
    let calls = count.calls();
    if calls.is_empty() {
        return Ok(());
    }
    for call in calls {
        call.replace_all_uses_with(call.ty().constant(lanes.into()));
        call.erase();
    }
    module.run_passes("function(early-cse,simplifycfg)", machine)
}

/// The start of each loop, and whether it is unrolled: a loop in a loop, with a check or reads of an array, no loop
/// and no call; or one with
/// cross-lane operations, no loop, no other call and one way out.
fn headers(function: Function<'_>) -> Vec<(Block<'_>, bool)> {
    let all = loops(function);
    let of_lanes = |i: Value<'_>| Builtin::called_by(i).is_some_and(|builtin| builtin.lane_operation().is_some());
    let is_lane = |i: Value<'_>| i.called_function().is_some_and(|function| function.name() == LANE);
    let calls = |i: Value<'_>| i.is_call() && i.called_intrinsic().is_none() && !of_lanes(i) && !is_lane(i);
    all.iter()
        .map(|l| {
            let inside = |other: &HashSet<Block<'_>>, header: Block<'_>| other.contains(&header);
            let is_inner = all.iter().any(|outer| outer.header != l.header && inside(&outer.blocks, l.header));
            let is_innermost = !all.iter().any(|other| other.header != l.header && inside(&l.blocks, other.header));
            let blocks = function.blocks().into_iter().filter(|block| l.blocks.contains(block));
            let (mut has_check, mut has_call, mut has_lanes, mut exits) = (false, false, false, 0);
            let (mut reads_array, mut writes) = (false, false);
            for block in blocks {
                has_check |= block.successors().into_iter().any(panics);
                has_call |= block.instructions().any(calls);
                has_lanes |= block.instructions().any(of_lanes);
                reads_array |= block.instructions().any(|i| is_in_array(i, l.header));
                writes |= block.instructions().any(|i| i.is(Opcode::Store));
                exits += block.successors().iter().filter(|next| !l.blocks.contains(next)).count();
            }
            let gains = has_check || reads_array && !writes;
            let is_chosen = if has_lanes { exits == 1 } else { is_inner && gains };
            (l.header, is_chosen && is_innermost && !has_call)
        })
        .collect()
}

/// Whether an instruction is the address of an element of a local array, whose number only the iteration of the loop
/// with this header decides.
fn is_in_array<'c>(instruction: Value<'c>, header: Block<'c>) -> bool {
    let [array, indices @ ..] = &instruction.operands()[..] else { return false };
    let is_local = instruction.is(Opcode::GetElementPtr) && array.is(Opcode::Alloca);
    is_local
        && indices.iter().any(|index| !index.is_constant())
        && indices.iter().all(|index| is_of_iteration(*index, header, MOST_DEPTH))
}

/// Whether a value is a constant in each iteration of a loop that starts with one.
fn is_of_iteration<'c>(value: Value<'c>, header: Block<'c>, depth: u32) -> bool {
    if !value.is_instruction() || depth == 0 {
        return value.is_constant();
    }
    match value.opcode() {
        Opcode::Phi => value.block() == header,
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl | Opcode::And | Opcode::Or => {
            value.operands().into_iter().all(|operand| is_of_iteration(operand, header, depth - 1))
        }
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc => is_of_iteration(value.operand(0), header, depth - 1),
        _ => false,
    }
}

/// Whether a thread in this block only panics. Several checks may share the block where it does, so that others lead to
/// it.
fn panics(mut block: Block<'_>) -> bool {
    // A longer chain is not followed: it may be a loop.
    for _ in 0..8 {
        let Some(end) = block.terminator() else { return false };
        block = match end.successors()[..] {
            [] => return end.is(Opcode::Unreachable),
            [next] => next,
            _ => return false,
        };
    }
    false
}
