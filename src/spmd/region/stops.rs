//! The points where the lanes of a warp wait for each other: cross-lane operations, and latches of loops.
//!
//! Lanes execute an operation together if they reach it in the same iteration of all loops around it. The lanes at the
//! first stop therefore continue first. The stops are in an order in which only back edges lead backwards and the stops
//! of a loop are contiguous (`analysis/loop_nest.rs`), so lanes that are ahead wait where paths join. Lanes that repeat
//! a loop wait at its latch, which is the loop's last stop, until all other lanes of the loop are there or have left
//! it.

use super::barriers;
use crate::analysis::loop_nest::{loop_nest, loop_order};
use crate::contract::builtin::{BUILTINS, Builtin, LaneOperation};
use crate::error::{Error, Result};
use crate::llvm::{Block, Builder, Function, Module, Opcode, Value};
use crate::passes::panic::report_masks::place_of;
use std::collections::{HashMap, HashSet};

/// The name of the call that marks a loop's latch until the function is split.
const LATCH: &str = "offload.warp.latch";

/// The kinds of stops.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stop {
    /// A barrier of the block.
    Barrier,
    /// The latch of a loop, for the lanes in the same loop.
    Latch,
    /// A cross-lane operation without a mask.
    Operation(LaneOperation),
    /// A cross-lane operation with a mask, and the number of its source location.
    Masked(LaneOperation, u32),
}

impl Stop {
    /// The operation at the stop.
    pub(crate) fn operation(self) -> Option<LaneOperation> {
        match self {
            Stop::Operation(operation) | Stop::Masked(operation, _) => Some(operation),
            Stop::Barrier | Stop::Latch => None,
        }
    }
}

/// Facts about the operands at a stop, which hold for all lanes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Operands {
    /// The number of a shuffle's other lane, or its distance, if it is a constant.
    pub(crate) argument: Option<u32>,
    /// Whether all lanes take part: there is no mask, or it names all lanes.
    pub(crate) all: bool,
}

impl Operands {
    fn of(call: Value<'_>, operation: LaneOperation, lanes: u32) -> Self {
        let operands = call.arguments();
        let known = all_lanes(lanes);
        let all = !operation.is_masked() || operands[0].as_u64().is_some_and(|mask| mask & known == known);
        let argument = match operation {
            LaneOperation::Shuffle(..) => operands.last().and_then(|v| v.as_u64()).map(|v| v as u32),
            _ => None,
        };
        Operands { argument, all }
    }
}

/// The mask of all lanes.
pub(crate) fn all_lanes(lanes: u32) -> u64 {
    u64::MAX >> (u64::BITS - lanes)
}

/// The operands and the result of a thread's cross-lane operation.
pub(crate) struct Mailbox<T> {
    /// The value, a `u32`.
    pub(crate) value: T,
    /// The number of the other lane, or a distance, a `u32`.
    pub(crate) argument: T,
    /// The result of a shuffle, a `u32`.
    pub(crate) word: T,
    /// The result of a vote, a `u64`.
    pub(crate) result: T,
    /// The mask, a `u64`, if any operation has a mask.
    pub(crate) mask: Option<T>,
}

/// The stops of a function in the order in which lanes continue, each with its call.
pub(crate) struct Stops<'c> {
    pub(crate) calls: Vec<Value<'c>>,
    pub(crate) kinds: Vec<Stop>,
    pub(crate) operands: Vec<Operands>,
    /// The allocas of the operands and results.
    pub(crate) mailbox: Mailbox<Value<'c>>,
}

/// The warp builtins of a module.
pub(crate) fn builtins<'c>(module: &Module<'c>) -> Vec<Function<'c>> {
    BUILTINS.iter().filter(|b| b.lane_operation().is_some()).filter_map(|b| module.function(b.name)).collect()
}

/// Whether a module calls cross-lane operations.
pub(crate) fn are_called(module: &Module<'_>) -> bool {
    builtins(module).iter().any(|b| b.is_used())
}

/// Whether a function contains cross-lane operations.
pub(crate) fn is_in_function(function: Function<'_>) -> bool {
    function.instructions().any(|i| operation(i).is_some())
}

/// Finds the stops of a function for warps with this number of lanes, and turns latches into stops. Operands and
/// results of operations are stored in the mailbox, and only the positions of the operations remain.
pub(crate) fn stops<'c>(module: &Module<'c>, function: Function<'c>, lanes: u32) -> Result<Stops<'c>> {
    let barriers = barriers::builtins(module);
    let operations: Vec<_> = function.instructions().filter(|i| operation(*i).is_some()).collect();
    let (latch, last) = stop_at_latches(module, function, &operations)?;
    let mailbox = mailbox(module, function, operations.iter().any(|call| is_masked(*call)));
    let order = loop_order(function, &last);
    let (mut calls, mut kinds, mut operands) = (Vec::new(), Vec::new(), Vec::new());
    for instruction in order.into_iter().flat_map(|block| block.instructions()) {
        let kind = match instruction.called_function() {
            Some(callee) if callee == latch => Stop::Latch,
            Some(callee) if barriers.contains(&callee) => Stop::Barrier,
            _ => match operation(instruction) {
                Some(operation) if operation.is_masked() => Stop::Masked(operation, place_of(instruction)),
                Some(operation) => Stop::Operation(operation),
                None => continue,
            },
        };
        calls.push(instruction);
        kinds.push(kind);
        operands.push(kind.operation().map_or(Operands::default(), |op| Operands::of(instruction, op, lanes)));
    }
    operations.into_iter().for_each(|operation| lower_cross_lane_op(operation, &mailbox, lanes));
    Ok(Stops { calls, kinds, operands, mailbox })
}

