//! Repairs barriers that a host's optimiser duplicated: the copies of one barrier become one barrier again.
//!
//! Problem: for a host's optimiser, a barrier is a call of an unknown function. The optimiser may duplicate it onto the
//! paths of different threads (tail duplication, jump threading), and may split one loop around it into two. Each
//! thread alone still executes the same barriers in the same order, with the same reads and writes between them. In a
//! correct source, all threads of a block execute the same barriers. So in the output of the optimiser, the n-th
//! barrier of one thread corresponds to the n-th barrier of every other thread, wherever these barriers are in the
//! code.
//!
//! Transformation: barriers that threads may execute at the same time become one, with a phi that records the path of
//! the thread. The branches that decide for all threads whether there is another barrier, such as the exit of a loop,
//! are merged in the same way. A merge does not change the reads, writes and barriers of a single thread, so every
//! merge preserves the behaviour of each thread.
//!
//! Proof obligation: all threads execute the same merged barriers. The kernel becomes a deterministic automaton. Its
//! states (nodes) are the barriers and the choices, which are branches that decide over barriers; its transitions are
//! the segments between them (`graph.rs`). The nodes that threads may reach at the same time form one class. The
//! classes are computed as the equivalence of states of two automata, by Hopcroft and Karp's algorithm (`classes.rs`).
//! The computation ends with classes that are all barriers of one function, all choices of one form, or the end of the
//! kernel; otherwise some thread executes a barrier while another executes none, and there is no proof. For the choices
//! of a class, `agreement.rs` shows by induction over time that two threads that are there at the same time decide
//! alike, by tracing the condition back through pairs of segments (a product construction). By induction, all threads
//! then pass through the same classes, and each thread executes exactly one member of each class. In terms of control
//! flow, the paths from a common start reconverge in the class.
//!
//! Without a proof, more is tried, in this order: calls are inlined (`inlined.rs`), branches that a path leaves out are
//! put back (`elided.rs`), and the kernel gets versions (`versions.rs`). None of these changes the behaviour of a
//! thread. If there is still no proof, `check_convergence` refuses the kernel.
//!
//! Debug locations are not part of the proof: most inputs have none, and two calls on one line need not be one barrier.
//! So `if c { barrier() } else { barrier() }` with a divergent condition also counts as one barrier.
//!
//! Cross-lane operations (shuffles and ballots) are duplicated like barriers and are repaired with them, as if all
//! threads of the block had to execute them together. A kernel without such a proof may still be correct. The
//! cross-lane operations are then left out of the proof if none of them can be a copy (`check_convergence.rs`).
//! Operations with a mask are merged if there is a proof, each lane with its own mask, and otherwise remain unchanged.
//!
//! Assumption: loads from one address, by threads at the same node between the same barriers, return the same value, as
//! in `divergence.rs`. If they do not, the source has a data race.
//!
//! Precondition: barriers are in the kernels (`mark_convergent`), and locals are in registers. LLVM's passes preserve
//! the result: they duplicate no block with a convergent call, and merged choices contain a convergent call that does
//! nothing.

mod agreement;
mod cases;
mod classes;
mod elided;
mod facts;
mod fuse;
mod graph;
mod inlined;
mod known;
mod linear;
mod lockstep;
mod loops;
mod parting;
mod path;
mod reals;
mod terms;
mod versions;

use std::collections::HashSet;

use inlined::Inlined;
use lockstep::{Found, Lockstep};

use crate::analysis::convergence::{divergent_barrier, divergent_cross_lane_op, has_convergent_ops, is_unmasked};
use crate::analysis::convergent_calls::{is_barrier, is_cross_lane_op};
use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::contract::kernel::KernelSet;
use crate::error::Result;
use crate::llvm::{Function, Module, Value};

/// Repairs the kernels with a barrier, or possible duplicates of a cross-lane operation, in divergent control flow.
/// Returns the names of the kernels for which all threads are proven to reach the same operations.
pub fn repair_convergence(module: &Module<'_>, kernels: &KernelSet) -> Result<HashSet<String>> {
    let mut proven = HashSet::new();
    if !has_convergent_ops(module) {
        return Ok(proven);
    }
    let sources = divergence_sources(module);
    let mut cut = false;
    for kernel in kernels {
        let Some(function) = module.function(&kernel.name).filter(|f| !f.is_declaration()) else { continue };
        let divergence = Divergence::of(module, function, &sources);
        let operation = || divergent_cross_lane_op(function, &divergence, |_| true);
        if divergent_barrier(function, &divergence).is_none() && operation().is_none() {
            continue;
        }
        cut = true;
        if is_proven_or_repaired(module, function, &sources, &divergence)? {
            proven.insert(kernel.name.clone());
        }
    }
    if cut {
        module.run_neutral_passes("function(sroa,early-cse,simplifycfg,adce)")?;
    }
    Ok(proven)
}

