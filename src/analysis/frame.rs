//! One execution of a function, or of an iteration of a loop, by the lanes of a warp, as an acyclic graph.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::llvm::Block;

/// The number of the node where control enters a frame: its header.
pub const ENTRY: usize = 0;
/// The target of a back edge to the header.
pub const AGAIN: usize = usize::MAX;

/// An edge: its block, the node that contains the block, the nodes that it leads to, and whether it is divergent. None
/// is a target outside of the frame; the header represents the back edge.
pub type Edges<'c> = (Block<'c>, Block<'c>, Vec<Option<Block<'c>>>, bool);

/// A function or a loop.
pub struct Frame<'c> {
    /// The block where control enters it.
    pub header: Block<'c>,
    /// All of its blocks.
    pub blocks: HashSet<Block<'c>>,
    /// The frame that contains it.
    pub around: Option<usize>,
    /// Whether control enters it only at the header.
    pub regular: bool,
    /// The number of each block's node, in topological order. The blocks of an inner loop have the same node.
    pub number: HashMap<Block<'c>, usize>,
    /// The successors of each node. The last node represents the back edge, and the one before it represents the exit
    /// from the frame.
    successors: Vec<Vec<usize>>,
    divergent: Vec<bool>,
    dominator: Vec<usize>,
}

impl<'c> Frame<'c> {
    /// A frame without a graph.
    pub fn new(header: Block<'c>, blocks: HashSet<Block<'c>>, around: Option<usize>) -> Self {
        let number = HashMap::new();
        let (successors, divergent, dominator) = (Vec::new(), Vec::new(), Vec::new());
        Frame { header, blocks, around, regular: true, number, successors, divergent, dominator }
    }

