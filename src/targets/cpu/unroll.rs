//! Unrolls short loops in loops, so that their checks become those of the outer loop.
//!
//! A filter has `for dy in 0..5 { for dx in 0..5 { … points[y + dy][x + dx] … } }`. LLVM unrolls the inner loop when it
//! optimises, but then the threads of a row have been put together, with its checks in each iteration. If it is
//! unrolled before, `hoist_checks` decides them in front of the outer loop, and `rows.rs` decides that for a whole row.
//! Other loops are left to LLVM: an iteration of a loop is often the same in all threads, and threads stop in some.

use std::collections::HashSet;

use crate::analysis::cycles::loops;
use crate::error::Result;
use crate::llvm::{Attribute, Block, Builder, Function, Machine, Module, Opcode, Place, Value};

/// The number of iterations is known, and small. A loop that may end earlier would become branches on which the threads
/// of a row do not agree.
const PASSES: &str = "function(loop-unroll<O2;no-partial;no-peeling;no-runtime;no-upperbound;full-unroll-max=8>,\
                      simplifycfg)";

/// Unrolls these loops in all functions.
pub(super) fn unroll_inner_loops(module: &Module<'_>, machine: &Machine) -> Result<()> {
    let functions: Vec<_> = module.definitions().collect();
    let chosen = |function: &Function<'_>| headers(*function).iter().any(|(_, unrolls)| *unrolls);
    if !functions.iter().any(chosen) {
        return Ok(());
    }
    // So that each loop has one latch, and is found.
    module.run_passes("function(loop-simplify)", machine)?;
    // LLVM unrolls no loop with a call that may not be duplicated.
    let keep = module.declare("offload.cpu.keep", module.types().void().function(&[]));
    for (header, _) in functions.into_iter().flat_map(headers).filter(|(_, unrolls)| !unrolls) {
        let first = header.instructions().find(|i| !i.is(Opcode::Phi)).expect("a block has a terminator");
        let call = Builder::before(first).call(keep, &[], "");
        call.add_attribute(Place::Function, &Attribute::Enum("noduplicate", 0));
    }
    let result = module.run_passes(PASSES, machine);
    keep.users().into_iter().for_each(Value::erase);
    keep.erase_global();
    result
}

/// The start of each loop, and whether it is unrolled: a loop in a loop, with a check, no loop and no call.
fn headers(function: Function<'_>) -> Vec<(Block<'_>, bool)> {
    let all = loops(function);
    let calls = |i: Value<'_>| i.is_call() && i.called_intrinsic().is_none();
    all.iter()
        .map(|l| {
            let inside = |other: &HashSet<Block<'_>>, header: Block<'_>| other.contains(&header);
            let is_inner = all.iter().any(|outer| outer.header != l.header && inside(&outer.blocks, l.header));
            let is_innermost = !all.iter().any(|other| other.header != l.header && inside(&l.blocks, other.header));
            let blocks = function.blocks().into_iter().filter(|block| l.blocks.contains(block));
            let (mut has_check, mut has_call) = (false, false);
            for block in blocks {
                has_check |= block.successors().into_iter().any(panics);
                has_call |= block.instructions().any(calls);
            }
            (l.header, is_inner && is_innermost && has_check && !has_call)
        })
        .collect()
}

/// Whether a thread in this block only panics. Several checks may share the block where it does, so that others lead to
/// it.
fn panics(mut block: Block<'_>) -> bool {
    // A longer chain is not followed: it may be a loop.
    for _ in 0..8 {
        let Some(end) = block.terminator() else { return false };
        block = match end.successors()[..] {
            [] => return end.is(Opcode::Unreachable),
            [next] => next,
            _ => return false,
        };
    }
    false
}