/// Whether there is a proof for a kernel, after a repair if it needs one. The slowest searches come last, for a kernel
/// that would be refused otherwise: for choices to put back, and for versions.
fn is_proven_or_repaired<'c>(
    module: &Module<'c>,
    kernel: Function<'c>,
    sources: &HashSet<Value<'c>>,
    divergence: &Divergence<'c>,
) -> Result<bool> {
    let is_refused = divergent_barrier(kernel, divergence).is_some()
        || divergent_cross_lane_op(kernel, divergence, is_unmasked).is_some();
    if repair(module, kernel, sources, Search::AsItIs) {
        return Ok(true);
    }
    let fill = || repair(module, kernel, &divergence_sources(module), Search::Filling(1));
    let found = match inlined::with_calls_inlined(module, kernel)? {
        Inlined::Uniform => true,
        Inlined::Proven => inlined::inline_calls(module, kernel)? && fill(),
        Inlined::Unknown => fill() || (inlined::inline_calls(module, kernel)? && fill()),
    };
    Ok(found || (is_refused && versions::divide(module, kernel, is_proven)?))
}

/// The changes that a proof may make to a kernel.
#[derive(Clone, Copy, PartialEq)]
enum Search {
    AsItIs,
    /// Choices are put back (`elided.rs`) in a kernel that has so many versions.
    Filling(usize),
}

/// The most places where choices are put back, or given other cases, in one version of a kernel.
const MOST_CHANGES: usize = 32;

/// Whether all threads reach the same operations in a kernel with so many versions, as it is or after a repair.
fn is_proven<'c>(module: &Module<'c>, function: Function<'c>, versions: usize) -> bool {
    let sources = divergence_sources(module);
    let divergence = Divergence::of(module, function, &sources);
    let is_uniform = divergent_barrier(function, &divergence).is_none()
        && divergent_cross_lane_op(function, &divergence, |_| true).is_none();
    is_uniform || repair(module, function, &sources, Search::Filling(versions))
}

/// Repairs one kernel. Returns whether there is a proof.
fn repair<'c>(module: &Module<'c>, function: Function<'c>, sources: &HashSet<Value<'c>>, search: Search) -> bool {
    let convergent_ops: Vec<_> = function.instructions().filter(|i| is_barrier(*i) || is_cross_lane_op(*i)).collect();
    graph::isolate(&convergent_ops);
    let facts = facts::Facts::of(module, function, sources);
    // If only some warps reach a cross-lane operation, only barriers are part of the proof.
    let barriers = || convergent_ops.iter().copied().filter(|i| is_barrier(*i)).collect::<Vec<_>>();
    let alone = || divergent_cross_lane_op(function, &facts.divergence, is_unmasked).is_none();
    let found = prove(module, function, sources, &convergent_ops, search);
    let found = found.or_else(|| alone().then(|| prove(module, function, sources, &barriers(), search))?);
    let Some(lockstep) = found else { return false };
    fuse::fuse(function, &lockstep);
    true
}

/// The proof about a kernel.
fn prove<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    sources: &HashSet<Value<'c>>,
    operations: &[Value<'c>],
    search: Search,
) -> Option<Lockstep<'c>> {
    let facts = || facts::Facts::of(module, function, sources);
    if let Found::Proof(lockstep) = lockstep::find(function, &facts(), operations, None) {
        return Some(lockstep);
    }
    let Search::Filling(versions) = search else { return None };
    let (elided, tried, empty) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut filling =
        elided::Filling { module, function, sources, operations, elided, tried, empty, versions, effort: 0 };
    for _ in 0..MOST_CHANGES * versions {
        match lockstep::find(function, &facts(), operations, Some(&mut filling)) {
            Found::Proof(lockstep) => return Some(lockstep),
            Found::NoProof => return None,
            Found::Filled => {}
        }
    }
    None
}

#[cfg(test)]
#[path = "repair_convergence_tests.rs"]
mod tests;
