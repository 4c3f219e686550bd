//! Where the lanes of a warp wait for each other: at operations between lanes, and at the ends of loops.
//!
//! Lanes take part in an operation together when they are at it in the same iteration of every loop around it. So the lanes
//! that are at the first stop go on first, in an order of the stops in which control only goes on and a loop's stops stand
//! together (`analysis/loop_nest.rs`): those that are further wait where ways meet again. Lanes that go round a loop wait at its
//! latch, which is the loop's last stop, until all others in the loop are there or have left it.

use super::barriers;
use crate::analysis::loop_nest::{loop_nest, loop_order};
use crate::contract::builtin::{BUILTINS, Builtin};
use crate::error::{Error, Result};
use crate::llvm::{Block, Builder, Module, Opcode, Value};
use crate::passes::panic::report_masks::place_of;
use std::collections::{HashMap, HashSet};

/// The name of the call that stands at a loop's latch until the function is cut.
const LATCH: &str = "offload.warp.latch";

/// Why threads stop.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stop {
    /// For all threads of the block.
    Barrier,
    /// For the lanes in the same loop.
    Latch,
    /// For the lanes that do this together.
    Operation(&'static str),
    /// For the lanes of a mask, which do this together; with the number of the place in the source.
    Masked(&'static str, u32),
}

impl Stop {
    /// What lanes do there.
    pub(super) fn operation(self) -> Option<&'static str> {
        match self {
            Stop::Operation(name) | Stop::Masked(name, _) => Some(name),
            Stop::Barrier | Stop::Latch => None,
        }
    }
}

/// Where each thread has what operations take and give.
pub(super) struct Mailbox<T> {
    /// The value, `u32`.
    pub(super) value: T,
    /// Which lane's value is wanted, `u32`.
    pub(super) argument: T,
    /// The result, `u64`.
    pub(super) result: T,
    /// The mask of the lanes that do something with this one, `u64`, where there is a mask anywhere.
    pub(super) mask: Option<T>,
}

/// A function's stops in the order in which lanes go on, each with the call that stands there.
pub(super) struct Stops<'c> {
    pub(super) calls: Vec<Value<'c>>,
    pub(super) kinds: Vec<Stop>,
    /// Allocas.
    pub(super) mailbox: Mailbox<Value<'c>>,
}

/// The builtins that the lanes of a warp call together.
pub(super) fn builtins<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    BUILTINS.iter().filter(|b| b.convergent && !b.barrier).filter_map(|b| module.function(b.name)).collect()
}

/// Whether lanes do something together anywhere.
pub(super) fn are_called(module: &Module<'_>) -> bool {
    builtins(module).iter().any(|b| b.is_used())
}

/// Whether lanes do something together in a function.
pub(super) fn is_in_function<'c>(module: &Module<'c>, function: Value<'c>) -> bool {
    let builtins = builtins(module);
    function.instructions().any(|i| is_call_of(i, &builtins))
}

fn is_call_of<'c>(instruction: Value<'c>, functions: &[Value<'c>]) -> bool {
    instruction.called_function().is_some_and(|f| functions.contains(&f))
}

/// Finds the stops of a function, in warps of so many lanes, and makes stops of its latches. What operations take and give goes through the mailbox; of
/// the operations themselves nothing is left but where they stand.
pub(super) fn stops<'c>(module: &Module<'c>, function: Value<'c>, lanes: u32) -> Result<Stops<'c>> {
    let (together, barriers) = (builtins(module), barriers::builtins(module));
    let operations: Vec<_> = function.instructions().filter(|i| is_call_of(*i, &together)).collect();
    let (latch, last) = stop_at_latches(module, function, &operations)?;
    let mailbox = mailbox(module, function, operations.iter().any(|call| is_masked(*call)));
    let order = loop_order(function, &last);
    let (mut calls, mut kinds) = (Vec::new(), Vec::new());
    for instruction in order.into_iter().flat_map(|block| block.instructions()) {
        let kind = match instruction.called_function() {
            Some(callee) if callee == latch => Stop::Latch,
            Some(callee) if barriers.contains(&callee) => Stop::Barrier,
            Some(callee) if together.contains(&callee) => operation(instruction, callee)?,
            _ => continue,
        };
        calls.push(instruction);
        kinds.push(kind);
    }
    operations.into_iter().for_each(|operation| lower_cross_lane_op(operation, &mailbox, lanes));
    Ok(Stops { calls, kinds, mailbox })
}

fn operation<'c>(call: Value<'c>, callee: Value<'c>) -> Result<Stop> {
    let builtin = Builtin::named(&callee.name());
    let builtin = builtin.ok_or_else(|| Error::internal("an operation between lanes is no builtin"))?;
    Ok(if builtin.masked { Stop::Masked(builtin.name, place_of(call)) } else { Stop::Operation(builtin.name) })
}

