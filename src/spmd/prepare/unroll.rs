//! Unrolls short loops in loops, so that their checks become those of the outer loop.
//!
//! A filter has `for dy in 0..5 { for dx in 0..5 { … points[y + dy][x + dx] … } }`. LLVM unrolls the inner loop when it
//! optimises, but then the threads of a row have been vectorised, with its checks in each iteration. If it is
//! unrolled before, `hoist_checks` decides them in front of the outer loop, and `version/row_range.rs` decides that for
//! a whole row. Other loops are left to LLVM: an iteration of a loop is often the same in all threads, and threads stop
//! in some.
//!
//! A loop that only reads a small array of the thread, such as the coordinates of a point, is unrolled as well: the
//! array becomes values, and the lanes of a group need not gather its elements.
//!
//! A loop that accesses an array of the thread at places which the iteration decides is unrolled later, also one in no
//! loop, and one whose inner loop has been unrolled: the steps of a small transform. The places are constants then, and
//! the array becomes values.
//!
//! Loops of cross-lane operations are unrolled, too: the distance of a shuffle is then a constant, and no lane waits at
//! a latch. Their number of iterations is that of all lanes, because nothing else leads out of them.

use std::collections::HashMap;

use super::full_masks::decide_full_masks;
use crate::analysis::cycles::{Loop, loops};
use crate::contract::builtin::{Builtin, DeviceBuiltin};
use crate::error::Result;
use crate::llvm::{Attribute, Block, Builder, Function, Machine, Module, Opcode, Place, Value};
use crate::spmd::region::position::LANE;
use crate::spmd::tuning::{INDEX_DEPTH, UNROLL, UNROLL_HINTED, UNROLLED_INSTRUCTIONS, UNROLLED_ITERATIONS};

/// Which loops are unrolled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Loops in loops.
    InLoops,
    /// Those that access an array of the thread at places which the iteration decides.
    OfArrays,
}

/// Unrolls these loops in all functions, for warps with this number of lanes.
pub(crate) fn unroll_inner_loops(module: &Module<'_>, lanes: u32, machine: &Machine) -> Result<()> {
    let is_changed = decide_full_masks(module, lanes) | name_lane_count(module, lanes);
    if is_changed {
        module.run_passes("function(early-cse,simplifycfg)", machine)?;
    }
    unroll(module, Wanted::InLoops, UNROLL, machine)?;
    // The loops around these are loops without other loops then.
    unroll(module, Wanted::OfArrays, UNROLL_HINTED, machine)?;
    unroll(module, Wanted::OfArrays, UNROLL_HINTED, machine)
}

fn unroll(module: &Module<'_>, wanted: Wanted, passes: &str, machine: &Machine) -> Result<()> {
    let functions: Vec<_> = module.definitions().collect();
    let has_wanted = |function: &Function<'_>| headers(*function, wanted).iter().any(|(_, _, unrolls)| *unrolls);
    if !functions.iter().any(has_wanted) {
        return Ok(());
    }
    // So that each loop has one latch, and is found.
    module.run_passes("function(loop-simplify)", machine)?;
    // LLVM unrolls no loop with a call that may not be duplicated.
    let keep = module.declare("offload.spmd.keep", module.types().void().function(&[]));
    for (header, latch, unrolls) in functions.into_iter().flat_map(|f| headers(f, wanted)) {
        if unrolls {
            latch.terminator().filter(|_| wanted == Wanted::OfArrays).into_iter().for_each(|end| end.unroll_loop(0));
            continue;
        }
        let first = header.instructions().find(|i| !i.is(Opcode::Phi)).expect("a block has a terminator");
        let call = Builder::before(first).call(keep, &[], "");
        call.add_attribute(Place::Function, &Attribute::Enum("noduplicate", 0));
    }
    let result = module.run_passes(passes, machine);
    keep.users().into_iter().for_each(Value::erase);
    keep.erase_global();
    result
}

/// Replaces the number of lanes by a constant, so that numbers of iterations are constants. Returns whether it is asked
/// for.
fn name_lane_count(module: &Module<'_>, lanes: u32) -> bool {
    let Some(count) = module.function(DeviceBuiltin::LaneCount.symbol()) else { return false };
    let calls = count.calls();
    for call in &calls {
        call.replace_all_uses_with(call.ty().constant(lanes.into()));
        call.erase();
    }
    !calls.is_empty()
}