    /// Builds the graph.
    pub fn connect(&mut self, edges: &[Edges<'c>]) {
        let mut of: HashMap<Block<'c>, (Vec<Option<Block<'c>>>, bool)> = HashMap::new();
        for (_, node, to, divergent) in edges {
            let entry = of.entry(*node).or_default();
            to.iter().for_each(|to| {
                if !entry.0.contains(to) {
                    entry.0.push(*to)
                }
            });
            entry.1 |= divergent;
        }
        let Some(order) = self.order(&of) else {
            self.regular = false;
            return;
        };
        let place: HashMap<_, _> = order.iter().enumerate().map(|(at, node)| (*node, at)).collect();
        let (out, again) = (order.len(), order.len() + 1);
        let header = self.header;
        let number = |to: &Option<Block<'c>>| match to {
            None => out,
            Some(to) if *to == header => again,
            Some(to) => place[to],
        };
        self.successors = order.iter().map(|node| of[node].0.iter().map(number).collect()).collect();
        self.successors.extend([Vec::new(), Vec::new()]);
        self.divergent = order.iter().map(|node| of[node].1 && of[node].0.len() > 1).chain([false; 2]).collect();
        self.number = edges.iter().filter_map(|(block, node, ..)| Some((*block, *place.get(node)?))).collect();
        self.dominate();
    }

    /// The nodes that are reachable from the header, in topological order; none if there is a cycle.
    fn order(&self, of: &HashMap<Block<'c>, (Vec<Option<Block<'c>>>, bool)>) -> Option<Vec<Block<'c>>> {
        of.get(&self.header)?;
        let (mut seen, mut open, mut finished) = (HashSet::new(), HashSet::new(), Vec::new());
        let mut stack = vec![(self.header, false)];
        while let Some((node, done)) = stack.pop() {
            if done {
                open.remove(&node);
                finished.push(node);
            } else if seen.insert(node) {
                open.insert(node);
                stack.push((node, true));
                for to in of[&node].0.iter().flatten().filter(|to| **to != self.header) {
                    if open.contains(to) {
                        return None;
                    }
                    stack.push((*to, false));
                }
            }
        }
        finished.reverse();
        Some(finished)
    }

    fn dominate(&mut self) {
        let mut dominator: Vec<Option<usize>> = vec![None; self.successors.len()];
        dominator[ENTRY] = Some(ENTRY);
        for from in 0..self.successors.len() {
            for to in &self.successors[from] {
                let (mut a, mut b) = (from, dominator[*to].unwrap_or(from));
                while a != b {
                    let later = if a > b { &mut a } else { &mut b };
                    *later = dominator[*later].unwrap_or(ENTRY);
                }
                dominator[*to] = Some(a);
            }
        }
        self.dominator = dominator.into_iter().map(|d| d.unwrap_or(ENTRY)).collect();
    }

    fn place(&self, node: usize) -> usize {
        if node == AGAIN { self.successors.len() - 1 } else { node }
    }

    /// The node whose ballot has the lanes of `node`: the nearest of `node` and its dominators that a divergent branch
    /// decides about, or the header.
    pub fn decided_at(&self, node: usize) -> usize {
        let mut at = self.place(node);
        while at != ENTRY && !self.is_divergent(at) {
            at = self.dominator[at];
        }
        if at == self.place(AGAIN) { AGAIN } else { at }
    }

    /// Whether a divergent branch between a node's dominator and the node decides whether lanes reach the node.
    fn is_divergent(&self, node: usize) -> bool {
        let (reaching, mut avoiding) = (self.reaching(node), vec![false; self.successors.len()]);
        for at in (0..self.successors.len()).rev().filter(|at| *at != node) {
            let next = &self.successors[at];
            avoiding[at] = next.is_empty() || next.iter().any(|to| avoiding[*to]);
        }
        (self.dominator[node]..self.successors.len()).any(|at| self.divergent[at] && reaching[at] && avoiding[at])
    }

    /// For each node, whether it leads to `node`.
    fn reaching(&self, node: usize) -> Vec<bool> {
        let mut reaching = vec![false; self.successors.len()];
        for at in (0..self.successors.len()).rev() {
            reaching[at] = self.successors[at].iter().any(|to| *to == node || reaching[*to]);
        }
        reaching
    }

    /// The immediate dominator of a node.
    pub fn dominator(&self, node: usize) -> usize {
        self.dominator[self.place(node)]
    }

    /// Whether `by` dominates a node, or is the node.
    pub fn dominates(&self, by: usize, node: usize) -> bool {
        let mut at = node;
        while at > by {
            at = self.dominator[at];
        }
        at == by
    }

    /// The sequences of ballots, given the nodes in `ballots`: the voters of each, and where they vote.
    pub fn sequences(&self, ballots: impl Iterator<Item = usize>) -> Vec<Sequence> {
        let mut by_voters: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for node in ballots {
            by_voters.entry(self.decided_at(self.dominator(node))).or_default().insert(node);
        }
        let mut inner: Vec<Sequence> = Vec::new();
        for (voters, nodes) in by_voters.into_iter().rev() {
            let mut sequence = Sequence { voters, nodes: nodes.into_iter().collect(), levels: Vec::new() };
            sequence.levels = self.levels(&sequence, &inner);
            inner.push(sequence);
        }
        inner
    }

    /// For each node, the number of a sequence's ballots that are decided there: no path leads from the node to their
    /// nodes or to earlier ones. None is added while ballots of another sequence among the same lanes are not finished.
    fn levels(&self, sequence: &Sequence, inner: &[Sequence]) -> Vec<usize> {
        let all = sequence.nodes.len();
        let mut levels = vec![all; self.successors.len()];
        for (level, node) in sequence.nodes.iter().enumerate().rev() {
            for (at, _) in self.reaching(self.place(*node)).into_iter().enumerate().filter(|(_, reaches)| *reaches) {
                levels[at] = level;
            }
        }
        for at in 0..self.successors.len() {
            let open = |other: &&Sequence| {
                other.voters != at
                    && other.levels[at] < other.nodes.len()
                    && self.dominates(sequence.voters, other.voters)
                    && self.dominates(other.voters, at)
            };
            if let Some(open) = inner.iter().rev().find(open) {
                levels[at] = levels[open.voters];
            }
        }
        levels
    }
}

/// The ballots of a frame with the same voters, in order.
pub struct Sequence {
    /// The node whose lanes vote.
    pub voters: usize,
    /// The nodes that the ballots are about.
    pub nodes: Vec<usize>,
    /// The number of ballots that are finished before each node.
    pub levels: Vec<usize>,
}
