//! The calls of an instrumented kernel's entry to the checker.

use crate::contract::checker;
use crate::llvm::{Builder, Module, Value};

/// Tells the checker that a block begins. The entry calls this before all else.
pub(crate) fn begin_block<'c>(module: &Module<'c>, builder: &Builder<'c>, block: Value<'c>, ranges: Value<'c>) {
    builder.call(checker::function(module, "block"), &[block, ranges], "");
}

/// Tells the checker that a thread of the block continues, by its number.
pub(crate) fn continue_thread<'c>(module: &Module<'c>, builder: &Builder<'c>, number: Value<'c>) {
    builder.call(checker::function(module, "thread"), &[number], "");
}
