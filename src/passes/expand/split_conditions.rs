//! Splits vectors of conditions that must all hold, or of which one must, into single conditions.
//!
//! `icmp eq iN (bitcast <N x i1> (icmp <N x i64> ...)), -1` becomes `icmp ... && icmp ... && ...`. The vectoriser makes
//! such vectors of four comparisons and more, as those of several bounds checks. A GPU has no vector registers of that
//! kind: it compares one element after another, and then it packs the results into a number and unpacks them again.

use crate::llvm::{Builder, IntPredicate, Module, Opcode, Value};

/// Splits all such conditions of `module`. Vectors without uses remain, and produce no code.
pub fn split_conditions(module: &Module<'_>) {
    for function in module.definitions() {
        for comparison in function.instructions().filter(|i| i.is(Opcode::ICmp)).collect::<Vec<_>>() {
            if let Some(reduction) = Reduction::of(comparison) {
                reduction.split(comparison);
            }
        }
    }
}

/// A question about several conditions.
#[derive(Clone, Copy)]
struct Reduction<'c> {
    conditions: Value<'c>,
    /// Whether the conditions are combined by `and`, or by `or`.
    opcode: Opcode,
    /// Whether the result is the opposite.
    is_negated: bool,
}

impl<'c> Reduction<'c> {
    /// Whether all of the conditions hold that are packed into a number, or any of them.
    fn of(comparison: Value<'c>) -> Option<Self> {
        let packed = comparison.operand(0);
        let conditions = packed.is(Opcode::BitCast).then(|| packed.operand(0))?;
        let count = conditions.ty().vector_length().filter(|count| *count < 64 && is_split(conditions))?;
        let opcode = match comparison.operand(1).as_u64()? {
            0 => Opcode::Or,
            all if all == (1 << count) - 1 => Opcode::And,
            _ => return None,
        };
        let is_negated = match (comparison.icmp_predicate(), opcode) {
            (IntPredicate::Eq, Opcode::And) | (IntPredicate::Ne, Opcode::Or) => false,
            (IntPredicate::Ne, Opcode::And) | (IntPredicate::Eq, Opcode::Or) => true,
            _ => return None,
        };
        Some(Reduction { conditions, opcode, is_negated })
    }

    fn split(self, comparison: Value<'c>) {
        let count = self.conditions.ty().vector_length().unwrap_or(0);
        let builder = Builder::before(comparison);
        let first = lane(&builder, self.conditions, 0);
        let combine = |all, at| builder.binary(self.opcode, all, lane(&builder, self.conditions, at), "");
        let all = (1..count).fold(first, combine);
        let result = match self.is_negated {
            true => builder.binary(Opcode::Xor, all, all.ty().constant(1), ""),
            false => all,
        };
        comparison.replace_all_uses_with(result);
        comparison.erase();
    }
}

/// Whether a vector of conditions consists of comparisons of integers, and of nothing that would remain a vector.
fn is_split(conditions: Value<'_>) -> bool {
    let is_split_operand = |index| is_split(conditions.operand(index));
    match conditions.is_instruction().then(|| conditions.opcode()) {
        Some(Opcode::ICmp) => true,
        Some(Opcode::Freeze) => is_split_operand(0),
        Some(Opcode::And | Opcode::Or) => is_split_operand(0) && is_split_operand(1),
        Some(Opcode::ShuffleVector) => {
            let count = conditions.operand(0).ty().vector_length().unwrap_or(0);
            let lanes = conditions.shuffled_lanes();
            let is_split_side = |side: u32| {
                let is_taken = |lane: &Option<u32>| lane.is_some_and(|lane| (lane >= count) == (side == 1));
                !lanes.iter().any(is_taken) || is_split_operand(side)
            };
            is_split_side(0) && is_split_side(1)
        }
        _ => false,
    }
}

/// One condition of those in a vector.
fn lane<'c>(builder: &Builder<'c>, conditions: Value<'c>, at: u32) -> Value<'c> {
    let types = conditions.types();
    let operand = |side: u32| lane(builder, conditions.operand(side), at);
    match conditions.opcode() {
        Opcode::ICmp => {
            let side =
                |side: u32| builder.extract_element(conditions.operand(side), types.i32().constant(at.into()), "");
            builder.icmp(conditions.icmp_predicate(), side(0), side(1), "")
        }
        Opcode::Freeze => builder.freeze(operand(0), ""),
        Opcode::ShuffleVector => {
            let count = conditions.operand(0).ty().vector_length().unwrap_or(0);
            match conditions.shuffled_lanes()[at as usize] {
                Some(lane_of_both) if lane_of_both < count => lane(builder, conditions.operand(0), lane_of_both),
                Some(lane_of_both) => lane(builder, conditions.operand(1), lane_of_both - count),
                None => types.i1().poison(),
            }
        }
        opcode => builder.binary(opcode, operand(0), operand(1), ""),
    }
}
