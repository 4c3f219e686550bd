//! The function that computes for which threads of a row the conditions of the fast version have their results.

use std::mem::offset_of;

use super::{Bound, Decision, Row};
use crate::contract::abi::CpuBlock;
use crate::llvm::{Builder, Function, IntPredicate, Linkage, Module, Opcode, Value};
use crate::spmd::region::position;

/// Creates the function that returns the range of x for which all conditions have their results, see
/// [`super::Rows::range`].
pub(super) fn define<'c>(module: &Module<'c>, row: &Row<'c>, conditions: &[Decision<'c>]) -> Function<'c> {
    let i64 = module.types().i64();
    let ty = i64.function(&row.code.function.function_type().parameters());
    let function = module.define(&format!("{}.range", row.code.function.name()), ty, Linkage::Internal, |_, _| {});
    let builder = Builder::at_end(function.blocks()[0]);
    let dim = position::load_block(
        &builder,
        row.code.with(function).position()[0],
        module.types().i32(),
        offset_of!(CpuBlock, block_dim),
    );
    let last = builder.binary(Opcode::Sub, dim, dim.ty().constant(1), "last");
    let ends = RowEnds::replay(&builder, row, function, last);
    let bounds = Bounds { builder: &builder, ends, last, dim };
    let wide = |v: Value<'c>| builder.cast(Opcode::ZExt, v, i64, "");
    let shift = |v: Value<'c>| builder.binary(Opcode::Shl, wide(v), i64.constant(32), "");
    // Most rows are not at an edge.
    let all = conditions.iter().map(|condition| bounds.holds_in_row(condition));
    let all = all.reduce(|a, b| builder.binary(Opcode::And, a, b, "")).expect("there is a condition");
    let [whole, part] = ["whole", "part"].map(|name| function.append_block(name));
    builder.cond_br(all, whole, part);
    builder.move_to_end(whole);
    builder.ret(shift(dim));
    builder.move_to_end(part);
    let (mut begin, mut end) = (dim.ty().zero(), dim);
    for condition in conditions {
        let (from, to) = bounds.range(condition);
        begin = bounds.select(IntPredicate::Ugt, from, begin);
        end = bounds.select(IntPredicate::Ult, to, end);
    }
    // Both are the same if there is no such thread.
    let begin = bounds.select(IntPredicate::Ult, begin, end);
    builder.ret(builder.binary(Opcode::Or, shift(end), wide(begin), ""));
    function
}

/// Computes ranges of x.
struct Bounds<'b, 'c> {
    builder: &'b Builder<'c>,
    ends: RowEnds<'c>,
    /// The x of the last thread of the row, and the number of threads.
    last: Value<'c>,
    dim: Value<'c>,
}

