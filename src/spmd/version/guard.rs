//! Guards of versions, and the two versions between which a guard chooses.
//!
//! A guard is a function with the parameters of its region that returns an `i1`. A block calls it once, before its loop
//! over the threads, with the position of any thread.

use std::collections::HashSet;

use crate::llvm::{Builder, Copies, Function, Linkage, Module, Opcode, Value};
use crate::spmd::region::versions::{Code, Guard, Version};

/// Two copies of a region, which still have the same code. These words are appended to its name.
pub(super) fn two_copies<'c>(function: Function<'c>, words: [&str; 2]) -> [(Function<'c>, Copies<'c>); 2] {
    let name = function.name();
    words.map(|word| {
        let copy = function.clone_with_copies();
        copy.0.set_name(&format!("{name}.{word}"));
        copy
    })
}

/// Versions between which a guard decides for a block that is made of the start of their region ([`of_start`]).
pub(super) fn versions<'c>(
    module: &Module<'c>,
    code: &Code<'c>,
    functions: [Function<'c>; 2],
    conditions: impl FnOnce(&Builder<'c>, Function<'c>, &Copies<'c>) -> Vec<Value<'c>>,
) -> Version<'c> {
    let [then, or_else] = functions.map(|function| code.with(function));
    Version::choice(Guard::Block(of_start(module, code.function, conditions)), then, or_else)
}

/// A guard whose conditions, all of which must hold, are made of instructions at the start of the region. They are
/// built in a copy of the region, of which all else is erased.
fn of_start<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    conditions: impl FnOnce(&Builder<'c>, Function<'c>, &Copies<'c>) -> Vec<Value<'c>>,
) -> Function<'c> {
    let (copy, copies) = function.clone_with_copies();
    let guard = copy.extend_signature(module.types().i1(), &[]);
    copy.erase_global();
    guard.set_linkage(Linkage::Internal);
    guard.set_name(&format!("{}.decide", function.name()));
    let start = guard.blocks()[0];
    let end = start.terminator().expect("a block has a terminator");
    let builder = Builder::before(end);
    let conditions = conditions(&builder, guard, &copies);
    return_all(&builder, conditions);
    end.erase();
    let mut needed = HashSet::new();
    for instruction in start.instructions().collect::<Vec<_>>().into_iter().rev() {
        if instruction.is_terminator() || needed.contains(&instruction) {
            needed.extend(instruction.operands());
        }
    }
    guard.erase_unreachable_blocks();
    for instruction in start.instructions().collect::<Vec<_>>().into_iter().rev() {
        if !instruction.is_terminator() && !needed.contains(&instruction) {
            instruction.erase();
        }
    }
    guard
}

/// A guard that computes its conditions from the parameters; none if there are no conditions. All of them must hold.
pub(super) fn of_parameters<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    word: &str,
    conditions: impl FnOnce(&Builder<'c>, Function<'c>) -> Option<Vec<Value<'c>>>,
) -> Option<Function<'c>> {
    let ty = module.types().i1().function(&function.function_type().parameters());
    let guard = module.define(&format!("{}.{word}", function.name()), ty, Linkage::Internal, |_, _| {});
    let builder = Builder::at_end(guard.blocks()[0]);
    let Some(conditions) = conditions(&builder, guard) else {
        guard.erase_global();
        return None;
    };
    return_all(&builder, conditions);
    Some(guard)
}

/// Returns whether all conditions hold.
fn return_all<'c>(builder: &Builder<'c>, conditions: Vec<Value<'c>>) {
    let holds = conditions.into_iter().reduce(|a, b| builder.binary(Opcode::And, a, b, ""));
    builder.ret(holds.unwrap_or_else(|| builder.block().function().function_type().result().constant(1)));
}
