//! Optimises the device module as far as all targets agree, then settles what the optimiser has left: panics, and barriers
//! that it has duplicated.
//!
//! Before: `convergent` is set wherever it must be. After: it is set only where it is needed.

use std::collections::HashSet;

use super::legalize::Legalized;
use crate::checks::check_device::Candidate;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::PanicTable;
use crate::error::Result;
use crate::llvm::{Module, OptLevel};
use crate::passes::atomics::lower_atomics::lower_atomics;
use crate::passes::convergence::mark_convergent::drop_convergent;
use crate::passes::convergence::repair_convergence::repair_convergence;
use crate::passes::expand::split_products::split_products;
use crate::passes::panic::resolve_panics::resolve_panics;
use crate::passes::pass::{Passes, pass};

/// What is known of a device module that was simplified.
#[derive(Default)]
pub struct Simplified {
    /// What a device may not be able to run.
    pub candidates: Vec<Candidate>,
    /// Kernels whose barriers are known to be right.
    pub proven: HashSet<String>,
    /// Whether the source asked which arch it is compiled for.
    pub asks_arch: bool,
    /// What the numbers of reported panics stand for.
    pub panics: PanicTable,
}

/// Simplifies a legal module.
pub fn simplify(
    passes: &Passes,
    module: &Module<'_>,
    kernels: &KernelSet,
    legalized: Legalized,
    level: OptLevel,
) -> Result<Simplified> {
    let Legalized { candidates, asks_arch, mut panics, .. } = legalized;
    pass!(passes, optimize_for_all(module, level)?)?;
    pass!(passes, split_products(module))?;
    pass!(passes, lower_atomics(module))?;
    pass!(passes, resolve_panics(module, &mut panics))?;
    let proven = pass!(passes, repair_convergence(module, kernels)?)?;
    pass!(passes, drop_convergent(module))?;
    Ok(Simplified { candidates, proven, asks_arch, panics })
}

/// Runs the shared part of a level's pipeline: inlining, locals into registers, devirtualisation. There is no vectoriser, no
/// unroller and no cost model, because those belong to a target. Even at `-O0` locals become registers: the check of control
/// flow and the calls that must be inlined need it. So do stores that nothing reads go: a panic's arguments are kept by
/// nothing else.
fn optimize_for_all(module: &Module<'_>, level: OptLevel) -> Result<()> {
    // The pre-link half of a ThinLTO build is LLVM's name for "simplify only; a later half optimises for a target".
    let shared = match level {
        OptLevel::O0 => "always-inline,function(sroa,early-cse,simplifycfg,dse)",
        OptLevel::O1 => "thinlto-pre-link<O1>",
        OptLevel::O2 | OptLevel::O3 => "thinlto-pre-link<O2>",
        OptLevel::Os => "thinlto-pre-link<Os>",
        OptLevel::Oz => "thinlto-pre-link<Oz>",
    };
    module.run_neutral_passes(&format!("{shared},globaldce"))
}

/// Removes branches on constants, across functions and without inlining, so that no check reports code on the dead side
/// of `is_device`.
pub fn prune(module: &Module<'_>) -> Result<()> {
    // Twice, because the constant may be returned by a function that stores it in a local first.
    let decide = "function(sroa,early-cse),ipsccp,function(simplifycfg)";
    module.run_neutral_passes(&format!("{decide},{decide},globaldce"))
}
