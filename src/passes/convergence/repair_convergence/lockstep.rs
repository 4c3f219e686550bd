//! Computes which nodes the threads of a block may be at, at the same time.
//!
//! Nodes that threads of one block may reach together form one class. The classes are found with Hopcroft and Karp's
//! algorithm ("A Linear Algorithm for Testing Equivalence of Finite Automata", 1971): if a segment ends at several
//! nodes, these are merged; if nodes are merged, their successors for the same outcome are merged, too. All members of
//! a class must be of one kind, and its choices must agree.

use std::collections::HashSet;

use super::agreement::Agreement;
use super::classes::{Classes, Mismatch};
use super::elided::Filling;
use super::facts::Facts;
use super::graph::{Graph, NodeId};
use super::parting::first_parting;
use crate::llvm::{Function, Value};

/// A graph with classes for which there is a proof.
pub(super) struct Lockstep<'c> {
    pub(super) graph: Graph<'c>,
    pub(super) classes: Classes,
}

/// The answer about a graph.
pub(super) enum Found<'c> {
    Proof(Lockstep<'c>),
    NoProof,
    /// A choice was put back, so the graph has changed.
    Filled,
}

/// The classes of a kernel whose barriers are isolated, if there is a proof.
///
/// At first, every branch that a barrier is control-dependent on is a choice, and every other branch that seems to be
/// uniform. Choices that turn out not to agree become parts of segments, until all others agree. With `filling`,
/// choices that some paths leave out are put back first; then the graph is to be made again.
#[expect(clippy::disallowed_methods, reason = "the union is a set again")]
pub(super) fn find<'c>(
    function: Function<'c>,
    facts: &Facts<'c>,
    barriers: &[Value<'c>],
    mut filling: Option<&mut Filling<'_, 'c>>,
) -> Found<'c> {
    let (mut needed, useful) = candidates(function, facts, barriers);
    needed.extend(filling.iter().flat_map(|filling| &filling.elided));
    let mut choices: HashSet<_> = needed.iter().chain(&useful).copied().collect();
    loop {
        let graph = Graph::new(function, facts.divergence.flow(), barriers, &choices);
        let mut branches = match Classes::of(&graph) {
            Ok(classes) => {
                let refuted = refuted(&graph, &classes, facts);
                if refuted.is_empty() {
                    let classes = merge_copies(&graph, classes, facts);
                    return Found::Proof(Lockstep { graph, classes });
                }
                refuted
            }
            // A choice may be past the merge point for some threads, so that nothing depends on it for them. Then it
            // need not be a choice.
            Err(Mismatch(a, b)) => [a, b].into_iter().filter_map(|node| graph.branch(node)).collect(),
        };
        if let Some((parting, filling)) =
            filling.as_mut().and_then(|f| Some((first_parting(&graph, facts, (&mut f.effort, f.versions))?, f)))
        {
            branches = parting.branches;
            if !branches.iter().any(|branch| useful.contains(branch)) && filling.fill(&parting.gaps, &choices) {
                return Found::Filled;
            }
        }
        let removed = preferred(branches, &useful);
        if removed.is_empty() {
            return Found::NoProof;
        }
        for branch in removed {
            choices.remove(&branch);
        }
    }
}

/// Merges barriers with the same successors if one of them is in a class with several. Such a barrier is probably a
/// duplicate on a path that no thread takes while others take the other paths. If it is another barrier of the source,
/// the merge is still correct.
fn merge_copies<'c>(graph: &Graph<'c>, mut classes: Classes, facts: &Facts<'c>) -> Classes {
    let is_barrier = |node: &NodeId| graph.is_barrier(*node);
    for copied in classes.shared().into_iter().map(|members| members[0]).filter(is_barrier) {
        for other in graph.ids().filter(is_barrier) {
            let (one, two) = (classes.class(copied), classes.class(other));
            if one == two || classes.next(graph, one) != classes.next(graph, two) {
                continue;
            }
            let joined = classes.with(graph, one.0, two.0);
            let holds = |joined: &Classes| refuted(graph, joined, facts).is_empty();
            if let Some(joined) = joined.ok().filter(holds) {
                classes = joined;
            }
        }
    }
    classes
}

/// The branches that a barrier is control-dependent on, and others that seem to be uniform.
fn candidates<'c>(
    function: Function<'c>,
    Facts { divergence, .. }: &Facts<'c>,
    barriers: &[Value<'c>],
) -> (HashSet<Value<'c>>, HashSet<Value<'c>>) {
    let (mut needed, mut useful) = (HashSet::new(), HashSet::new());
    let flow = divergence.flow();
    for block in function.blocks() {
        let Some(branch) = block.terminator().filter(|t| flow.successors(block).len() > 1 && t.condition().is_some())
        else {
            continue;
        };
        let region = flow.region(block);
        if barriers.iter().any(|barrier| region.contains(&barrier.block())) {
            needed.insert(branch);
        } else if !divergence.is_divergent(branch) && !divergence.is_control_dependent(block) {
            useful.insert(branch);
        }
    }
    (needed, useful)
}

/// The choices that do not agree with themselves or with another one of their class.
fn refuted<'c>(graph: &Graph<'c>, classes: &Classes, facts: &Facts<'c>) -> Vec<Value<'c>> {
    let mut agreement = Agreement::new(graph, classes, facts);
    let mut refuted = Vec::new();
    for node in graph.ids().filter(|n| graph.branch(*n).is_some()) {
        let mates: Vec<_> = graph.ids().filter(|o| *o >= node && agreement.are_together((node, *o))).collect();
        if let Some(mate) = mates.into_iter().find(|mate| !agreement.holds((node, *mate))) {
            refuted.extend([node, mate].into_iter().filter_map(|n| graph.branch(n)));
        }
    }
    refuted
}

/// The branches that are in `useful`, which need not be choices; all branches if none is.
fn preferred<'c>(branches: Vec<Value<'c>>, useful: &HashSet<Value<'c>>) -> Vec<Value<'c>> {
    let optional: Vec<_> = branches.iter().copied().filter(|branch| useful.contains(branch)).collect();
    if optional.is_empty() { branches } else { optional }
}
