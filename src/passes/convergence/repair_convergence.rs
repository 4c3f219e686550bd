//! Repairs what a host's optimiser did to barriers: one place in the code again for each one that it made copies of.
//!
//! What is right: a host's optimiser takes a barrier for a call of an unknown function. It may copy it onto the ways of
//! different threads, and it may make two loops of one around it; but each thread alone goes on passing the same
//! barriers in the same order, with the same reads and writes between them. In a correct source all threads of a block
//! pass the same barriers. So in what the optimiser wrote, the first barrier that one thread passes is the first of every
//! other, the second the second, and so on, wherever they stand.
//!
//! What is done: barriers that threads may pass at the same time become one, with a phi that remembers on which way a thread
//! came and goes on; so do the branches that decide for all threads whether there is another barrier, as at the end of
//! a loop. No thread's own reads, writes or barriers change by that, so any such merge would keep what each thread does.
//!
//! What is proven: all threads pass the same merged barriers. The kernel becomes a graph of barriers, of choices, which
//! are branches that decide over barriers, and of segments between them (`graph.rs`). Where threads part inside a
//! segment, what they come to next is put into one class, and with each class what the same outcomes lead to
//! (`lockstep.rs`). This ends in classes that are all barriers of one function, or all choices of one form, or the
//! kernel's end; else some thread would pass a barrier where another one passes none. For the choices of a class it is
//! shown that two threads that are there at the same time decide alike, by going back through the segments they came by
//! (`agreement.rs`). Then by induction all threads run through the same classes, and each meets exactly one member of a
//! class: ways from a common start that come together again in the class. What cannot be shown stays as it is, and
//! `check_convergence` refuses it.
//!
//! Debug locations are no part of the proof: most inputs have none, and two calls of one line need not be one barrier. So
//! `if c { barrier() } else { barrier() }` with a condition of the thread counts as one barrier, too.
//!
//! Exchanges between lanes, shuffles and ballots, are copied like barriers and are repaired with them, as if all threads of
//! the block had to come to them together. A kernel for which that cannot be shown may still be right: then they are left
//! out, as long as none can be a copy (`check_convergence.rs`). Those with a mask are merged too where it can be shown, each
//! lane with its own mask, and are left alone where it cannot.
//!
//! Assumed: loads from one address, by threads at the same place between the same barriers, give the same, as
//! `divergence.rs` has it; where they do not, the source has a data race.
//!
//! Before: barriers stand in the kernels (`mark_convergent`), locals are in registers. LLVM's passes keep what stands here
//! whole: they copy no block with a convergent call in it, and merged choices get one that does nothing.

mod agreement;
mod fuse;
mod graph;
mod lockstep;
mod loops;
mod terms;

use std::collections::HashSet;

use crate::analysis::convergence::{
    divergent_barrier, divergent_cross_lane_op, has_convergent_ops, is_barrier, is_cross_lane_op, is_unmasked,
};
use crate::analysis::divergence::{Divergence, divergence_sources};
use crate::contract::kernel::KernelSet;
use crate::error::Result;
use crate::llvm::{Module, Value};

/// Repairs the kernels that have a barrier, or copies of an exchange between lanes, under control flow that differs between
/// threads. Gives the names of those in which all threads are now proven to reach the same ones.
pub fn repair_convergence(module: &Module<'_>, kernels: &KernelSet) -> Result<HashSet<String>> {
    let mut proven = HashSet::new();
    if !has_convergent_ops(module) {
        return Ok(proven);
    }
    let sources = divergence_sources(module);
    let mut cut = false;
    for kernel in kernels {
        let Some(function) = module.function(&kernel.name).filter(|f| !f.is_declaration()) else { continue };
        let divergence = Divergence::of(function, &sources);
        let exchange = || divergent_cross_lane_op(function, &divergence, |_| true);
        if divergent_barrier(function, &divergence).is_none() && exchange().is_none() {
            continue;
        }
        cut = true;
        if repair(function, &sources) {
            let _new = proven.insert(kernel.name.clone());
        }
    }
    if cut {
        module.run_neutral_passes("function(sroa,early-cse,simplifycfg,adce)")?;
    }
    Ok(proven)
}

/// Repairs one kernel; says whether it is proven to be right.
fn repair<'c>(function: Value<'c>, sources: &HashSet<Value<'c>>) -> bool {
    let convergent_ops: Vec<_> = function.instructions().filter(|i| is_barrier(*i) || is_cross_lane_op(*i)).collect();
    graph::isolate(&convergent_ops);
    let divergence = Divergence::of(function, sources);
    // Only some warps may come to an exchange, and then barriers are all there is to prove.
    let barriers = || convergent_ops.iter().copied().filter(|i| is_barrier(*i)).collect::<Vec<_>>();
    let alone = || divergent_cross_lane_op(function, &divergence, is_unmasked).is_none();
    let found = lockstep::find(function, &divergence, &convergent_ops);
    let found = found.or_else(|| alone().then(|| lockstep::find(function, &divergence, &barriers()))?);
    let Some(lockstep) = found else { return false };
    fuse::fuse(function, &lockstep);
    true
}

#[cfg(test)]
#[path = "repair_convergence_tests.rs"]
mod tests;
