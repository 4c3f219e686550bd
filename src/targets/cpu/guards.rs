//! Runs the threads that pass a kernel's guards in a separate loop.
//!
//! Most kernels start with `if i < n`, or check an index, where `i` is x plus a value that is the same for all threads
//! of a row. In a loop over x, such a condition prevents LLVM from vectorising for processors without masked stores.
//! But it holds for the first threads of a row and fails for the others, and their number can be computed:
//!
//! ```c
//! for (x = 0; x < extent; x++) fast(x);      // the conditions are known to hold
//! for (; x < block_dim.x; x++) body(x);
//! ```
//!
//! A condition is a guard if a thread that fails it only returns or panics.

use std::collections::HashSet;
use std::mem::offset_of;

use super::hoist::hoist;
use super::thread;
use crate::contract::abi::CpuBlock;
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Value};

/// The fast version of a body, and the number of threads in a row that may run it.
pub(super) struct Guarded<'c> {
    /// It has the parameters of the body.
    pub(super) fast: Function<'c>,
    /// It has the parameters of the body and ignores x. It returns an `i32` that is at most the block's x dimension.
    pub(super) extent: Function<'c>,
}

/// A comparison in a guard, and its result in threads that pass the guard.
struct Condition<'c> {
    compare: Value<'c>,
    holds: bool,
    bound: Bound<'c>,
}

/// The values of x for which a condition holds.
enum Bound<'c> {
    /// All or none.
    Uniform,
    /// Those for which `index` is below `limit`, or equal to it. `index` increases by one with x, unless it wraps.
    Below { index: Value<'c>, limit: Value<'c>, signed: bool, or_equal: bool },
}

/// Creates the fast version of a body without barriers; none if no guard depends on x.
pub(super) fn split<'c>(module: &Module<'c>, body: Function<'c>) -> Option<Guarded<'c>> {
    let position = thread::position(body, 0);
    let row = Row::new(hoist(module, body, position), position[1]);
    let conditions = row.conditions(body);
    if !conditions.iter().any(|c| matches!(c.bound, Bound::Below { .. })) {
        return None;
    }
    let name = body.name();
    let all: Vec<_> = body.instructions().collect();
    let number = |v: Value<'c>| all.iter().position(|i| *i == v);
    let fast = body.clone_function();
    fast.set_name(&format!("{name}.fast"));
    let copies: Vec<_> = fast.instructions().collect();
    for condition in &conditions {
        let Some(copy) = number(condition.compare).map(|n| copies[n]) else { continue };
        copy.replace_all_uses_with(copy.ty().constant(condition.holds.into()));
    }
    Some(Guarded { fast, extent: extent(module, body, &row, &conditions) })
}

/// Whether a function has no branch but those with constant conditions, no loop, and calls nothing.
pub(super) fn is_straight(function: Function<'_>) -> bool {
    let (mut block, mut seen) = (function.blocks()[0], HashSet::new());
    loop {
        let calls = |i: Value<'_>| i.is_call() && i.called_intrinsic().is_none();
        let Some(end) = block.terminator().filter(|_| seen.insert(block)) else { return false };
        if block.instructions().any(calls) {
            return false;
        }
        let successors = end.successors();
        block = match (end.opcode(), end.condition().map(Value::as_u64), &successors[..]) {
            (Opcode::Ret, ..) => return true,
            (Opcode::Br, None, [next]) => *next,
            (Opcode::Br, Some(Some(condition)), [then, or_else]) => {
                if condition != 0 {
                    *then
                } else {
                    *or_else
                }
            }
            _ => return false,
        };
    }
}

/// The state before the loop over x: the prologue, its values that depend on x, and its values that depend on the
/// address of a local variable, which exists only in the thread.
struct Row<'c> {
    prologue: Block<'c>,
    x: Value<'c>,
    varying: HashSet<Value<'c>>,
    private: HashSet<Value<'c>>,
}

impl<'c> Row<'c> {
    fn new(prologue: Block<'c>, x: Value<'c>) -> Self {
        let (mut varying, mut private) = (HashSet::from([x]), HashSet::new());
        for instruction in prologue.instructions() {
            if instruction.is(Opcode::Alloca) || instruction.operands().iter().any(|v| private.contains(v)) {
                private.insert(instruction);
            }
            if instruction.operands().iter().any(|v| varying.contains(v)) {
                varying.insert(instruction);
            }
        }
        Row { prologue, x, varying, private }
    }

