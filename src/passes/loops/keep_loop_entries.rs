//! Keeps the block before a loop apart from the end of its iterations while LLVM optimises code for GPUs.
//!
//! ```text
//! a[i] = 0;                              x = 0;
//! while more {                           'outer: loop {
//!     sync();                                a[i] = x;
//!     if odd {                  =>           while more {
//!         a[i] = x;                              sync();
//!     }                                          if odd { continue 'outer }
//! }                                          }
//!                                            break }
//! ```
//!
//! LLVM merges the equal stores before the loop and at its end into a block from which the loop is entered. Then there
//! are two loops, which threads leave at different times although the source has one: they wait at barriers of
//! different iterations. So a mark that is no other instruction's equal ends the block before the loop, until the
//! optimiser has run.

use std::collections::HashSet;

use crate::analysis::convergent_calls::is_convergent;
use crate::analysis::loop_nest::{Nested, loop_nest};
use crate::llvm::{Block, Builder, Function, Module, Opcode, Place, Value};

/// An intrinsic without an effect that stays where it is.
const MARK: &str = "llvm.sideeffect";

/// Marks the blocks before all loops of `module` with operations that threads execute together.
pub fn keep_loop_entries(module: &Module<'_>) {
    for function in module.definitions() {
        let is_together = |block: &Block<'_>| block.instructions().any(runs_together);
        let together = function.blocks().into_iter().filter(is_together).collect();
        let entered: HashSet<_> = loop_nest(function, &together)
            .into_iter()
            .filter(|nested| !nested.blocks.is_disjoint(&together))
            .flat_map(|nested| outside(function, &nested))
            .collect();
        for block in function.blocks().into_iter().filter(|block| entered.contains(block)) {
            if let Some(end) = block.terminator().filter(|end| end.is(Opcode::Br) && block.successors().len() == 1) {
                Builder::before(end).call(module.intrinsic(MARK, &[]), &[], "");
            }
        }
    }
}

/// Whether threads execute an instruction together. The target has lowered some of the contract's functions.
fn runs_together(instruction: Value<'_>) -> bool {
    is_convergent(instruction)
        || instruction.is(Opcode::Call) && instruction.has_attribute(Place::Function, "convergent")
}

/// The blocks outside of a loop from which it is entered.
fn outside<'c>(function: Function<'c>, nested: &Nested<'c>) -> Vec<Block<'c>> {
    let enters = |block: &Block<'c>| !nested.blocks.contains(block) && block.successors().contains(&nested.header);
    function.blocks().into_iter().filter(enters).collect()
}

/// Removes the marks.
pub fn drop_loop_entries(module: &Module<'_>) {
    if let Some(mark) = module.function(MARK) {
        mark.direct_calls().into_iter().for_each(|call| call.erase());
        mark.erase_global();
    }
}
