//! Determines which lanes of a warp execute a block together, as ballots by which the lanes inform each other.
//!
//! Lanes execute an operation together if they reach it in the same iteration of all loops around it. A *frame* is the
//! function or one loop (`loop_nest.rs`). Without its back edges, and with each inner loop as one node, a frame is an
//! acyclic graph, which a lane traverses once in each iteration. The *group* of a frame are the lanes in the same
//! iteration of it; the group of the function are all lanes.
//!
//! If a block is control-dependent on a divergent branch, its lanes are determined by a *ballot* among the lanes of its
//! dominator. Each of them votes once: yes when it enters the block, no on the first edge from which the block is
//! unreachable. The number of branches in between and the places where paths join do not matter. The ballots among the
//! same lanes are in the topological order of their blocks, and a lane votes on a ballot after all earlier ones, so all
//! lanes vote in the same order. No vote waits for a later one, because a later block never leads to an earlier one.
//! Different ballots may have equal sets of voters. A lane therefore finishes all votes for blocks that a block
//! dominates before it continues with those for blocks that its dominators dominate (`frame.rs`).
//!
//! Blocks that are always reached together share a ballot. Blocks that no divergent branch decides about have none:
//! their group is that of the frame. The back edge of a loop is treated like a block, and its ballot is the group of
//! the next iteration.
//!
//! Paths on which a kernel ends without a convergent operation are left out. Operations wait only for lanes that have
//! not returned, so a group may contain lanes that have.

use std::collections::{BTreeSet, HashSet};

use super::divergence::Divergence;
use super::frame::{AGAIN, ENTRY, Frame, Sequence};
use super::loop_nest::loop_nest;
use super::paths::Predecessors;
use crate::contract::builtin::Builtin;
use crate::llvm::{Block, Function, Opcode, Place, Value};

/// A ballot about a block or a loop of a frame: the frame's number, and the node's number in it.
pub type Ballot = (usize, usize);

/// The lanes that execute a block together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// All lanes of the warp.
    All,
    /// The lanes in the same iteration of a loop, by the number of its frame.
    Iteration(usize),
    /// The lanes that voted yes.
    Voted(Ballot),
    /// Unknown, because the block is in an irreducible loop.
    Unknown,
}

/// The value of a lane's vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vote {
    /// A constant.
    Is(bool),
    /// The condition of the branch, or its negation.
    Condition(bool),
}

/// Where lanes vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At<'c> {
    /// Before the block's branch.
    End(Block<'c>),
    /// On the edge from one block to another.
    Edge(Block<'c>, Block<'c>),
}

/// The groups of a function's blocks.
pub struct LaneGroups<'c> {
    frames: Vec<Frame<'c>>,
    blocks: Vec<Block<'c>>,
    relevant: HashSet<Block<'c>>,
    ballots: BTreeSet<Ballot>,
    iterations: BTreeSet<usize>,
}

impl<'c> LaneGroups<'c> {
    /// The groups of a kernel with cross-lane operations.
    pub fn of(kernel: Function<'c>, divergence: &Divergence<'c>) -> Self {
        let blocks = kernel.blocks();
        let relevant = relevant(&blocks);
        let together: HashSet<_> = kernel.instructions().filter(|i| is_of_lanes(*i)).map(|i| i.block()).collect();
        let mut frames = vec![Frame::new(blocks[0], blocks.iter().copied().collect(), None)];
        for nested in loop_nest(kernel, &together) {
            let around = frames.iter().rposition(|frame| frame.blocks.contains(&nested.header));
            frames.push(Frame::new(nested.header, nested.blocks, around));
        }
        let mut groups = LaneGroups { frames, blocks, relevant, ballots: BTreeSet::new(), iterations: BTreeSet::new() };
        for frame in 0..groups.frames.len() {
            groups.connect(frame, divergence);
        }
        groups
    }

    /// The group of a block. Afterwards, [`LaneGroups::votes`] contains the votes that it needs.
    pub fn group(&mut self, block: Block<'c>) -> Group {
        let frame = self.innermost(block);
        match self.frames[frame].number.get(&block).copied() {
            Some(node) => self.group_at(frame, node),
            None => Group::Unknown,
        }
    }