    /// The conditions of all guards.
    fn conditions(&self, body: Function<'c>) -> Vec<Condition<'c>> {
        let mut found: Vec<Condition<'c>> = Vec::new();
        for branch in body.blocks().into_iter().filter_map(|b| b.terminator()).filter(|t| t.is(Opcode::Br)) {
            let (Some(condition), &[then, or_else]) = (branch.condition(), &branch.successors()[..]) else { continue };
            match (leaves(then, 0), leaves(or_else, 0)) {
                (false, true) => self.collect(condition, true, &mut found),
                (true, false) => self.collect(condition, false, &mut found),
                _ => {}
            }
        }
        found
    }

    /// Splits a condition whose result must be `holds` into comparisons.
    fn collect(&self, value: Value<'c>, holds: bool, found: &mut Vec<Condition<'c>>) {
        if !value.is_instruction() || value.block() != self.prologue || self.private.contains(&value) {
            return;
        }
        let operands = value.operands();
        let is = |v: Value<'c>, constant: u64| v.as_u64() == Some(constant);
        match value.opcode() {
            Opcode::And if holds => operands.iter().for_each(|v| self.collect(*v, true, found)),
            Opcode::Or if !holds => operands.iter().for_each(|v| self.collect(*v, false, found)),
            Opcode::Select if holds && is(operands[2], 0) || !holds && is(operands[1], 1) => {
                let other = operands[if holds { 1 } else { 2 }];
                [operands[0], other].into_iter().for_each(|v| self.collect(v, holds, found));
            }
            Opcode::Xor if is(operands[1], 1) => self.collect(operands[0], !holds, found),
            Opcode::ICmp if found.iter().all(|c| c.compare != value) => {
                let bound = self.bound(value, holds);
                found.extend(bound.map(|bound| Condition { compare: value, holds, bound }));
            }
            _ => {}
        }
    }

    fn bound(&self, compare: Value<'c>, holds: bool) -> Option<Bound<'c>> {
        use IntPredicate::*;
        let (left, right) = (compare.operand(0), compare.operand(1));
        let predicate = compare.icmp_predicate();
        let (index, limit, predicate) = match [left, right].map(|v| self.varying.contains(&v)) {
            [false, false] => return Some(Bound::Uniform),
            [true, false] => (left, right, predicate),
            [false, true] => (right, left, swapped(predicate)),
            [true, true] => return None,
        };
        let (signed, or_equal) = match if holds { predicate } else { inverted(predicate) } {
            Ult => (false, false),
            Ule => (false, true),
            Slt => (true, false),
            Sle => (true, true),
            _ => return None,
        };
        let wide_enough = index.ty().int_width().is_some_and(|w| w == 32 || w == 64);
        let grows = wide_enough && self.grows(index);
        grows.then_some(Bound::Below { index, limit, signed, or_equal })
    }

    /// Whether a value is x plus or minus a value that does not depend on it, possibly extended.
    fn grows(&self, value: Value<'c>) -> bool {
        if value == self.x || !value.is_instruction() {
            return value == self.x;
        }
        let fixed = |v: &Value<'c>| !self.varying.contains(v);
        match (value.opcode(), &value.operands()[..]) {
            (Opcode::Add, [a, b]) if fixed(b) => self.grows(*a),
            (Opcode::Add, [a, b]) if fixed(a) => self.grows(*b),
            (Opcode::Sub, [a, b]) if fixed(b) => self.grows(*a),
            (Opcode::ZExt | Opcode::SExt, [a]) => self.grows(*a),
            _ => false,
        }
    }
}

/// Whether a thread in `block` only returns or panics.
fn leaves(block: Block<'_>, depth: u32) -> bool {
    let Some(end) = block.terminator() else { return false };
    match (end.opcode(), &end.successors()[..]) {
        // A block that ends in `unreachable` panics, whatever is before it.
        (Opcode::Unreachable, _) => true,
        (Opcode::Ret, _) => is_empty(block),
        (Opcode::Br, [next]) => is_empty(block) && depth < 4 && leaves(*next, depth + 1),
        _ => false,
    }
}

fn is_empty(block: Block<'_>) -> bool {
    block.instructions().all(|i| i.is_terminator())
}

pub(super) fn swapped(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        Ugt => Ult,
        Uge => Ule,
        Ult => Ugt,
        Ule => Uge,
        Sgt => Slt,
        Sge => Sle,
        Slt => Sgt,
        Sle => Sge,
        same => same,
    }
}

pub(super) fn inverted(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        Eq => Ne,
        Ne => Eq,
        Ugt => Ule,
        Uge => Ult,
        Ult => Uge,
        Ule => Ugt,
        Sgt => Sle,
        Sge => Slt,
        Slt => Sge,
        Sle => Sgt,
    }
}

