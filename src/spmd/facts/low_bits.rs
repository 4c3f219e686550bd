//! Masks, exclusive ors and shifts of a number that increases by one, in a group of threads that starts at a multiple
//! of the size of the group.
//!
//! The steps of a sorting network or of a transform have `x & (distance - 1)` and `x ^ distance`, and a warp has `x &
//! 31` and `x >> 5`. Let a group have 8 threads, and let the number of its first one be a multiple of 8. Those of the
//! others are then `first | 1` to `first | 7`, and an operation on single bits treats the lowest three bits separately
//! from all others. With `m` the same in all threads:
//!
//! - `x & m` increases by one from thread to thread if the lowest three bits of `m` are ones, and is the same in all
//!   threads if they are zeros;
//! - `x ^ m` increases by one if they are zeros;
//! - `x >> n` is the same in all threads if `n` is at least 3;
//! - `x / d` is the same in all threads, and `x % d` increases by one, if `d` is a multiple of 8: such as the row and
//!   the column of an element of a matrix whose width is known.
//!
//! With other constants, it is more than in the first thread by a constant for each thread: `x & 1` by 0, 1, 0, 1, ….
//!
//! The code shows the known bits of `m`: `m` is a constant, or the code has `m | 7` or `m & !7`, which
//! `vectorize/group_start.rs` of the folder above inserts after a comparison. The threads compare the lowest bits of
//! the first number before they have written anything.

use std::collections::HashSet;

use super::shape::Shape;
use crate::analysis::paths::reached;
use crate::llvm::{Function, Opcode, Value};

/// The numbers of the lowest bits that are known to be ones, and to be zeros.
fn known_low_bits(value: Value<'_>) -> (u32, u32) {
    value.known_bits().map_or((0, 0), |known| (known.ones.trailing_ones(), known.zeros.trailing_ones()))
}

/// Whether a value is known to be a multiple of 8, or of more.
pub(crate) fn is_multiple_of_8(value: Value<'_>) -> bool {
    known_low_bits(value).1 >= 3
}

/// Whether it is an operation on single bits.
fn has_bits(operation: Value<'_>) -> bool {
    matches!(operation.opcode(), Opcode::And | Opcode::Xor | Opcode::LShr)
}

pub(crate) fn is_treated(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::And | Opcode::Xor | Opcode::LShr | Opcode::UDiv | Opcode::URem)
}

/// The number of the lowest bits of the first operand that the operation treats separately from the others, and whether
/// it leaves them as they are, or makes zeros of them; none if they are not known.
pub(crate) fn treated(operation: Value<'_>) -> Option<(u32, bool)> {
    if !is_treated(operation.opcode()) {
        return None;
    }
    let (ones, zeros) = known_low_bits(operation.operand(1));
    match operation.opcode() {
        Opcode::And => [(ones, true), (zeros, false)].into_iter().max(),
        Opcode::Xor => Some((zeros, true)),
        Opcode::UDiv | Opcode::URem => {
            let divisor = operation.operand(1).as_u64().filter(|divisor| *divisor > 0)?;
            Some((divisor.trailing_zeros(), operation.is(Opcode::URem)))
        }
        _ => operation.operand(1).as_u64().map(|by| (by.min(63) as u32, false)),
    }
    .filter(|(bits, _)| *bits >= 3)
}

/// The shape of an operation in such a group of this many threads, by those of its operands; none if it has none.
pub(crate) fn assumed_shape(operation: Value<'_>, shapes: &[Shape], width: u32) -> Option<Shape> {
    let [Shape::Affine(1), Shape::Uniform] = *shapes else { return None };
    match treated(operation) {
        Some((bits, true)) if 1 << bits.min(31) >= width => Some(Shape::Affine(1)),
        Some((bits, false)) if 1 << bits.min(31) >= width => Some(Shape::Uniform),
        _ => {
            let low = operation.operand(1).as_u64()?;
            let place = |thread: usize| match operation.opcode() {
                Opcode::And => thread as i64 & low as i64,
                Opcode::Xor => (thread as i64 ^ low as i64) & i64::from(width - 1),
                _ => (thread >> low.min(63)) as i64,
            };
            // A quotient or a remainder has no such places: its divisor is not a power of two.
            has_bits(operation).then(|| Shape::by_thread(width, |thread| place(thread) - place(0)))
        }
    }
}

/// Whether it is an operation with a constant that has such a shape by the place of each thread in the group. An
/// address depends on it: otherwise its elements need not be consecutive, and nothing needs to be assumed.
fn has_places<'c>(operation: Value<'c>, addresses: &HashSet<Value<'c>>) -> bool {
    has_bits(operation)
        && operation.ty().int_width().is_some_and(|width| width == 32 || width == 64)
        && operation.operand(1).as_u64().is_some()
        && addresses.contains(&operation)
}

/// Whether an operation is one that may have such a shape. Addresses depend on the values of the set.
pub(crate) fn is_operation<'c>(instruction: Value<'c>, addresses: &HashSet<Value<'c>>) -> bool {
    treated(instruction).is_some() || has_places(instruction, addresses)
}

/// Whether a function has an operation that has such a shape in groups of 8 threads, and not in those of 16.
pub(crate) fn wants_small_groups(function: Function<'_>) -> bool {
    function.instructions().any(|i| treated(i).is_some_and(|(bits, _)| bits == 3))
}

/// The values of a function on which addresses depend. A function of a hash has thousands of operations in a row, so
/// they are found at once, from the addresses.
pub(crate) fn in_addresses(function: Function<'_>) -> HashSet<Value<'_>> {
    reached(function.instructions().filter(|i| i.is(Opcode::GetElementPtr)), |value| {
        let ends = matches!(value.opcode(), Opcode::Load | Opcode::Store | Opcode::ICmp | Opcode::Phi | Opcode::Call);
        let operands = if ends { Vec::new() } else { value.operands() };
        operands.into_iter().filter(|operand| operand.is_instruction())
    })
}
