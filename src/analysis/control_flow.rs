//! The control-flow graph of a function without paths that end in a trap.
//!
//! A thread that panics does not continue, so a bounds check before a barrier does not make the barrier
//! control-dependent. Blocks are left out if no path from them leads to a return or to a convergent operation. A
//! convergent operation before a trap counts, because an optimiser that duplicates a loop for the threads that will
//! panic in it has duplicated the loop's barriers, too.
//!
//! An infinite loop that does something remains. An empty one is left out: LLVM makes it of `while i < 1 { i += size }`
//! for blocks of no thread, and all threads reach a barrier after it.

use std::collections::{HashMap, HashSet};

use super::convergent_calls::is_convergent;
use super::effects::has_effect;
use super::paths::reached;
use crate::llvm::{Block, Function, Opcode};

/// The blocks from which threads may return or reach a convergent operation, and their post-dominators.
pub struct ControlFlow<'c> {
    successors: HashMap<Block<'c>, Vec<Block<'c>>>,
    /// The immediate post-dominator of each block; none if it is the function's exit.
    post_dominators: HashMap<Block<'c>, Option<Block<'c>>>,
}

impl<'c> ControlFlow<'c> {
    /// The graph of a function with a body.
    pub fn of(function: Function<'c>) -> Self {
        Self::until(function, &HashSet::new())
    }

    /// The same, where threads leave the function at the end of each of the `stops`.
    pub fn until(function: Function<'c>, stops: &HashSet<Block<'c>>) -> Self {
        let blocks = function.blocks();
        let trapped = trapped(&blocks);
        let reaches_exit = |b: &Block<'c>| !trapped.contains(b);
        let blocks: Vec<_> = blocks.into_iter().filter(reaches_exit).collect();
        let next = |b: &Block<'c>| if stops.contains(b) { Vec::new() } else { b.successors() };
        let successors: HashMap<_, Vec<_>> =
            blocks.iter().map(|b| (*b, next(b).into_iter().filter(reaches_exit).collect())).collect();
        let post_dominators = post_dominators(&blocks, &successors);
        ControlFlow { successors, post_dominators }
    }

    /// Whether a thread in `block` may reach the function's exit, or a convergent operation.
    pub fn reaches_exit(&self, block: Block<'c>) -> bool {
        self.successors.contains_key(&block)
    }

