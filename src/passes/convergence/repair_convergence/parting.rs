//! Finds the first place where the choices of two threads do not match.
//!
//! After such a place, choices are compared that do not belong together; in a loop, also before it. So the walks of two
//! threads through the graph end at pairs that do not match, and the walks are repeated until the pairs do not change.

use std::collections::HashSet;

use super::agreement::Agreement;
use super::classes::Classes;
use super::elided::Gap;
use super::facts::Facts;
use super::graph::{Arrival, Graph, NodeId, Pair};
use crate::llvm::Value;

/// How often the walks are repeated.
const ROUNDS: usize = 4;
/// The most goals of proofs in all searches in one version of a kernel.
const MOST_EFFORT: usize = 8_000;
/// The most pairs of nodes of a graph that is looked at, for one version.
const MOST_PAIRS: usize = 1000;

/// A pair of nodes that does not match.
pub(super) struct Parting<'c> {
    /// The branches that need not be choices if no gap can be filled.
    pub(super) branches: Vec<Value<'c>>,
    /// The branches that may be missing there; empty if a choice does not agree with itself.
    pub(super) gaps: Vec<Gap<'c>>,
}

/// The first pair that does not match; none if all do. `effort` counts the goals of proofs about
/// a kernel with so many versions.
pub(super) fn first_parting<'c>(
    graph: &Graph<'c>,
    facts: &Facts<'c>,
    (effort, versions): (&mut usize, usize),
) -> Option<Parting<'c>> {
    let classes = Classes::apart(graph);
    let mut parted: HashSet<Pair> = HashSet::new();
    for _ in 0..ROUNDS {
        let pairs = graph.pairs(|pair| !graph.are_alike(pair) || parted.contains(&pair));
        if pairs.len() > MOST_PAIRS * versions || *effort > MOST_EFFORT * versions {
            return None;
        }
        let mut agreement = Agreement::among(graph, &classes, facts, pairs.iter().map(|(pair, _)| *pair).collect());
        let matches = |pair: Pair, agreement: &mut Agreement<'_, '_>| graph.are_alike(pair) && agreement.holds(pair);
        let failed: Vec<_> = pairs.into_iter().filter(|(pair, _)| !matches(*pair, &mut agreement)).collect();
        *effort += agreement.effort;
        let now = failed.iter().map(|(pair, _)| *pair).collect();
        if now == parted || failed.is_empty() {
            // A choice that was put back is no model for a path that leaves the same choice out.
            let is_real = |node| graph.choice(node).is_some_and(|choice| choice.fixed_outcome().is_none());
            let first = failed.iter().find(|((one, other), _)| is_real(*one) || is_real(*other));
            return Some(parting(graph, &mut agreement, *first.or(failed.first())?));
        }
        parted = now;
    }
    None
}

fn parting<'c>(
    graph: &Graph<'c>,
    agreement: &mut Agreement<'_, 'c>,
    (pair, from): (Pair, Option<[Arrival; 2]>),
) -> Parting<'c> {
    let nodes = [pair.0, pair.1];
    let mut divergent = Vec::new();
    for node in nodes {
        if !agreement.holds((node, node)) {
            divergent.extend(graph.branch(node));
        }
    }
    let mut branches: Vec<_> = nodes.iter().filter_map(|node| graph.branch(*node)).collect();
    if let Some(early) = (0..2).find(|at| is_early(graph, nodes[*at], nodes[1 - at])) {
        branches = graph.branch(nodes[early]).into_iter().collect();
    }
    let Some(from) = from.filter(|_| divergent.is_empty()) else {
        return Parting { branches: if divergent.is_empty() { branches } else { divergent }, gaps: Vec::new() };
    };
    let missing = |at: usize| {
        let choice = graph.choice(nodes[at]).filter(|choice| choice.fixed_outcome().is_none())?.branch;
        let (node, outcome) = from[1 - at];
        let segment = graph.segments(node)[outcome].as_ref()?;
        Some(Gap::Elided(choice, graph.last_forks(segment, |node| node == nodes[1 - at])))
    };
    let mut gaps: Vec<_> = (0..2).filter_map(missing).collect();
    if let [Some(one), Some(other)] = nodes.map(|node| graph.branch(node))
        && !graph.are_alike(pair)
        && agreement.are_about_one_number(pair, [one, other])
    {
        gaps.insert(0, Gap::Unlike(one, other));
    }
    Parting { branches, gaps }
}

/// Whether a choice seems to be made earlier than by other threads, at `other`: for each outcome, a thread then comes
/// to such a node. It was moved out of a loop in one copy, and is not needed as a choice there.
fn is_early(graph: &Graph<'_>, node: NodeId, other: NodeId) -> bool {
    let segments: Vec<_> = graph.segments(node).iter().flatten().collect();
    segments.len() > 1 && segments.iter().all(|s| s.next.iter().all(|next| graph.are_alike((*next, other))))
}
