//! Loops from the point of view of the lanes of a warp, and an order of the blocks in which lanes that are ahead wait
//! for the others.
//!
//! Lanes execute an operation together in the same iteration of all loops around it. A block that the source has in a
//! loop need not be in a cycle of the control-flow graph: a block before a `break` never returns to the loop's header.
//! Such blocks belong to the loop, too:
//!
//! ```c
//! while (more) {            // the usual exit: from the header, or from where the loop goes back
//!   if (found) {
//!     a();                  // in the loop: no lane comes here by the usual exit
//!     break;
//!   }
//! }
//! b();                      // after the loop
//! ```
//!
//! If a loop has no usual exit, the blocks that do not follow on all of its exits belong to it. An exit that leads only
//! to the function's end does not count, unless convergent operations are on the way.

use std::collections::{HashMap, HashSet};

use super::control_flow::ControlFlow;
use super::cycles::components;
use super::paths::reached;
use crate::llvm::{Block, Function, Opcode};

/// A loop.
pub struct Nested<'c> {
    /// The block where an iteration begins: the one at which control enters the loop, or the first one if there are
    /// several.
    pub header: Block<'c>,
    /// The blocks with a back edge to the header.
    pub latches: Vec<Block<'c>>,
    /// All of its blocks.
    pub blocks: HashSet<Block<'c>>,
    /// Those of them that never return to the header.
    pub leaving: Vec<Block<'c>>,
}

/// The loops of a function; an inner loop comes after the loops around it. `together` are the blocks with convergent
/// operations.
pub fn loop_nest<'c>(function: Function<'c>, together: &HashSet<Block<'c>>) -> Vec<Nested<'c>> {
    let mut graph = Graph::of(function);
    graph.together = Some(graph.blocks.iter().map(|b| together.contains(b)).collect());
    graph.walk().1
}

/// The blocks of a function in an order in which only back edges lead backwards, and in which the blocks of a loop are
/// contiguous. The blocks that `last` lists for a block come before it.
pub fn loop_order<'c>(function: Function<'c>, last: &[(Block<'c>, Vec<Block<'c>>)]) -> Vec<Block<'c>> {
    let mut graph = Graph::of(function);
    let number: HashMap<_, _> = graph.blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
    for (latch, leaving) in last {
        leaving.iter().for_each(|b| graph.belongs.entry(number[b]).or_default().push(number[latch]));
    }
    graph.walk().0
}

/// A part of the function that is not ordered yet.
enum Unordered {
    Graph(Vec<usize>),
    Loop(Vec<usize>),
    Block(usize),
}

/// The control-flow graph, with blocks as numbers.
struct Graph<'c> {
    blocks: Vec<Block<'c>>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// For a block of a loop, the blocks that belong to the loop besides its cycle.
    belongs: HashMap<usize, Vec<usize>>,
    /// Whether each block has convergent operations; none once it is known which blocks belong to loops.
    together: Option<Vec<bool>>,
    /// Whether each block only returns.
    returns: Vec<bool>,
}

