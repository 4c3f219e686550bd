//! Cycles of control flow.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Block, Value};

/// A loop that control enters at one block and that goes round by one branch.
pub struct Loop<'c> {
    /// Where control enters it.
    pub header: Block<'c>,
    /// The block that goes back to the header.
    pub latch: Block<'c>,
    /// All of its blocks.
    pub blocks: HashSet<Block<'c>>,
}

/// The loops of a function, each behind those around it. Those that control enters at several blocks, or that go round by
/// several branches, are left out; LLVM's `loop-simplify` makes one branch of several.
pub fn loops(function: Value<'_>) -> Vec<Loop<'_>> {
    let all = function.blocks();
    let (mut found, mut next, mut work) = (Vec::new(), 0, vec![all.clone()]);
    while let Some(blocks) = work.get(next).cloned() {
        next += 1;
        for cycle in cycles(&blocks) {
            let inside: HashSet<_> = cycle.iter().copied().collect();
            let led_to = |b: &Block<'_>| all.iter().any(|p| !inside.contains(p) && p.successors().contains(b));
            let entries: Vec<_> = cycle.iter().copied().filter(led_to).collect();
            if let [header] = entries[..] {
                let latches: Vec<_> = cycle.iter().copied().filter(|b| b.successors().contains(&header)).collect();
                if let [latch] = latches[..] {
                    found.push(Loop { header, latch, blocks: inside });
                }
            }
            work.push(cycle.into_iter().filter(|b| !entries.contains(b)).collect());
        }
    }
    found
}

/// A loop, whichever way control enters it and goes round.
pub struct Cycle<'c> {
    /// Where an iteration begins: the block at which control enters it, the first one where there are several.
    pub header: Block<'c>,
    /// All of its blocks.
    pub blocks: HashSet<Block<'c>>,
}

/// What [`contiguous_order`] has still to put in order.
enum Unordered<'c> {
    /// Blocks that control leads through in some way.
    Graph(Vec<Block<'c>>),
    /// A strongly connected component that is a loop.
    Cycle(Vec<Block<'c>>),
    /// A block that is in no loop but those around it.
    Block(Block<'c>),
}

/// A function's blocks in an order in which control only goes on, but for the way back to a loop's header, and in which a
/// loop's blocks stand together; and its loops, each behind those around it.
pub fn contiguous_order<'c>(function: Value<'c>) -> (Vec<Block<'c>>, Vec<Cycle<'c>>) {
    let all = function.blocks();
    let number: HashMap<_, _> = all.iter().enumerate().map(|(i, b)| (*b, i)).collect();
    let mut predecessors: HashMap<Block<'c>, Vec<Block<'c>>> = HashMap::new();
    for block in &all {
        block.successors().into_iter().for_each(|b| predecessors.entry(b).or_default().push(*block));
    }
    let (mut order, mut found) = (Vec::new(), Vec::new());
    let mut work = vec![Unordered::Graph(all)];
    while let Some(next) = work.pop() {
        match next {
            Unordered::Block(block) => order.push(block),
            Unordered::Graph(blocks) => {
                work.extend(components(&blocks).into_iter().map(|(mut component, is_cycle)| {
                    component.sort_by_key(|b| number[b]);
                    if is_cycle { Unordered::Cycle(component) } else { Unordered::Block(component[0]) }
                }))
            }
            Unordered::Cycle(blocks) => {
                let inside: HashSet<_> = blocks.iter().copied().collect();
                let entered =
                    |b: &&Block<'c>| predecessors.get(*b).is_some_and(|p| p.iter().any(|p| !inside.contains(p)));
                let header = *blocks.iter().find(entered).unwrap_or(&blocks[0]);
                order.push(header);
                work.push(Unordered::Graph(blocks.into_iter().filter(|b| *b != header).collect()));
                found.push(Cycle { header, blocks: inside });
            }
        }
    }
    (order, found)
}

/// The strongly connected components that are loops, of the graph that `blocks` span.
pub fn cycles<'c>(blocks: &[Block<'c>]) -> Vec<Vec<Block<'c>>> {
    components(blocks).into_iter().filter(|(_, is_cycle)| *is_cycle).map(|(component, _)| component).collect()
}

/// The strongly connected components of the graph that `blocks` span, by Tarjan's algorithm, those that others lead to
/// first; and whether each is a loop.
fn components<'c>(blocks: &[Block<'c>]) -> Vec<(Vec<Block<'c>>, bool)> {
    let inside: HashSet<_> = blocks.iter().copied().collect();
    let successors =
        |block: Block<'c>| block.successors().into_iter().filter(|b| inside.contains(b)).collect::<Vec<_>>();
    let (mut number, mut low, mut stack, mut found) = (HashMap::new(), HashMap::new(), Vec::new(), Vec::new());
    let mut on_stack = HashSet::new();
    for root in blocks {
        let mut calls = vec![(*root, 0)];
        while let Some((block, next)) = calls.pop() {
            if next == 0 {
                if number.contains_key(&block) {
                    continue;
                }
                let count = number.len();
                let _new = (number.insert(block, count), low.insert(block, count), on_stack.insert(block));
                stack.push(block);
            }
            let all = successors(block);
            if next > 0 && on_stack.contains(&all[next - 1]) {
                let least = low[&block].min(low[&all[next - 1]]);
                let _old = low.insert(block, least);
            }
            if let Some(to) = all.get(next) {
                calls.push((block, next + 1));
                calls.push((*to, 0));
                continue;
            }
            if low[&block] == number[&block] {
                let at = stack.iter().position(|b| *b == block).expect("it was pushed when it was numbered");
                let component = stack.split_off(at);
                component.iter().for_each(|b| {
                    let _there = on_stack.remove(b);
                });
                let is_cycle = component.len() > 1 || all.contains(&block);
                found.push((component, is_cycle));
            }
        }
    }
    found
}
