//! Gives the threads of a row whose branches are known a separate loop.
//!
//! Most kernels start with `if i < n`, check an index, or treat the edge of an array differently, where `i` is x plus a
//! value that is the same for all threads of a row. In a loop over x, such a condition prevents LLVM from vectorising
//! for processors without masked stores, and has to be computed for each group of threads. But it has one result for
//! neighbours, and the range of x with the usual result can be computed before the loop:
//!
//! ```c
//! for (x = 0; x < begin; x++) body(x);
//! for (; x < end; x++) fast(x);                // the conditions have their usual results
//! for (; x < block_dim.x; x++) body(x);
//! ```
//!
//! The usual result is the one with which a thread does not leave at once, by a return or a panic. Where a thread goes
//! on in both cases, it is the one that more threads are expected to have: most are not at an edge.

mod block_guard;
mod prefetch;
pub(crate) mod range;
mod wraps;

use std::collections::{HashMap, HashSet};

use crate::analysis::condition::Condition;
use crate::analysis::effects::{has_effect, is_hint};
use crate::llvm::{Block, Function, IntPredicate, Module, Opcode, Value};
use crate::spmd::region::hoist::{hoist, is_compared_once};
use crate::spmd::region::signature::RegionSignature;
use crate::spmd::region::versions::{Code, Guard, Rows, Version};
use crate::spmd::tuning::{EDGE, ROW_CONDITION_DEPTH};

/// A comparison, and its result in threads of the range.
struct Decision<'c> {
    compare: Value<'c>,
    holds: bool,
    bound: Bound<'c>,
}

/// The values of x for which a comparison has a result. An `index` increases by one with x, unless it wraps or one of
/// its `selections` has its other operand.
enum Bound<'c> {
    /// All or none.
    Uniform,
    /// Those for which `index` is below `limit`, or equal to it.
    Below { index: Value<'c>, limit: Value<'c>, signed: bool, or_equal: bool },
    /// Those for which `index` is above `limit`, or equal to it.
    Above { index: Value<'c>, limit: Value<'c>, signed: bool, or_equal: bool },
    /// All but one.
    Not { index: Value<'c>, limit: Value<'c> },
}

/// The version of a body for the threads of a range.
pub(crate) struct InRange<'c> {
    pub(crate) function: Function<'c>,
    pub(crate) rows: Rows<'c>,
}

/// The versions of code with one for a range, if there is one.
pub(crate) fn add<'c>(code: &Code<'c>, module: &Module<'c>, row: Row<'c>) -> Option<Version<'c>> {
    let InRange { function, rows } = split(module, row, true)?;
    Some(Version::choice(Guard::Row(rows), code.with(function), code.with(code.function)))
}

/// Creates the version of a body for a range; none if no condition depends on x. `by_return` says whether a thread
/// leaves by a return, if it has done nothing before.
pub(crate) fn split<'c>(module: &Module<'c>, row: Row<'c>, by_return: bool) -> Option<InRange<'c>> {
    let (row, wraps) = if by_return { row.decide_wraps() } else { (row, Vec::new()) };
    let Found { conditions, others_leave } = row.conditions(by_return, wraps);
    if conditions.iter().all(|c| matches!(c.bound, Bound::Uniform)) {
        return None;
    }
    let (function, copies) = row.code.function.clone_with_copies();
    function.set_name(&format!("{}.fast", row.code.function.name()));
    for condition in &conditions {
        let Some(copy) = copies.get(condition.compare) else { continue };
        copy.replace_all_uses_with(copy.ty().constant(condition.holds.into()));
        for (select, number) in condition.bound.index().into_iter().flat_map(|index| row.selections(index)) {
            let Some(copy) = copies.get(select) else { continue };
            copy.replace_all_uses_with(copy.operand(number));
        }
    }
    let range = range::define(module, &row, &conditions);
    let whole = block_guard::define(module, &row, &conditions);
    let prefetch = prefetch::define(module, &row);
    Some(InRange { function, rows: Rows { range, whole, prefetch, others_leave } })
}

/// Whether a function has no branch but those with constant conditions, no loop, and calls nothing.
pub(crate) fn is_straight(function: Function<'_>) -> bool {
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

impl<'c> Bound<'c> {
    fn index(&self) -> Option<Value<'c>> {
        match self {
            Bound::Uniform => None,
            Bound::Below { index, .. } | Bound::Above { index, .. } | Bound::Not { index, .. } => Some(*index),
        }
    }
}

