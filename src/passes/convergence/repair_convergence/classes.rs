//! The classes of nodes that threads may reach at the same time, as the equivalence of states of two automata by
//! Hopcroft and Karp's algorithm.

use super::graph::{Graph, NodeId};

/// A class of nodes, by its lowest member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class(pub(super) NodeId);

/// A partition of the nodes of a graph into classes.
pub(super) struct Classes {
    of: Vec<(NodeId, Class)>,
}

/// Two nodes that cannot be in one class.
pub(super) struct Mismatch(pub(super) NodeId, pub(super) NodeId);

impl Classes {
    /// Whether a class has no other node, so that all threads are at this node at the same time.
    pub(super) fn is_alone(&self, node: NodeId) -> bool {
        self.members(self.class(node)).nth(1).is_none()
    }

    pub(super) fn class(&self, node: NodeId) -> Class {
        self.of[node.index()].1
    }

    /// The members of a class, in order.
    fn members(&self, class: Class) -> impl Iterator<Item = NodeId> {
        self.of.iter().filter(move |(_, own)| *own == class).map(|(node, _)| *node)
    }

    /// The members of each class with several.
    pub(super) fn shared(&self) -> Vec<Vec<NodeId>> {
        let members = |(node, _): &(NodeId, Class)| self.members(Class(*node)).collect::<Vec<_>>();
        self.of.iter().map(members).filter(|members| members.len() > 1).collect()
    }

    /// The classes of a graph.
    pub(super) fn of(graph: &Graph<'_>) -> Result<Self, Mismatch> {
        Self::apart(graph).closed(graph)
    }

    /// A class for each node.
    pub(super) fn apart(graph: &Graph<'_>) -> Self {
        Classes { of: graph.ids().map(|node| (node, Class(node))).collect() }
    }

    /// The classes after merging the classes of these two nodes.
    pub(super) fn with(&self, graph: &Graph<'_>, a: NodeId, b: NodeId) -> Result<Self, Mismatch> {
        let mut classes = Classes { of: self.of.clone() };
        classes.unite(graph, a, b)?;
        classes.closed(graph)
    }

    /// The classes that the segments of one class lead to.
    pub(super) fn next(&self, graph: &Graph<'_>, class: Class) -> Vec<Class> {
        let segments = self.members(class).flat_map(|node| graph.segments(node).iter().flatten());
        let mut next: Vec<_> = segments.flat_map(|s| &s.next).map(|node| self.class(*node)).collect();
        next.sort_unstable();
        next.dedup();
        next
    }

    fn closed(mut self, graph: &Graph<'_>) -> Result<Self, Mismatch> {
        let classes = &mut self;
        loop {
            let before = classes.of.clone();
            for (node, class) in &before {
                for (outcome, segment) in graph.segments(*node).iter().enumerate() {
                    let Some(segment) = segment else { continue };
                    let mates = before.iter().filter(|(n, own)| n <= node && own == class);
                    let ends = mates.filter_map(|(n, _)| graph.segments(*n).get(outcome)?.as_ref());
                    for (a, b) in ends.flat_map(|s| &s.next).zip(std::iter::repeat(segment.next.first())) {
                        if let Some(b) = b {
                            classes.unite(graph, *a, *b)?;
                        }
                    }
                }
            }
            if classes.of == before {
                return Ok(self);
            }
        }
    }

    fn unite(&mut self, graph: &Graph<'_>, a: NodeId, b: NodeId) -> Result<(), Mismatch> {
        if !graph.are_alike((a, b)) {
            return Err(Mismatch(a, b));
        }
        let (low, high) = (self.class(a).min(self.class(b)), self.class(a).max(self.class(b)));
        for (_, class) in &mut self.of {
            if *class == high {
                *class = low;
            }
        }
        Ok(())
    }
}