impl<'c> Graph<'c> {
    fn of(function: Function<'c>) -> Self {
        let blocks = function.blocks();
        let number: HashMap<_, _> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let flow = ControlFlow::of(function);
        let next = |b: &Block<'c>| {
            // A lane that panics reaches no other block.
            let reaches_exit = |to: &Block<'c>| flow.reaches_exit(*to) || !flow.reaches_exit(*b);
            b.successors().into_iter().filter(reaches_exit).map(|to| number[&to]).collect()
        };
        let successors: Vec<Vec<usize>> = blocks.iter().map(next).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (block, to) in successors.iter().enumerate().flat_map(|(block, all)| all.iter().map(move |to| (block, *to)))
        {
            predecessors[to].push(block);
        }
        let returns = blocks.iter().map(|b| only_returns(*b, 0)).collect();
        Graph { blocks, successors, predecessors, belongs: HashMap::new(), together: None, returns }
    }

    /// Returns the order of the blocks, and the loops.
    fn walk(&mut self) -> (Vec<Block<'c>>, Vec<Nested<'c>>) {
        let (mut loops, mut order) = (Vec::new(), Vec::new());
        let mut work = vec![Unordered::Graph((0..self.blocks.len()).collect())];
        while let Some(next) = work.pop() {
            match next {
                Unordered::Block(block) => order.push(self.blocks[block]),
                Unordered::Graph(all) => work.extend(self.parts(&all)),
                Unordered::Loop(all) => {
                    let header = self.header(&all);
                    order.push(self.blocks[header]);
                    loops.push(self.nested(header, &all));
                    work.push(Unordered::Graph(all.into_iter().filter(|b| *b != header).collect()));
                }
            }
        }
        (order, loops)
    }

    /// The parts of the graph that `all` induce, in topological order. Blocks that belong to a loop are in its part.
    fn parts(&mut self, all: &[usize]) -> Vec<Unordered> {
        let before = self.components(all);
        let mut grown = false;
        for (cycle, _) in before.iter().filter(|(_, is_cycle)| *is_cycle && self.together.is_some()) {
            let header = self.header(cycle);
            for block in self.leaving(cycle, header, all) {
                let belongs = self.belongs.entry(block).or_default();
                if !belongs.contains(&header) {
                    belongs.push(header);
                    grown = true;
                }
            }
        }
        let after = if grown { self.components(all) } else { before };
        let part = |(mut part, is_loop): (Vec<usize>, bool)| {
            part.sort_unstable();
            if is_loop { Unordered::Loop(part) } else { Unordered::Block(part[0]) }
        };
        after.into_iter().map(part).collect()
    }

    fn components(&self, all: &[usize]) -> Vec<(Vec<usize>, bool)> {
        let inside: HashSet<usize> = all.iter().copied().collect();
        let next = |block: usize| {
            let belongs = self.belongs.get(&block).into_iter().flatten();
            self.successors[block].iter().chain(belongs).copied().filter(|b| inside.contains(b)).collect()
        };
        components(all, next)
    }

    /// The first block of a loop that is entered from outside.
    fn header(&self, all: &[usize]) -> usize {
        let inside: HashSet<usize> = all.iter().copied().collect();
        let entered = |b: &&usize| self.predecessors[**b].iter().any(|from| !inside.contains(from));
        *all.iter().filter(entered).min().unwrap_or(&all[0])
    }

    fn nested(&self, header: usize, all: &[usize]) -> Nested<'c> {
        let which =
            |wanted: &dyn Fn(usize) -> bool| all.iter().filter(|b| wanted(**b)).map(|b| self.blocks[*b]).collect();
        let belongs = |b: usize| self.belongs.get(&b).is_some_and(|to| to.contains(&header));
        let latches = which(&|b| self.successors[b].contains(&header));
        let blocks = all.iter().map(|b| self.blocks[*b]).collect();
        Nested { header: self.blocks[header], latches, blocks, leaving: which(&belongs) }
    }

    /// The blocks among `all` that belong to a loop besides its cycle.
    #[expect(clippy::disallowed_methods, reason = "the results are sorted, or a set")]
    fn leaving(&self, cycle: &[usize], header: usize, all: &[usize]) -> Vec<usize> {
        let cycle: HashSet<usize> = cycle.iter().copied().collect();
        let beyond: HashSet<usize> = all.iter().copied().filter(|b| !cycle.contains(b) && !self.returns[*b]).collect();
        let goes_back = |b: usize| self.successors[b].contains(&header);
        let (mut usual, mut others) = (Vec::new(), Vec::new());
        let mut from: Vec<usize> = cycle.iter().copied().collect();
        from.sort_unstable();
        // A rotated loop has its exit condition at the latch.
        let exits = |b: usize| self.successors[b].iter().any(|to| !cycle.contains(to));
        let turned = from.iter().any(|b| goes_back(*b) && exits(*b));
        for block in from {
            let is_usual = if turned { goes_back(block) } else { block == header };
            let list = if is_usual { &mut usual } else { &mut others };
            list.extend(self.successors[block].iter().copied().filter(|to| !cycle.contains(to)));
        }
        let reach = |from: &[usize]| -> Vec<HashSet<usize>> {
            let mut from: Vec<_> = from.to_vec();
            from.sort_unstable();
            from.dedup();
            from.into_iter().map(|b| self.reach(b, &beyond)).collect()
        };
        let (is_usual, behind, sides) = (!usual.is_empty(), reach(&usual), reach(&others));
        let behind = if is_usual { behind.into_iter().flatten().collect() } else { self.behind_all(&sides) };
        let mut found: HashSet<usize> = sides.into_iter().flatten().filter(|b| !behind.contains(b)).collect();
        // Blocks that are reachable from outside of the loop do not belong to it.
        loop {
            let inside = |b: &usize| cycle.contains(b) || found.contains(b);
            let own = |b: &usize| self.predecessors[*b].iter().all(inside);
            let kept: HashSet<usize> = found.iter().copied().filter(own).collect();
            if kept.len() == found.len() {
                break;
            }
            found = kept;
        }
        let mut found: Vec<usize> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// The blocks that follow on all exits with convergent operations, or on exits that join others.
    #[expect(clippy::disallowed_methods, reason = "the results are a set and an answer about all of its members")]
    fn behind_all(&self, exits: &[HashSet<usize>]) -> HashSet<usize> {
        let counts = |(at, exit): (usize, &HashSet<usize>)| {
            let meets = exits.iter().enumerate().any(|(other, reach)| other != at && !reach.is_disjoint(exit));
            meets || exit.iter().any(|b| self.together.as_ref().is_some_and(|together| together[*b]))
        };
        let counting: Vec<_> = exits.iter().enumerate().filter(|e| counts(*e)).map(|(_, reach)| reach).collect();
        let Some((first, others)) = counting.split_first() else { return HashSet::new() };
        first.iter().copied().filter(|b| others.iter().all(|reach| reach.contains(b))).collect()
    }

    /// The blocks among `within` that are reachable from `from`, including itself.
    fn reach(&self, from: usize, within: &HashSet<usize>) -> HashSet<usize> {
        let is_within = |block: &usize| within.contains(block);
        let next = |block: usize| self.successors[block].iter().copied().filter(is_within);
        reached(Some(from).filter(is_within), next)
    }
}

/// Whether a block only leads to a return.
fn only_returns(block: Block<'_>, depth: u32) -> bool {
    let empty = block.instructions().all(|i| i.is_terminator() || i.is(Opcode::Phi));
    let Some(end) = block.terminator().filter(|_| empty) else { return false };
    match end.successors()[..] {
        [] => end.is(Opcode::Ret),
        [next] => depth < 4 && only_returns(next, depth + 1),
        _ => false,
    }
}
