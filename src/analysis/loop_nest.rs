//! Loops as the lanes of a warp go through them, and an order of the blocks in which lanes that are ahead wait.
//!
//! Lanes take part in something together in the same iteration of every loop around it. What a source has in a loop need
//! not be in a cycle of the control flow: what stands before a `break` never comes back to the loop's header. Such blocks
//! belong to the loop too:
//!
//! ```c
//! while (more) {            // the usual exit: from the header, or from where the loop goes back
//!   if (found) {
//!     a();                  // in the loop: no lane comes here by the usual exit
//!     break;
//!   }
//! }
//! b();                      // behind the loop
//! ```
//!
//! Of a loop without a usual exit that is said of what does not follow on all of its exits. Where an exit leads only to the
//! function's end it is none, unless something is done there that lanes do together.

use std::collections::{HashMap, HashSet};

use super::control_flow::ControlFlow;
use super::cycles::components;
use crate::llvm::{Block, Opcode, Value};

/// A loop.
pub struct Nested<'c> {
    /// Where an iteration begins: the block at which control enters it, the first one where there are several.
    pub header: Block<'c>,
    /// The blocks that go back to the header.
    pub latches: Vec<Block<'c>>,
    /// All of its blocks.
    pub blocks: HashSet<Block<'c>>,
    /// Those of them that never come back to the header.
    pub leaving: Vec<Block<'c>>,
}

/// The loops of a function, each behind those around it; `together` are the blocks in which lanes do something together.
pub fn loop_nest<'c>(function: Value<'c>, together: &HashSet<Block<'c>>) -> Vec<Nested<'c>> {
    let mut graph = Graph::of(function);
    graph.together = Some(graph.blocks.iter().map(|b| together.contains(b)).collect());
    graph.walk().1
}

/// A function's blocks in an order in which control only goes on, but for the way back to a loop's header, and in which a
/// loop's blocks stand together. Before each block that `loops` name first stand those beside it.
pub fn loop_order<'c>(function: Value<'c>, last: &[(Block<'c>, Vec<Block<'c>>)]) -> Vec<Block<'c>> {
    let mut graph = Graph::of(function);
    let number: HashMap<_, _> = graph.blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
    for (latch, leaving) in last {
        leaving.iter().for_each(|b| graph.belongs.entry(number[b]).or_default().push(number[latch]));
    }
    graph.walk().0
}

/// What is still to be put in order.
enum Unordered {
    Graph(Vec<usize>),
    Loop(Vec<usize>),
    Block(usize),
}

/// Blocks by number.
struct Graph<'c> {
    blocks: Vec<Block<'c>>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// To a block of a loop from what belongs to the loop besides its cycle.
    belongs: HashMap<usize, Vec<usize>>,
    /// Blocks in which lanes do something together; none where it is known what belongs to loops.
    together: Option<Vec<bool>>,
    /// Blocks that only return.
    returns: Vec<bool>,
}

impl<'c> Graph<'c> {
    fn of(function: Value<'c>) -> Self {
        let blocks = function.blocks();
        let number: HashMap<_, _> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let flow = ControlFlow::of(function);
        let next = |b: &Block<'c>| {
            // A lane that panics comes nowhere.
            let goes_on = |to: &Block<'c>| flow.goes_on(*to) || !flow.goes_on(*b);
            b.successors().into_iter().filter(goes_on).map(|to| number[&to]).collect()
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

    /// The order of the blocks, and the loops.
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

    /// The parts of what `all` span, those that lead to others last. What belongs to a loop is with it.
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

    /// The first block of a loop that control enters from outside.
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

    /// What belongs to a loop besides its cycle, of the blocks `all`.
    fn leaving(&self, cycle: &[usize], header: usize, all: &[usize]) -> Vec<usize> {
        let cycle: HashSet<usize> = cycle.iter().copied().collect();
        let beyond: HashSet<usize> = all.iter().copied().filter(|b| !cycle.contains(b) && !self.returns[*b]).collect();
        let goes_back = |b: usize| self.successors[b].contains(&header);
        let (mut usual, mut others) = (Vec::new(), Vec::new());
        let mut from: Vec<usize> = cycle.iter().copied().collect();
        from.sort_unstable();
        // A loop that was turned round asks where it goes back.
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
        // Nor does what others than the loop's lanes come to.
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

    /// What follows on all exits on which lanes do something together, or which meet others.
    fn behind_all(&self, exits: &[HashSet<usize>]) -> HashSet<usize> {
        let counts = |(at, exit): (usize, &HashSet<usize>)| {
            let meets = exits.iter().enumerate().any(|(other, reach)| other != at && !reach.is_disjoint(exit));
            meets || exit.iter().any(|b| self.together.as_ref().is_some_and(|together| together[*b]))
        };
        let counting: Vec<_> = exits.iter().enumerate().filter(|e| counts(*e)).map(|(_, reach)| reach).collect();
        let Some((first, others)) = counting.split_first() else { return HashSet::new() };
        first.iter().copied().filter(|b| others.iter().all(|reach| reach.contains(b))).collect()
    }

    /// The blocks among `within` that control may come to from one of them, itself first.
    fn reach(&self, from: usize, within: &HashSet<usize>) -> HashSet<usize> {
        let (mut seen, mut work) = (HashSet::new(), vec![from]);
        while let Some(block) = work.pop() {
            if within.contains(&block) && seen.insert(block) {
                work.extend(&self.successors[block]);
            }
        }
        seen
    }
}

/// Whether nothing is done in a block but that the function returns.
fn only_returns(block: Block<'_>, depth: u32) -> bool {
    let empty = block.instructions().all(|i| i.is_terminator() || i.is(Opcode::Phi));
    let Some(end) = block.terminator().filter(|_| empty) else { return false };
    match end.successors()[..] {
        [] => end.is(Opcode::Ret),
        [next] => depth < 4 && only_returns(next, depth + 1),
        _ => false,
    }
}
