//! Regions in which only one lane of a warp does anything, such as the store of a sum by the first lane.
//!
//! ```c
//! if (lane == 0 && i < n) sums[i] = sum;
//! ```
//!
//! Where all lanes of a warp are there, this lane executes the region, and no vector is made of the others.

use crate::analysis::condition::Condition;
use crate::analysis::effects::has_effect;
use crate::llvm::{Block, Function, IntPredicate, Opcode, Value};
use crate::spmd::tuning::{LANE_CONDITION_BLOCKS, LANE_CONDITION_DEPTH};

/// How the code of a thread finds its lane.
#[derive(Clone, Copy)]
struct Lanes<'c> {
    /// The number of the thread's slots, of which the lane is the remainder.
    number: Value<'c>,
    /// The lanes of a warp.
    count: u32,
}

/// The only lane that does anything in a function. `number` is its parameter with the number of the thread's slots, of
/// which the lane is the remainder by `lanes`.
pub(crate) fn find<'c>(function: Function<'c>, number: Value<'c>, lanes: u32) -> Option<u32> {
    let mut block = function.blocks()[0];
    for _ in 0..LANE_CONDITION_BLOCKS {
        let end = block.terminator().filter(|end| end.is(Opcode::Br))?;
        if block.instructions().any(has_effect) {
            return None;
        }
        let [then, or_else] = match end.successors()[..] {
            [next] => {
                block = next;
                continue;
            }
            [then, or_else] => [then, or_else],
            _ => return None,
        };
        let wanted = match [then, or_else].map(ends) {
            [false, true] => true,
            [true, false] => false,
            _ => return None,
        };
        return required_lane(end.condition()?, wanted, Lanes { number, count: lanes }, LANE_CONDITION_DEPTH);
    }
    None
}

/// Whether a thread in `block` returns without doing anything.
fn ends(block: Block<'_>) -> bool {
    let is_return = block.terminator().is_some_and(|end| end.is(Opcode::Ret));
    is_return && block.instructions().all(|i| i.is(Opcode::Phi) || i.is_terminator())
}

/// The only lane in which a condition may be `wanted`.
fn required_lane<'c>(condition: Value<'c>, wanted: bool, lanes: Lanes<'c>, depth: u32) -> Option<u32> {
    if depth == 0 {
        return None;
    }
    match Condition::of(condition, wanted)? {
        Condition::Comparison => {
            let asked = if wanted { IntPredicate::Eq } else { IntPredicate::Ne };
            let lane = condition.operand(1).as_u64().filter(|lane| *lane < lanes.count.into())?;
            (condition.icmp_predicate() == asked && is_lane(condition.operand(0), lanes)).then_some(lane as u32)
        }
        Condition::Not(part) => required_lane(part, !wanted, lanes, depth - 1),
        Condition::All(parts) => parts.both.into_iter().find_map(|part| required_lane(part, wanted, lanes, depth - 1)),
        Condition::Any(_) => None,
    }
}

/// Whether a value is the number of the lane: the remainder of the thread's number, perhaps of its lower bits.
fn is_lane<'c>(value: Value<'c>, Lanes { number, count }: Lanes<'c>) -> bool {
    let is_remainder = |v: Value<'c>| v.is(Opcode::And) && v.operand(1).as_u64() == Some(u64::from(count - 1));
    let is_cast = |v: Value<'c>| v.is(Opcode::Trunc) || v.is(Opcode::ZExt);
    let mut value = value;
    let mut is_small = false;
    while value != number {
        let is_wide = value.ty().int_width().is_some_and(|width| width >= 8);
        let is_part = value.is_instruction() && (is_cast(value) || is_remainder(value));
        if !is_wide || !is_part {
            return false;
        }
        is_small |= is_remainder(value);
        value = value.operand(0);
    }
    is_small
}
