//! Computes the number of iterations of a loop over every n-th number in fewer instructions.
//!
//! ```text
//! distance = end > start ? end - start : 0
//! left = distance / step + (distance % step != 0)           =>      left = (end - start - 1) / step + 1
//! if end > start { … left … }                                       if end > start { … left … }
//! ```
//!
//! The left side is `for i in (start..end).step_by(step)`. Both sides are the same number where the loop has an
//! iteration, and nothing reads the number elsewhere. The right side is also LLVM's own form of such a number, so LLVM
//! does not compute it again for several copies of the body. Targets whose loops end by their index
//! (`drop_counters.rs`) need no number.

use crate::llvm::Module;

/// Changes the numbers of all functions.
pub fn simplify_counts(module: &Module<'_>) {
    module.definitions().for_each(|function| function.simplify_counts());
}
