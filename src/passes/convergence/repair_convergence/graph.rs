//! A kernel as a graph of its barriers, of choices that all threads must make alike, and of the code between them.
//!
//! A *node* is the start, the end, a barrier or a choice. A *segment* is the code that a thread runs from one node to
//! the next: it contains no barrier and no choice except the one at its end. A branch that is not a choice is part of a
//! segment, and threads may take different paths through it.

use std::collections::{HashMap, HashSet};

use super::terms::opposite;
use crate::analysis::control_flow::ControlFlow;
use crate::llvm::{Block, Function, IntPredicate, Opcode, Value};

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);

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
    /// The call of a barrier or a cross-lane operation, in a block of its own.
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
}

/// The nodes and segments of a function.
pub(super) struct Graph<'c> {
    nodes: Vec<Node<'c>>,
    segments: Vec<Vec<Option<Segment<'c>>>>,
    arrivals: Vec<Vec<(NodeId, usize)>>,
    of_block: HashMap<Block<'c>, NodeId>,
    predecessors: HashMap<Block<'c>, Vec<Block<'c>>>,
}

/// Puts each barrier into a block of its own.
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
        let mut graph = Graph { nodes, segments: Vec::new(), arrivals: Vec::new(), of_block, predecessors };
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
    /// walks from the start come to after equally many steps.
    pub(super) fn together(&self) -> HashSet<(NodeId, NodeId)> {
        let mut work = vec![(NodeId::at(0), NodeId::at(0))];
        let mut found: HashSet<_> = work.iter().copied().collect();
        while let Some((one, other)) = work.pop() {
            let outcomes = self.segments(one).iter().zip(self.segments(other));
            for (one, other) in outcomes.filter_map(|(one, other)| one.as_ref().zip(other.as_ref())) {
                let pairs = one.next.iter().flat_map(|a| other.next.iter().map(|b| (*a, *b)));
                work.extend(pairs.filter(|pair| found.insert(*pair)));
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
    pub(super) fn arrivals(&self, node: NodeId) -> &[(NodeId, usize)] {
        &self.arrivals[node.index()]
    }

    #[expect(clippy::disallowed_methods, reason = "one question is asked about all members")]
    fn segment(&self, from: Option<Block<'c>>, entry: Block<'c>, flow: &ControlFlow<'c>) -> Segment<'c> {
        let (mut blocks, mut next, mut work) = (HashSet::new(), Vec::new(), vec![entry]);
        let mut last = Vec::new();
        while let Some(block) = work.pop() {
            let node = self.of_block.get(&block).copied();
            if let Some(node) = node.filter(|n| self.is_barrier(*n)) {
                next.push(node);
                last.push(block);
            } else if blocks.insert(block) {
                if node.is_none() && !flow.successors(block).is_empty() {
                    work.extend(flow.successors(block));
                    continue;
                }
                next.push(node.unwrap_or(END));
                last.push(block);
            }
        }
        let ending = self.leading_to(&blocks, last);
        if blocks.iter().any(|block| !ending.contains(block)) {
            next.push(NEVER);
        }
        next.sort_unstable();
        next.dedup();
        Segment { from, entry, blocks, next }
    }

    /// The block of a node; none for start and end.
    pub(super) fn block(&self, node: NodeId) -> Option<Block<'c>> {
        match self.node(node) {
            Node::Start | Node::End | Node::Never => None,
            Node::Barrier(call) => Some(call.block()),
            Node::Choice(choice) => Some(choice.branch.block()),
        }
    }

    /// The branch of a choice.
    pub(super) fn branch(&self, node: NodeId) -> Option<Value<'c>> {
        match self.node(node) {
            Node::Choice(choice) => Some(choice.branch),
            _ => None,
        }
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
    fn of(branch: Value<'c>) -> Self {
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

    /// Whether it distinguishes the same values as another choice.
    pub(super) fn is_like(&self, other: &Choice<'c>) -> bool {
        let keys = |choice: &Choice<'c>| choice.outcomes.iter().map(|(key, _)| *key).collect::<Vec<_>>();
        self.branch.opcode() == other.branch.opcode() && keys(self) == keys(other)
    }
}

/// Whether a condition is a comparison whose canonical form is the inverse comparison.
fn is_negative(condition: Value<'_>) -> bool {
    use IntPredicate::{Ne, Sge, Sgt, Uge, Ugt};
    if condition.is(Opcode::FCmp) {
        return opposite(condition.fcmp_predicate()).is_some();
    }
    condition.is(Opcode::ICmp) && matches!(condition.icmp_predicate(), Ne | Ugt | Uge | Sgt | Sge)
}
