//! Lets each operation with a mask check that all lanes of the mask are active which have not returned. This is for
//! targets where only active lanes take part. The operation then is for the lanes that are there:
//!
//! ```c
//! gone = ~active_mask();                 (where the kernel begins: lanes for which the block has no thread)
//! gone |= ballot(c);                     (before a branch that takes lanes out of reach of all such operations)
//! if (c) return;
//! ...
//! missing = mask & ~active_mask() & ~offload_gone(gone);
//! if (missing != 0) offload_lane_panic(ELSEWHERE, place, __offload_lane_id(), cttz(missing));
//! r = shuffle_sync(mask & active_mask(), ...);
//! ```
//!
//! A lane records the votes in which it has taken part. Lanes that were on different paths exchange their records in
//! `offload_gone()`. Lanes that returned on a path from which no active lane has come are in no record: such a mask is
//! still a panic.

use std::collections::HashSet;

use super::report_masks::{Fault, call_panic, forget_unused, lane_number, masked_calls, panic_where, place_of};
use crate::contract::builtin::{DeviceBuiltin, LaneOperation, Participants};
use crate::contract::kernel::KernelSet;
use crate::contract::symbols::{LANE_PANIC, LANES_GONE};
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Value};

/// Adds the checks to all operations with a mask.
pub fn require_lanes(module: &Module<'_>, kernels: &KernelSet) -> Result<()> {
    let Some(panic) = module.function(LANE_PANIC) else { return Ok(()) };
    let calls = masked_calls(module);
    for function in module.definitions() {
        let own: Vec<_> = calls.iter().copied().filter(|call| call.function() == function).collect();
        // A function that is not inlined has no record of the lanes that have left its kernel.
        let gone = if kernels.has_name(&function.name()) { keep_gone(module, function, &own)? } else { None };
        own.into_iter().for_each(|call| require(module, call, panic, gone));
    }
    forget_unused(module);
    Ok(())
}

/// Records the lanes that come to none of these operations any more. Returns the local that contains them, and the
/// function that combines the locals of all lanes; no function if no lane leaves before an operation.
fn keep_gone<'c>(
    module: &Module<'c>,
    kernel: Function<'c>,
    operations: &[Value<'c>],
) -> Result<Option<(Value<'c>, Option<Function<'c>>)>> {
    if operations.is_empty() {
        return Ok(None);
    }
    let reaching = reaching(kernel, operations);
    let i64 = module.types().i64();
    let builder = Builder::at_start(kernel.blocks()[0]);
    let gone = builder.alloca(i64, "gone");
    builder.store(builder.binary(Opcode::Xor, active(module, &builder), i64.constant(u64::MAX), ""), gone, 0);
    let mut leave = false;
    for block in kernel.blocks().into_iter().filter(|block| reaching.contains(block)) {
        let Some(end) = block.terminator() else { continue };
        let builder = Builder::before(end);
        let Some(leaving) = leaving(&builder, end, &reaching) else { continue };
        let ballot = LaneOperation::Ballot(Participants::Active).builtin();
        let ballot = module.declare(ballot.name, ballot.function_type(module));
        let lanes = builder.call(ballot, &[leaving], "leaving");
        lanes.mark("convergent");
        let before = builder.load(i64, gone, 8, "");
        builder.store(builder.binary(Opcode::Or, before, lanes, ""), gone, 8);
        leave = true;
    }
    if !leave {
        return Ok(Some((gone, None)));
    }
    module.link_text(include_str!("lanes_gone.ll"), "the lanes that have returned")?;
    let combine = module.function(LANES_GONE);
    combine.iter().for_each(|function| function.set_linkage(Linkage::Internal));
    Ok(Some((gone, combine)))
}

/// The blocks of a kernel from which a lane may come to one of these operations.
fn reaching<'c>(kernel: Function<'c>, operations: &[Value<'c>]) -> HashSet<Block<'c>> {
    let mut reaching: HashSet<_> = operations.iter().map(|operation| operation.block()).collect();
    let blocks = kernel.blocks();
    let mut changed = true;
    while changed {
        changed = false;
        // In reverse order, so that a chain of blocks takes a single round.
        for block in blocks.iter().rev() {
            let leads = !reaching.contains(block) && block.successors().iter().any(|next| reaching.contains(next));
            changed |= leads && reaching.insert(*block);
        }
    }
    reaching
}

/// Whether a branch takes the lane out of these blocks; none if it takes no lane, or all.
fn leaving<'c>(builder: &Builder<'c>, end: Value<'c>, inside: &HashSet<Block<'c>>) -> Option<Value<'c>> {
    let stays: Vec<_> = end.successors().iter().map(|next| inside.contains(next)).collect();
    let condition = end.condition().filter(|_| stays.contains(&true) && stays.contains(&false))?;
    let opposite = |value: Value<'c>| builder.binary(Opcode::Xor, value, value.ty().constant(1), "");
    if end.is(Opcode::Br) {
        return Some(if stays[0] { opposite(condition) } else { condition });
    }
    // The cases that behave unlike the default.
    let unlike = (1..stays.len()).filter(|case| stays[*case] != stays[0]);
    let is = |case: usize| builder.icmp(IntPredicate::Eq, condition, end.case_value(case as u32), "");
    let unlike = unlike.map(is).reduce(|all, one| builder.binary(Opcode::Or, all, one, ""))?;
    Some(if stays[0] { unlike } else { opposite(unlike) })
}

/// The lanes that are active here.
fn active<'c>(module: &Module<'c>, builder: &Builder<'c>) -> Value<'c> {
    let builtin = LaneOperation::ActiveMask.builtin();
    let active = builder.call(module.declare(builtin.name, builtin.function_type(module)), &[], "active");
    active.mark("convergent");
    active
}

fn require<'c>(
    module: &Module<'c>,
    call: Value<'c>,
    panic: Function<'c>,
    gone: Option<(Value<'c>, Option<Function<'c>>)>,
) {
    let i64 = module.types().i64();
    let builder = Builder::before(call);
    let active = active(module, &builder);
    let mask = call.arguments()[0];
    let count = lane_number(module, &builder, DeviceBuiltin::LaneCount, i64);
    let above = builder.binary(Opcode::Sub, i64.constant(64), count, "");
    let lanes = builder.binary(Opcode::LShr, i64.constant(u64::MAX), above, "");
    let named = builder.binary(Opcode::And, mask, lanes, "named");
    let absent = builder.binary(Opcode::Xor, active, i64.constant(u64::MAX), "");
    let mut missing = builder.binary(Opcode::And, named, absent, "missing");
    if let Some((gone, combine)) = gone {
        let mut gone = builder.load(i64, gone, 8, "gone");
        if let Some(combine) = combine {
            gone = builder.call(combine, &[gone], "gone");
            gone.mark("convergent");
        }
        let expected = builder.binary(Opcode::Xor, gone, i64.constant(u64::MAX), "");
        missing = builder.binary(Opcode::And, missing, expected, "missing");
        // The other lanes of the mask have returned, so their values are not read, and they have no vote.
        call.set_operand(0, builder.binary(Opcode::And, mask, active, "there"));
    }
    let some = builder.icmp(IntPredicate::Ne, missing, i64.zero(), "");
    panic_where(call, some, |builder| {
        let first = module.intrinsic("llvm.cttz", &[i64]);
        let other = builder.call(first, &[missing, i64.types().i1().constant(1)], "");
        let lane = lane_number(module, builder, DeviceBuiltin::LaneId, i64);
        call_panic(builder, panic, (Fault::Elsewhere, place_of(call)), lane, other);
    });
}
