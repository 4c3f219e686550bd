//! Splits a region at conditions on the bits of values that all threads share.
//!
//! In the steps of a sorting network or of a transform, a thread computes the places of its elements by
//! `x & (distance - 1)` or `x ^ distance`. If the distance is a multiple of 8, eight threads in a row access eight
//! elements in a row, see `vectors/aligned.rs`, and otherwise they do not. So the distance is looked at once for the
//! block, and each case is a region of its own: in one of them, `distance - 1` is `(distance - 1) | 7`, which is the
//! same there.

use std::collections::HashSet;

use super::choices::{Sides, is_decided};
use super::hoist::hoist;
use super::vectors::WIDTH;
use crate::llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Value};

/// Longer regions are not copied.
const MOST_INSTRUCTIONS: usize = 400;

/// An operation with an operand that is the same in all threads, and no constant.
struct Operation<'c> {
    operation: Value<'c>,
    /// The number of this operand.
    mask: u32,
    /// Whether its lowest bits are wanted to be ones, and not zeros.
    ones: bool,
}

/// The same in any copy of the function.
struct Place {
    /// The number of the instruction.
    instruction: usize,
    mask: u32,
    ones: bool,
}

/// Splits a region; none if no address depends on such an operation. `position` are the parameters with the position,
/// and `own` those that differ between the threads of a block.
pub(super) fn split<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    position: [Value<'c>; 4],
    own: &[Value<'c>],
) -> Option<Sides<'c>> {
    let may_be = |i: Value<'c>| is_operation(i) && !i.operands().iter().any(|v| v.is_constant());
    if function.instructions().count() > MOST_INSTRUCTIONS || !function.instructions().any(may_be) {
        return None;
    }
    let found = operations(hoist(module, function, position), own);
    if !found.iter().any(|found| is_in_address(found.operation)) {
        return None;
    }
    let all: Vec<_> = function.instructions().collect();
    let place = |Operation { operation, mask, ones }| {
        all.iter().position(|i| *i == operation).map(|instruction| Place { instruction, mask, ones })
    };
    let places: Vec<_> = found.into_iter().filter_map(place).collect();
    let name = function.name();
    let [aligned, other] = ["aligned", "other"].map(|side| {
        let copy = function.clone_function();
        copy.set_name(&format!("{name}.{side}"));
        copy
    });
    let copies: Vec<_> = aligned.instructions().collect();
    for place in &places {
        let operation = copies[place.instruction];
        let (builder, mask) = (Builder::before(operation), operation.operand(place.mask));
        let low = u64::from(WIDTH) - 1;
        let low = mask.ty().constant(low);
        let known = match place.ones {
            true => builder.binary(Opcode::Or, mask, low, ""),
            false => builder.binary(Opcode::And, mask, builder.binary(Opcode::Xor, low, mask.ty().all_ones(), ""), ""),
        };
        // `vectors/aligned.rs` looks for it there.
        operation.set_operand(0, operation.operand(1 - place.mask));
        operation.set_operand(1, known);
    }
    Some(Sides { decide: decide(module, function, &places), functions: [aligned, other] })
}

/// The function that returns whether the bits are as they are in the first side.
fn decide<'c>(module: &Module<'c>, function: Function<'c>, places: &[Place]) -> Function<'c> {
    let copy = function.clone_function();
    let decide = copy.extend_signature(module.types().i1(), &[]);
    copy.erase_global();
    decide.set_linkage(Linkage::Internal);
    decide.set_name(&format!("{}.decide", function.name()));
    let all: Vec<_> = decide.instructions().collect();
    let start = decide.blocks()[0];
    let end = start.terminator().expect("a block has a terminator");
    let builder = Builder::before(end);
    let conditions = places.iter().map(|place| {
        let mask = all[place.instruction].operand(place.mask);
        let low = mask.ty().constant(u64::from(WIDTH) - 1);
        let bits = builder.binary(Opcode::And, mask, low, "");
        let expected = if place.ones { low } else { low.ty().zero() };
        // A thread may compute a mask that it does not use, from a value that is poison then. Each condition is frozen
        // alone, so that it is true of any other mask only if it holds.
        builder.freeze(builder.icmp(IntPredicate::Eq, bits, expected, ""), "")
    });
    let conditions: Vec<_> = conditions.collect();
    let holds = conditions.into_iter().reduce(|a, b| builder.binary(Opcode::And, a, b, ""));
    builder.ret(holds.expect("there is an operation"));
    end.erase();
    let mut needed = HashSet::new();
    for instruction in start.instructions().collect::<Vec<_>>().into_iter().rev() {
        if instruction.is_terminator() || needed.contains(&instruction) {
            needed.extend(instruction.operands());
        }
    }
    decide.erase_unreachable_blocks();
    for instruction in start.instructions().collect::<Vec<_>>().into_iter().rev() {
        if !instruction.is_terminator() && !needed.contains(&instruction) {
            instruction.erase();
        }
    }
    decide
}

fn is_operation(instruction: Value<'_>) -> bool {
    let is_wide = instruction.ty().int_width().is_some_and(|width| width == 32 || width == 64);
    is_wide && matches!(instruction.opcode(), Opcode::And | Opcode::Xor)
}

/// Such operations of a block on numbers that differ between threads.
fn operations<'c>(block: Block<'c>, own: &[Value<'c>]) -> Vec<Operation<'c>> {
    let is_known = |v: Value<'c>| v.is_constant() || v.is_argument() || v.is_instruction() && v.block() == block;
    let find = |operation: Value<'c>| {
        let is_mask = |number: &u32| {
            let (mask, other) = (operation.operand(*number), operation.operand(1 - number));
            !mask.is_constant() && is_known(mask) && is_decided(mask, own) && !is_decided(other, own)
        };
        let mask = [0, 1].into_iter().find(is_mask)?;
        let ones = operation.is(Opcode::And) && is_one_less(operation.operand(mask));
        Some(Operation { operation, mask, ones })
    };
    block.instructions().filter(|i| is_operation(*i)).filter_map(find).collect()
}

/// Whether a value is `n - 1`, perhaps with the upper bits of another type.
fn is_one_less(value: Value<'_>) -> bool {
    let is_minus = |number: u64| number.trailing_ones() >= 32;
    value.is(Opcode::Add) && value.operand(1).as_u64().is_some_and(is_minus)
}

/// Whether an address depends on a value.
fn is_in_address(value: Value<'_>) -> bool {
    let (mut seen, mut work) = (HashSet::from([value]), vec![value]);
    while let Some(value) = work.pop() {
        if value.is(Opcode::GetElementPtr) {
            return true;
        }
        let passes = |user: &Value<'_>| {
            !matches!(user.opcode(), Opcode::Load | Opcode::Store | Opcode::ICmp | Opcode::Phi | Opcode::Call)
        };
        work.extend(value.users().into_iter().filter(|user| passes(user) && seen.insert(*user)));
    }
    false
}
