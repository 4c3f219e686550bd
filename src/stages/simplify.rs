//! Optimises the device module as far as all targets agree: inlining, locals into registers, devirtualisation.
//!
//! No vectoriser, no unroller and no cost model: those belong to a target. `convergent` is set already.

use crate::error::Result;
use crate::llvm::{Module, OptLevel};
use crate::passes::expand::split_products::split_products;

/// Runs the shared part of a level's pipeline. Even at `-O0` locals become registers: the check of control flow and the
/// calls that must be inlined need it. So do stores that nothing reads go: a panic's arguments are kept by nothing else.
pub fn simplify(module: &Module<'_>, level: OptLevel) -> Result<()> {
    // The pre-link half of a ThinLTO build is LLVM's name for "simplify only; a later half optimises for a target".
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

/// Removes the branches that constants decide, across functions, without inlining: the dead side of `is_device` goes
/// before anything is reported.
pub fn prune(module: &Module<'_>) -> Result<()> {
    // Twice, because the answer may come out of a function that first keeps it in a local.
    let decide = "function(sroa,early-cse),ipsccp,function(simplifycfg)";
    module.run_neutral_passes(&format!("{decide},{decide},globaldce"))
}
