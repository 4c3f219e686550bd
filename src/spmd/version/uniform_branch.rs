//! Branches of a region that are decided before its loop over the threads.
//!
//! A loop with barriers ends at a condition on its counter, which is the same in all threads. The region with this
//! condition contains the next iteration and the code after the loop, and every thread would evaluate the
//! condition. So each of the two is a separate function, and the condition is computed once.

use super::guard;
use crate::analysis::effects::has_effect;
use crate::llvm::{Block, Function, Module, Opcode};
use crate::spmd::facts::uniform::is_decided;
use crate::spmd::region::signature::RegionSignature;
use crate::spmd::region::versions::{Code, Version};

/// Splits the code of a region; none if the branch depends on the thread or on memory.
pub(crate) fn split<'c>(module: &Module<'c>, code: &Code<'c>, signature: RegionSignature<'c>) -> Option<Version<'c>> {
    if code.exits.len() == 1 {
        return None;
    }
    let (function, own) = (code.function, signature.own());
    let block = function.blocks()[0];
    let end = block.terminator().filter(|end| end.is(Opcode::Br))?;
    let condition = end.condition().filter(|condition| condition.is_instruction())?;
    let is_panic = |next: Block<'c>| next.terminator().is_some_and(|end| end.is(Opcode::Unreachable));
    if !is_decided(condition, &own)
        || block.instructions().any(has_effect)
        || end.successors().into_iter().any(is_panic)
    {
        return None;
    }
    let copies = guard::two_copies(function, ["then", "else"]);
    let functions = copies.map(|(copy, _)| copy);
    for (copy, value) in functions.into_iter().zip([1, 0]) {
        let end = copy.blocks()[0].terminator().expect("it is a copy");
        end.set_operand(0, module.types().i1().constant(value));
    }
    Some(guard::versions(module, code, functions, |_, _, copies| vec![copies.of(condition)]))
}

/// The results that a function may return; none if they are not known.
pub(crate) fn results(function: Function<'_>) -> Option<Vec<u32>> {
    let ends = function.blocks().into_iter().filter_map(|b| b.terminator()).filter(|end| end.is(Opcode::Ret));
    let mut all = Vec::new();
    for end in ends {
        let result = end.operand(0);
        let values = if result.is(Opcode::Phi) {
            result.incoming().into_iter().map(|(value, _)| value).collect()
        } else {
            vec![result]
        };
        for value in values {
            all.push(u32::try_from(value.as_u64()?).ok()?);
        }
    }
    all.sort_unstable();
    all.dedup();
    Some(all).filter(|all| !all.is_empty())
}