fn is_masked(call: Value<'_>) -> bool {
    call.called_function().and_then(|f| Builtin::named(&f.name())).is_some_and(|b| b.masked)
}

fn blocks_of<'c>(instructions: &[Value<'c>]) -> HashSet<Block<'c>> {
    instructions.iter().map(|i| i.block()).collect()
}

/// Latches of loops, each with the loop's blocks that do not come there.
type Latches<'c> = Vec<(Block<'c>, Vec<Block<'c>>)>;

/// Gives each loop that has an operation one way back to its header, and a call there; gives what is called.
fn stop_at_latches<'c>(
    module: &Module<'c>,
    function: Value<'c>,
    operations: &[Value<'c>],
) -> Result<(Value<'c>, Latches<'c>)> {
    let mut last = Latches::new();
    let latch = module.declare(LATCH, module.types().void().function(&[]));
    let together = blocks_of(operations);
    for each in loop_nest(function, &together) {
        if each.blocks.is_disjoint(&together) {
            continue;
        }
        let Some(block) = each.header.split_predecessors(&each.latches) else {
            return Err(Error::new("a computed goto leads back to a loop with cross-lane operations"));
        };
        let end = block.terminator().expect("it leads to the header");
        Builder::before(end).call(latch, &[], "");
        last.push((block, each.leaving));
    }
    Ok((latch, last))
}

fn mailbox<'c>(module: &Module<'c>, function: Value<'c>, masked: bool) -> Mailbox<Value<'c>> {
    let builder = Builder::at_start(function.blocks()[0]);
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    Mailbox {
        value: builder.alloca(i32, "lane.value"),
        argument: builder.alloca(i32, "lane.argument"),
        result: builder.alloca(i64, "lane.result"),
        mask: masked.then(|| builder.alloca(i64, "lane.mask")),
    }
}

/// Puts what a call takes into the mailbox, and what it gives out of there in the call's place.
fn lower_cross_lane_op<'c>(call: Value<'c>, mailbox: &Mailbox<Value<'c>>, lanes: u32) {
    let builder = Builder::before(call);
    let mut operands = call.arguments();
    if let Some(place) = mailbox.mask.filter(|_| is_masked(call)) {
        // A warp of fewer lanes knows nothing of others.
        let mask = operands.remove(0);
        let known = mask.ty().constant(u64::MAX >> (u64::BITS - lanes));
        builder.store(builder.binary(Opcode::And, mask, known, ""), place, 0);
    }
    for (operand, place) in operands.into_iter().zip([mailbox.value, mailbox.argument]) {
        let ty = place.allocated_type();
        let operand = if operand.ty() == ty { operand } else { builder.cast(Opcode::ZExt, operand, ty, "") };
        builder.store(operand, place, 0);
    }
    if call.is_used() {
        let after = Builder::before(call.next().expect("a call is no terminator"));
        let result = after.load(mailbox.result.allocated_type(), mailbox.result, 0, "");
        let narrow = result.ty() != call.ty();
        let result = if narrow { after.cast(Opcode::Trunc, result, call.ty(), "") } else { result };
        call.replace_all_uses_with(result);
    }
}

/// What lanes do at each stop, and with which memory.
pub(super) struct Warps {
    /// Lanes of a warp.
    pub(super) lanes: u32,
    /// The stops, from number 1.
    pub(super) stops: Vec<Stop>,
    /// Whether an operation does not wait for lanes of its mask that have returned.
    pub(super) excuses: bool,
    /// Bytes per thread in front of each array.
    pub(super) mailbox: Mailbox<u64>,
}

/// The bit of a state that says that a lane waits for the block's other warps.
pub(super) const WAITS: u32 = 1 << 31;

impl Warps {
    /// The state of a lane that is at a stop; 0 when it has returned.
    pub(super) fn state(&self, stop: u32) -> u32 {
        let waits = stop > 0 && self.stops[stop as usize - 1] == Stop::Barrier;
        if waits { stop | WAITS } else { stop }
    }

    /// Whether threads of different warps wait for each other.
    pub(super) fn has_barriers(&self) -> bool {
        self.stops.contains(&Stop::Barrier)
    }
}

/// How many bytes per thread stand in front of each of some slots.
pub(super) fn offsets<'c>(mailbox: &Mailbox<Value<'c>>, offsets: &HashMap<Value<'c>, u64>) -> Result<Mailbox<u64>> {
    let find = |alloca| {
        let offset = offsets.get(&alloca).copied();
        offset.ok_or_else(|| Error::internal("the mailbox of a warp's lanes has no slot"))
    };
    Ok(Mailbox {
        value: find(mailbox.value)?,
        argument: find(mailbox.argument)?,
        result: find(mailbox.result)?,
        mask: mailbox.mask.map(find).transpose()?,
    })
}
