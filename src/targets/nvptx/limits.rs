//! Comparisons of one number with several limits, as one value with the lengths of several slices.
//!
//! LLVM's back end compares the number with the smallest limit. PTX has an instruction for the smaller of two integers,
//! but for those of 64 bits the machine has none, and four instructions compute it. A comparison with each limit is two
//! instructions, of which the second one also combines it with the other comparisons.

use std::collections::HashSet;

use crate::llvm::{Builder, IntPredicate, Module, Opcode, Value};

/// Writes all but one of such comparisons as assembly, which the back end does not join.
pub(super) fn keep_limits_apart(module: &Module<'_>) {
    for function in module.definitions() {
        let mut compared = HashSet::new();
        for comparison in function.instructions().filter(|i| is_part_of_a_condition(*i)).collect::<Vec<_>>() {
            let block = comparison.block();
            let sides = [comparison.operand(0), comparison.operand(1)].map(|side| (block, side));
            let is_first = sides.iter().all(|side| !compared.contains(side));
            compared.extend(sides);
            if !is_first {
                write_as_assembly(comparison);
            }
        }
    }
}

/// Whether an instruction compares two variables of 64 bits for one condition that consists of several comparisons.
fn is_part_of_a_condition(instruction: Value<'_>) -> bool {
    let combines = |user: &Value<'_>| matches!(user.opcode(), Opcode::And | Opcode::Or | Opcode::Select);
    instruction.is(Opcode::ICmp)
        && name(instruction.icmp_predicate()).is_some()
        && instruction.operands().iter().all(|side| side.ty().int_width() == Some(64) && !side.is_constant())
        && matches!(&instruction.users()[..], [user] if combines(user) && user.ty().int_width() == Some(1))
}

/// The name of a comparison of unsigned integers.
fn name(predicate: IntPredicate) -> Option<&'static str> {
    match predicate {
        IntPredicate::Ult => Some("lt"),
        IntPredicate::Ule => Some("le"),
        IntPredicate::Ugt => Some("gt"),
        IntPredicate::Uge => Some("ge"),
        _ => None,
    }
}

fn write_as_assembly(comparison: Value<'_>) {
    let Some(name) = name(comparison.icmp_predicate()) else { return };
    let text = format!("setp.{name}.u64 $0, $1, $2;");
    let sides = [comparison.operand(0), comparison.operand(1)];
    let apart = Builder::before(comparison).pure_assembly(comparison.ty(), &text, "=b,l,l", &sides);
    comparison.replace_all_uses_with(apart);
    comparison.erase();
}
