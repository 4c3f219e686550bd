//! Asks a target about each instruction that the kernels reach, and reports what it refuses.
//!
//! What is refused, and why, is the target's; here are the walk, the kernel, the way to it, and the place in the
//! source. One function's instructions that are refused for the same reason are reported once.

use super::call_chain::Chain;
use super::location::user_location;
use super::reach::Reach;
use crate::diagnostics::{Code, Diagnostic};
use crate::kernel::KernelSet;
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

/// A finding for each refused instruction, in the order of reach.
pub fn check_support<'c>(
    module: &Module<'c>,
    kernels: &KernelSet,
    refuse: &dyn Fn(Value<'c>) -> Option<Refusal>,
) -> Vec<Diagnostic> {
    let roots: Vec<_> = kernels.iter().filter_map(|k| module.function(&k.name)).collect();
    let reach = Reach::new(&roots);
    let chain = Chain::new(&reach, kernels);
    let mut found = Vec::new();
    for function in reach.order.iter().copied().filter(|g| g.is_function() && !g.is_declaration()) {
        let mut seen: Vec<Refusal> = Vec::new();
        for instruction in function.instructions() {
            let Some(refusal) = refuse(instruction).filter(|r| !seen.contains(r)) else { continue };
            let message = format!("kernel {} {}", chain.kernel(function), refusal.what);
            let diagnostic = Diagnostic::coded(refusal.code, message).at(user_location(instruction)).help(refusal.help);
            found.push(chain.with_way(diagnostic, function));
            seen.push(refusal);
        }
    }
    found
}
