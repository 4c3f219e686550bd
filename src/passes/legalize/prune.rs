//! Removes branches whose conditions are constants.

use crate::error::Result;
use crate::llvm::{Linkage, Module};

/// Removes branches on constants, across functions and without inlining, so that no check reports code on the dead side
/// of `is_device`. A function that reads a parameter from memory, such as the comparison of two values that Rust
/// derives, gets its value instead.
pub fn prune(module: &Module<'_>) -> Result<()> {
    // Twice, because the constant may be returned by a function that stores it in a local first.
    let decide = "function(sroa,early-cse),ipsccp,function(simplifycfg)";
    module.run_neutral_passes(&format!("{decide},cgscc(argpromotion),{decide},globaldce"))
}

/// Removes functions that are not reached, except `kept`, which only the target's later passes call.
pub fn prune_around(module: &Module<'_>, kept: &[&str]) -> Result<()> {
    let kept: Vec<_> = kept.iter().filter_map(|name| module.function(name)).collect();
    kept.iter().for_each(|function| function.set_linkage(Linkage::External));
    prune(module)?;
    kept.iter().for_each(|function| function.set_linkage(Linkage::Internal));
    Ok(())
}
