//! Branches of a group: whether its lanes agree.

use super::bounds_checks::{checks, is_below_bound};
use super::wide::Wide;
use super::widening::Widening;
use crate::analysis::condition::{Condition, Parts};
use crate::llvm::{Block, IntPredicate, Opcode, Value};
use crate::spmd::facts::markers::Masked;
use crate::spmd::facts::shape::Shape;
use crate::spmd::facts::shapes::ordering;

impl<'c> Widening<'_, '_, 'c> {
    pub(crate) fn terminator(&mut self, block: Block<'c>, end: Value<'c>) {
        match end.opcode() {
            Opcode::Ret => match end.operands().first() {
                Some(result) => {
                    let value = self.get(*result);
                    let vector = self.wide.vector(&value);
                    self.builder().ret(vector);
                }
                None => self.builder().ret_void(),
            },
            Opcode::Br | Opcode::Switch => {
                let divergence = self.plan.divergences.iter().position(|d| d.block == block);
                // The blocks that the group enters.
                let entered: Vec<_> = end.successors().into_iter().filter(|b| self.blocks.contains_key(b)).collect();
                for next in entered {
                    self.pass_to(block, next);
                }
                match (divergence, end.condition()) {
                    (None, None) => self.builder().br(self.blocks[&end.successors()[0]]),
                    (None, Some(condition)) => {
                        let value = self.get(condition);
                        self.go(end, self.wide.of_thread(&value, 0), None);
                    }
                    (Some(number), Some(condition)) => {
                        self.leave(end, condition);
                        let plan = self.plan;
                        self.diverge(&plan.divergences[number], end, number);
                    }
                    (Some(_), None) => unreachable!("threads diverge at conditions only"),
                }
            }
            _ => unreachable!("the function was found suitable"),
        }
    }

    /// Sets the variables of the phis in `next`.
    pub(crate) fn pass_to(&mut self, block: Block<'c>, next: Block<'c>) {
        for phi in next.instructions().take_while(|i| i.is(Opcode::Phi)) {
            let incoming = phi.incoming().into_iter().find(|(_, from)| *from == block);
            let (value, _) = incoming.expect("a phi has a value for each predecessor");
            let value = self.get(value);
            let variable = self.incoming[&phi].clone();
            self.store(&value, &variable);
        }
    }

    /// Branches as `end` does, with this condition; to `diverged` for blocks that no group enters.
    fn go(&self, end: Value<'c>, condition: Value<'c>, diverged: Option<Block<'c>>) {
        let target = |next: Block<'c>| self.blocks.get(&next).copied().or(diverged).expect("a block to go to");
        let successors = end.successors();
        if end.is(Opcode::Switch) {
            let cases: Vec<_> =
                (1..).zip(&successors[1..]).map(|(number, next)| (end.case_value(number), target(*next))).collect();
            self.builder().switch(condition, target(successors[0]), &cases);
        } else {
            self.builder().cond_br(condition, target(successors[0]), target(successors[1]));
        }
    }

    /// Branches as `end` does if the threads agree on its condition. Moves the builder to where they do not.
    fn leave(&mut self, end: Value<'c>, condition: Value<'c>) {
        if end.is(Opcode::Switch) {
            let value = self.get(condition);
            let first = self.wide.of_thread(&value, 0);
            let vector = self.wide.vector(&value);
            let builder = self.builder();
            let equal = builder.icmp(IntPredicate::Eq, vector, builder.splat(first, self.wide.width), "");
            let same = self.all(equal, true);
            let (agreed, diverged) = (self.function.append_block("agreed"), self.function.append_block("diverged"));
            self.builder().cond_br(same, agreed, diverged);
            self.wide.builder.move_to_end(agreed);
            self.go(end, first, Some(diverged));
            self.wide.builder.move_to_end(diverged);
            return;
        }
        if condition.is_instruction() && Masked::of(condition) == Some(Masked::Assumed) {
            self.enter_part(end);
            return;
        }
        let is_check = checks(end, |next| self.blocks.contains_key(&next));
        for (next, wanted) in end.successors().into_iter().zip([true, false]) {
            let Some(target) = self.blocks.get(&next).copied() else { continue };
            let is_bound = is_check && is_below_bound(condition, wanted, &self.plan.shapes);
            let holds = if is_bound { self.is_within(condition, wanted) } else { self.holds(condition, wanted) };
            let diverged = self.function.append_block("diverged");
            self.builder().cond_br(holds, target, diverged);
            self.wide.builder.move_to_end(diverged);
        }
    }

