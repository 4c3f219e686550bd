//! A function's blocks, cut where a thread leaves it to come back later: at a barrier, or at a call that is not made on the
//! hardware's stack.
//!
//! A *region* is what runs from the function's start, or from behind a stop, to the next stop or the end. What a region
//! computes and a later one uses must be kept in memory; this finds it, and keeps it in allocas, which are the caller's to
//! place.

use std::collections::HashMap;

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
        let starts = std::iter::once(0).chain(cuts.iter().map(|(_, start)| index[start])).collect();
        let stops: HashMap<_, _> = (1..).zip(&cuts).map(|(number, (stop, _))| (index[stop], number)).collect();
        let next = |(block, b): (usize, &Block<'c>)| match stops.contains_key(&block) {
            true => Vec::new(),
            false => b.successors().iter().map(|next| index[next]).collect(),
        };
        let next = blocks.iter().enumerate().map(next).collect();
        CutGraph { blocks, index, next, starts, stops }
    }

    /// The blocks that a thread can enter from these without passing a stop, and without entering block `avoided`.
    pub fn reach(&self, from: &[usize], avoided: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.blocks.len()];
        let mut work = from.to_vec();
        while let Some(block) = work.pop() {
            if Some(block) != avoided && !std::mem::replace(&mut seen[block], true) {
                work.extend(&self.next[block]);
            }
        }
        seen
    }

    /// Keeps in memory each value that a region uses and an earlier one computed; gives the allocas, in the entry block.
    pub fn keep_values(&self) -> Vec<Value<'c>> {
        let mut kept = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            let defined: Vec<_> = block.instructions().filter(|i| i.is_used() && !i.is(Opcode::LLVMAlloca)).collect();
            let outside = |v: &Value<'c>| use_blocks(*v).into_iter().any(|b| self.number(b) != Some(number));
            let defined: Vec<_> = defined.into_iter().filter(outside).collect();
            if defined.is_empty() {
                continue;
            }
            let reached = self.reach(&self.starts[1..], Some(number));
            let needed = |b: Block<'c>| self.number(b).is_some_and(|b| reached[b]);
            kept.extend(defined.into_iter().filter(|v| use_blocks(*v).into_iter().any(needed)));
        }
        kept.into_iter().filter_map(Value::demote_to_stack).collect()
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
        if user.is(Opcode::LLVMPHI) {
            blocks.extend(user.incoming().into_iter().filter(|(v, _)| *v == value).map(|(_, block)| block));
        } else {
            blocks.push(user.block());
        }
    }
    blocks
}