impl<'c> Bounds<'_, 'c> {
    /// `a` if it compares so with `b`, otherwise `b`.
    fn select(&self, predicate: IntPredicate, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        self.builder.select(self.builder.icmp(predicate, a, b, ""), a, b, "")
    }

    /// Whether a condition has its result in all threads of the row. It may say no if this is so.
    fn holds_in_row(&self, condition: &Decision<'c>) -> Value<'c> {
        let builder = self.builder;
        match condition.bound {
            Bound::Uniform => {
                let result = find(&self.ends.first, condition.compare);
                let i1 = result.ty();
                if condition.holds { result } else { builder.binary(Opcode::Xor, result, i1.constant(1), "") }
            }
            Bound::Below { index, limit, signed, or_equal } => {
                let (index, limit) = (self.index(index), find(&self.ends.first, limit));
                let last_is = builder.icmp(below(signed, or_equal), index.high, limit, "");
                builder.binary(Opcode::And, index.ascends(builder, signed), last_is, "")
            }
            Bound::Above { index, limit, signed, or_equal } => {
                let (index, limit) = (self.index(index), find(&self.ends.first, limit));
                let first_is = builder.icmp(below(signed, or_equal), limit, index.low, "");
                builder.binary(Opcode::And, index.ascends(builder, signed), first_is, "")
            }
            Bound::Not { index, limit } => {
                let index = self.index(index);
                let distance = builder.binary(Opcode::Sub, find(&self.ends.first, limit), index.low, "");
                let outside = builder.icmp(IntPredicate::Ugt, distance, index.steps, "");
                builder.binary(Opcode::And, index.steady, outside, "")
            }
        }
    }

    /// The first x for which a condition has its result, and the x after the last one. If there is none, the first is
    /// not below the other.
    fn range(&self, condition: &Decision<'c>) -> (Value<'c>, Value<'c>) {
        let (zero, dim) = (self.dim.ty().zero(), self.dim);
        match condition.bound {
            Bound::Uniform => {
                let (then, or_else) = if condition.holds { (dim, zero) } else { (zero, dim) };
                (zero, self.builder.select(find(&self.ends.first, condition.compare), then, or_else, ""))
            }
            Bound::Below { index, limit, signed, or_equal } => {
                let index = self.index(index);
                let count = self.below(&index, find(&self.ends.first, limit), signed, or_equal);
                (zero, self.builder.select(index.ascends(self.builder, signed), count, zero, ""))
            }
            Bound::Above { index, limit, signed, or_equal } => {
                let index = self.index(index);
                let count = self.below(&index, find(&self.ends.first, limit), signed, !or_equal);
                (self.builder.select(index.ascends(self.builder, signed), count, dim, ""), dim)
            }
            Bound::Not { index, limit } => self.around(&self.index(index), find(&self.ends.first, limit)),
        }
    }

    fn index(&self, index: Value<'c>) -> Index<'c> {
        let (low, high) = (find(&self.ends.first, index), find(&self.ends.last, index));
        let steps = self.builder.cast(Opcode::ZExt, self.last, low.ty(), "");
        let difference = self.builder.binary(Opcode::Sub, high, low, "");
        let same = self.builder.icmp(IntPredicate::Eq, difference, steps, "");
        // The two ends of one thread say nothing.
        let several = self.builder.icmp(IntPredicate::Ne, self.last, self.last.ty().zero(), "");
        let steady = self.builder.binary(Opcode::And, same, several, "");
        Index { low, high, steps, steady }
    }

    /// The number of x, from 0, whose index is below the limit, or equal to it, if the index ascends.
    fn below(&self, index: &Index<'c>, limit: Value<'c>, signed: bool, or_equal: bool) -> Value<'c> {
        use IntPredicate::{Uge, Ugt};
        let builder = self.builder;
        let some = builder.icmp(below(signed, or_equal), index.low, limit, "");
        // In this case, the distance is not negative, and fits into an unsigned integer.
        let distance = builder.binary(Opcode::Sub, limit, index.low, "");
        let all = builder.icmp(if or_equal { Uge } else { Ugt }, distance, index.steps, "");
        let i32 = self.dim.ty();
        let part = builder.add(builder.cast(Opcode::Trunc, distance, i32, ""), i32.constant(or_equal.into()), "");
        let count = builder.select(all, self.dim, part, "");
        builder.select(some, count, i32.zero(), "")
    }

    /// The larger of the two ranges before and after the x whose index is the limit.
    fn around(&self, index: &Index<'c>, limit: Value<'c>) -> (Value<'c>, Value<'c>) {
        let (builder, i32) = (self.builder, self.dim.ty());
        let distance = builder.binary(Opcode::Sub, limit, index.low, "");
        let is_there = builder.icmp(IntPredicate::Ule, distance, index.steps, "");
        let before = builder.cast(Opcode::Trunc, distance, i32, "");
        let after = builder.binary(Opcode::Sub, self.last, before, "");
        let is_first = builder.icmp(IntPredicate::Ult, before, after, "");
        let behind = builder.add(before, i32.constant(1), "");
        let begin = builder.select(is_first, behind, i32.zero(), "");
        let end = builder.select(is_first, self.dim, before, "");
        let begin = builder.select(is_there, begin, i32.zero(), "");
        let end = builder.select(is_there, end, self.dim, "");
        (begin, builder.select(index.steady, end, i32.zero(), ""))
    }
}

