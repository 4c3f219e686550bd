//! A kernel as a graph of its barriers, of choices that all threads must make alike, and of the code between them.
//!
//! A *node* is the start, the end, a barrier or a choice. A *segment* is the code that a thread runs from one node to
//! the next: it contains no barrier and no choice except the one at its end. A branch that is not a choice is part of a
//! segment, and threads may take different paths through it.

use std::collections::{HashMap, HashSet};

use super::terms::opposite;
use crate::analysis::control_flow::ControlFlow;
use crate::analysis::convergent_calls::is_barrier;
use crate::contract::builtin::Builtin;
use crate::llvm::{Block, Function, IntPredicate, Opcode, Value};

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);

/// Two nodes.
pub(super) type Pair = (NodeId, NodeId);

/// A segment, by its node and its outcome.
pub(super) type Arrival = (NodeId, usize);

/// The first three nodes of every graph, in this order.
const FIXED: [Node<'_>; 3] = [Node::Start, Node::End, Node::Never];
/// The end of the kernel.
const END: NodeId = NodeId(1);
/// The node of threads that never reach another node.
const NEVER: NodeId = NodeId(2);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    fn at(index: usize) -> Self {
        NodeId(u32::try_from(index).expect("a function has fewer than 4,294,967,296 barriers"))
    }
}

/// A program point that threads may reach at the same time.
pub(super) enum Node<'c> {
    Start,
    End,
    /// An infinite loop without a barrier.
    Never,
    /// The call of a barrier or a cross-lane operation, which is alone in its block.
    Barrier(Value<'c>),
    Choice(Choice<'c>),
}

/// A branch or switch.
pub(super) struct Choice<'c> {
    pub(super) branch: Value<'c>,
    /// Whether the branch takes its first successor if its condition, in canonical form, is false.
    pub(super) negated: bool,
    /// The successor for each value of the condition; none is the default of a switch.
    pub(super) outcomes: Vec<(Option<u64>, Block<'c>)>,
}

/// The code that threads execute between two nodes.
pub(super) struct Segment<'c> {
    /// The block of the node before it; none at the start.
    pub(super) from: Option<Block<'c>>,
    pub(super) entry: Block<'c>,
    /// All blocks that a thread may execute, including the blocks of the choices at its end.
    pub(super) blocks: HashSet<Block<'c>>,
    /// The nodes where it may end, in order.
    pub(super) next: Vec<NodeId>,
    /// The last block of each path, and the node there.
    ends: Vec<(Block<'c>, NodeId)>,
}

/// The nodes and segments of a function.
pub(super) struct Graph<'c> {
    nodes: Vec<Node<'c>>,
    segments: Vec<Vec<Option<Segment<'c>>>>,
    arrivals: Vec<Vec<Arrival>>,
    of_block: HashMap<Block<'c>, NodeId>,
    predecessors: HashMap<Block<'c>, Vec<Block<'c>>>,
    /// Whether some threads may end while others continue: cross-lane operations are for those that continue.
    may_leave: bool,
}

/// Puts each barrier into a separate block.
pub(super) fn isolate<'c>(barriers: &[Value<'c>]) {
    for barrier in barriers {
        let alone = barrier.split_block("barrier");
        let next = barrier.next().expect("a call is no terminator");
        next.split_block("behind");
        debug_assert!(barrier.block() == alone);
    }
}