/// A body, and the state before the loop over x: the prologue, its values that depend on x, and its values that depend
/// on the address of a local variable, which exists only in the thread.
pub(crate) struct Row<'c> {
    code: RegionSignature<'c>,
    prologue: Block<'c>,
    x: Value<'c>,
    /// The number of the thread in the block, which increases with x.
    number: Option<Value<'c>>,
    varying: HashSet<Value<'c>>,
    private: HashSet<Value<'c>>,
    /// The values that depend on a load, such as one of the number of the block.
    loaded: HashSet<Value<'c>>,
    /// The selections of the prologue whose conditions are decided, with the numbers of the operands that they have.
    decided: HashMap<Value<'c>, u32>,
    /// How deep the conditions nest of which a condition is made.
    depths: HashMap<Value<'c>, u32>,
}

/// The conditions of a body.
struct Found<'c> {
    conditions: Vec<Decision<'c>>,
    /// Whether threads with other results leave at once.
    others_leave: bool,
}

impl<'c> Row<'c> {
    pub(crate) fn new(module: &Module<'c>, code: RegionSignature<'c>) -> Self {
        let position = code.position();
        let (prologue, x) = (hoist(module, code.function, position), position[1]);
        let number = code.affine_values().get(1).copied();
        let own: HashSet<_> = [x].into_iter().chain(number).collect();
        let varying = depending(prologue, own, |_| false);
        let private = depending(prologue, HashSet::new(), |i| i.is(Opcode::Alloca));
        let loaded = depending(prologue, HashSet::new(), |i| i.is(Opcode::Load));
        let mut depths = HashMap::new();
        for instruction in prologue.instructions() {
            let depth = instruction.operands().iter().filter_map(|v| depths.get(v)).max().map_or(0, |depth| depth + 1);
            if instruction.ty().int_width() == Some(1) {
                depths.insert(instruction, depth);
            }
        }
        let decided = HashMap::new();
        Row { code, prologue, x, number, varying, private, loaded, decided, depths }
    }

    /// The rows of a region that warps execute one after another in the same slots: the number of the thread does not
    /// increase along the row.
    pub(crate) fn of_warps(module: &Module<'c>, signature: RegionSignature<'c>) -> Self {
        Row { number: None, ..Row::new(module, signature) }
    }

    /// The conditions on the path of a thread that has the usual results, and those that are decided already.
    fn conditions(&self, by_return: bool, decided: Vec<Decision<'c>>) -> Found<'c> {
        let others_leave = decided.is_empty();
        let mut found = Found { conditions: decided, others_leave };
        let start = self.code.function.blocks()[0];
        // A thread that returns after it has done something is no thread that leaves.
        let (mut seen, mut work) = (HashSet::from([start]), vec![(start, by_return)]);
        while let Some((block, nothing_done)) = work.pop() {
            let Some(end) = block.terminator() else { continue };
            let nothing_done = nothing_done && !block.instructions().any(|i| has_effect(i) && !is_hint(i));
            let successors = end.successors();
            let taken = match (end.opcode(), end.condition(), &successors[..]) {
                (Opcode::Br, Some(condition), &[then, or_else]) => {
                    match [then, or_else].map(|next| leaves(next, nothing_done, 0)) {
                        [false, true] => self.collect(condition, true, &mut found.conditions),
                        [true, false] => self.collect(condition, false, &mut found.conditions),
                        [true, true] => {}
                        // Threads that take the side with more code need it most.
                        [false, false] => self.guess(condition, !skips(then, or_else), &mut found),
                    }
                    match self.result(condition, &found.conditions) {
                        Some(true) => &successors[..1],
                        Some(false) => &successors[1..],
                        None => &successors[..],
                    }
                }
                _ => &successors[..],
            };
            work.extend(taken.iter().filter(|next| seen.insert(**next)).map(|next| (*next, nothing_done)));
        }
        found
    }

    /// Splits a condition into comparisons whose results give it the result `holds`. Parts of it may be left out.
    fn collect(&self, value: Value<'c>, holds: bool, found: &mut Vec<Decision<'c>>) {
        match self.parts(value, holds) {
            Some(Condition::Not(part)) => self.collect(part, !holds, found),
            Some(Condition::All(parts)) => parts.both.into_iter().for_each(|part| self.collect(part, holds, found)),
            Some(Condition::Comparison) if found.iter().all(|c| c.compare != value) => {
                let bound = self.bound(value, holds);
                found.extend(bound.map(|bound| Decision { compare: value, holds, bound }));
            }
            _ => {}
        }
    }

    /// Finds the usual result of a condition after which a thread goes on in both cases. `first` is the one to prefer.
    fn guess(&self, condition: Value<'c>, first: bool, found: &mut Found<'c>) {
        if self.result(condition, &found.conditions).is_some() {
            return;
        }
        for holds in [first, !first] {
            let mut more = Vec::new();
            let decides = self.decide(condition, holds, &found.conditions, &mut more);
            if decides && more.iter().any(|c: &Decision<'c>| c.bound.index().is_some()) {
                found.conditions.append(&mut more);
                found.others_leave = false;
                return;
            }
        }
    }

    /// Adds comparisons, with the results that are usual, that give a condition the result `holds`. Returns whether
    /// there are such comparisons.
    fn decide(&self, value: Value<'c>, holds: bool, found: &[Decision<'c>], more: &mut Vec<Decision<'c>>) -> bool {
        match self.parts(value, holds) {
            Some(Condition::Not(part)) => self.decide(part, !holds, found, more),
            Some(Condition::All(parts)) => parts.both.into_iter().all(|part| self.decide(part, holds, found, more)),
            Some(Condition::Any(parts)) => {
                let before = more.len();
                parts.both.into_iter().any(|part| {
                    more.truncate(before);
                    self.decide(part, holds, found, more) && more[before..].iter().any(|c| c.bound.index().is_some())
                })
            }
            Some(Condition::Comparison) => {
                if let Some(known) = found.iter().chain(&*more).find(|c| c.compare == value) {
                    return known.holds == holds;
                }
                let bound = self.bound(value, holds).filter(|bound| self.is_usual(bound));
                let decides = bound.is_some();
                more.extend(bound.map(|bound| Decision { compare: value, holds, bound }));
                decides
            }
            None => false,
        }
    }