    /// The loops whose iterations have separate groups, each with its header.
    pub fn iterations(&self) -> Vec<(usize, Block<'c>)> {
        self.iterations.iter().map(|frame| (*frame, self.frames[*frame].header)).collect()
    }

    /// The group that enters a loop from outside, and the group that takes its back edge.
    pub fn entering(&mut self, frame: usize) -> [Group; 2] {
        let around = self.frames[frame].around.expect("the function is no loop");
        let node = self.frames[around].number[&self.frames[frame].header];
        [self.group_at(around, node), self.group_at(frame, AGAIN)]
    }

    /// The group whose lanes vote on a ballot.
    pub fn voters(&mut self, ballot: Ballot) -> Group {
        let around = self.frames[ballot.0].dominator(ballot.1);
        self.group_at(ballot.0, around)
    }

    /// All ballots.
    pub fn ballots(&self) -> Vec<Ballot> {
        self.ballots.iter().copied().collect()
    }

    /// Whether a block is in a loop.
    pub fn is_inside(&self, frame: usize, block: Block<'c>) -> bool {
        self.frames[frame].blocks.contains(&block)
    }

    fn innermost(&self, block: Block<'c>) -> usize {
        self.frames.iter().rposition(|frame| frame.blocks.contains(&block)).unwrap_or(0)
    }

    fn group_at(&mut self, frame: usize, node: usize) -> Group {
        if !self.frames[frame].regular {
            return Group::Unknown;
        }
        let decided = self.frames[frame].decided_at(node);
        if decided == ENTRY {
            return self.group_of_frame(frame);
        }
        if self.ballots.insert((frame, decided)) {
            self.voters((frame, decided));
        }
        Group::Voted((frame, decided))
    }

    fn group_of_frame(&mut self, frame: usize) -> Group {
        let Some(around) = self.frames[frame].around else { return Group::All };
        let node = self.frames[around].number[&self.frames[frame].header];
        let entering = self.group_at(around, node);
        if self.frames[frame].decided_at(AGAIN) == ENTRY {
            return entering;
        }
        if self.iterations.insert(frame) {
            self.group_at(frame, AGAIN);
        }
        Group::Iteration(frame)
    }