/// Creates the function that returns the number of x, from 0, for which all conditions hold.
fn extent<'c>(module: &Module<'c>, body: Function<'c>, row: &Row<'c>, conditions: &[Condition<'c>]) -> Function<'c> {
    let i32 = module.types().i32();
    let ty = i32.function(&body.function_type().parameters());
    let name = format!("{}.extent", body.name());
    let function = module.define(&name, ty, Linkage::Internal, |_, _| {});
    let builder = Builder::at_end(function.blocks()[0]);
    let [block, ..] = thread::position(function, 0);
    let dim = thread::load_block(&builder, block, i32, offset_of!(CpuBlock, block_dim));
    let last = builder.binary(Opcode::Sub, dim, i32.constant(1), "last");
    let ends = RowEnds::replay(&builder, row, body, function, last);
    let mut extent = dim;
    for condition in conditions {
        let count = match &condition.bound {
            Bound::Uniform => {
                let (then, or_else) = if condition.holds { (dim, i32.zero()) } else { (i32.zero(), dim) };
                builder.select(find(&ends.first, condition.compare), then, or_else, "")
            }
            Bound::Below { index, limit, signed, or_equal } => {
                let (low, high) = (find(&ends.first, *index), find(&ends.last, *index));
                let limit = find(&ends.first, *limit);
                count(&builder, [low, high, limit], *signed, *or_equal, [last, dim])
            }
        };
        let less = builder.icmp(IntPredicate::Ult, count, extent, "");
        extent = builder.select(less, count, extent, "");
    }
    builder.ret(extent);
    function
}

/// The values of a body's prologue, each with its values in the first and the last thread of a row.
struct RowEnds<'c> {
    first: Substitution<'c>,
    last: Substitution<'c>,
}

type Substitution<'c> = Vec<(Value<'c>, Value<'c>)>;

impl<'c> RowEnds<'c> {
    fn replay(
        builder: &Builder<'c>,
        row: &Row<'c>,
        body: Function<'c>,
        function: Function<'c>,
        last: Value<'c>,
    ) -> Self {
        let with_x = |x: Value<'c>| -> Substitution<'c> {
            let pairs = body.parameters().into_iter().zip(function.parameters());
            pairs.map(|(before, after)| (before, if before == row.x { x } else { after })).collect()
        };
        let mut ends = RowEnds { first: with_x(last.ty().zero()), last: with_x(last) };
        let values = row.prologue.instructions().filter(|i| !i.is_terminator() && !row.private.contains(i));
        for value in values {
            let first = replay(builder, value, &ends.first);
            let last = if row.varying.contains(&value) { replay(builder, value, &ends.last) } else { first };
            ends.first.push((value, first));
            ends.last.push((value, last));
        }
        ends
    }
}

fn find<'c>(substitution: &Substitution<'c>, value: Value<'c>) -> Value<'c> {
    substitution.iter().find(|(before, _)| *before == value).map_or(value, |(_, after)| *after)
}

/// Copies an instruction, with operands from the substitution.
fn replay<'c>(builder: &Builder<'c>, instruction: Value<'c>, substitution: &Substitution<'c>) -> Value<'c> {
    let copy = instruction.duplicate();
    for index in 0..copy.operand_count() {
        copy.set_operand(index, find(substitution, copy.operand(index)));
    }
    // The thread that the value is computed for may not execute the instruction.
    copy.drop_annotations();
    copy.clear_location();
    builder.insert(copy);
    copy
}

/// The number of x, from 0, whose index is below the limit, or equal to it; 0 if the index wraps within the row. `low`
/// and `high` are the index in the first and last thread of the row, `last` is the last thread's x.
fn count<'c>(
    builder: &Builder<'c>,
    [low, high, limit]: [Value<'c>; 3],
    signed: bool,
    or_equal: bool,
    [last, dim]: [Value<'c>; 2],
) -> Value<'c> {
    use IntPredicate::*;
    let i32 = dim.ty();
    let steps = builder.cast(Opcode::ZExt, last, low.ty(), "");
    let difference = builder.binary(Opcode::Sub, high, low, "");
    let steady = builder.icmp(Eq, difference, steps, "");
    let ascending = builder.icmp(if signed { Sle } else { Ule }, low, high, "");
    let below = match (signed, or_equal) {
        (false, false) => Ult,
        (false, true) => Ule,
        (true, false) => Slt,
        (true, true) => Sle,
    };
    let some = builder.icmp(below, low, limit, "");
    // In this case, the distance is not negative, and fits into an unsigned integer.
    let distance = builder.binary(Opcode::Sub, limit, low, "");
    let all = builder.icmp(if or_equal { Uge } else { Ugt }, distance, steps, "");
    let part = builder.add(builder.cast(Opcode::Trunc, distance, i32, ""), i32.constant(or_equal.into()), "");
    let count = builder.select(all, dim, part, "");
    let valid = builder.binary(Opcode::And, builder.binary(Opcode::And, steady, ascending, ""), some, "");
    builder.select(valid, count, i32.zero(), "")
}
