//! Loops that the driver's compiler is to leave as they are.
//!
//! Where barriers of several ways were made one, empty assembly stands (`passes/convergence/repair_convergence.rs`). What Intel's
//! compiler for processors makes of a loop around such a place is wrong once it has peeled or unrolled it (kernels 165 and
//! 271 of `tests/compiler/convergence.rs`; the SPIR-V itself, run thread by thread, gives the right results), and there is nothing
//! to gain. SPIR-V says so in the loop's header:
//!
//! ```text
//! header:  ...; OpLoopMerge exit latch DontUnroll; goto rest
//! ```

use std::collections::HashSet;

use crate::analysis::cycles::{Loop, loops};
use crate::error::Result;
use crate::llvm::{Block, Builder, Machine, Module, Value};

/// `LoopControlMask::DontUnroll`.
const DONT_UNROLL: u64 = 2;
/// What LLVM's back end makes `OpLoopMerge` of.
const LOOP_MERGE: &str = "llvm.spv.loop.merge";

/// Tells so of every loop with such a place in it, and erases that assembly: nothing optimises the code behind us.
pub(super) fn leave_loops_whole(module: &Module<'_>, machine: &Machine) -> Result<()> {
    let bodies = || module.functions().into_iter().filter(|f| !f.is_declaration());
    let places = || bodies().flat_map(|f| f.instructions().collect::<Vec<_>>()).filter(|i| i.keeps_whole());
    if places().next().is_none() {
        return Ok(());
    }
    module.run_passes("function(loop-simplify)", machine)?;
    for function in bodies() {
        let held = |l: &Loop<'_>| l.blocks.iter().any(|b| b.instructions().any(|i| i.keeps_whole()));
        // A block ends one loop at most.
        let mut ends = HashSet::new();
        for whole in loops(function).iter().filter(|l| held(l)) {
            leave_whole(module, function, whole, &mut ends);
        }
    }
    places().collect::<Vec<_>>().into_iter().for_each(Value::erase);
    Ok(())
}

/// Whether a loop of the module is to be left as it is.
pub(super) fn are_left_whole(module: &Module<'_>) -> bool {
    module.function(LOOP_MERGE).is_some_and(Value::is_used)
}

fn leave_whole<'c>(module: &Module<'c>, function: Value<'c>, whole: &Loop<'c>, ends: &mut HashSet<Block<'c>>) {
    let exits = function.blocks().into_iter().filter(|b| whole.blocks.contains(b)).flat_map(Block::successors);
    let Some(exit) = exits.into_iter().find(|b| !whole.blocks.contains(b) && !ends.contains(b)) else { return };
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
