//! Numbers of iterations that are the same in all threads of a block.
//!
//! `for i in (thread..n).step_by(block_dim)` divides before it loops. The number of iterations differs between threads
//! only where n is no multiple of the size of the block, and it never rises from one thread to the next, or never
//! falls. So the first and the last thread of a block decide whether all have the same number. A region becomes two: in
//! one of them, the number is that of the first thread, which LLVM computes once before the loop over the threads. A
//! kernel that loops over the same elements several times, with barriers between, divides once for the block.

use std::collections::HashSet;

use super::guard;
use super::row_range::range::{Substitution, replay};
use super::uniform_loads::start_of;
use crate::analysis::effects::{depends_on_operands_alone, made_of};
use crate::llvm::{Builder, Function, IntPredicate, Module, Opcode, Value};
use crate::spmd::facts::shapes::Shapes;
use crate::spmd::facts::trip_count;
use crate::spmd::region::position;
use crate::spmd::region::signature::RegionSignature;
use crate::spmd::region::versions::{Code, Guard, Version};
use crate::spmd::tuning::TRIP_COUNT_INSTRUCTIONS;

/// A number of iterations.
struct Count<'c> {
    number: Value<'c>,
    /// The instructions of which it is made, in order; it is the last one.
    made_of: Vec<Value<'c>>,
    /// Its begin or its end: the one that differs between threads.
    differs: Value<'c>,
    /// Whether that is more in later threads.
    rises: bool,
}

impl<'c> Count<'c> {
    fn depends_on(&self, parameters: &[Value<'c>]) -> bool {
        self.made_of.iter().any(|i| i.operands().iter().any(|v| parameters.contains(v)))
    }
}

/// Splits the code of a region whose loops have such numbers; none if there are none. The second version is that of
/// blocks whose threads do not all have the same numbers.
pub(crate) fn split<'c>(module: &Module<'c>, code: &Code<'c>, signature: RegionSignature<'c>) -> Option<Version<'c>> {
    let (function, position, thread) = (code.function, signature.position(), signature.number());
    if code.is_scattered || function.instructions().count() > TRIP_COUNT_INSTRUCTIONS {
        return None;
    }
    let mut counts = find(module, function, position[1]);
    counts.retain(|count| !count.depends_on(&[thread]));
    if counts.is_empty() {
        return None;
    }
    let [(same, copies), (other, _)] = guard::two_copies(function, ["counted", "other"]);
    let zeros: Vec<_> = position[1..].iter().map(|own| (*own, own.ty().zero())).collect();
    let mut erased = HashSet::new();
    for count in &counts {
        let at = copies.of(count.number);
        let mut values: Substitution<'c> = zeros.iter().copied().chain(signature.zip(same)).collect();
        let first = repeat(&Builder::before(at), &count.made_of, &mut values);
        at.replace_all_uses_with(first);
        // LLVM may have assumptions about the unused rest. One count may be a part of another.
        for part in count.made_of.iter().rev().map(|part| copies.of(*part)) {
            if !erased.contains(&part) && !part.is_used() {
                erased.insert(part);
                part.erase();
            }
        }
    }
    let decide = guard::of_parameters(module, function, "counts", |builder, guard| {
        Some(conditions(builder, signature, guard, &counts))
    })?;
    Some(Version::choice(Guard::Block(decide), code.with(same), code.with(other)))
}

/// The numbers of iterations that a region computes at its start.
fn find<'c>(module: &Module<'c>, function: Function<'c>, x: Value<'c>) -> Vec<Count<'c>> {
    let mut shapes = Shapes::new(module, &[x]);
    let start = start_of(function);
    if start.iter().all(|i| trip_count::Count::of(*i).is_none()) {
        return Vec::new();
    }
    shapes.compute(function);
    let count = |number: &Value<'c>| {
        let (differs, rises) = trip_count::Count::of(*number)?.differs_in_block(|value| shapes.of(value))?;
        Some(Count { number: *number, made_of: slice(*number, &start)?, differs, rises })
    };
    start.iter().filter_map(count).collect()
}

/// The instructions at the start of a function of which a value there is made; none if not all of them can be repeated
/// for another thread.
fn slice<'c>(value: Value<'c>, start: &[Value<'c>]) -> Option<Vec<Value<'c>>> {
    let is_repeatable = |v: Value<'c>| !v.is_instruction() || depends_on_operands_alone(v);
    let found = made_of(value, is_repeatable);
    let parts = start.iter().filter(|i| found.contains(i)).copied().collect();
    found.into_iter().all(is_repeatable).then_some(parts)
}

/// Repeats instructions with other operands. Returns the value of the last one.
fn repeat<'c>(builder: &Builder<'c>, instructions: &[Value<'c>], values: &mut Substitution<'c>) -> Value<'c> {
    for instruction in instructions {
        let copy = replay(builder, *instruction, values);
        values.push((*instruction, copy));
    }
    values.last().expect("there is an instruction").1
}

/// The conditions with which all numbers are the same in all threads of a block, for a guard of the code. Numbers
/// that depend on y or z differ between rows, so there must be one row.
fn conditions<'c>(
    builder: &Builder<'c>,
    code: RegionSignature<'c>,
    guard: Function<'c>,
    counts: &[Count<'c>],
) -> Vec<Value<'c>> {
    let ([block, ..], [_, x, y, z]) = (code.with(guard).position(), code.position());
    let (i32, dims) = (x.ty(), position::load_dimensions(builder, block));
    let last = builder.binary(Opcode::Sub, dims[0], i32.constant(1), "");
    let evaluate = |count: &Count<'c>, own: Value<'c>| {
        let own = [(x, own), (y, i32.zero()), (z, i32.zero())];
        let mut values: Substitution<'c> = own.into_iter().chain(code.zip(guard)).collect();
        let result = repeat(builder, &count.made_of, &mut values);
        (result, values.iter().find(|(value, _)| *value == count.differs).expect("it is a part").1)
    };
    let mut holds = Vec::new();
    for count in counts {
        let [(first, low), (other, high)] = [i32.zero(), last].map(|own| evaluate(count, own));
        let [low, high] = if count.rises { [low, high] } else { [high, low] };
        holds.push(builder.icmp(IntPredicate::Eq, first, other, ""));
        // Between the two threads, it does not wrap around.
        holds.push(builder.icmp(IntPredicate::Ule, low, high, ""));
        if count.depends_on(&[y, z]) {
            let rows = builder.binary(Opcode::Or, dims[1], dims[2], "");
            holds.push(builder.icmp(IntPredicate::Ule, rows, i32.constant(1), ""));
        }
    }
    holds
}
