//! Gives loops one exit instead of two.
//!
//! ```text
//! loop {                                          if q(v) {
//!     if !q(v) { break }                    =>        loop {
//!     …; v = next;                                        …; v = next;
//!     if !p { break }                                     if !(p && q(v)) { break }
//! }                                                   }
//!                                                 }
//! ```
//!
//! LLVM turns `while p && q(v)` into the left side: it moves the first condition to the end of the loop, and the second
//! one stays in front of the body. A branch is more expensive on a GPU than a condition: NVIDIA's assembler keeps both
//! branches, and on AMD's GPUs each divergent one computes masks. So a short condition without accesses to memory is
//! computed at the end of an iteration, for the next one, and both conditions have one branch. In the last iteration,
//! the second condition may be computed although it is not needed.

use crate::llvm::Module;

/// Changes the loops of all functions.
pub fn merge_exits(module: &Module<'_>) {
    module.definitions().for_each(|function| function.merge_exits());
}
