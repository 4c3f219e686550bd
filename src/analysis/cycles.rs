//! Cycles of the control-flow graph.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::paths::Predecessors;
use crate::llvm::{Block, Function};

/// A natural loop with a single latch.
pub struct Loop<'c> {
    /// The block where the loop is entered.
    pub header: Block<'c>,
    /// The block with the back edge to the header.
    pub latch: Block<'c>,
    /// All blocks of the loop.
    pub blocks: HashSet<Block<'c>>,
    /// The same blocks, in the order of the function.
    pub in_order: Vec<Block<'c>>,
}

/// The loops of a function; an inner loop comes after the loops around it. Irreducible loops and loops with several
/// latches are left out; LLVM's `loop-simplify` merges several latches into one.
pub fn loops(function: Function<'_>) -> Vec<Loop<'_>> {
    let all = function.blocks();
    let predecessors = Predecessors::among(&all);
    let numbers: HashMap<_, _> = all.iter().enumerate().map(|(number, block)| (*block, number)).collect();
    let (mut found, mut next, mut work) = (Vec::new(), 0, vec![all]);
    while let Some(blocks) = work.get(next).cloned() {
        next += 1;
        for cycle in cycles(&blocks) {
            let inside: HashSet<_> = cycle.iter().copied().collect();
            let led_to = |b: &Block<'_>| predecessors.of(*b).iter().any(|p| !inside.contains(p));
            let entries: Vec<_> = cycle.iter().copied().filter(led_to).collect();
            if let [header] = entries[..] {
                let latches: Vec<_> = cycle.iter().copied().filter(|b| b.successors().contains(&header)).collect();
                if let [latch] = latches[..] {
                    let mut in_order = cycle.clone();
                    in_order.sort_unstable_by_key(|block| numbers[block]);
                    found.push(Loop { header, latch, blocks: inside, in_order });
                }
            }
            work.push(cycle.into_iter().filter(|b| !entries.contains(b)).collect());
        }
    }
    found
}

/// The strongly connected components that contain a cycle, of the graph that `blocks` induce.
pub fn cycles<'c>(blocks: &[Block<'c>]) -> Vec<Vec<Block<'c>>> {
    let inside: HashSet<_> = blocks.iter().copied().collect();
    let successors = |block: Block<'c>| block.successors().into_iter().filter(|b| inside.contains(b)).collect();
    components(blocks, successors).into_iter().filter(|(_, is_cycle)| *is_cycle).map(|(all, _)| all).collect()
}

/// The strongly connected components of a graph, by Tarjan's algorithm, in reverse topological order, each with a flag
/// whether it contains a cycle. All `successors` must be in `nodes`.
pub fn components<T: Copy + Eq + Hash>(nodes: &[T], successors: impl Fn(T) -> Vec<T>) -> Vec<(Vec<T>, bool)> {
    let (mut number, mut low, mut stack, mut found) = (HashMap::new(), HashMap::new(), Vec::new(), Vec::new());
    let mut on_stack = HashSet::new();
    for root in nodes {
        let mut calls = vec![(*root, None, 0)];
        while let Some((node, known, next)) = calls.pop() {
            if next == 0 {
                if number.contains_key(&node) {
                    continue;
                }
                let count = number.len();
                number.insert(node, count);
                low.insert(node, count);
                on_stack.insert(node);
                stack.push(node);
            }
            let all: Vec<T> = known.unwrap_or_else(|| successors(node));
            if next > 0 && on_stack.contains(&all[next - 1]) {
                let least = low[&node].min(low[&all[next - 1]]);
                low.insert(node, least);
            }
            if let Some(to) = all.get(next).copied() {
                calls.push((node, Some(all), next + 1));
                calls.push((to, None, 0));
                continue;
            }
            if low[&node] == number[&node] {
                let at = stack.iter().position(|b| *b == node).expect("it was pushed when it was numbered");
                let component = stack.split_off(at);
                for node in &component {
                    on_stack.remove(node);
                }
                let is_cycle = component.len() > 1 || all.contains(&node);
                found.push((component, is_cycle));
            }
        }
    }
    found
}
