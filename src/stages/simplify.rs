//! Runs the optimisations that are the same for all targets: inlining, promotion of locals to registers,
//! devirtualisation.
//!
//! The vectoriser, the unroller and cost models belong to a target. `convergent` has been set before.

use crate::error::Result;
use crate::llvm::{Module, OptLevel};
use crate::passes::expand::split_products::split_products;

/// Runs the target-independent part of a level's pipeline. Even at `-O0`, locals become registers and dead stores are
/// removed: the check of control flow and the mandatory inlining need the first, and otherwise the stores would keep
/// the arguments of panics alive.
pub fn simplify(module: &Module<'_>, level: OptLevel) -> Result<()> {
    // LLVM's `thinlto-pre-link` pipeline only simplifies; a later pipeline optimises for a target.
    let shared = match level {
        OptLevel::O0 => "always-inline,function(sroa,early-cse,simplifycfg,dse)",
        OptLevel::O1 => "thinlto-pre-link<O1>",
        OptLevel::O2 | OptLevel::O3 => "thinlto-pre-link<O2>",
        OptLevel::Os => "thinlto-pre-link<Os>",
        OptLevel::Oz => "thinlto-pre-link<Oz>",
    };
    module.run_neutral_passes(&format!("{shared},globaldce"))?;
    split_products(module);
    Ok(())
}

/// Removes branches on constants, across functions and without inlining, so that no check reports code on the dead side
/// of `is_device`.
pub fn prune(module: &Module<'_>) -> Result<()> {
    // Twice, because the constant may be returned by a function that stores it in a local first.
    let decide = "function(sroa,early-cse),ipsccp,function(simplifycfg)";
    module.run_neutral_passes(&format!("{decide},{decide},globaldce"))
}