    /// How a condition gets the result `holds`; none if it cannot be computed before the loop.
    fn parts(&self, value: Value<'c>, holds: bool) -> Option<Condition<'c>> {
        let too_deep = self.depths.get(&value).is_none_or(|depth| *depth > ROW_CONDITION_DEPTH);
        if !value.is_instruction() || value.block() != self.prologue || self.private.contains(&value) || too_deep {
            return None;
        }
        Condition::of(value, holds)
    }

    /// The result of a condition, if the known results decide it.
    fn result(&self, value: Value<'c>, known: &[Decision<'c>]) -> Option<bool> {
        if let Some(condition) = known.iter().find(|c| c.compare == value) {
            return Some(condition.holds);
        }
        let (parts, decisive) = match self.parts(value, true)? {
            Condition::Not(part) => return self.result(part, known).map(|result| !result),
            Condition::All(parts) => (parts, false),
            Condition::Any(parts) => (parts, true),
            Condition::Comparison => return None,
        };
        let results = parts.both.map(|part| self.result(part, known));
        match results.contains(&Some(decisive)) {
            true => Some(decisive),
            false => (!results.contains(&None)).then_some(!decisive),
        }
    }

    /// Whether most threads are expected to be within a bound.
    fn is_usual(&self, bound: &Bound<'c>) -> bool {
        let at_edge = |limit: &Value<'c>| limit.as_u64().map(|limit| limit <= EDGE);
        match bound {
            Bound::Uniform => true,
            // The vectoriser finds the one thread of a block.
            Bound::Not { index, .. } => !self.is_own(*index),
            Bound::Below { limit, .. } => at_edge(limit) != Some(true),
            Bound::Above { index, limit, .. } => at_edge(limit).unwrap_or_else(|| self.is_own(*index)),
        }
    }

    /// Whether an index depends on the position in the block only.
    fn is_own(&self, index: Value<'c>) -> bool {
        !self.loaded.contains(&index)
    }

