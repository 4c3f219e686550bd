//! Separates the comparison of an index with a limit from the condition that the thread has an index.
//!
//! ```text
//! index = is_first_row ? x : usize::MAX
//! if index < len { … index … }               =>              if is_first_row & (x < len) { … x … }
//! ```
//!
//! A thread without an index has the largest number, which no limit admits. A choice of two numbers of 64 bits takes
//! NVIDIA's GPUs several instructions, and hides from LLVM how large `x` may be.

use crate::llvm::Module;

/// Changes the comparisons of all functions.
pub fn compare_indices(module: &Module<'_>) {
    module.definitions().for_each(|function| function.compare_indices());
}