impl<'c> Graph<'c> {
    /// The graph of a function whose barriers are isolated, with these branches as choices.
    pub(super) fn new(
        function: Function<'c>,
        flow: &ControlFlow<'c>,
        barriers: &[Value<'c>],
        choices: &HashSet<Value<'c>>,
    ) -> Self {
        let (mut nodes, mut of_block) = (Vec::from(FIXED), HashMap::new());
        let mut predecessors: HashMap<_, Vec<_>> = HashMap::new();
        let blocks = function.blocks();
        for block in blocks.iter().filter(|b| flow.reaches_exit(**b)) {
            for next in flow.successors(*block) {
                predecessors.entry(*next).or_default().push(*block);
            }
            let barrier = barriers.iter().find(|barrier| barrier.block() == *block);
            let choice = block.terminator().filter(|t| choices.contains(t));
            let node = barrier.map(|b| Node::Barrier(*b)).or_else(|| Some(Node::Choice(Choice::of(choice?))));
            if let Some(node) = node {
                of_block.insert(*block, NodeId::at(nodes.len()));
                nodes.push(node);
            }
        }
        let may_leave = !barriers.iter().any(|operation| is_barrier(*operation));
        let mut graph = Graph { nodes, segments: Vec::new(), arrivals: Vec::new(), of_block, predecessors, may_leave };
        graph.walk(blocks[0], flow);
        graph
    }

    /// Finds the segments.
    fn walk(&mut self, first: Block<'c>, flow: &ControlFlow<'c>) {
        for node in self.ids() {
            let from = self.block(node);
            let entries: Vec<Block<'c>> = match self.node(node) {
                Node::Start => vec![first],
                Node::End | Node::Never => Vec::new(),
                Node::Barrier(call) => call.block().successors(),
                Node::Choice(choice) => choice.outcomes.iter().map(|(_, to)| *to).collect(),
            };
            let segment = |entry: Block<'c>| flow.reaches_exit(entry).then(|| self.segment(from, entry, flow));
            let segments = entries.into_iter().map(segment).collect();
            self.segments.push(segments);
        }
        let mut arrivals = vec![Vec::new(); self.nodes.len()];
        for node in self.ids() {
            for (outcome, segment) in self.segments(node).iter().enumerate() {
                for next in segment.iter().flat_map(|s| &s.next) {
                    arrivals[next.index()].push((node, outcome));
                }
            }
        }
        self.arrivals = arrivals;
    }

    /// The pairs of nodes that two threads may be at, at the same time, if they always decide alike: those that two
    /// walks from the start come to after equally many steps, the nearest first. Each has the segments that have led
    /// there; the start has none. The walks end at pairs of which `ends` holds.
    pub(super) fn pairs(&self, ends: impl Fn(Pair) -> bool) -> Vec<(Pair, Option<[Arrival; 2]>)> {
        let start = (NodeId::at(0), NodeId::at(0));
        let (mut found, mut seen, mut next) = (vec![(start, None)], HashSet::from([start]), 0);
        while let Some((pair, _)) = found.get(next).copied() {
            next += 1;
            if ends(pair) {
                continue;
            }
            let outcomes = self.segments(pair.0).iter().zip(self.segments(pair.1)).enumerate();
            for (outcome, segments) in outcomes {
                let (Some(one), Some(other)) = segments else { continue };
                let pairs = one.next.iter().flat_map(|a| other.next.iter().map(|b| (*a, *b)));
                let from = Some([(pair.0, outcome), (pair.1, outcome)]);
                found.extend(pairs.filter(|pair| seen.insert(*pair)).map(|pair| (pair, from)));
            }
        }
        found
    }

