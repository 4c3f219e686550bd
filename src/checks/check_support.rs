//! Asks a target about each instruction that the kernels reach, and reports what it refuses.
//!
//! What is refused, and why, is the target's; here are the walk, the kernels, the ways to it, and the place in the
//! source. Instructions that are refused for the same reason are one finding, wherever they stand.

use super::call_chain::Chain;
use crate::analysis::reach::Reach;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Module, Value};

/// Why a target cannot run something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The cause.
    pub code: Code,
    /// What follows "kernel `name`": "calls the math function `sin`, which ...".
    pub what: String,
    /// What the user can do.
    pub help: &'static str,
}

/// A finding for each reason to refuse, in the order of reach.
pub fn check_support<'c>(
    module: &Module<'c>,
    kernels: &KernelSet,
    refuse: &dyn Fn(Value<'c>) -> Option<Refusal>,
) -> Vec<Diagnostic> {
    let roots: Vec<_> = kernels.iter().filter_map(|k| module.function(&k.name)).collect();
    let reach = Reach::new(&roots);
    let chain = Chain::new(&reach, kernels);
    let mut refused: Vec<(Refusal, Vec<(Value<'c>, Value<'c>)>)> = Vec::new();
    for function in reach.order.iter().copied().filter(|g| g.is_function() && !g.is_declaration()) {
        for instruction in function.instructions() {
            let Some(refusal) = refuse(instruction) else { continue };
            match refused.iter_mut().find(|(known, _)| *known == refusal) {
                Some((_, places)) => places.push((function, instruction)),
                None => refused.push((refusal, vec![(function, instruction)])),
            }
        }
    }
    let finding = |(refusal, places): &(Refusal, Vec<_>)| {
        chain.has(refusal.code, &refusal.what, places).help(refusal.help).diagnostic()
    };
    refused.iter().map(finding).collect()
}
