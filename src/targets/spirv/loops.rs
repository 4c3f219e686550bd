//! Loops that the driver's compiler must not transform.
//!
//! Where barriers of several paths were merged, there is empty assembly (`passes/convergence/repair_convergence.rs`).
//! If Intel's compiler for CPUs peels or unrolls a loop around such a place, the result is wrong (kernels 165 and 271
//! of `tests/compiler/convergence.rs`; the SPIR-V itself, executed thread by thread, has the right results), and
//! nothing is gained. SPIR-V can forbid unrolling in the loop's header:
//!
//! ```text
//! header:  ...; OpLoopMerge exit latch DontUnroll; goto rest
//! ```

use std::collections::HashSet;

use crate::analysis::cycles::{Loop, loops};
use crate::error::Result;
use crate::llvm::{Block, Builder, Function, Machine, Module, Value};

/// `LoopControlMask::DontUnroll`.
const DONT_UNROLL: u64 = 2;
/// The intrinsic that LLVM's back end turns into `OpLoopMerge`.
const LOOP_MERGE: &str = "llvm.spv.loop.merge";

/// Adds this hint to every loop that contains such a place, and erases the assembly, because no later pass optimises
/// the code.
#[expect(clippy::disallowed_methods, reason = "one question is asked about all members")]
pub(super) fn leave_loops_whole(module: &Module<'_>, machine: &Machine) -> Result<()> {
    let bodies = || module.definitions();
    let places = || bodies().flat_map(|f| f.instructions().collect::<Vec<_>>()).filter(|i| i.keeps_whole());
    if places().next().is_none() {
        return Ok(());
    }
    module.run_passes("function(loop-simplify)", machine)?;
    for function in bodies() {
        let held = |l: &Loop<'_>| l.blocks.iter().any(|b| b.instructions().any(|i| i.keeps_whole()));
        // A block is the latch of one loop at most.
        let mut ends = HashSet::new();
        for whole in loops(function).iter().filter(|l| held(l)) {
            leave_whole(module, whole, &mut ends);
        }
    }
    places().collect::<Vec<_>>().into_iter().for_each(Value::erase);
    Ok(())
}

/// Drops LLVM's own hints. LLVM 23's back end writes them, also those that a later version of SPIR-V has.
pub(super) fn drop_loop_hints(module: &Module<'_>) {
    let blocks = module.definitions().flat_map(Function::blocks);
    blocks.filter_map(Block::terminator).for_each(Value::drop_loop_hints);
}

/// Whether a loop of the module has this hint.
pub(super) fn are_left_whole(module: &Module<'_>) -> bool {
    module.function(LOOP_MERGE).is_some_and(|f| f.is_used())
}

fn leave_whole<'c>(module: &Module<'c>, whole: &Loop<'c>, ends: &mut HashSet<Block<'c>>) {
    let mut exits = whole.in_order.iter().flat_map(|block| block.successors());
    let Some(exit) = exits.find(|b| !whole.blocks.contains(b) && !ends.contains(b)) else { return };
    let terminator = whole.header.terminator().expect("a header has an end");
    let rest = terminator.split_block("rest");
    let latch = if whole.latch == whole.header { rest } else { whole.latch };
    if !ends.insert(latch) || !ends.insert(exit) {
        return;
    }
    let builder = Builder::before(whole.header.terminator().expect("it was just split"));
    let control = module.types().i32().constant(DONT_UNROLL);
    let merge = module.intrinsic(LOOP_MERGE, &[]);
    builder.call(merge, &[exit.address(), latch.address(), control], "");
}