/// The start and the end of each loop, and whether it is unrolled: a loop in a loop, with a check or reads of an array,
/// no loop and no call; or one with cross-lane operations, no loop, no other call and one way out. Or else one that
/// accesses an array, with no loop and no call.
fn headers(function: Function<'_>, wanted: Wanted) -> Vec<(Block<'_>, Block<'_>, bool)> {
    let all = loops(function);
    let starts: Vec<_> = all.iter().map(|l| l.header).collect();
    // LLVM's analysis takes longer than all the rest.
    let has_element = |block: &Block<'_>| block.instructions().any(|i| indices_in_array(i).is_some());
    let asks = wanted == Wanted::OfArrays && all.iter().any(|l| l.in_order.iter().any(has_element));
    let counts = if asks { function.trip_counts(&starts) } else { Vec::new() };
    let counts: HashMap<_, _> = starts.into_iter().zip(counts).collect();
    let known = |l: &Loop<'_>| counts.get(&l.header).copied().flatten().filter(|count| *count <= UNROLLED_ITERATIONS);
    // For each header, all loops that contain it.
    let mut containing: HashMap<_, Vec<_>> = all.iter().map(|l| (l.header, Vec::new())).collect();
    for l in &all {
        l.in_order.iter().filter_map(|block| containing.get_mut(block).map(|loops| loops.push(l))).for_each(drop);
    }
    let of_lanes = |i: Value<'_>| Builtin::called_by(i).is_some_and(|builtin| builtin.lane_operation().is_some());
    let is_lane = |i: Value<'_>| i.called_function().is_some_and(|function| function.name() == LANE);
    let calls = |i: Value<'_>| i.is_call() && i.called_intrinsic().is_none() && !of_lanes(i) && !is_lane(i);
    all.iter()
        .map(|l| {
            let around = || containing[&l.header].iter().filter(|outer| outer.header != l.header);
            let is_inner = around().next().is_some();
            // Loops around it may be unrolled next.
            let mut starts = vec![l.header];
            if wanted == Wanted::OfArrays {
                starts.extend(around().filter(|outer| known(outer).is_some()).map(|outer| outer.header));
            }
            let is_innermost = !l.in_order.iter().any(|block| *block != l.header && containing.contains_key(block));
            let (mut has_check, mut has_call, mut has_lanes, mut exits) = (false, false, false, 0);
            let (mut has_array, mut writes) = (false, false);
            for block in &l.in_order {
                has_check |= block.successors().into_iter().any(panics);
                has_call |= block.instructions().any(calls);
                has_lanes |= block.instructions().any(of_lanes);
                has_array |= block.instructions().any(|i| is_in_array(i, &starts));
                writes |= block.instructions().any(|i| i.is(Opcode::Store));
                exits += block.successors().iter().filter(|next| !l.blocks.contains(next)).count();
            }
            let gains = has_check || has_array && !writes;
            let is_wanted = match wanted {
                Wanted::InLoops if has_lanes => exits == 1,
                Wanted::InLoops => is_inner && gains,
                Wanted::OfArrays => has_array && !has_lanes && known(l).is_some_and(|count| is_small(l, count)),
            };
            (l.header, l.latch, is_wanted && is_innermost && !has_call)
        })
        .collect()
}

/// Whether all iterations of a loop together are small, and the program has no hint for the loop.
fn is_small(l: &Loop<'_>, count: u64) -> bool {
    let is_hinted = l.latch.terminator().is_some_and(Value::has_loop_hint);
    let size: usize = l.in_order.iter().map(|block| block.instructions().count()).sum();
    !is_hinted && count * size as u64 <= UNROLLED_INSTRUCTIONS
}

/// Whether an instruction is the address of an element of a local array, whose number only the iterations of the loops
/// with these headers decide.
fn is_in_array<'c>(instruction: Value<'c>, starts: &[Block<'c>]) -> bool {
    let indices = indices_in_array(instruction);
    indices.is_some_and(|indices| indices.into_iter().all(|index| is_of_iteration(index, starts, INDEX_DEPTH)))
}

/// The indices of an element of a local array; none if all are constants, or if it is no such address.
fn indices_in_array(instruction: Value<'_>) -> Option<Vec<Value<'_>>> {
    if !instruction.is(Opcode::GetElementPtr) || !instruction.operand(0).is(Opcode::Alloca) {
        return None;
    }
    let indices = instruction.operands().split_off(1);
    indices.iter().any(|index| !index.is_constant()).then_some(indices)
}

/// Whether a value is a constant in each iteration of loops that start with one.
fn is_of_iteration<'c>(value: Value<'c>, starts: &[Block<'c>], depth: u32) -> bool {
    if !value.is_instruction() || depth == 0 {
        return value.is_constant();
    }
    match value.opcode() {
        Opcode::Phi => starts.contains(&value.block()),
        Opcode::Add
        | Opcode::Sub
        | Opcode::Mul
        | Opcode::URem
        | Opcode::Shl
        | Opcode::LShr
        | Opcode::And
        | Opcode::Or => value.operands().into_iter().all(|operand| is_of_iteration(operand, starts, depth - 1)),
        Opcode::ZExt | Opcode::SExt | Opcode::Trunc => is_of_iteration(value.operand(0), starts, depth - 1),
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
