//! Keeps the carries of sums that AMD's back end computes in words.
//!
//! LLVM 22 loses a carry, or makes one up, in two places:
//!
//! - A number of more than 64 bits is computed in words of 64 bits: by scalar instructions if all lanes share the
//!   words, or else by vector instructions. A scalar sum writes its carry to `scc`, and a vector sum reads it from
//!   `vcc`. So the carry is lost after a lowest word that all lanes share, such as a constant (pull request 204694).
//!   Divisions, magnitudes and checked products become sums.
//! - `(x + y) + carry` of 32 bits becomes one addition with carry. The carry of the whole is then also set if `x + y`
//!   wraps around (pull request 204362). The upper word of a number of 64 bits, such as a product, may be the sum, and
//!   a number of at most 32 bits gives it a carry.
//!
//! Empty assembly with a vector register for its result is a copy that no pass looks through, and a number that lanes
//! may not share. The first kind gets it for the lowest word of an operand, the second for `x + y`. The result of a
//! wide sum has no word that lanes share, unless they share all of it.

use std::collections::HashSet;

use crate::llvm::{Builder, Function, Machine, Module, Opcode, Value};

/// The bits of a word of wide sums.
const WORD: u32 = 64;
/// The bits of numbers that have an instruction for an addition with carry.
const REGISTER: u32 = 32;

/// Changes all such sums of `module`.
pub fn keep_carries(module: &Module<'_>, machine: &Machine) {
    for function in module.definitions() {
        let sums: Vec<_> = function.instructions().filter(|i| Operation::of(*i).is_some()).collect();
        let wide: Vec<_> = sums.iter().copied().filter(|sum| width(*sum) > Some(WORD)).collect();
        let counting: Vec<_> = sums.into_iter().filter_map(|sum| Some((sum, counted_twice(sum)?))).collect();
        if !wide.is_empty() {
            keep_words(&wide, &machine.divergent_results(function));
        }
        for (sum, at) in counting {
            let operand = sum.operand(at);
            let copy = Builder::before(sum).vector_copy(operand);
            // A comparison of the sum with the operand becomes the carry.
            let comparisons = sum.users().into_iter().filter(|user| user.is(Opcode::ICmp));
            for user in comparisons.chain([sum]) {
                (0..2).filter(|at| user.operand(*at) == operand).for_each(|at| user.set_operand(at, copy));
            }
        }
    }
}

/// Copies lowest words of the operands of wide sums, and of operations that become such sums.
fn keep_words<'c>(wide: &[Value<'c>], divergent: &HashSet<Value<'c>>) {
    for wide in wide.iter().copied().filter(|wide| divergent.contains(wide)) {
        let varies = |operand: &Value<'_>| divergent.contains(operand) && varies_in_each_word(*operand);
        let operands = [0, 1].map(|at| wide.operand(at));
        let needing = (0..2).filter(|at| operands[*at].ty() == operands[0].ty() && !varies(&operands[*at]));
        // The second word of a number of more than two may be shared, too, and follow a lowest word that has no carry,
        // because one operand is zero.
        let one_is_enough = Operation::of(wide) == Some(Operation::Sum) && width(wide) <= Some(2 * WORD);
        let chosen: Vec<_> = if !one_is_enough {
            needing.collect()
        } else if operands.iter().any(varies) {
            continue;
        } else {
            needing.min_by_key(|at| operands[*at].is_constant()).into_iter().collect()
        };
        for at in chosen {
            wide.set_operand(at as u32, copy_lowest_word(&Builder::before(wide), operands[at]));
        }
    }
}

/// How the back end computes with wide numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    /// As one sum or difference of the operands.
    Sum,
    /// As several sums, each of one operand or of parts of both.
    Sums,
}

impl Operation {
    /// None for those without sums.
    fn of(instruction: Value<'_>) -> Option<Operation> {
        match instruction.opcode() {
            Opcode::Add | Opcode::Sub => Some(Operation::Sum),
            Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => Some(Operation::Sums),
            Opcode::Call => Operation::of_intrinsic(&instruction.called_intrinsic()?.name()),
            _ => None,
        }
    }

    fn of_intrinsic(name: &str) -> Option<Operation> {
        let (operation, kind) = name.strip_prefix("llvm.")?.split_once('.')?;
        match operation {
            "abs" => Some(Operation::Sums),
            "uadd" | "usub" | "sadd" | "ssub" if kind.starts_with("with.") || kind.starts_with("sat.") => {
                Some(Operation::Sum)
            }
            "umul" | "smul" if kind.starts_with("with.") => Some(Operation::Sums),
            _ => None,
        }
    }
}

