//! The function that returns whether all threads of a block are in the ranges of their rows.
//!
//! The range of a row takes dozens of instructions, and a row of a tile has 16 threads. But most blocks are at no edge,
//! and this is decided once for a block: each value has an interval, from the positions of all threads, and no
//! operation in it wraps. A comparison of intervals that do not overlap has one result. If the intervals
//! overlap, each row computes its range.

use std::collections::{HashMap, HashSet};

use super::range::{Substitution, find, replay};
use super::{Decision, Row, depending};
use crate::analysis::condition::Condition;
use crate::llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};
use crate::spmd::region::hoist::is_compared_once;
use crate::spmd::region::position;
use crate::spmd::version::guard;

/// The least and the greatest value that a value may have in the threads of a block, as unsigned integers. They are
/// values of the guard: unlike known bits, they depend on the arguments and the block.
type Interval<'c> = (Value<'c>, Value<'c>);

/// Creates the function that returns whether all conditions have their results in all threads of a block, an `i1`. It
/// has the parameters of the body, for any thread. None if it could never say so.
pub(super) fn define<'c>(module: &Module<'c>, row: &Row<'c>, conditions: &[Decision<'c>]) -> Option<Function<'c>> {
    guard::of_parameters(module, row.code.function, "whole", |builder, function| {
        let mut block = Intervals::new(builder, row, function);
        conditions.iter().try_for_each(|condition| block.requires(row, condition))?;
        Some(block.required)
    })
}

/// Computes intervals.
struct Intervals<'b, 'c> {
    builder: &'b Builder<'c>,
    /// The values that are the same in all threads of a block.
    same: Substitution<'c>,
    /// Those that are not, if they are known.
    known: Vec<(Value<'c>, Interval<'c>)>,
    /// The values of the prologue that depend on the thread, and those that depend on a local variable.
    own: HashSet<Value<'c>>,
    /// The selections that have these operands where all conditions hold.
    decided: HashMap<Value<'c>, u32>,
    /// These must be true for the intervals to be right and all conditions to hold.
    required: Vec<Value<'c>>,
}

impl<'b, 'c> Intervals<'b, 'c> {
    fn new(builder: &'b Builder<'c>, row: &Row<'c>, function: Function<'c>) -> Self {
        let ([block, ..], position) = (row.code.with(function).position(), row.code.position());
        let (i32, i64) = (position[1].ty(), builder.block().function().function_type().types().i64());
        let dims = position::load_dimensions(builder, block);
        let last = |count: Value<'c>| builder.binary(Opcode::Sub, count, count.ty().constant(1), "");
        let mut known: Vec<_> =
            position[1..].iter().zip(dims).map(|(own, dim)| (*own, (i32.zero(), last(dim)))).collect();
        if let Some(number) = row.number {
            let [x, y, z] = dims.map(|dim| builder.cast(Opcode::ZExt, dim, i64, ""));
            let count = builder.mul(builder.mul(x, y, ""), z, "");
            known.push((number, (i64.zero(), last(count))));
        }
        let positions = known.iter().map(|(value, _)| *value).collect();
        let own = depending(row.prologue, positions, |value| row.private.contains(&value));
        let mut same: Substitution<'c> = row.code.zip(function).collect();
        for value in row.prologue.instructions().filter(|i| !i.is_terminator() && !own.contains(i)) {
            let copy = replay(builder, value, &same);
            same.push((value, copy));
        }
        Intervals { builder, same, known, own, decided: row.decided.clone(), required: Vec::new() }
    }

    /// Requires a condition, and that its index is the one that increases with x.
    fn requires(&mut self, row: &Row<'c>, condition: &Decision<'c>) -> Option<()> {
        for (select, number) in condition.bound.index().into_iter().flat_map(|index| row.selections(index)) {
            let selected = self.proves(select.operand(0), number == 1)?;
            self.required.push(selected);
        }
        let holds = self.proves(condition.compare, condition.holds)?;
        self.required.push(holds);
        Some(())
    }

