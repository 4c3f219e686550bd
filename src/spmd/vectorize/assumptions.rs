//! Assumptions about the lanes of a group, which are checked before the lanes do anything.
//!
//! A value that one region hands on to the next was uniform or affine if all threads took the same path, and a grid is
//! nearly always as large as the kernel expects. If an assumption does not hold, each thread executes the whole
//! function as scalar code. This is right only as long as none of them has written anything, so assumptions concern the
//! values at the start of the function.

use super::assumed_affine;
use super::group::Rising;
use super::group_start;
use super::trip_counts::may_be_same;
use crate::llvm::{Block, Function, Opcode, Value};
use crate::spmd::facts::affine;
use crate::spmd::facts::intrinsics::ends_repeatable;
use crate::spmd::facts::low_bits::{self, in_addresses};
use crate::spmd::facts::markers::is_count;
use crate::spmd::facts::shape::{Shape, is_element, is_small};
use crate::spmd::facts::shapes::{Shapes, extends_exactly, is_invalid};
use crate::spmd::region::slots::{Kept, SlotParameters, Step};

/// Makes the assumptions for a function. `affine` are its parameters that differ between threads: x, and in a region
/// the number of the thread.
pub(crate) fn assume<'c>(shapes: &mut Shapes<'_, 'c>, function: Function<'c>, affine: &[Rising], kept: &[Kept<'c>]) {
    let start: Vec<Value<'c>> = function.blocks()[0].instructions().take_while(|i| !ends_repeatable(*i)).collect();
    if let [_, number] = affine
        && !kept.is_empty()
    {
        let parameters = SlotParameters::of(function, number.number);
        for load in start.iter().filter(|i| i.is(Opcode::Load) && !i.is_volatile()) {
            let slot = parameters.offset(load.operand(0)).and_then(|at| kept.iter().find(|kept| kept.offset == at));
            let countable = load.ty().is_pointer()
                || load.ty().int_width().is_some_and(|width| width >= 8) && is_element(load.ty());
            match slot.and_then(|slot| slot.step) {
                Some(Step::Certain(step)) => shapes.know(*load, step),
                Some(Step::Likely(step)) if countable => shapes.assume(*load, step),
                _ => {}
            }
        }
    }
    shapes.compute(function);
    // An index that is invalid if the grid has another form: `if fits { index } else { MAX }`.
    for select in function.instructions().filter(|i| i.is(Opcode::Select)) {
        let [condition, then, or_else] = select.operands()[..] else { continue };
        let looked_at = start.contains(&condition) && shapes.of(condition) == Shape::Uniform;
        if looked_at && is_invalid(then) != is_invalid(or_else) {
            shapes.assume_condition(condition, is_invalid(or_else));
        }
    }
    // A number of a thread of 32 bits that does not overflow.
    for extension in start.iter().filter(|i| i.is(Opcode::ZExt) || i.is(Opcode::SExt)) {
        let Shape::Affine(step) = shapes.of(extension.operand(0)) else { continue };
        let countable = extension.ty().int_width().is_some_and(|width| width <= 64);
        if countable && is_small(step, extension.operand(0).ty()) && !extends_exactly(*extension, shapes) {
            shapes.assume(*extension, step);
        }
    }
    let counts: Vec<_> = start_of(function).into_iter().filter(|i| is_count(*i)).collect();
    if !counts.is_empty() {
        shapes.compute(function);
    }
    for count in counts {
        if may_be_same(count, shapes) {
            shapes.assume(count, 0);
        }
    }
    assume_rests(shapes, function, &start);
    assume_aligned(shapes, function, &start);
}

/// Assumes that operations on single bits, and divisions, are affine, see `facts/low_bits.rs`.
fn assume_aligned<'c>(shapes: &mut Shapes<'_, 'c>, function: Function<'c>, start: &[Value<'c>]) {
    let addresses = in_addresses(function);
    let operations: Vec<_> = start.iter().copied().filter(|i| low_bits::is_operation(*i, &addresses)).collect();
    if operations.is_empty() {
        return;
    }
    shapes.compute(function);
    // The shape of one is a part of the next one's.
    for operation in operations {
        let number = operation.operand(0);
        if shapes.of(number) == Shape::Affine(1) && group_start::may_be_aligned(number, shapes) {
            shapes.assume_aligned(operation);
            shapes.compute(function);
        }
    }
}

/// The instructions that every thread executes before it writes anything, if it does not panic.
fn start_of<'c>(function: Function<'c>) -> Vec<Value<'c>> {
    let blocks = function.blocks();
    let (mut block, mut start) = (blocks[0], Vec::new());
    loop {
        start.extend(block.instructions().take_while(|i| !ends_repeatable(*i)));
        let panics = |next: &Block<'c>| next.terminator().is_some_and(|end| end.is(Opcode::Unreachable));
        let is_whole = block.instructions().all(|i| i.is_terminator() || !ends_repeatable(i));
        let [next] = block.successors().into_iter().filter(|next| !panics(next)).collect::<Vec<_>>()[..] else {
            return start;
        };
        let is_entered_once = blocks.iter().filter(|from| from.successors().contains(&next)).count() == 1;
        if !is_whole || !is_entered_once || next == blocks[0] {
            return start;
        }
        block = next;
    }
}

/// Assumes that no thread has reached the end of a range if another one of its group has more to do. The number of
/// iterations of a loop with `step_by` is computed from the rest of the range, by comparisons and selections.
fn assume_rests<'c>(shapes: &mut Shapes<'_, 'c>, function: Function<'c>, start: &[Value<'c>]) {
    if !start.iter().any(|i| i.is_call() && affine::subtracts(*i)) {
        return;
    }
    shapes.compute(function);
    let rests: Vec<_> = start.iter().copied().filter(|i| assumed_affine::is_rest(*i, shapes)).collect();
    if rests.is_empty() {
        return;
    }
    rests.into_iter().for_each(|rest| shapes.assume_affine(rest));
    shapes.compute(function);
    let is_count = |user: &Value<'c>, shapes: &Shapes<'_, 'c>| match user.operands()[..] {
        [_, a, b] if user.is(Opcode::Select) => {
            shapes.of(a) == shapes.of(b) && matches!(shapes.of(a), Shape::Affine(_))
        }
        [a, b] => user.is(Opcode::Xor) && [a, b].into_iter().all(|v| v.is_instruction() && shapes.is_ordered(v)),
        _ => false,
    };
    // A selection depends on comparisons, and others on it.
    loop {
        let is_assumed = |i: &&Value<'c>| {
            let varies = i.is(Opcode::ICmp) && shapes.of(**i) != Shape::Uniform && shapes.is_ordered(**i);
            varies && i.users().iter().any(|user| is_count(user, shapes))
        };
        let Some(condition) = start.iter().find(is_assumed) else { return };
        shapes.assume_agreed(*condition);
        shapes.compute(function);
    }
}