/// The bits of the operands, if they are integers.
fn width(instruction: Value<'_>) -> Option<u32> {
    instruction.operand(0).ty().int_width()
}

/// Whether lanes share no word of a number that they do not share. Passes of the back end replace a phi and a load by
/// values that are already known.
fn varies_in_each_word(number: Value<'_>) -> bool {
    !number.is_call() && Operation::of(number).is_some()
}

/// The number with a copy of its lowest word.
fn copy_lowest_word<'c>(builder: &Builder<'c>, number: Value<'c>) -> Value<'c> {
    let (ty, types) = (number.ty(), number.types());
    let solid = builder.freeze(number, "");
    let word = builder.vector_copy(builder.cast(Opcode::Trunc, solid, types.int(WORD), ""));
    let bits = ty.constant(WORD.into());
    let upper = builder.binary(Opcode::Shl, builder.binary(Opcode::LShr, solid, bits, ""), bits, "");
    builder.binary(Opcode::Or, upper, builder.cast(Opcode::ZExt, word, ty, ""), "")
}

/// The operand of a sum whose upper 32 bits may be a sum, to which the other operand adds at most a carry, while the
/// carry of the whole is used.
fn counted_twice(sum: Value<'_>) -> Option<u32> {
    let width = width(sum).filter(|width| matches!(*width, REGISTER | WORD))?;
    let is_unsigned = |callee: Function<'_>| callee.name().starts_with("llvm.u");
    let is_call = sum.called_intrinsic().map(is_unsigned);
    let adds_carry = |at: u32| {
        let [upper, other] = [at, 1 - at].map(|at| sum.operand(at));
        let uses_carry = is_call.unwrap_or_else(|| asks_for_carry(sum));
        uses_carry && is_computed(upper) && is_at_most_carry(other, sum, width)
    };
    // A carry is not subtracted from, and is the second operand then.
    let first = if sum.is(Opcode::Sub) || is_difference(sum) { 0..1 } else { 0..2 };
    first.into_iter().find(|at| adds_carry(*at))
}

/// Whether a call subtracts.
fn is_difference(call: Value<'_>) -> bool {
    call.called_intrinsic().is_some_and(|callee| callee.name().starts_with("llvm.usub."))
}

/// Whether a comparison may become the carry of a sum: it compares two of the sum, its operands, their complements, and
/// constants.
fn asks_for_carry(sum: Value<'_>) -> bool {
    let operands = [sum.operand(0), sum.operand(1)];
    let is_of_sum = |value: Value<'_>| value == sum || operands.contains(&value) || value.is_constant();
    let is_complement = |value: Value<'_>| value.is_instruction() && value.is(Opcode::Xor);
    let compares = |user: Value<'_>| {
        let compared = |at| user.operand(at);
        user.is(Opcode::ICmp) && (0..2).all(|at| is_of_sum(compared(at)) || is_complement(compared(at)))
    };
    let variable = operands.into_iter().filter(|value| !value.is_constant());
    let complements = variable.clone().flat_map(Value::users).filter(|user| is_complement(*user));
    variable.chain([sum]).chain(complements).flat_map(Value::users).any(compares)
}

/// Whether the upper 32 bits of a number may be a sum. Those of a product are one.
fn is_computed(number: Value<'_>) -> bool {
    number.is_instruction()
        && match number.opcode() {
            Opcode::Load | Opcode::Phi => false,
            Opcode::Call => number.called_intrinsic().is_some(),
            _ => true,
        }
}

/// Whether the upper 32 bits of a number are zero, or, of a number of 32 bits, those above the first one.
fn is_at_most_carry(number: Value<'_>, at: Value<'_>, width: u32) -> bool {
    if width == WORD { number.unsigned_bits(at) <= REGISTER } else { is_carry(number) }
}

/// Whether a number is a carry, which is a bit.
fn is_carry(number: Value<'_>) -> bool {
    let is_bit = |value: Value<'_>| value.ty().int_width() == Some(1);
    let is_same_bit =
        |value: Value<'_>| matches!(value.opcode(), Opcode::ZExt | Opcode::Trunc | Opcode::And | Opcode::Freeze);
    number.is_instruction() && is_same_bit(number) && (is_bit(number.operand(0)) || is_carry(number.operand(0)))
}
