//! A function's blocks, cut where a thread leaves it to come back later: at a barrier, or at a call that is not made on the
//! hardware's stack.
//!
//! A *region* is what runs from the function's start, or from behind a stop, to the next stop or the end. What a region
//! computes and a later one uses must be kept in memory; this finds it, and keeps it in allocas, which are the caller's to
//! place.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Block, Opcode, Value};

/// A body whose blocks end at the stops. Blocks are known by their place in `blocks`.
pub struct CutGraph<'c> {
    /// All blocks of the function when it was cut.
    pub blocks: Vec<Block<'c>>,
    /// Where each region starts, as an index of `blocks`: the function's start, then behind each stop in order.
    pub starts: Vec<usize>,
    /// Blocks that end at a stop, with the stop's number, from 1.
    pub stops: HashMap<usize, u32>,
    index: HashMap<Block<'c>, usize>,
    /// Blocks where a region starts behind a stop.
    behind: Vec<bool>,
    /// From where a thread can come to a block without passing a stop.
    previous: Vec<Vec<usize>>,
    /// Where a thread can go from a block without passing a stop.
    next: Vec<Vec<usize>>,
}

impl<'c> CutGraph<'c> {
    /// Ends a block behind each of these instructions, which stay.
    pub fn cut(function: Value<'c>, stops: &[Value<'c>]) -> Self {
        let split = |stop: &Value<'c>| stop.next().expect("a call is no terminator").split_block("behind");
        let behind: Vec<_> = stops.iter().map(split).collect();
        let blocks = function.blocks();
        let index: HashMap<_, _> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        // Only now does each stand in its last block.
        let cuts: Vec<_> = stops.iter().map(|stop| stop.block()).zip(behind).collect();
        let starts: Vec<usize> = std::iter::once(0).chain(cuts.iter().map(|(_, start)| index[start])).collect();
        let mut behind = vec![false; blocks.len()];
        starts[1..].iter().for_each(|start| behind[*start] = true);
        let stops: HashMap<_, _> = (1..).zip(&cuts).map(|(number, (stop, _))| (index[stop], number)).collect();
        let next = |(block, b): (usize, &Block<'c>)| match stops.contains_key(&block) {
            true => Vec::new(),
            false => b.successors().iter().map(|next| index[next]).collect(),
        };
        let next: Vec<Vec<usize>> = blocks.iter().enumerate().map(next).collect();
        let mut previous = vec![Vec::new(); blocks.len()];
        for (from, to) in next.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |to| (from, *to))) {
            previous[to].push(from);
        }
        CutGraph { blocks, index, behind, previous, next, starts, stops }
    }

    /// The blocks that a thread can enter in a region, itself the first, in the function's order.
    pub fn region(&self, region: usize) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut work = vec![self.starts[region]];
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                work.extend(&self.next[block]);
            }
        }
        let mut blocks: Vec<usize> = seen.into_iter().collect();
        blocks.sort_unstable();
        blocks
    }

    /// Keeps in memory each value that a region uses and an earlier one computed; gives the allocas, in the entry block.
    pub fn keep_values(&self) -> Vec<Value<'c>> {
        let mut kept = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            let defined: Vec<_> = block.instructions().filter(|i| i.is_used() && !i.is(Opcode::Alloca)).collect();
            let outside = |v: &Value<'c>| use_blocks(*v).into_iter().any(|b| self.number(b) != Some(number));
            let needed = |v: &Value<'c>| self.is_needed_behind(number, &use_blocks(*v));
            kept.extend(defined.into_iter().filter(outside).filter(needed));
        }
        kept.into_iter().filter_map(Value::demote_to_stack).collect()
    }

    /// Whether a thread can come from behind a stop to one of `uses` without entering block `defined`.
    fn is_needed_behind(&self, defined: usize, uses: &[Block<'c>]) -> bool {
        let mut seen = HashSet::from([defined]);
        let mut work: Vec<usize> = uses.iter().filter_map(|b| self.number(*b)).collect();
        while let Some(block) = work.pop() {
            if seen.insert(block) {
                if self.behind[block] {
                    return true;
                }
                work.extend(&self.previous[block]);
            }
        }
        false
    }

    /// The number of a block; none for one that was added after the cut.
    fn number(&self, block: Block<'c>) -> Option<usize> {
        self.index.get(&block).copied()
    }
}

/// The blocks at whose start or end a value must be known.
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