    /// Whether a condition has a result in all threads, an `i1`. It may say no although this is so.
    fn proves(&mut self, condition: Value<'c>, holds: bool) -> Option<Value<'c>> {
        if !self.own.contains(&condition) {
            let result = find(&self.same, condition);
            return Some(if holds {
                result
            } else {
                self.builder.binary(Opcode::Xor, result, result.ty().constant(1), "")
            });
        }
        match Condition::of(condition, holds)? {
            Condition::Comparison => self.compares(condition, holds),
            Condition::Not(part) => self.proves(part, !holds),
            Condition::All(parts) => self.joins(parts.both, holds, true),
            Condition::Any(parts) => self.joins(parts.both, holds, false),
        }
    }

    /// Whether both parts of a condition have a result, or one of them has it.
    fn joins(&mut self, parts: [Value<'c>; 2], holds: bool, both: bool) -> Option<Value<'c>> {
        let [a, b] = parts.map(|part| self.proves(part, holds));
        match (a, b) {
            // The second part may be poison if the first one decides.
            (Some(a), Some(b)) if both => Some(self.builder.select(a, b, b.ty().zero(), "")),
            (Some(a), Some(b)) => Some(self.builder.select(a, b.ty().constant(1), b, "")),
            (one, other) => {
                if both {
                    None
                } else {
                    one.or(other)
                }
            }
        }
    }

    /// The same for a comparison.
    fn compares(&mut self, compare: Value<'c>, holds: bool) -> Option<Value<'c>> {
        use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        let predicate = compare.icmp_predicate();
        let predicate = if holds { predicate } else { predicate.inverted() };
        let [a, b] = [self.interval(compare.operand(0))?, self.interval(compare.operand(1))?];
        if predicate.is_signed() {
            [a.1, b.1].into_iter().for_each(|high| self.require(Sge, high, high.ty().zero()));
        }
        let builder = self.builder;
        let is = |order: IntPredicate, a: Value<'c>, b: Value<'c>| builder.icmp(order, a, b, "");
        Some(match predicate {
            Ult | Slt => is(Ult, a.1, b.0),
            Ule | Sle => is(Ule, a.1, b.0),
            Ugt | Sgt => is(Ugt, a.0, b.1),
            Uge | Sge => is(Uge, a.0, b.1),
            Eq => builder.binary(Opcode::And, is(Eq, a.0, b.1), is(Eq, a.1, b.0), ""),
            Ne => builder.binary(Opcode::Or, is(Ult, a.1, b.0), is(Ugt, a.0, b.1), ""),
        })
    }

    fn require(&mut self, order: IntPredicate, a: Value<'c>, b: Value<'c>) {
        let holds = self.builder.icmp(order, a, b, "");
        self.required.push(holds);
    }

    /// The interval of an integer; none if it is not known.
    fn interval(&mut self, value: Value<'c>) -> Option<Interval<'c>> {
        let width = value.ty().int_width().filter(|width| (8..=64).contains(width))?;
        if !self.own.contains(&value) {
            let same = find(&self.same, value);
            return Some((same, same));
        }
        if let Some((_, interval)) = self.known.iter().find(|(known, _)| *known == value) {
            return Some(*interval);
        }
        if !value.is_instruction() {
            return None;
        }
        let interval = self.of_operation(value, width)?;
        self.known.push((value, interval));
        Some(interval)
    }

    fn of_operation(&mut self, value: Value<'c>, width: u32) -> Option<Interval<'c>> {
        use IntPredicate::{Sge, Ule};
        let operands = value.operands();
        let (builder, ty) = (self.builder, value.ty());
        match value.opcode() {
            Opcode::Add | Opcode::Sub => self.sum(value, width),
            Opcode::Or if value.is_disjoint() => self.sum(value, width),
            Opcode::Or => {
                // It is at most the sum, and at least each of both.
                let (a, _) = (self.interval(operands[0])?, self.interval(operands[1])?);
                Some((a.0, self.sum(value, width)?.1))
            }
            Opcode::Freeze if is_compared_once(value) => self.interval(operands[0]),
            Opcode::Mul => self.product(operands[0], operands[1], width),
            Opcode::Shl => {
                let by = operands[1].as_u64().filter(|by| *by < u64::from(width))?;
                let a = self.interval(operands[0])?;
                let most = (u64::MAX >> (64 - width)) >> by;
                self.require(Ule, a.1, ty.constant(most));
                let shift = |v: Value<'c>| builder.binary(Opcode::Shl, v, ty.constant(by), "");
                Some((shift(a.0), shift(a.1)))
            }
            Opcode::ZExt | Opcode::SExt => {
                let a = self.interval(operands[0])?;
                if value.is(Opcode::SExt) {
                    self.require(Sge, a.1, a.1.ty().zero());
                }
                let extend = |v: Value<'c>| builder.cast(Opcode::ZExt, v, ty, "");
                Some((extend(a.0), extend(a.1)))
            }
            Opcode::Trunc => {
                let a = self.interval(operands[0])?;
                self.require(Ule, a.1, a.1.ty().constant(u64::MAX >> (64 - width)));
                let cut = |v: Value<'c>| builder.cast(Opcode::Trunc, v, ty, "");
                Some((cut(a.0), cut(a.1)))
            }
            Opcode::Select if self.decided.contains_key(&value) => {
                self.interval(operands[self.decided[&value] as usize])
            }
            Opcode::Select if !self.own.contains(&operands[0]) => {
                let (a, b) = (self.interval(operands[1])?, self.interval(operands[2])?);
                let condition = find(&self.same, operands[0]);
                let choose = |a: Value<'c>, b: Value<'c>| builder.select(condition, a, b, "");
                Some((choose(a.0, b.0), choose(a.1, b.1)))
            }
            // An index that is a constant if it is invalid.
            Opcode::Select => {
                let number = [1, 2].into_iter().find(|number| operands[3 - number].is_constant())?;
                let selected = self.proves(operands[0], number == 1)?;
                self.required.push(selected);
                self.interval(operands[number])
            }
            _ => None,
        }
    }

    /// The interval of a sum or a difference that does not wrap.
    fn sum(&mut self, value: Value<'c>, width: u32) -> Option<Interval<'c>> {
        use IntPredicate::Uge;
        let (operands, builder) = (value.operands(), self.builder);
        let (a, mut b) = (self.interval(operands[0])?, self.interval(operands[1])?);
        let mut subtracts = value.is(Opcode::Sub);
        // LLVM writes `i - 1` as `i + -1`.
        let is_negative = |number: &u64| value.is(Opcode::Add) && number >> (width - 1) & 1 == 1;
        let number = operands[1].as_u64().filter(is_negative);
        if let Some(number) = number {
            let distance = value.ty().constant(number.wrapping_neg());
            (b, subtracts) = ((distance, distance), true);
        }
        if subtracts {
            self.require(Uge, a.0, b.1);
            let minus = |a: Value<'c>, b: Value<'c>| builder.binary(Opcode::Sub, a, b, "");
            return Some((minus(a.0, b.1), minus(a.1, b.0)));
        }
        let high = builder.add(a.1, b.1, "");
        self.require(Uge, high, a.1);
        Some((builder.add(a.0, b.0, ""), high))
    }

    /// The interval of a product whose factors have at most half of the type's bits, so that it does not overflow.
    fn product(&mut self, a: Value<'c>, b: Value<'c>, width: u32) -> Option<Interval<'c>> {
        let (a, b) = (self.interval(a)?, self.interval(b)?);
        let ty = a.0.ty();
        let most = ty.constant(u64::MAX >> (64 - width / 2));
        for high in [a.1, b.1] {
            self.require(IntPredicate::Ule, high, most);
        }
        Some((self.builder.mul(a.0, b.0, ""), self.builder.mul(a.1, b.1, "")))
    }
}