    /// Every node.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::at)
    }

    pub(super) fn node(&self, node: NodeId) -> &Node<'c> {
        &self.nodes[node.index()]
    }

    pub(super) fn is_barrier(&self, node: NodeId) -> bool {
        matches!(self.node(node), Node::Barrier(_))
    }

    /// The segments that start at a node, by outcome; none where the path ends in a trap.
    pub(super) fn segments(&self, node: NodeId) -> &[Option<Segment<'c>>] {
        &self.segments[node.index()]
    }

    /// The nodes and outcomes whose segments lead to a node.
    pub(super) fn arrivals(&self, node: NodeId) -> &[Arrival] {
        &self.arrivals[node.index()]
    }

    #[expect(clippy::disallowed_methods, reason = "one question is asked about all members")]
    fn segment(&self, from: Option<Block<'c>>, entry: Block<'c>, flow: &ControlFlow<'c>) -> Segment<'c> {
        let (mut blocks, mut next, mut work) = (HashSet::new(), Vec::new(), vec![entry]);
        let mut ends = Vec::new();
        while let Some(block) = work.pop() {
            let node = self.of_block.get(&block).copied();
            if let Some(node) = node.filter(|n| self.is_barrier(*n)) {
                next.push(node);
                ends.push((block, node));
            } else if blocks.insert(block) {
                if node.is_none() && !flow.successors(block).is_empty() {
                    work.extend(flow.successors(block));
                    continue;
                }
                next.push(node.unwrap_or(END));
                ends.push((block, node.unwrap_or(END)));
            }
        }
        let ending = self.leading_to(&blocks, ends.iter().map(|(block, _)| *block).collect());
        if blocks.iter().any(|block| !ending.contains(block)) {
            next.push(NEVER);
        }
        next.sort_unstable();
        next.dedup();
        if self.may_leave && next.len() > 1 {
            next.retain(|node| *node != END);
        }
        Segment { from, entry, blocks, next, ends }
    }

    /// The block of a node; none for start and end.
    pub(super) fn block(&self, node: NodeId) -> Option<Block<'c>> {
        match self.node(node) {
            Node::Start | Node::End | Node::Never => None,
            Node::Barrier(call) => Some(call.block()),
            Node::Choice(choice) => Some(choice.branch.block()),
        }
    }

    /// Whether two nodes may be one by their kind: barriers of one function, or choices of one form.
    pub(super) fn are_alike(&self, (one, other): Pair) -> bool {
        match (self.node(one), self.node(other)) {
            (Node::Barrier(one), Node::Barrier(other)) => can_be_one(*one, *other),
            (Node::Choice(one), Node::Choice(other)) => one.is_like(other),
            _ => one == other,
        }
    }

    /// The branch of a choice.
    pub(super) fn branch(&self, node: NodeId) -> Option<Value<'c>> {
        self.choice(node).map(|choice| choice.branch)
    }

    /// The choice at a node.
    pub(super) fn choice(&self, node: NodeId) -> Option<&Choice<'c>> {
        if let Node::Choice(choice) = self.node(node) { Some(choice) } else { None }
    }

    /// Whether a segment ends at the end of this block.
    pub(super) fn is_node(&self, block: Block<'c>) -> bool {
        self.of_block.contains_key(&block)
    }

    /// The blocks of a segment on paths to the end of `to`, including `to`, which is a block of the segment or of a
    /// barrier.
    pub(super) fn between(&self, segment: &Segment<'c>, to: Block<'c>) -> HashSet<Block<'c>> {
        self.leading_to(&segment.blocks, vec![to])
    }

    /// The edges of a segment after which it can only end at nodes for which `here` holds. Each edge is the first such
    /// edge on its path: before it, the segment starts, or may also end elsewhere.
    pub(super) fn last_forks(
        &self,
        segment: &Segment<'c>,
        here: impl Fn(NodeId) -> bool,
    ) -> Vec<(Block<'c>, Block<'c>)> {
        let leading = |wanted: bool| {
            let ends = segment.ends.iter().filter(|(_, node)| here(*node) == wanted);
            self.leading_to(&segment.blocks, ends.map(|(block, _)| *block).collect())
        };
        let (there, elsewhere) = (leading(true), leading(false));
        let is_decided = |block: &Block<'c>| there.contains(block) && !elsewhere.contains(block);
        let mut edges: Vec<_> =
            segment.from.into_iter().map(|from| (from, segment.entry)).filter(|(_, to)| is_decided(to)).collect();
        for from in segment.entry.function().blocks().into_iter().filter(|b| segment.blocks.contains(b)) {
            if is_decided(&from) || self.is_node(from) {
                continue;
            }
            let mut next: Vec<_> = from.successors().into_iter().filter(is_decided).collect();
            next.dedup();
            edges.extend(next.into_iter().map(|to| (from, to)));
        }
        edges
    }

    /// `ends`, and the blocks among `blocks` with a path to them that contains no node.
    fn leading_to(&self, blocks: &HashSet<Block<'c>>, ends: Vec<Block<'c>>) -> HashSet<Block<'c>> {
        let (mut found, mut work): (HashSet<_>, _) = (ends.iter().copied().collect(), ends);
        while let Some(block) = work.pop() {
            for from in self.predecessors.get(&block).into_iter().flatten() {
                if blocks.contains(from) && !self.is_node(*from) && found.insert(*from) {
                    work.push(*from);
                }
            }
        }
        found
    }
}

