//! For the rows "layer norm" and "softmax": comparisons with zero that LLVM has joined.
//!
//! The first thread of a block is that with `x == 0 && y == 0 && z == 0`, of which LLVM makes `(x | y | z) == 0`. Such
//! a number is neither affine nor uniform. As several comparisons, each of one or the other, they show that only one
//! thread of a group can be it (`branches.rs`).

use crate::llvm::{Builder, Function, IntPredicate, Opcode, Value};

/// Splits them, where one of the numbers is in `affine`.
pub(crate) fn split_tests<'c>(function: Function<'c>, affine: &[Value<'c>]) {
    let is_test = |i: &Value<'c>| {
        let is_equality = i.is(Opcode::ICmp) && i.icmp_predicate() == IntPredicate::Eq;
        is_equality && i.operand(1).is_null() && i.operand(0).is(Opcode::Or)
    };
    for test in function.instructions().filter(is_test).collect::<Vec<_>>() {
        let is_own = |part: &Value<'c>| {
            let number = if part.is(Opcode::ZExt) { part.operand(0) } else { *part };
            affine.contains(&number)
        };
        let (own, others): (Vec<_>, Vec<_>) = parts(test.operand(0)).into_iter().partition(is_own);
        if own.is_empty() {
            continue;
        }
        let builder = Builder::before(test);
        builder.locate_as(test);
        let others = others.into_iter().reduce(|a, b| builder.binary(Opcode::Or, a, b, ""));
        let tests = own.into_iter().chain(others);
        let tests = tests.map(|part| builder.icmp(IntPredicate::Eq, part, part.ty().zero(), ""));
        let joined = tests.reduce(|a, b| builder.binary(Opcode::And, a, b, "")).expect("there is one");
        test.replace_all_uses_with(joined);
        test.erase();
    }
}

/// The numbers whose bits are joined.
fn parts(value: Value<'_>) -> Vec<Value<'_>> {
    if value.is(Opcode::Or) { value.operands().into_iter().flat_map(parts).collect() } else { vec![value] }
}
