//! Bounds checks whose indices vary: whether all of them are below their bound.
//!
//! The lowest level of x86-64 has no comparison of vectors of 64 bits. But no mask is needed where threads that fail
//! leave: the sign of `bound - 1 - index`, of all threads together, shows whether one of them is beyond the bound.

use super::widening::Widening;
use crate::analysis::condition::{Condition, Parts};
use crate::llvm::{Block, IntPredicate, Opcode, Value};
use crate::spmd::facts::shape::Shape;
use crate::spmd::facts::shapes::Shapes;

/// Whether only one side of a branch is uniform.
pub(crate) fn checks<'c>(end: Value<'c>, is_uniform: impl Fn(Block<'c>) -> bool) -> bool {
    end.is(Opcode::Br) && end.successors().into_iter().filter(|next| is_uniform(*next)).count() == 1
}

/// Whether a condition is `wanted` if numbers of 64 bits are below uniform ones, perhaps among other things.
pub(crate) fn is_below_bound<'c>(condition: Value<'c>, wanted: bool, shapes: &Shapes<'_, 'c>) -> bool {
    match Condition::of(condition, wanted) {
        Some(Condition::Comparison) => bound(condition, wanted, shapes).is_some(),
        Some(Condition::All(parts)) => parts.both.into_iter().any(|part| is_below_bound(part, wanted, shapes)),
        // A negated condition has other uses, for which its vector is computed: comparing that is enough.
        Some(Condition::Not(_) | Condition::Any(_)) | None => false,
    }
}

/// The number that varies, the uniform one, and whether both may be equal.
fn bound<'c>(compare: Value<'c>, wanted: bool, shapes: &Shapes<'_, 'c>) -> Option<(Value<'c>, Value<'c>, bool)> {
    let [left, right] = [compare.operand(0), compare.operand(1)];
    let predicate = compare.icmp_predicate();
    let (index, bound, predicate) = match [left, right].map(|side| shapes.of(side)) {
        [Shape::Varying, Shape::Uniform] => (left, right, predicate),
        [Shape::Uniform, Shape::Varying] => (right, left, predicate.swapped()),
        _ => return None,
    };
    let predicate = if wanted { predicate } else { predicate.inverted() };
    let has_equal = match predicate {
        IntPredicate::Ult => false,
        IntPredicate::Ule => true,
        _ => return None,
    };
    (left.ty().int_width() == Some(64)).then_some((index, bound, has_equal))
}

impl<'c> Widening<'_, '_, 'c> {
    /// Whether such a condition is `wanted` in all threads. It says no for bounds of more than 63 bits.
    pub(crate) fn is_within(&mut self, condition: Value<'c>, wanted: bool) -> Value<'c> {
        if !is_below_bound(condition, wanted, &self.plan.shapes) {
            return self.holds(condition, wanted);
        }
        match Condition::of(condition, wanted) {
            Some(Condition::All(Parts { both, in_turn })) => {
                let [a, b] = both.map(|part| self.is_within(part, wanted));
                match in_turn {
                    true => self.builder().select(a, b, b.ty().zero(), ""),
                    false => self.builder().binary(Opcode::And, a, b, ""),
                }
            }
            _ => self.are_below(condition, wanted),
        }
    }

    fn are_below(&mut self, compare: Value<'c>, wanted: bool) -> Value<'c> {
        let (index, bound, has_equal) = bound(compare, wanted, &self.plan.shapes).expect("it was looked at");
        let (index, bound) = (self.get(index), self.get(bound));
        let (indices, bound) = (self.wide.vector(&index), self.wide.of_thread(&bound, 0));
        let (builder, i64) = (self.builder(), bound.ty());
        let last = if has_equal { bound } else { builder.add(bound, i64.all_ones(), "") };
        let left = builder.binary(Opcode::Sub, builder.splat(last, self.wide.width), indices, "");
        // An index of 64 bits has a sign, too.
        let signs = builder.binary(Opcode::Or, left, indices, "");
        let any = builder.call(self.wide.module.intrinsic("llvm.vector.reduce.or", &[signs.ty()]), &[signs], "");
        let any = builder.binary(Opcode::Or, any, bound, "");
        builder.icmp(IntPredicate::Sge, any, i64.zero(), "")
    }
}
