//! Basic blocks.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMBasicBlockRef;
use std::marker::PhantomData;

use super::value::c_name;
use super::{Context, Function, Value, shim};

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'c> {
    pub(super) raw: LLVMBasicBlockRef,
    context: PhantomData<&'c Context>,
}

impl std::fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "block {}", self.name())
    }
}

impl<'c> Block<'c> {
    pub(super) fn new(raw: LLVMBasicBlockRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no block where one must be");
        Block { raw, context: PhantomData }
    }

    /// Its name; `""` if it has none.
    pub fn name(self) -> String {
        Value::new(llvm!(LLVMBasicBlockAsValue(self.raw))).name()
    }

    /// The function it belongs to.
    pub fn function(self) -> Function<'c> {
        Function::new(llvm!(LLVMGetBasicBlockParent(self.raw)))
    }

    /// Its instructions in order. The last one that was returned may be erased.
    pub fn instructions(self) -> impl Iterator<Item = Value<'c>> {
        let mut next = Value::maybe(llvm!(LLVMGetFirstInstruction(self.raw)));
        std::iter::from_fn(move || {
            let current = next?;
            next = Value::maybe(llvm!(LLVMGetNextInstruction(current.raw)));
            Some(current)
        })
    }

    /// Its address, as a constant. An entry block has no address.
    pub fn address(self) -> Value<'c> {
        Value::new(llvm!(LLVMBlockAddress(LLVMGetBasicBlockParent(self.raw), self.raw)))
    }

    /// Its terminator.
    pub fn terminator(self) -> Option<Value<'c>> {
        Value::maybe(llvm!(LLVMGetBasicBlockTerminator(self.raw)))
    }

    /// The successors of its terminator.
    pub fn successors(self) -> Vec<Block<'c>> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// Inserts a block on the edges from `predecessors` to this one; none if one of them is the edge of an
    /// `indirectbr`.
    pub fn split_predecessors(self, predecessors: &[Block<'c>]) -> Option<Block<'c>> {
        assert!(!predecessors.is_empty() && predecessors.iter().all(|b| b.successors().contains(&self)));
        let mut raw: Vec<_> = predecessors.iter().map(|b| b.raw).collect();
        let block = llvm!(shim::ofc_split_predecessors(self.raw, raw.as_mut_ptr(), raw.len()));
        (!block.is_null()).then(|| Block::new(block))
    }

    /// Removes the entries of one edge from the phis, as long as the edge is there. A phi with one entry left is
    /// replaced by its value.
    pub fn remove_predecessor(self, predecessor: Block<'c>) {
        assert!(predecessor.successors().contains(&self));
        llvm!(shim::ofc_remove_predecessor(self.raw, predecessor.raw))
    }

    /// Clones blocks of this block's function, to the first of which this one branches, and returns the clone of the
    /// first. The phis of the clones have values for this block and for the clones, and for no other block.
    pub fn clone_successors(self, blocks: &[Block<'c>]) -> Block<'c> {
        assert!(blocks.first().is_some_and(|first| self.successors().contains(first)));
        let mut raw: Vec<_> = blocks.iter().map(|b| b.raw).collect();
        Block::new(llvm!(shim::ofc_clone_blocks(self.raw, raw.as_mut_ptr(), raw.len())))
    }

    /// Makes this many copies of the body of the loop that starts with this block, unless it has a hint for unrolling.
    /// A loop after it executes the remaining iterations.
    pub fn copy_loop_body(self, count: u32) {
        llvm!(shim::ofc_copy_loop_body(self.raw, count))
    }

    /// A new empty block before this one.
    pub fn insert_before(self, name: &str) -> Block<'c> {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(self.raw))));
        Block::new(llvm!(LLVMInsertBasicBlockInContext(context, self.raw, c_name(name).as_ptr())))
    }

    /// Moves this block before another.
    pub fn move_before(self, other: Block<'c>) {
        llvm!(LLVMMoveBasicBlockBefore(self.raw, other.raw))
    }

    /// Erases the block; nothing may branch to it.
    pub fn erase(self) {
        llvm!(shim::ofc_erase_block(self.raw))
    }
}
