//! Splits a region at conditions on the bits of values that all threads share.
//!
//! In the steps of a sorting network or of a transform, a thread computes the places of its elements by
//! `x & (distance - 1)` or `x ^ distance`. If the distance is a multiple of 8, eight threads in a row access eight
//! elements in a row, see `facts/low_bits.rs`, and otherwise they do not. So the distance is compared once for the
//! block, and each case is a separate region: in one of them, `distance - 1` is `(distance - 1) | 7`, which is the
//! same there. In three others the distance is 1, 2 or 4, and a constant.

use super::guard;
use crate::llvm::{Block, Builder, Copies, Function, IntPredicate, Module, Opcode, Value};
use crate::spmd::facts::low_bits::in_addresses;
use crate::spmd::facts::uniform::is_decided;
use crate::spmd::region::hoist::hoist;
use crate::spmd::region::signature::RegionSignature;
use crate::spmd::region::versions::{Code, Version};
use crate::spmd::tuning::{DISTANCE_INSTRUCTIONS, LOW_BITS_INSTRUCTIONS, WIDTH};

/// An operation with an operand that is the same in all threads, and no constant.
struct Operation<'c> {
    operation: Value<'c>,
    /// The number of this operand.
    mask: u32,
    /// Whether its lowest bits are wanted to be ones, and not zeros.
    ones: bool,
}

/// Splits the code of a region; none if no address depends on such an operation. The second version is that of other
/// distances, and has versions itself.
pub(crate) fn split<'c>(module: &Module<'c>, code: &Code<'c>, signature: RegionSignature<'c>) -> Option<Version<'c>> {
    let (function, own) = (code.function, signature.own());
    let may_be = |i: Value<'c>| is_operation(i) && !i.operands().iter().any(|v| v.is_constant());
    if function.instructions().count() > LOW_BITS_INSTRUCTIONS || !function.instructions().any(may_be) {
        return None;
    }
    let found = operations(hoist(module, function, signature.position()), &own);
    let addresses = in_addresses(function);
    if !found.iter().any(|found| addresses.contains(&found.operation)) {
        return None;
    }
    let [(aligned, copies), (other, _)] = guard::two_copies(function, ["aligned", "other"]);
    for found in &found {
        let operation = copies.of(found.operation);
        let (builder, mask) = (Builder::before(operation), operation.operand(found.mask));
        let low = u64::from(WIDTH) - 1;
        let low = mask.ty().constant(low);
        let known = match found.ones {
            true => builder.binary(Opcode::Or, mask, low, ""),
            false => builder.binary(Opcode::And, mask, builder.binary(Opcode::Xor, low, mask.ty().all_ones(), ""), ""),
        };
        operation.set_operand(found.mask, known);
        mask_last(operation, found.mask);
    }
    let mut version = guard::versions(module, code, [aligned, other], |builder, _, copies| {
        let conditions = found.iter().map(|found| {
            let mask = copies.of(found.operation).operand(found.mask);
            let low = mask.ty().constant(u64::from(WIDTH) - 1);
            let bits = builder.binary(Opcode::And, mask, low, "");
            builder.icmp(IntPredicate::Eq, bits, if found.ones { low } else { low.ty().zero() }, "")
        });
        frozen(builder, conditions.collect())
    });
    if let Version::If(_, sides) = &mut version {
        split_distances(module, &mut sides[1], signature, 0);
    }
    Some(version)
}

/// Adds a version for each distance below the size of a group, from the power of two with this exponent on. The code
/// for all other distances is scattered.
fn split_distances<'c>(module: &Module<'c>, version: &mut Version<'c>, signature: RegionSignature<'c>, exponent: u32) {
    let Version::Code(code) = version else { return };
    let own = signature.with(code.function).own();
    match if 1 << exponent < WIDTH { split_distance(module, code, &own, exponent) } else { None } {
        Some(split) => *version = split,
        None => code.is_scattered = true,
    }
    if let Version::If(_, sides) = version {
        split_distances(module, &mut sides[1], signature, exponent + 1);
    }
}

/// Splits code for the distance that is the power of two with this exponent. All operations on which addresses depend
/// must have the same distance.
fn split_distance<'c>(module: &Module<'c>, code: &Code<'c>, own: &[Value<'c>], exponent: u32) -> Option<Version<'c>> {
    let function = code.function;
    if function.instructions().count() > DISTANCE_INSTRUCTIONS {
        return None;
    }
    let mut found = operations(function.blocks()[0], own);
    let addresses = in_addresses(function);
    found.retain(|found| addresses.contains(&found.operation));
    let distances: Vec<_> = found.iter().map(|found| distance(found.operation.operand(found.mask))).collect();
    let (first, by_exponent) = *distances.first()?;
    if distances.iter().any(|other| *other != (first, by_exponent)) {
        return None;
    }
    let copy_of_first = |copy: Function<'c>, copies: &Copies<'c>| match function
        .parameters()
        .iter()
        .position(|parameter| *parameter == first)
    {
        Some(number) => copy.parameters()[number],
        None => copies.of(first),
    };
    let constant = first.ty().constant(if by_exponent { exponent.into() } else { 1 << exponent });
    let [(small, copies), (more, _)] = guard::two_copies(function, [format!("by{}", 1 << exponent).as_str(), "more"]);
    for Operation { operation, mask, .. } in &found {
        mask_last(copies.of(*operation), *mask);
    }
    copy_of_first(small, &copies).replace_all_uses_with(constant);
    Some(guard::versions(module, code, [small, more], |builder, copy, copies| {
        frozen(builder, vec![builder.icmp(IntPredicate::Eq, copy_of_first(copy, copies), constant, "")])
    }))
}

/// Makes the mask of an operation its last operand, where `facts/low_bits.rs` looks for it.
fn mask_last(operation: Value<'_>, mask: u32) {
    let [number, mask] = [1 - mask, mask].map(|place| operation.operand(place));
    operation.set_operand(0, number);
    operation.set_operand(1, mask);
}

/// The distance that a mask is made of, and whether it is the exponent of a power of two: `d`, `d - 1`, `-d`, `1 << e`,
/// and the complement of `-1 << e`, perhaps in another type.
fn distance(mask: Value<'_>) -> (Value<'_>, bool) {
    let mut value = mask;
    while value.is_instruction() {
        let of_constant = |number: u32| value.operand(number).is_constant();
        value = match value.opcode() {
            Opcode::ZExt | Opcode::SExt | Opcode::Trunc | Opcode::Freeze => value.operand(0),
            Opcode::Add | Opcode::Xor if of_constant(1) => value.operand(0),
            Opcode::Sub if of_constant(0) => value.operand(1),
            Opcode::Shl if of_constant(0) => return (value.operand(1), true),
            _ => break,
        };
    }
    (value, false)
}

/// A thread may compute a mask that it does not use, from a value that is poison then. Each condition is frozen alone,
/// so that it is true of any other mask only if it holds.
fn frozen<'c>(builder: &Builder<'c>, conditions: Vec<Value<'c>>) -> Vec<Value<'c>> {
    conditions.into_iter().map(|condition| builder.freeze(condition, "")).collect()
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