/// The comparison with a limit from above.
fn below(signed: bool, or_equal: bool) -> IntPredicate {
    match (signed, or_equal) {
        (false, false) => IntPredicate::Ult,
        (false, true) => IntPredicate::Ule,
        (true, false) => IntPredicate::Slt,
        (true, true) => IntPredicate::Sle,
    }
}

/// An index in the first and the last thread of a row.
struct Index<'c> {
    low: Value<'c>,
    high: Value<'c>,
    /// The x of the last thread, in the type of the index.
    steps: Value<'c>,
    /// Whether it increases by one with x, except that it may wrap.
    steady: Value<'c>,
}

impl<'c> Index<'c> {
    /// Whether it increases by one with x and does not wrap.
    fn ascends(&self, builder: &Builder<'c>, signed: bool) -> Value<'c> {
        let order = if signed { IntPredicate::Sle } else { IntPredicate::Ule };
        builder.binary(Opcode::And, self.steady, builder.icmp(order, self.low, self.high, ""), "")
    }
}

/// The values of a body's prologue, each with its values in the first and the last thread of a row. Selections have the
/// operands that they have in the threads of the range.
struct RowEnds<'c> {
    first: Substitution<'c>,
    last: Substitution<'c>,
}

pub(crate) type Substitution<'c> = Vec<(Value<'c>, Value<'c>)>;

impl<'c> RowEnds<'c> {
    fn replay(builder: &Builder<'c>, row: &Row<'c>, function: Function<'c>, last: Value<'c>) -> Self {
        let at = |x: Value<'c>| -> Substitution<'c> {
            let pairs = row.code.zip(function);
            let value = |(before, after): (Value<'c>, Value<'c>)| match before {
                _ if before == row.x => (before, x),
                _ if Some(before) == row.number => {
                    (before, builder.add(after, builder.cast(Opcode::ZExt, x, after.ty(), ""), ""))
                }
                _ => (before, after),
            };
            pairs.map(value).collect()
        };
        let mut ends = RowEnds { first: at(last.ty().zero()), last: at(last) };
        let values = row.prologue.instructions().filter(|i| !i.is_terminator() && !row.private.contains(i));
        for value in values {
            if let Some(number) = row.decided.get(&value) {
                let operand = value.operand(*number);
                ends.first.push((value, find(&ends.first, operand)));
                ends.last.push((value, find(&ends.last, operand)));
                continue;
            }
            let first = replay(builder, value, &ends.first);
            let last = if row.varying.contains(&value) { replay(builder, value, &ends.last) } else { first };
            ends.first.push((value, first));
            ends.last.push((value, last));
        }
        ends
    }
}

pub(crate) fn find<'c>(substitution: &Substitution<'c>, value: Value<'c>) -> Value<'c> {
    substitution.iter().find(|(before, _)| *before == value).map_or(value, |(_, after)| *after)
}

/// Copies an instruction, with operands from the substitution.
pub(crate) fn replay<'c>(builder: &Builder<'c>, instruction: Value<'c>, substitution: &Substitution<'c>) -> Value<'c> {
    let copy = instruction.duplicate();
    for index in 0..copy.operand_count() {
        copy.set_operand(index, find(substitution, copy.operand(index)));
    }
    // The thread that the value is computed for may not execute the instruction.
    copy.drop_annotations();
    copy.clear_location();
    builder.insert(copy);
    if may_be_poison(copy) { builder.freeze(copy, "") } else { copy }
}

/// Whether a copy without annotations may be poison where the thread would not have used it: a shift by too many bits.
/// One branch decides over conditions that a thread looks at one after another, and must not depend on such a value.
fn may_be_poison(copy: Value<'_>) -> bool {
    let shifts = matches!(copy.opcode(), Opcode::Shl | Opcode::LShr | Opcode::AShr);
    let width = copy.ty().int_width().map_or(0, u64::from);
    shifts && copy.operand(1).as_u64().is_none_or(|bits| bits >= width)
}
