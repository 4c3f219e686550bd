//! Which blocks of a function dominate which, by LLVM's analysis.

use std::collections::HashMap;

use super::{Block, Function, shim};

/// The dominators of a function's blocks. A change of its branches makes them wrong.
#[derive(Debug)]
pub struct Dominators<'c> {
    entry: Option<Block<'c>>,
    immediate: HashMap<Block<'c>, Block<'c>>,
}

impl<'c> Dominators<'c> {
    /// Computes them.
    pub fn of(function: Function<'c>) -> Self {
        let blocks = function.blocks();
        let mut raw: Vec<_> = blocks.iter().map(|block| block.raw).collect();
        llvm!(shim::ofc_dominators(function.raw, raw.as_mut_ptr(), raw.len()));
        let immediate = blocks.iter().zip(raw).filter(|(_, dominator)| !dominator.is_null());
        let immediate = immediate.map(|(block, dominator)| (*block, Block::new(dominator))).collect();
        Dominators { entry: blocks.first().copied(), immediate }
    }

    /// The immediate dominator; none of the entry block, and of a block that is not reachable.
    pub fn immediate(&self, block: Block<'c>) -> Option<Block<'c>> {
        self.immediate.get(&block).copied()
    }

    /// Whether every path from the entry to `other` leads through `block`. A block that is not reachable has no path.
    pub fn dominates(&self, block: Block<'c>, other: Block<'c>) -> bool {
        let is_reachable = self.entry == Some(other) || self.immediate.contains_key(&other);
        !is_reachable || std::iter::successors(Some(other), |at| self.immediate(*at)).any(|at| at == block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Context, Module};

    #[test]
    fn paths_decide() {
        let context = Context::create();
        let text =
            b"define void @f(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  br label %join\nb:\n  br label %join\n\
            join:\n  br i1 %c, label %join, label %end\nend:\n  ret void\ndead:\n  br label %end\n}\n";
        let module = Module::from_text(&context, text, "f").unwrap();
        let function = module.function("f").unwrap();
        let [entry, a, b, join, end, dead] = function.blocks()[..] else { panic!("there are six blocks") };
        let dominators = Dominators::of(function);
        let immediate = [entry, a, b, join, end, dead].map(|block| dominators.immediate(block));
        assert_eq!(immediate, [None, Some(entry), Some(entry), Some(entry), Some(join), None]);
        assert!(dominators.dominates(entry, end) && dominators.dominates(join, end) && dominators.dominates(end, end));
        assert!(!dominators.dominates(a, join) && !dominators.dominates(end, join) && !dominators.dominates(dead, end));
        assert!(dominators.dominates(a, dead), "no path leads to it");
    }
}
