//! A kernel as a graph of its barriers, of choices that all threads must make alike, and of the code between them.
//!
//! A *node* is the start, the end, a barrier or a choice. A *segment* is the code that a thread runs from one node to
//! the next: it contains no barrier and no choice except the one at its end. A branch that is not a choice is part of a
//! segment, and threads may take different paths through it.

use std::collections::{HashMap, HashSet};

use crate::analysis::control_flow::ControlFlow;
use crate::llvm::{Block, IntPredicate, Opcode, Value};

/// The number of the kernel's end; its start is 0.
pub(super) const END: usize = 1;
/// The number of where threads go that come to no node any more.
const NEVER: usize = 2;

/// Where threads may be at the same time.
pub(super) enum Node<'c> {
    Start,
    End,
    /// A loop without an end that has no barrier.
    Never,
    /// The call of a barrier, or of an exchange between lanes; it stands in a block of its own.
    Barrier(Value<'c>),
    Choice(Choice<'c>),
}

/// A branch or switch.
pub(super) struct Choice<'c> {
    pub(super) branch: Value<'c>,
    /// Whether the branch goes to its first successor when its condition, in the form that compares best, is false.
    pub(super) negated: bool,
    /// Where it leads, by the condition's value; none is a switch's default.
    pub(super) outcomes: Vec<(Option<u64>, Block<'c>)>,
}

/// What threads run from one node to the next.
pub(super) struct Segment<'c> {
    /// The block of the node it starts behind; none at the start.
    pub(super) from: Option<Block<'c>>,
    pub(super) entry: Block<'c>,
    /// Everything a thread may run, the blocks of choices at the end included.
    pub(super) blocks: HashSet<Block<'c>>,
    /// The nodes it may end at, in order.
    pub(super) next: Vec<usize>,
}

/// Nodes and segments of a function.
pub(super) struct Graph<'c> {
    pub(super) nodes: Vec<Node<'c>>,
    /// By node, then by outcome; none where the way ends in a trap.
    pub(super) segments: Vec<Vec<Option<Segment<'c>>>>,
    /// By node: the nodes and outcomes that lead to it.
    pub(super) arrivals: Vec<Vec<(usize, usize)>>,
    of_block: HashMap<Block<'c>, usize>,
    predecessors: HashMap<Block<'c>, Vec<Block<'c>>>,
}

/// Gives each barrier a block of its own.
pub(super) fn isolate<'c>(barriers: &[Value<'c>]) {
    for barrier in barriers {
        let alone = barrier.split_block("barrier");
        let next = barrier.next().expect("a call is no terminator");
        next.split_block("behind");
        debug_assert!(barrier.block() == alone);
    }
}

impl<'c> Graph<'c> {
    /// That of a function whose barriers are isolated, with these branches as choices.
    pub(super) fn new(
        function: Value<'c>,
        flow: &ControlFlow<'c>,
        barriers: &[Value<'c>],
        choices: &HashSet<Value<'c>>,
    ) -> Self {
        let (mut nodes, mut of_block) = (vec![Node::Start, Node::End, Node::Never], HashMap::new());
        let mut predecessors: HashMap<_, Vec<_>> = HashMap::new();
        let blocks = function.blocks();
        for block in blocks.iter().filter(|b| flow.goes_on(**b)) {
            for next in flow.successors(*block) {
                predecessors.entry(*next).or_default().push(*block);
            }
            let barrier = barriers.iter().find(|barrier| barrier.block() == *block);
            let choice = block.terminator().filter(|t| choices.contains(t));
            let node = barrier.map(|b| Node::Barrier(*b)).or_else(|| Some(Node::Choice(Choice::of(choice?))));
            if let Some(node) = node {
                of_block.insert(*block, nodes.len());
                nodes.push(node);
            }
        }
        let mut graph = Graph { nodes, segments: Vec::new(), arrivals: Vec::new(), of_block, predecessors };
        graph.walk(blocks[0], flow);
        graph
    }

    /// Finds the segments.
    fn walk(&mut self, first: Block<'c>, flow: &ControlFlow<'c>) {
        for node in 0..self.nodes.len() {
            let from = self.block(node);
            let entries: Vec<Block<'c>> = match &self.nodes[node] {
                Node::Start => vec![first],
                Node::End | Node::Never => Vec::new(),
                Node::Barrier(call) => call.block().successors(),
                Node::Choice(choice) => choice.outcomes.iter().map(|(_, to)| *to).collect(),
            };
            let segment = |entry: Block<'c>| flow.goes_on(entry).then(|| self.segment(from, entry, flow));
            let segments = entries.into_iter().map(segment).collect();
            self.segments.push(segments);
        }
        self.arrivals = vec![Vec::new(); self.nodes.len()];
        for (node, segments) in self.segments.iter().enumerate() {
            for (outcome, segment) in segments.iter().enumerate() {
                for next in segment.iter().flat_map(|s| &s.next) {
                    self.arrivals[*next].push((node, outcome));
                }
            }
        }
    }

    fn segment(&self, from: Option<Block<'c>>, entry: Block<'c>, flow: &ControlFlow<'c>) -> Segment<'c> {
        let (mut blocks, mut next, mut work) = (HashSet::new(), Vec::new(), vec![entry]);
        let mut last = Vec::new();
        while let Some(block) = work.pop() {
            let node = self.of_block.get(&block).copied();
            if let Some(node) = node.filter(|n| matches!(self.nodes[*n], Node::Barrier(_))) {
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

    /// The block a node stands in; none for start and end.
    pub(super) fn block(&self, node: usize) -> Option<Block<'c>> {
        match &self.nodes[node] {
            Node::Start | Node::End | Node::Never => None,
            Node::Barrier(call) => Some(call.block()),
            Node::Choice(choice) => Some(choice.branch.block()),
        }
    }

    /// The branch of a choice.
    pub(super) fn branch(&self, node: usize) -> Option<Value<'c>> {
        match &self.nodes[node] {
            Node::Choice(choice) => Some(choice.branch),
            _ => None,
        }
    }

    /// Whether a segment ends behind this block.
    pub(super) fn is_node(&self, block: Block<'c>) -> bool {
        self.of_block.contains_key(&block)
    }

    /// The blocks of a segment on ways to the end of `to`, itself included, which is a block of the segment or a
    /// barrier's.
    pub(super) fn between(&self, segment: &Segment<'c>, to: Block<'c>) -> HashSet<Block<'c>> {
        self.leading_to(&segment.blocks, vec![to])
    }

    /// The ends, and the blocks among `blocks` that lead to them without a node between.
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
    /// Whether a way leads from the entry to `to` through the blocks of `inside` without `avoided`.
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

    /// Whether it tells the same values apart as another choice.
    pub(super) fn is_like(&self, other: &Choice<'c>) -> bool {
        let keys = |choice: &Choice<'c>| choice.outcomes.iter().map(|(key, _)| *key).collect::<Vec<_>>();
        self.branch.opcode() == other.branch.opcode() && keys(self) == keys(other)
    }
}

/// Whether a condition is a comparison that the opposite one stands for.
fn is_negative(condition: Value<'_>) -> bool {
    use IntPredicate::{Ne, Sge, Sgt, Uge, Ugt};
    condition.is(Opcode::ICmp) && matches!(condition.icmp_predicate(), Ne | Ugt | Uge | Sgt | Sge)
}
