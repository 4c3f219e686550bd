//! The proof with all calls inlined, which needs no repair if no thread diverges before a barrier.
//!
//! A call that is not inlined may write a divergent value wherever one of its pointers leads. In a copy with all calls
//! inlined, its writes are known. The copy does the same as the kernel, so a proof for the copy is a proof for the
//! kernel, which remains unchanged.
//!
//! If the copy has duplicates, too, and they can become one, the calls are inlined in the kernel: without optimisation,
//! no call is inlined that reaches no barrier.

use std::collections::HashMap;

use super::{Search, repair};
use crate::analysis::convergence::{divergent_barrier, divergent_cross_lane_op, is_unmasked};
use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::analysis::reach::Reach;
use crate::error::Result;
use crate::llvm::{Function, Module};

/// The most instructions of a kernel into which all calls are inlined. The analysis of a larger one takes too long.
const MOST_INLINED: usize = 100_000;

/// Inlines all calls into a kernel, so that the proof sees their writes. Returns whether there was a call.
pub(super) fn inline_calls(module: &Module<'_>, kernel: Function<'_>) -> Result<bool> {
    let Some(callees) = callees(kernel) else { return Ok(false) };
    callees.into_iter().for_each(Function::inline_calls);
    module.run_neutral_passes("always-inline,function(sroa,early-cse,simplifycfg<no-simplify-cond-branch>)")?;
    Ok(true)
}

/// The functions with bodies that a kernel reaches; none if there are none, or if they are too large to be inlined.
fn callees(kernel: Function<'_>) -> Option<Vec<Function<'_>>> {
    let reached = Reach::new(&[kernel]).order.into_iter().filter_map(|global| global.as_function());
    let callees: Vec<_> = reached.filter(|function| *function != kernel && !function.is_declaration()).collect();
    (!callees.is_empty() && inlined_size(kernel, &mut HashMap::new()) <= MOST_INLINED).then_some(callees)
}

/// The result of the proof for a kernel into which all calls are inlined.
pub(super) enum Inlined {
    /// Nothing, or it has no calls.
    Unknown,
    /// All threads reach its barriers and cross-lane operations.
    Uniform,
    /// They do so after a repair.
    Proven,
}

/// Looks at a copy of a kernel into which all calls are inlined.
pub(super) fn with_calls_inlined<'c>(module: &Module<'c>, kernel: Function<'c>) -> Result<Inlined> {
    let reach = Reach::new(&[kernel]);
    if callees(kernel).is_none() {
        return Ok(Inlined::Unknown);
    }
    let copy = module.clone_definitions(&reach.order);
    let Some(kernel) = copy.function(&kernel.name()) else { return Ok(Inlined::Unknown) };
    copy.definitions().filter(|function| *function != kernel).for_each(Function::inline_calls);
    // No pass that merges or moves blocks: two barriers must not become one here that are two in the kernel.
    copy.run_neutral_passes("always-inline,function(sroa,early-cse)")?;
    let sources = divergence_sources(&copy);
    let divergence = Divergence::of(&copy, kernel, &sources);
    let is_uniform = divergent_barrier(kernel, &divergence).is_none()
        && divergent_cross_lane_op(kernel, &divergence, is_unmasked).is_none();
    Ok(match is_uniform {
        true => Inlined::Uniform,
        false if repair(&copy, kernel, &sources, Search::AsItIs) => Inlined::Proven,
        false => Inlined::Unknown,
    })
}

/// The number of instructions of a function with all its calls inlined, but for recursive ones.
fn inlined_size<'c>(function: Function<'c>, known: &mut HashMap<Function<'c>, usize>) -> usize {
    if let Some(size) = known.get(&function) {
        return *size;
    }
    known.insert(function, 0);
    let callees = function.instructions().map(|i| i.called_function());
    let size = callees
        .fold(0, |size: usize, callee| size.saturating_add(1 + callee.map_or(0, |callee| inlined_size(callee, known))));
    known.insert(function, size);
    size
}
