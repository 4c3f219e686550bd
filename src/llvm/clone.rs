//! Clones of functions, and which of their instructions are copies of which.

use std::collections::HashMap;

use super::{Block, Function, Value, shim};

/// The copies of a function's instructions and blocks in a clone. The parameters of a clone have the function's order.
#[derive(Debug)]
pub struct Copies<'c> {
    instructions: HashMap<Value<'c>, Value<'c>>,
    blocks: HashMap<Block<'c>, Block<'c>>,
}

impl<'c> Copies<'c> {
    /// The copy of an instruction. Any other value has none.
    pub fn get(&self, instruction: Value<'c>) -> Option<Value<'c>> {
        self.instructions.get(&instruction).copied()
    }

    /// The copy of an instruction of the function.
    ///
    /// # Panics
    ///
    /// If the function did not have the instruction when it was cloned.
    pub fn of(&self, instruction: Value<'c>) -> Value<'c> {
        self.get(instruction).expect("the function had the instruction when it was cloned")
    }

    /// The copy of a block of the function.
    ///
    /// # Panics
    ///
    /// If the function did not have the block when it was cloned.
    pub fn of_block(&self, block: Block<'c>) -> Block<'c> {
        *self.blocks.get(&block).expect("the function had the block when it was cloned")
    }
}

impl<'c> Function<'c> {
    /// A clone of the function, with the same linkage.
    pub fn clone_function(self) -> Function<'c> {
        Function::new(llvm!(shim::ofc_clone_function(self.raw)))
    }

    /// The same, with the copies of the instructions and blocks. A change of either function's signature leaves them
    /// as they are.
    pub fn clone_with_copies(self) -> (Function<'c>, Copies<'c>) {
        let (values, places): (Vec<_>, _) = (self.instructions().collect(), self.blocks());
        let mut copied: Vec<_> = values.iter().map(|value| value.raw).collect();
        let mut placed: Vec<_> = places.iter().map(|place| place.raw).collect();
        let (of_values, of_places) = (copied.as_mut_ptr(), placed.as_mut_ptr());
        let clone = llvm!(shim::ofc_clone_with_copies(self.raw, of_values, copied.len(), of_places, placed.len()));
        let copies = Copies {
            instructions: values.into_iter().zip(copied.into_iter().map(Value::new)).collect(),
            blocks: places.into_iter().zip(placed.into_iter().map(Block::new)).collect(),
        };
        (Function::new(clone), copies)
    }

    /// A clone of this function with `blocks`, and with the instructions of its entry block that they need. It
    /// continues in `start`, which is one of them. No edge leads from them to other blocks. With debug information,
    /// more of the entry block is kept.
    pub fn clone_region(self, start: Block<'c>, blocks: &[Block<'c>]) -> Function<'c> {
        assert!(blocks.contains(&start) && blocks.iter().all(|b| b.function() == self));
        let mut raw: Vec<_> = blocks.iter().map(|b| b.raw).collect();
        Function::new(llvm!(shim::ofc_clone_region(self.raw, start.raw, raw.as_mut_ptr(), raw.len())))
    }
}