    /// Whether all elements of a vector of conditions are so.
    pub(crate) fn all(&self, vector: Value<'c>, wanted: bool) -> Value<'c> {
        let bits = self.builder().bits(vector);
        let expected = if wanted { bits.ty().all_ones() } else { bits.ty().zero() };
        self.builder().icmp(IntPredicate::Eq, bits, expected, "")
    }

    /// Whether a condition is `wanted` in all threads. It may say no if this is so for several reasons.
    pub(crate) fn holds(&mut self, condition: Value<'c>, wanted: bool) -> Value<'c> {
        if self.plan.shapes.of(condition) == Shape::Uniform {
            let value = self.get(condition);
            let value = self.wide.of_thread(&value, 0);
            return if wanted { value } else { self.negate(value) };
        }
        if !self.plan.shapes.is_ordered(condition) {
            let value = self.get(condition);
            return self.all(self.wide.vector(&value), wanted);
        }
        match Condition::of(condition, wanted).expect("it is ordered") {
            Condition::Comparison => self.compares(condition, wanted),
            Condition::Not(part) => self.holds(part, !wanted),
            Condition::All(parts) => self.hold(parts, true, wanted),
            Condition::Any(parts) => self.hold(parts, false, wanted),
        }
    }

    /// Whether `all` parts of a condition are `wanted`, or one of them is.
    fn hold(&mut self, Parts { both: [a, b], in_turn }: Parts<'c>, all: bool, wanted: bool) -> Value<'c> {
        if !in_turn {
            let [a, b] = [a, b].map(|part| self.holds(part, wanted));
            return self.builder().binary(if all { Opcode::And } else { Opcode::Or }, a, b, "");
        }
        let [no, yes] = [0, 1].map(|bit| self.wide.module.types().i1().constant(bit));
        let (undecided, b) = (self.holds(a, wanted == all), self.holds(b, wanted));
        let second = self.builder().select(undecided, b, no, "");
        if all {
            return second;
        }
        let decided = self.holds(a, wanted);
        self.builder().select(decided, yes, second, "")
    }

    pub(crate) fn negate(&self, condition: Value<'c>) -> Value<'c> {
        self.builder().binary(Opcode::Xor, condition, condition.ty().constant(1), "")
    }

    /// A comparison on which all threads are assumed to agree.
    pub(crate) fn agreed_condition(&mut self, compare: Value<'c>) -> Wide<'c> {
        let [all, none] = [true, false].map(|wanted| self.compares(compare, wanted));
        let holds = self.builder().binary(Opcode::Or, all, none, "");
        self.check(holds);
        Wide::Same(all)
    }

    /// The same for a comparison of an affine value, or of one that rises, with a uniform one. If it has a result for
    /// the greatest or the least value, it has this result for all of them.
    fn compares(&mut self, compare: Value<'c>, wanted: bool) -> Value<'c> {
        use IntPredicate::{Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        let (left, right) = (compare.operand(0), compare.operand(1));
        let affine_left = self.plan.shapes.of(right) == Shape::Uniform;
        let (left, right) = (self.get(left), self.get(right));
        let (affine, uniform) = if affine_left { (&left, &right) } else { (&right, &left) };
        let last = self.wide.width - 1;
        let span = match *affine {
            Wide::Steps(_, step) => step.wrapping_mul(last.into()),
            Wide::Offsets(_, offsets) => offsets[last as usize],
            _ => unreachable!("one of both is affine"),
        };
        let uniform = self.wide.of_thread(uniform, 0);
        let [least, greatest] =
            (if span > 0 { [0, last] } else { [last, 0] }).map(|thread| self.wide.of_thread(affine, thread));
        let Some(order) = ordering(compare) else {
            if (compare.icmp_predicate() == IntPredicate::Eq) == wanted {
                return self.wide.module.types().i1().zero();
            }
            return self.is_outside(least, uniform, span);
        };
        let order = if affine_left { order } else { order.swapped() };
        let order = if wanted { order } else { order.inverted() };
        if let Some(below) = self.is_below(order, least, uniform, span.unsigned_abs()) {
            return below;
        }
        let (bound, rises) = match order {
            Ult | Ule => (greatest, Ule),
            Ugt | Uge => (least, Ule),
            Slt | Sle => (greatest, Sle),
            Sgt | Sge => (least, Sle),
            IntPredicate::Eq | IntPredicate::Ne => unreachable!("it is an order"),
        };
        let builder = self.builder();
        let result = builder.icmp(order, bound, uniform, "");
        // There is no overflow between the threads.
        builder.binary(Opcode::And, result, builder.icmp(rises, least, greatest, ""), "")
    }

    /// Whether `least + span` does not overflow and is below a limit, or equal to it: one comparison with a number that
    /// does not change in a loop. The limit minus the span is the least number if it would be less, and no value is
    /// below that. None for other comparisons, and with constants, where LLVM makes one comparison of two.
    pub(crate) fn is_below(
        &self,
        order: IntPredicate,
        least: Value<'c>,
        limit: Value<'c>,
        span: u64,
    ) -> Option<Value<'c>> {
        let (minus, below, has_equal) = match order {
            IntPredicate::Ult => ("llvm.usub.sat", IntPredicate::Ult, false),
            IntPredicate::Ule => ("llvm.usub.sat", IntPredicate::Ult, true),
            IntPredicate::Slt => ("llvm.ssub.sat", IntPredicate::Slt, false),
            IntPredicate::Sle => ("llvm.ssub.sat", IntPredicate::Slt, true),
            _ => return None,
        };
        let is_wide = least.ty().int_width().is_some_and(|width| width == 32 || width == 64);
        if !is_wide || limit.is_constant() || span == 0 || span > i32::MAX as u64 {
            return None;
        }
        let (builder, ty) = (self.builder(), limit.ty());
        let span = ty.constant(span - u64::from(has_equal));
        let limit = builder.call(self.wide.module.intrinsic(minus, &[ty]), &[limit, span], "");
        Some(builder.icmp(below, least, limit, ""))
    }

    /// Whether a value is less than the least of an affine value or more than the greatest.
    fn is_outside(&self, least: Value<'c>, value: Value<'c>, span: i64) -> Value<'c> {
        let builder = self.builder();
        let number = |value: Value<'c>| match value.ty().is_pointer() {
            true => builder.cast(Opcode::PtrToInt, value, self.wide.module.types().i64(), ""),
            false => value,
        };
        let distance = builder.binary(Opcode::Sub, number(value), number(least), "");
        builder.icmp(IntPredicate::Ugt, distance, distance.ty().constant(span.unsigned_abs()), "")
    }

    /// A condition of the thread with this number, an `i64`, computed again if this is easy.
    pub(crate) fn condition_of(&mut self, condition: Value<'c>, thread: Value<'c>) -> Value<'c> {
        let operands = condition.operands();
        match condition.opcode() {
            Opcode::ICmp => {
                let [left, right] = [operands[0], operands[1]].map(|operand| {
                    let value = self.get(operand);
                    self.reload(&value, None, thread)
                });
                self.builder().icmp(condition.icmp_predicate(), left, right, "")
            }
            Opcode::Select => {
                let [a, b, c] = [0, 1, 2].map(|i| self.part_of_condition(operands[i], thread));
                self.builder().select(a, b, c, "")
            }
            opcode => {
                let [a, b] = [0, 1].map(|i| self.part_of_condition(operands[i], thread));
                self.builder().binary(opcode, a, b, "")
            }
        }
    }

    /// The number of the only thread whose condition may be `wanted`, an `i64`, which is none of the group's if there
    /// is no such thread; none if there may be several.
    pub(crate) fn only_thread(&mut self, condition: Value<'c>, wanted: bool) -> Option<Value<'c>> {
        self.only_thread_by(condition, wanted, false)
    }

    /// The same. With `positions`, only comparisons that are never poison count.
    fn only_thread_by(&mut self, condition: Value<'c>, wanted: bool, positions: bool) -> Option<Value<'c>> {
        match Condition::of(condition, wanted)? {
            Condition::Comparison if !positions || is_position(condition) => self.equal_thread(condition, wanted),
            Condition::Not(part) => self.only_thread_by(part, !wanted, positions),
            Condition::All(Parts { both: [a, b], in_turn }) => {
                let first = self.only_thread_by(a, wanted, positions);
                first.or_else(|| self.only_thread_by(b, wanted, positions || in_turn))
            }
            Condition::Comparison | Condition::Any(_) => None,
        }
    }

    /// The same for a comparison: the thread in which a value that increases by one is equal to a uniform one.
    fn equal_thread(&mut self, compare: Value<'c>, wanted: bool) -> Option<Value<'c>> {
        let asked = if wanted { IntPredicate::Eq } else { IntPredicate::Ne };
        let (left, right) = (compare.operand(0), compare.operand(1));
        let (affine, uniform) = match [left, right].map(|v| self.plan.shapes.of(v)) {
            [Shape::Affine(1), Shape::Uniform] => (left, right),
            [Shape::Uniform, Shape::Affine(1)] => (right, left),
            _ => return None,
        };
        let width = affine.ty().int_width()?;
        if compare.icmp_predicate() != asked || ![32, 64].contains(&width) {
            return None;
        }
        let [first, limit] = [affine, uniform].map(|v| {
            let value = self.get(v);
            self.wide.of_thread(&value, 0)
        });
        let distance = self.builder().binary(Opcode::Sub, limit, first, "");
        Some(self.builder().cast(Opcode::ZExt, distance, self.wide.module.types().i64(), ""))
    }

    fn part_of_condition(&mut self, part: Value<'c>, thread: Value<'c>) -> Value<'c> {
        match self.plan.shapes.of(part) {
            Shape::Uniform => {
                let value = self.get(part);
                self.wide.of_thread(&value, 0)
            }
            _ => self.condition_of(part, thread),
        }
    }
}

/// Whether a condition compares a parameter with constants only, so that it is never poison.
fn is_position(condition: Value<'_>) -> bool {
    let is_known = |v: Value<'_>| v.is_argument() || v.as_u64().is_some();
    let is_extended = |v: Value<'_>| (v.is(Opcode::ZExt) || v.is(Opcode::SExt)) && is_known(v.operand(0));
    let is_part = |v: Value<'_>| is_known(v) || is_extended(v);
    condition.is(Opcode::ICmp) && condition.operands().into_iter().all(is_part)
}