fn operation(call: Value<'_>) -> Option<LaneOperation> {
    Builtin::called_by(call)?.lane_operation()
}

fn is_masked(call: Value<'_>) -> bool {
    operation(call).is_some_and(LaneOperation::is_masked)
}

fn blocks_of<'c>(instructions: &[Value<'c>]) -> HashSet<Block<'c>> {
    instructions.iter().map(|i| i.block()).collect()
}

/// Latches of loops, each with the blocks of the loop that do not lead to it.
type Latches<'c> = Vec<(Block<'c>, Vec<Block<'c>>)>;

/// Gives each loop with an operation a single latch with a call. Returns the called function.
fn stop_at_latches<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    operations: &[Value<'c>],
) -> Result<(Function<'c>, Latches<'c>)> {
    let mut last = Latches::new();
    let latch = module.declare(LATCH, module.types().void().function(&[]));
    let all = blocks_of(operations);
    for each in loop_nest(function, &all) {
        if each.blocks.is_disjoint(&all) {
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

fn mailbox<'c>(module: &Module<'c>, function: Function<'c>, masked: bool) -> Mailbox<Value<'c>> {
    let builder = Builder::at_start(function.blocks()[0]);
    let types = module.types();
    let (i32, i64) = (types.i32(), types.i64());
    Mailbox {
        value: builder.alloca(i32, "lane.value"),
        argument: builder.alloca(i32, "lane.argument"),
        word: builder.alloca(i32, "lane.word"),
        result: builder.alloca(i64, "lane.result"),
        mask: masked.then(|| builder.alloca(i64, "lane.mask")),
    }
}

/// Replaces a call by a store of its operands to the mailbox, and a load of its result.
fn lower_cross_lane_op<'c>(call: Value<'c>, mailbox: &Mailbox<Value<'c>>, lanes: u32) {
    let builder = Builder::before(call);
    let (mut operands, operation) = (call.arguments(), operation(call));
    if let Some(place) = mailbox.mask.filter(|_| is_masked(call)) {
        // A smaller warp has no such lanes.
        let mask = operands.remove(0);
        let known = mask.ty().constant(all_lanes(lanes));
        builder.store(builder.binary(Opcode::And, mask, known, ""), place, 0);
    }
    for (operand, place) in operands.into_iter().zip([mailbox.value, mailbox.argument]) {
        let ty = place.allocated_type();
        let operand = if operand.ty() == ty { operand } else { builder.cast(Opcode::ZExt, operand, ty, "") };
        builder.store(operand, place, 0);
    }
    if call.is_used() {
        let after = Builder::before(call.next().expect("a call is no terminator"));
        let is_shuffle = matches!(operation, Some(LaneOperation::Shuffle(..)));
        let place = if is_shuffle { mailbox.word } else { mailbox.result };
        let result = after.load(place.allocated_type(), place, 0, "");
        let narrow = result.ty() != call.ty();
        let result = if narrow { after.cast(Opcode::Trunc, result, call.ty(), "") } else { result };
        call.replace_all_uses_with(result);
    }
}

/// The operation at each stop, and the memory for them.
pub(crate) struct Warps {
    /// The number of lanes in a warp.
    pub(crate) lanes: u32,
    /// The stops; the first one has number 1.
    pub(crate) stops: Vec<Stop>,
    /// Facts about their operands.
    pub(crate) operands: Vec<Operands>,
    /// Whether there is a version for warps whose lanes are all there, in one row.
    pub(crate) full: bool,
    /// The offset of each array, in bytes per thread.
    pub(crate) mailbox: Mailbox<u64>,
}

/// The bit of a state for a lane that waits for the block's other warps.
pub(crate) const WAITS: u32 = 1 << 31;

impl Warps {
    /// The state of a lane at a stop; 0 if it has returned.
    pub(crate) fn state(&self, stop: u32) -> u32 {
        let waits = stop > 0 && self.stops[stop as usize - 1] == Stop::Barrier;
        if waits { stop | WAITS } else { stop }
    }

    /// Whether all lanes have the same result of a stop's operation, if all of them are there: of a vote of all. The
    /// first stop has number 0 here.
    pub(crate) fn gives_one_result(&self, stop: usize) -> bool {
        let is_shuffle = |operation| matches!(operation, LaneOperation::Shuffle(..));
        self.operands[stop].all && self.stops[stop].operation().is_some_and(|operation| !is_shuffle(operation))
    }

    /// Whether threads of different warps wait for each other.
    pub(crate) fn has_barriers(&self) -> bool {
        self.stops.contains(&Stop::Barrier)
    }
}

/// The offsets of slots, in bytes per thread.
pub(crate) fn offsets<'c>(mailbox: &Mailbox<Value<'c>>, offsets: &HashMap<Value<'c>, u64>) -> Result<Mailbox<u64>> {
    let find = |alloca| {
        let offset = offsets.get(&alloca).copied();
        offset.ok_or_else(|| Error::internal("the mailbox of a warp's lanes has no slot"))
    };
    Ok(Mailbox {
        value: find(mailbox.value)?,
        argument: find(mailbox.argument)?,
        word: find(mailbox.word)?,
        result: find(mailbox.result)?,
        mask: mailbox.mask.map(find).transpose()?,
    })
}