impl<'c> Segment<'c> {
    /// Whether a path leads from the entry to `to` through the blocks of `inside`, without `avoided`.
    pub(super) fn bypasses(
        &self,
        inside: &HashSet<Block<'c>>,
        to: Block<'c>,
        avoided: Block<'c>,
        is_node: impl Fn(Block<'c>) -> bool,
    ) -> bool {
        if avoided == to || avoided == self.entry {
            return false;
        }
        let (mut seen, mut work) = (HashSet::from([self.entry]), vec![self.entry]);
        while let Some(block) = work.pop() {
            if block == to {
                return true;
            }
            if is_node(block) {
                continue;
            }
            work.extend(
                block.successors().into_iter().filter(|b| *b != avoided && inside.contains(b) && seen.insert(*b)),
            );
        }
        false
    }
}

impl<'c> Choice<'c> {
    /// The choice that a branch or switch is.
    pub(super) fn of(branch: Value<'c>) -> Self {
        let to = branch.successors();
        if branch.is(Opcode::Switch) {
            let mut cases: Vec<_> = (1..to.len()).map(|i| (branch.case_value(i as u32).as_u64(), to[i])).collect();
            cases.sort_by_key(|(value, _)| *value);
            return Choice { branch, negated: false, outcomes: [vec![(None, to[0])], cases].concat() };
        }
        let negated = branch.condition().is_some_and(is_negative);
        let (yes, no) = if negated { (to[1], to[0]) } else { (to[0], to[1]) };
        Choice { branch, negated, outcomes: vec![(Some(1), yes), (Some(0), no)] }
    }

    /// The outcome of a choice on a constant, which is at the place where a path has left a choice out (`elided.rs`).
    pub(super) fn fixed_outcome(&self) -> Option<usize> {
        let value = self.branch.condition()?.as_u64()?;
        let keyed = self.outcomes.iter().position(|(key, _)| *key == Some(value));
        Some(keyed.unwrap_or(0))
    }

    /// Whether it distinguishes the same values as another choice.
    pub(super) fn is_like(&self, other: &Choice<'c>) -> bool {
        let keys = |choice: &Choice<'c>| choice.outcomes.iter().map(|(key, _)| *key).collect::<Vec<_>>();
        self.branch.opcode() == other.branch.opcode() && keys(self) == keys(other)
    }
}

/// Whether two calls may be merged, with phis for arguments that differ. Some arguments of intrinsics must be
/// constants.
fn can_be_one(one: Value<'_>, other: Value<'_>) -> bool {
    let constant = |(a, b): (Value<'_>, Value<'_>)| a == b || !(a.is_constant() || b.is_constant());
    let builtin = |f: Function<'_>| Builtin::named(&f.name()).is_some();
    one.called_function() == other.called_function()
        && (one.called_function().is_some_and(builtin)
            || one.arguments().into_iter().zip(other.arguments()).all(constant))
}

/// Whether a condition is a comparison whose canonical form is the inverse comparison.
fn is_negative(condition: Value<'_>) -> bool {
    use IntPredicate::{Ne, Sge, Sgt, Uge, Ugt};
    if condition.is(Opcode::FCmp) {
        return opposite(condition.fcmp_predicate()).is_some();
    }
    condition.is(Opcode::ICmp) && matches!(condition.icmp_predicate(), Ne | Ugt | Uge | Sgt | Sge)
}
