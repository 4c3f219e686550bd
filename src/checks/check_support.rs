//! Asks a target about each instruction that kernels reach, and reports the instructions that it refuses.
//!
//! The target decides which instructions it refuses, and why. This file finds the instructions, the kernels and the
//! call paths. Instructions that are refused for the same reason are one finding.

use super::call_chain::Chain;
use crate::analysis::reach::Reach;
use crate::contract::builtin::intrinsic_name;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Module, Value};

/// Why a target cannot run an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The cause.
    pub code: Code,
    /// The text after "kernel `name`": "calls the math function `sin`, which ...".
    pub what: String,
    /// The user's options.
    pub help: &'static str,
}

/// Returns a finding for each reason, in the order of reachability.
pub fn check_support<'c>(
    module: &Module<'c>,
    kernels: &KernelSet,
    refuse: &dyn Fn(Value<'c>) -> Option<Refusal>,
) -> Vec<Diagnostic> {
    let roots: Vec<_> = kernels.functions(module).collect();
    let reach = Reach::new(&roots);
    let chain = Chain::new(&reach, kernels);
    let mut refused: Vec<(Refusal, Vec<(Value<'c>, Value<'c>)>)> = Vec::new();
    for function in reach.order.iter().filter_map(|g| g.as_function()).filter(|f| !f.is_declaration()) {
        for instruction in function.instructions() {
            let Some(refusal) = refuse(instruction) else { continue };
            match refused.iter_mut().find(|(known, _)| *known == refusal) {
                Some((_, places)) => places.push((*function, instruction)),
                None => refused.push((refusal, vec![(*function, instruction)])),
            }
        }
    }
    let finding = |(refusal, places): &(Refusal, Vec<_>)| {
        chain.has(refusal.code, &refusal.what, places).help(refusal.help).diagnostic()
    };
    refused.iter().map(finding).collect()
}

/// Whether an intrinsic, without `llvm.`, is one of `families`, with any types.
pub fn is_one_of(name: &str, families: &[&str]) -> bool {
    families.iter().any(|base| name.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// Refuses a call of an intrinsic of `families`, which are named without `llvm.` and their types.
pub fn refuse_calls(instruction: Value<'_>, families: &[&str]) -> Option<Refusal> {
    let callee = instruction.is_call().then(|| instruction.called_function()).flatten()?;
    let symbol = callee.name();
    let name = intrinsic_name(&symbol).unwrap_or(&symbol);
    let what = format!("calls `{name}`, which has no device code");
    let help = "write it another way in kernels";
    is_one_of(name.strip_prefix("llvm.")?, families).then_some(Refusal { code: Code::NoDeviceCode, what, help })
}