    /// The successors of `block`.
    pub fn successors(&self, block: Block<'c>) -> &[Block<'c>] {
        self.successors.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The number of blocks.
    pub fn block_count(&self) -> usize {
        self.successors.len()
    }

    /// The blocks that a thread may execute after `block`. `block` is included if it is in a loop.
    pub fn later(&self, block: Block<'c>) -> HashSet<Block<'c>> {
        reached(self.successors(block).iter().copied(), |block| self.successors(block).iter().copied())
    }

    /// The immediate post-dominator of `block`, where all paths from it join; none if it is the function's exit.
    pub fn post_dominator(&self, block: Block<'c>) -> Option<Block<'c>> {
        self.post_dominators.get(&block).copied().flatten()
    }

    /// The blocks on paths from `block` to its post-dominator, in no particular order. `block` is included if it is in
    /// a loop.
    pub fn region(&self, block: Block<'c>) -> HashSet<Block<'c>> {
        let join = self.post_dominator(block);
        let next = |block| self.successors(block).iter().copied().filter(|next| Some(*next) != join);
        reached(next(block), next)
    }
}

/// The blocks from which no path leads to a return, to a convergent operation, or to a loop that does something.
fn trapped<'c>(blocks: &[Block<'c>]) -> HashSet<Block<'c>> {
    let counts = |b: &Block<'c>| b.instructions().any(|i| i.is(Opcode::Ret) || is_convergent(i));
    let mut trapped: HashSet<_> = blocks.iter().copied().filter(|b| !counts(b)).collect();
    remove_leaving(&mut trapped, blocks);
    let acts = |b: &Block<'c>| trapped.contains(b) && b.instructions().any(has_effect) && repeats(*b);
    let loops: Vec<_> = blocks.iter().copied().filter(acts).collect();
    if !loops.is_empty() {
        loops.iter().for_each(|block| _ = trapped.remove(block));
        remove_leaving(&mut trapped, blocks);
    }
    trapped
}

/// Removes the blocks of a set from which a path leads to a block outside of it.
fn remove_leaving<'c>(set: &mut HashSet<Block<'c>>, blocks: &[Block<'c>]) {
    let mut changed = true;
    while changed {
        changed = false;
        // In reverse order, so that a chain of blocks takes a single round.
        for block in blocks.iter().rev() {
            if set.contains(block) && block.successors().iter().any(|next| !set.contains(next)) {
                changed |= set.remove(block);
            }
        }
    }
}

/// Whether a block is in a loop.
fn repeats(block: Block<'_>) -> bool {
    let (mut seen, mut work) = (HashSet::new(), block.successors());
    while let Some(next) = work.pop() {
        if next == block {
            return true;
        }
        if seen.insert(next) {
            work.extend(next.successors());
        }
    }
    false
}

/// Immediate post-dominators, by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
/// Algorithm", 2001) on the reversed graph. Number 0 is an exit after every return and every infinite loop.
fn post_dominators<'c>(
    blocks: &[Block<'c>],
    successors: &HashMap<Block<'c>, Vec<Block<'c>>>,
) -> HashMap<Block<'c>, Option<Block<'c>>> {
    let (order, exits) = reversed_postorder(blocks, successors);
    let number: HashMap<Block<'c>, usize> = order.iter().enumerate().map(|(i, b)| (*b, i + 1)).collect();
    let mut nearest: Vec<Option<usize>> = vec![None; order.len() + 1];
    nearest[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for (i, block) in order.iter().enumerate() {
            let paths = successors[block].iter().map(|s| number[s]).chain(exits.contains(block).then_some(0));
            let join = paths.filter(|n| nearest[*n].is_some()).reduce(|a, b| intersect(&nearest, a, b));
            if join.is_some() && nearest[i + 1] != join {
                nearest[i + 1] = join;
                changed = true;
            }
        }
    }
    let block_of = |n: usize| n.checked_sub(1).map(|n| order[n]);
    order.iter().enumerate().map(|(i, b)| (*b, nearest[i + 1].and_then(block_of))).collect()
}

/// The nearest common post-dominator of two blocks. Numbers increase with the distance from the exit.
fn intersect(nearest: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = nearest[a].unwrap_or(0);
        }
        while b > a {
            b = nearest[b].unwrap_or(0);
        }
    }
    a
}

/// All blocks in a reverse postorder of the reversed graph, and the predecessors of the exit.
fn reversed_postorder<'c>(
    blocks: &[Block<'c>],
    successors: &HashMap<Block<'c>, Vec<Block<'c>>>,
) -> (Vec<Block<'c>>, HashSet<Block<'c>>) {
    let mut predecessors: HashMap<Block<'c>, Vec<Block<'c>>> = HashMap::new();
    for block in blocks {
        for successor in &successors[block] {
            predecessors.entry(*successor).or_default().push(*block);
        }
    }
    let returns = blocks.iter().filter(|b| successors[*b].is_empty());
    let (mut seen, mut finished, mut exits) = (HashSet::new(), Vec::new(), HashSet::new());
    // Blocks that cannot reach a return come last. The first block of each such loop becomes a predecessor of the exit.
    for exit in returns.chain(blocks) {
        if seen.contains(exit) {
            continue;
        }
        exits.insert(*exit);
        let mut stack = vec![(*exit, false)];
        while let Some((block, done)) = stack.pop() {
            if done {
                finished.push(block);
            } else if seen.insert(block) {
                stack.push((block, true));
                stack.extend(predecessors.get(&block).into_iter().flatten().map(|p| (*p, false)));
            }
        }
    }
    finished.reverse();
    (finished, exits)
}
