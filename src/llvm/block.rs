//! Basic blocks.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMBasicBlockRef;
use std::marker::PhantomData;

use super::value::c_name;
use super::{Context, Value, shim};

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

// The methods hand a live value to the LLVM call of the same name, after checking the kind where LLVM would read another
// kind's memory; `unsafe` has no other reason here.

impl<'c> Block<'c> {
    pub(super) fn new(raw: LLVMBasicBlockRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no block where one must be");
        Block { raw, context: PhantomData }
    }

    /// Its name, `""` when it has none.
    pub fn name(self) -> String {
        Value::new(unsafe { LLVMBasicBlockAsValue(self.raw) }).name()
    }

    /// The function it belongs to.
    pub fn function(self) -> Value<'c> {
        Value::new(unsafe { LLVMGetBasicBlockParent(self.raw) })
    }

    /// Its instructions in order; the one just returned may be erased.
    pub fn instructions(self) -> impl Iterator<Item = Value<'c>> {
        let mut next = Value::maybe(unsafe { LLVMGetFirstInstruction(self.raw) });
        std::iter::from_fn(move || {
            let current = next?;
            next = Value::maybe(unsafe { LLVMGetNextInstruction(current.raw) });
            Some(current)
        })
    }

    /// Its address, as a constant. No block that is entered first has one.
    pub fn address(self) -> Value<'c> {
        Value::new(unsafe { LLVMBlockAddress(LLVMGetBasicBlockParent(self.raw), self.raw) })
    }

    /// Its terminator.
    pub fn terminator(self) -> Option<Value<'c>> {
        Value::maybe(unsafe { LLVMGetBasicBlockTerminator(self.raw) })
    }

    /// The blocks its terminator may go to.
    pub fn successors(self) -> Vec<Block<'c>> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// Puts a block on the edges that lead here from `predecessors`; none where the edge of a computed goto is among them.
    pub fn split_predecessors(self, predecessors: &[Block<'c>]) -> Option<Block<'c>> {
        assert!(!predecessors.is_empty() && predecessors.iter().all(|b| b.successors().contains(&self)));
        let mut raw: Vec<_> = predecessors.iter().map(|b| b.raw).collect();
        let block = unsafe { shim::ofc_split_predecessors(self.raw, raw.as_mut_ptr(), raw.len()) };
        (!block.is_null()).then(|| Block::new(block))
    }

    /// A new empty block before this one.
    pub fn insert_before(self, name: &str) -> Block<'c> {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(self.raw)));
            Block::new(LLVMInsertBasicBlockInContext(context, self.raw, c_name(name).as_ptr()))
        }
    }

    /// Moves this block before another.
    pub fn move_before(self, other: Block<'c>) {
        unsafe { LLVMMoveBasicBlockBefore(self.raw, other.raw) }
    }

    /// Removes and destroys the block; nothing may branch to it.
    pub fn erase(self) {
        unsafe { LLVMDeleteBasicBlock(self.raw) }
    }
}
