//! Keeps the carries of sums that AMD's back end computes in words.
//!
//! LLVM 22 loses a carry, or makes one up, in two places:
//!
//! - A number of more than 64 bits is computed in words of 64 bits: by scalar instructions if all lanes share the
//!   words,
//!   or else by vector instructions. A scalar sum writes its carry to `scc`, and a vector sum reads it from `vcc`. So
//!   the carry is lost after a lowest word that all lanes share, such as a constant (pull request 204694). Divisions,
//!   magnitudes and checked products become sums.
//! - `(x + y) + carry` of 32 bits becomes one addition with carry. The carry of the whole is then also set if `x + y`
//!   wraps around (pull request 204362).
//!
//! Empty assembly with a vector register for its result is a copy that no pass looks through, and a number that lanes
//! may not share. The first kind gets it for the lowest word of an operand, the second for `x + y`. The result of a
//! wide sum has no word that lanes share, unless they share all of it.

use crate::llvm::{Builder, Function, Machine, Module, Opcode, Value};

/// The bits of a word of wide sums.
const WORD: u32 = 64;
/// The bits of numbers that have an instruction for an addition with carry.
const REGISTER: u32 = 32;

/// Changes all such sums of `module`.
pub fn keep_carries(module: &Module<'_>, machine: &Machine) {
    for function in module.definitions() {
        keep_words(function, machine);
        function.instructions().filter(|i| counts_twice(*i)).collect::<Vec<_>>().into_iter().for_each(|sum| {
            let copy = Builder::before(sum.next().unwrap_or(sum)).vector_copy(sum);
            sum.replace_all_uses_with(copy);
            copy.set_operand(0, sum);
        });
    }
}

/// Copies lowest words of the operands of wide sums, and of operations that become such sums.
fn keep_words(function: Function<'_>, machine: &Machine) {
    let wide: Vec<_> = function.instructions().filter(|i| width(*i) > WORD && Operation::of(*i).is_some()).collect();
    if wide.is_empty() {
        return;
    }
    let divergent = machine.divergent_results(function);
    for wide in wide.into_iter().filter(|wide| divergent.contains(wide)) {
        let varies = |operand: &Value<'_>| divergent.contains(operand) && varies_in_each_word(*operand);
        let operands = [0, 1].map(|at| wide.operand(at));
        let needing = (0..2).filter(|at| operands[*at].ty() == operands[0].ty() && !varies(&operands[*at]));
        // The second word of a number of more than two may be shared, too, and follow a lowest word that has no carry,
        // because one operand is zero.
        let one_is_enough = Operation::of(wide) == Some(Operation::Sum) && width(wide) <= 2 * WORD;
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

/// The bits of the first operand; 0 if it is no integer.
fn width(instruction: Value<'_>) -> u32 {
    if instruction.operand_count() < 2 { 0 } else { instruction.operand(0).ty().int_width().unwrap_or(0) }
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

/// Whether a sum of 32 bits gets a carry added, and this carries in turn.
fn counts_twice(sum: Value<'_>) -> bool {
    let opcode = sum.opcode();
    if !matches!(opcode, Opcode::Add | Opcode::Sub) || width(sum) != REGISTER {
        return false;
    }
    let is_compared = |value: Value<'_>| value.users().iter().any(|user| user.is(Opcode::ICmp));
    let carries = |user: &Value<'_>| user.is_call() && user.users().iter().any(|part| part.is(Opcode::ExtractValue));
    let with_carry = |user: &Value<'_>| {
        Operation::of(*user) == Some(Operation::Sum)
            && width(*user) == REGISTER
            && (0..2).any(|at| is_carry(user.operand(at)))
    };
    sum.users()
        .iter()
        .filter(|user| with_carry(user))
        .any(|user| carries(user) || is_compared(*user) || is_compared(sum))
}

/// Whether a number is a carry, which is a bit.
fn is_carry(number: Value<'_>) -> bool {
    let is_bit = |value: Value<'_>| value.ty().int_width() == Some(1);
    let is_same_bit =
        |value: Value<'_>| matches!(value.opcode(), Opcode::ZExt | Opcode::Trunc | Opcode::And | Opcode::Freeze);
    number.is_instruction() && is_same_bit(number) && (is_bit(number.operand(0)) || is_carry(number.operand(0)))
}
