//! Paths through blocks.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::llvm::Block;

/// All places that paths lead to from `starts`, which are included. `next` returns the successors of a place.
pub fn reached<P: Copy + Eq + Hash, N: IntoIterator<Item = P>>(
    starts: impl IntoIterator<Item = P>,
    mut next: impl FnMut(P) -> N,
) -> HashSet<P> {
    let mut seen = HashSet::new();
    let mut work: Vec<P> = starts.into_iter().filter(|start| seen.insert(*start)).collect();
    while let Some(place) = work.pop() {
        work.extend(next(place).into_iter().filter(|next| seen.insert(*next)));
    }
    seen
}

/// The predecessors of blocks. A function may have thousands of loops, so they are found once for all blocks.
#[derive(Debug, Default)]
pub struct Predecessors<'c>(HashMap<Block<'c>, Vec<Block<'c>>>);

impl<'c> Predecessors<'c> {
    /// Those among `blocks`, in this order.
    pub fn among(blocks: &[Block<'c>]) -> Self {
        let mut all = Self::default();
        for block in blocks {
            block.successors().into_iter().for_each(|next| all.0.entry(next).or_default().push(*block));
        }
        all
    }

    /// The predecessors of a block.
    pub fn of(&self, block: Block<'c>) -> &[Block<'c>] {
        self.0.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The predecessor of a block, if it has one only.
    pub fn only(&self, block: Block<'c>) -> Option<Block<'c>> {
        match self.of(block) {
            [before] => Some(*before),
            _ => None,
        }
    }

    /// Removes the edge from one block to another.
    pub fn remove(&mut self, from: Block<'c>, to: Block<'c>) {
        if let Some(all) = self.0.get_mut(&to) {
            all.retain(|other| *other != from);
        }
    }

    /// The blocks from which a path leads to one of `ends`, which are included.
    pub fn leading_to(&self, ends: impl IntoIterator<Item = Block<'c>>) -> HashSet<Block<'c>> {
        reached(ends, |block| self.of(block).iter().copied())
    }
}
