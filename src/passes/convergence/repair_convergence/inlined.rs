//! The proof without a repair: with all calls inlined, no thread diverges before a barrier.
//!
//! A call that is not inlined may write a divergent value wherever one of its pointers leads. In a copy with all calls
//! inlined, it is known what it writes. The copy executes what the kernel does, so what holds for it holds for the
//! kernel, which remains unchanged.

use std::collections::HashMap;

use crate::analysis::convergence::{divergent_barrier, divergent_cross_lane_op, is_unmasked};
use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::analysis::reach::Reach;
use crate::error::Result;
use crate::llvm::{Function, Module};

/// The most instructions of a kernel into which all calls are inlined. The analysis of a larger one takes too long.
const MOST_INLINED: usize = 100_000;

/// Whether all threads reach the barriers and the cross-lane operations of a kernel into which all calls are inlined.
pub(super) fn is_uniform_inlined<'c>(module: &Module<'c>, kernel: Function<'c>) -> Result<bool> {
    let reach = Reach::new(&[kernel]);
    let callees: Vec<_> = reach.order.iter().filter_map(|global| global.as_function()).collect();
    let nothing_to_inline = callees.iter().all(|function| *function == kernel || function.is_declaration());
    if nothing_to_inline || inlined_size(kernel, &mut HashMap::new()) > MOST_INLINED {
        return Ok(false);
    }
    let copy = module.clone_definitions(&reach.order);
    let Some(kernel) = copy.function(&kernel.name()) else { return Ok(false) };
    copy.definitions().filter(|function| *function != kernel).for_each(Function::inline_calls);
    // No pass that merges or moves blocks: two barriers must not become one here that are two in the kernel.
    copy.run_neutral_passes("always-inline,function(sroa,early-cse)")?;
    let divergence = Divergence::of(&copy, kernel, &divergence_sources(&copy));
    Ok(divergent_barrier(kernel, &divergence).is_none()
        && divergent_cross_lane_op(kernel, &divergence, is_unmasked).is_none())
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