    fn bound(&self, compare: Value<'c>, holds: bool) -> Option<Bound<'c>> {
        use IntPredicate::*;
        let (left, right) = (compare.operand(0), compare.operand(1));
        let predicate = compare.icmp_predicate();
        let (index, limit, predicate) = match [left, right].map(|v| self.varying.contains(&v)) {
            [false, false] => return Some(Bound::Uniform),
            [true, false] => (left, right, predicate),
            [false, true] => (right, left, predicate.swapped()),
            [true, true] => return None,
        };
        let wide_enough = index.ty().int_width().is_some_and(|w| w == 32 || w == 64);
        if !wide_enough || !self.grows(index) {
            return None;
        }
        let predicate = if holds { predicate } else { predicate.inverted() };
        let (signed, or_equal) = (predicate.is_signed(), matches!(predicate, Ule | Sle | Uge | Sge));
        match predicate {
            Ult | Ule | Slt | Sle => Some(Bound::Below { index, limit, signed, or_equal }),
            Ugt | Uge | Sgt | Sge => Some(Bound::Above { index, limit, signed, or_equal }),
            Ne => Some(Bound::Not { index, limit }),
            Eq => None,
        }
    }

    /// Whether a value is x plus or minus a value that does not depend on it, possibly extended, or may be such a value
    /// by the choice of a condition that does not depend on x. An affine shape answers another question: its step may
    /// be any, and no lane of a group overflows. Here the code compares the two ends of a row, so the step must be one,
    /// and the value may wrap.
    fn grows(&self, value: Value<'c>) -> bool {
        if value == self.x || Some(value) == self.number || !value.is_instruction() {
            return value == self.x || Some(value) == self.number;
        }
        let fixed = |v: &Value<'c>| !self.varying.contains(v);
        match (value.opcode(), &value.operands()[..]) {
            (Opcode::Add, [a, b]) if fixed(b) => self.grows(*a),
            (Opcode::Add, [a, b]) if fixed(a) => self.grows(*b),
            (Opcode::Sub, [a, b]) if fixed(b) => self.grows(*a),
            (Opcode::ZExt | Opcode::SExt, [a]) => self.grows(*a),
            (Opcode::Freeze, [a]) => is_compared_once(value) && self.grows(*a),
            (Opcode::Select, [_, a, b]) if self.decided.contains_key(&value) => {
                self.grows(if self.decided[&value] == 1 { *a } else { *b })
            }
            (Opcode::Select, [condition, a, b]) if fixed(condition) => match (fixed(a), fixed(b)) {
                (true, false) => self.grows(*b),
                (false, true) => self.grows(*a),
                _ => false,
            },
            _ => false,
        }
    }

    /// The selections in an index that increases with x, and the numbers of the operands that they must have then.
    fn selections(&self, value: Value<'c>) -> Vec<(Value<'c>, u32)> {
        if !value.is_instruction() {
            return Vec::new();
        }
        if let Some(number) = self.decided.get(&value) {
            return self.selections(value.operand(*number));
        }
        let varies = |(_, v): &(u32, Value<'c>)| self.varying.contains(v);
        let Some((number, next)) = (0..).zip(value.operands()).find(varies) else { return Vec::new() };
        let mut all = self.selections(next);
        if value.is(Opcode::Select) {
            all.push((value, number));
        }
        all
    }
}

/// The `seeds`, the instructions of a block for which `is` holds, and those that depend on either. Unlike a shape, this
/// does not say whether a value differs between threads: values that depend on x are computed again for each end of a
/// row.
fn depending<'c>(block: Block<'c>, seeds: HashSet<Value<'c>>, is: impl Fn(Value<'c>) -> bool) -> HashSet<Value<'c>> {
    let mut found = seeds;
    for instruction in block.instructions() {
        if is(instruction) || instruction.operands().iter().any(|v| found.contains(v)) {
            found.insert(instruction);
        }
    }
    found
}

/// Whether a thread in `block` only panics, or returns if this counts.
fn leaves(block: Block<'_>, by_return: bool, depth: u32) -> bool {
    let Some(end) = block.terminator() else { return false };
    match (end.opcode(), &end.successors()[..]) {
        // A block that ends in `unreachable` panics, whatever is before it.
        (Opcode::Unreachable, _) => true,
        (Opcode::Ret, _) => by_return && is_empty(block),
        (Opcode::Br, [next]) => is_empty(block) && depth < 4 && leaves(*next, by_return, depth + 1),
        _ => false,
    }
}

/// Whether a branch to `next` leaves out the block `other`, which leads to `next`.
fn skips<'c>(next: Block<'c>, other: Block<'c>) -> bool {
    other.successors()[..] == [next]
}

fn is_empty(block: Block<'_>) -> bool {
    block.instructions().all(|i| i.is_terminator())
}
