//! The control-flow graph of a function whose threads stop in the middle and continue later: at a barrier, or at a call
//! that does not use the hardware's stack.
//!
//! A *region* is the code from the function's start, or from the instruction after a stop, to the next stops or the
//! end. A value that one region computes and a later one uses must be in memory. This file finds these values and
//! demotes them to allocas. The caller decides where the allocas are.

use std::collections::{HashMap, HashSet};

use crate::analysis::paths::reached;
use crate::llvm::{Block, Builder, Function, Opcode, Value};

/// A function whose blocks end at the stops. A block is identified by its index in `blocks`.
pub struct RegionGraph<'c> {
    /// All blocks of the function at the time of [`RegionGraph::split`].
    pub blocks: Vec<Block<'c>>,
    /// The first block of each region: the function's entry, then the block after each stop, in order.
    pub starts: Vec<usize>,
    /// The blocks that end at a stop, with the stop's number, from 1.
    pub stops: HashMap<usize, u32>,
    index: HashMap<Block<'c>, usize>,
    /// For each block, whether it is the first one after a stop.
    after_stop: Vec<bool>,
    /// The predecessors of each block, without the edges across a stop.
    previous: Vec<Vec<usize>>,
    /// The successors of each block, without the edges across a stop.
    next: Vec<Vec<usize>>,
}

impl<'c> RegionGraph<'c> {
    /// Splits the block after each of these instructions, which remain.
    pub fn split(function: Function<'c>, stops: &[Value<'c>]) -> Self {
        let split_after = |stop: &Value<'c>| stop.next().expect("a call is no terminator").split_block("behind");
        let after_stop: Vec<_> = stops.iter().map(split_after).collect();
        let blocks = function.blocks();
        let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        // Only after the last split is the block of each stop final.
        let ends: Vec<_> = stops.iter().map(|stop| stop.block()).zip(after_stop).collect();
        let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().map(|(_, start)| index[start])).collect();
        let mut after_stop = vec![false; blocks.len()];
        starts[1..].iter().for_each(|start| after_stop[*start] = true);
        let stops: HashMap<_, _> = (1..).zip(&ends).map(|(number, (stop, _))| (index[stop], number)).collect();
        let next = |(block, b): (usize, &Block<'c>)| match stops.contains_key(&block) {
            true => Vec::new(),
            false => b.successors().iter().map(|next| index[next]).collect(),
        };
        let next: Vec<Vec<usize>> = blocks.iter().enumerate().map(next).collect();
        let mut previous = vec![Vec::new(); blocks.len()];
        for (from, to) in next.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |to| (from, *to))) {
            previous[to].push(from);
        }
        RegionGraph { blocks, index, after_stop, previous, next, starts, stops }
    }

    /// The blocks of a region, in the function's order.
    pub fn region(&self, region: usize) -> Vec<usize> {
        self.reached(self.starts[region])
    }

    /// The blocks that a path leads to from a block without passing a stop, in the function's order.
    pub fn reached(&self, start: usize) -> Vec<usize> {
        let reached = reached([start], |block| self.next[block].iter().copied());
        let mut blocks: Vec<usize> = reached.into_iter().collect();
        blocks.sort_unstable();
        blocks
    }

    /// The blocks that follow a block, except after a stop.
    pub fn successors(&self, block: usize) -> &[usize] {
        &self.next[block]
    }

    /// Demotes each value that one region computes and a later one uses. Returns these values, each with its alloca,
    /// which is in the entry block.
    pub fn keep_values(&self) -> Vec<(Value<'c>, Value<'c>)> {
        self.kept_values().into_iter().filter_map(|value| Some((value, value.demote_to_stack()?))).collect()
    }

    /// Compares a value with a constant again where the result is used, if both would be kept and `repeats` returns
    /// true for the value.
    pub fn repeat_comparisons(&self, repeats: impl Fn(Value<'c>) -> bool) {
        let kept = self.kept_values();
        let is_repeated = |v: &&Value<'c>| {
            v.is(Opcode::ICmp) && v.operand(1).is_constant() && kept.contains(&v.operand(0)) && repeats(v.operand(0))
        };
        for comparison in kept.iter().filter(is_repeated) {
            let mut users = comparison.users();
            users.dedup();
            for user in users.into_iter().filter(|user| !user.is(Opcode::Phi) && user.block() != comparison.block()) {
                let copy = comparison.duplicate();
                Builder::before(user).insert(copy);
                let places = (0..user.operand_count()).filter(|place| user.operand(*place) == *comparison);
                places.for_each(|place| user.set_operand(place, copy));
            }
        }
    }

    /// The values that one region computes and a later one uses.
    fn kept_values(&self) -> Vec<Value<'c>> {
        let mut kept = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            let defined: Vec<_> = block.instructions().filter(|i| i.is_used() && !i.is(Opcode::Alloca)).collect();
            let outside = |v: &Value<'c>| use_blocks(*v).into_iter().any(|b| self.number(b) != Some(number));
            let needed = |v: &Value<'c>| self.is_needed_after(number, &use_blocks(*v));
            kept.extend(defined.into_iter().filter(outside).filter(needed));
        }
        kept
    }

    /// Whether a path leads from a stop to one of `uses` without passing through block `defined`.
    fn is_needed_after(&self, defined: usize, uses: &[Block<'c>]) -> bool {
        let mut seen = HashSet::from([defined]);
        let mut work: Vec<usize> = uses.iter().filter_map(|b| self.number(*b)).collect();
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                if self.after_stop[block] {
                    return true;
                }
                work.extend(&self.previous[block]);
            }
        }
        false
    }

    /// The index of a block; none if the block was added after the split.
    fn number(&self, block: Block<'c>) -> Option<usize> {
        self.index.get(&block).copied()
    }
}

/// The blocks that use a value. A phi uses it at the end of the incoming block.
fn use_blocks<'c>(value: Value<'c>) -> Vec<Block<'c>> {
    let mut blocks = Vec::new();
    for user in value.users() {
        if user.is(Opcode::Phi) {
            blocks.extend(user.incoming().into_iter().filter(|(v, _)| *v == value).map(|(_, block)| block));
        } else {
            blocks.push(user.block());
        }
    }
    blocks
}