    /// Builds the graph of a frame.
    fn connect(&mut self, at: usize, divergence: &Divergence<'c>) {
        let around = self.frames[at].around;
        let inside: Vec<_> =
            self.blocks.iter().copied().filter(|b| self.relevant.contains(b) && self.is_inside(at, *b)).collect();
        let header = self.frames[at].header;
        let entered = |b: &Block<'c>| {
            let inside = |s: &Block<'c>| self.is_inside(at, *s) && *s != header && self.relevant.contains(s);
            self.relevant.contains(b) && !self.is_inside(at, *b) && b.successors().iter().any(inside)
        };
        if around.is_some_and(|around| !self.frames[around].regular) || self.blocks.iter().any(entered) {
            self.frames[at].regular = false;
            return;
        }
        let node = |block: Block<'c>| {
            let inner = self.frames.iter().skip(at + 1).find(|f| f.around == Some(at) && f.blocks.contains(&block));
            inner.map_or(block, |inner| inner.header)
        };
        let mut edges = Vec::new();
        for block in inside {
            let from = node(block);
            let divergent = block.terminator().is_some_and(|branch| divergence.is_divergent(branch));
            let mut to: Vec<Option<Block<'c>>> = Vec::new();
            for next in block.successors().into_iter().filter(|next| self.relevant.contains(next)) {
                let is_inside = self.is_inside(at, next);
                if !is_inside || next == header || node(next) != from {
                    to.push(is_inside.then_some(next).map(|next| if next == header { header } else { node(next) }));
                }
            }
            edges.push((block, from, to, divergent));
        }
        self.frames[at].connect(&edges);
    }

    /// All votes, in the order in which lanes execute them.
    pub fn votes(&self) -> Vec<(At<'c>, Ballot, Vote)> {
        let sequences = |at: usize| self.frames[at].sequences(self.ballots.iter().filter(|b| b.0 == at).map(|b| b.1));
        let sequences: Vec<_> = (0..self.frames.len()).map(sequences).collect();
        let relevant = self.blocks.iter().filter(|b| self.relevant.contains(b));
        relevant.flat_map(|block| self.votes_at(*block, &sequences)).collect()
    }

    /// The votes before a block's branch and on its outgoing edges.
    fn votes_at(&self, block: Block<'c>, sequences: &[Vec<Sequence>]) -> Vec<(At<'c>, Ballot, Vote)> {
        let all = block.successors();
        let mut seen = HashSet::new();
        let next: Vec<_> = all.iter().copied().filter(|b| self.relevant.contains(b) && seen.insert(*b)).collect();
        let mut at_end = !next.is_empty() && block.terminator().is_some_and(|end| end.is(Opcode::Br));
        let (mut votes, mut on_edges) = (Vec::new(), vec![Vec::new(); next.len()]);
        for (frame, sequence) in
            sequences.iter().enumerate().rev().flat_map(|(at, all)| all.iter().map(move |s| (at, s)))
        {
            let Some(from) = self.place(frame, block, sequence) else { continue };
            let targets: Vec<_> = next.iter().map(|to| self.edge_target(frame, from, *to, sequence)).collect();
            for (k, node) in sequence.nodes.iter().enumerate().skip(sequence.levels[from]) {
                let comes =
                    |to: &Block<'c>| next.iter().zip(&targets).any(|(b, target)| b == to && target.0 == Some(*node));
                at_end = at_end && targets.iter().all(|target| target.1 > k);
                if at_end {
                    let vote = match &all[..] {
                        [then, or_else] if comes(then) != comes(or_else) => Vote::Condition(comes(then)),
                        _ => Vote::Is(all.iter().any(comes)),
                    };
                    votes.push((At::End(block), (frame, *node), vote));
                    continue;
                }
                for (target, on_edge) in targets.iter().zip(&mut on_edges).filter(|(target, _)| target.1 > k) {
                    on_edge.push(((frame, *node), Vote::Is(target.0 == Some(*node))));
                }
            }
        }
        for (to, on_edge) in next.into_iter().zip(on_edges) {
            votes.extend(on_edge.into_iter().map(|(ballot, vote)| (At::Edge(block, to), ballot, vote)));
        }
        votes
    }

    /// The number of a block's node in a frame, if the lanes that reach it vote.
    fn place(&self, frame: usize, block: Block<'c>, sequence: &Sequence) -> Option<usize> {
        let frame = &self.frames[frame];
        frame.number.get(&block).copied().filter(|node| frame.dominates(sequence.voters, *node))
    }

    /// The node that an edge enters, if there is one, and the number of ballots that are finished there.
    fn edge_target(&self, frame: usize, from: usize, to: Block<'c>, sequence: &Sequence) -> (Option<usize>, usize) {
        let frame = &self.frames[frame];
        if !frame.blocks.contains(&to) {
            return (None, sequence.nodes.len());
        }
        match frame.number[&to] {
            ENTRY => (Some(AGAIN), sequence.nodes.len()),
            node => (Some(node).filter(|node| *node != from), sequence.levels[node]),
        }
    }
}

/// The blocks from which control may reach a convergent operation.
fn relevant<'c>(blocks: &[Block<'c>]) -> HashSet<Block<'c>> {
    let convergent = blocks.iter().copied().filter(|b| b.instructions().any(is_or_calls_convergent_op));
    Predecessors::among(blocks).leading_to(convergent)
}

/// Whether an instruction is a convergent operation, with or without a mask, or calls a function that contains one.
fn is_or_calls_convergent_op(instruction: Value<'_>) -> bool {
    let marked = |v: Value<'_>| v.has_attribute(Place::Function, "convergent");
    if !instruction.is_call() || instruction.keeps_whole() {
        return false;
    }
    let called = instruction.called_function();
    match called.and_then(|f| Builtin::named(&f.name())) {
        Some(builtin) => builtin.convergent,
        None => marked(instruction) || called.is_some_and(|f| marked(*f)),
    }
}

/// Whether an instruction calls a warp builtin.
fn is_of_lanes(instruction: Value<'_>) -> bool {
    let builtin = Builtin::called_by(instruction);
    builtin.is_some_and(|b| b.convergent && !b.barrier)
}
