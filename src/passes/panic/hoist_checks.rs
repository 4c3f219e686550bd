//! Decides checks in front of a loop, such as bounds checks whose index grows by the same number in each iteration.
//!
//! ```text
//! for i in first..last { if i >= n { panic() } … }
//!                          =>
//! if last - 1 < n { for i in first..last { … } }
//! else            { for i in first..last { if i >= n { panic() } … } }
//! ```
//!
//! The second loop is the unchanged loop, so a thread that panics does the same as before: the same iterations, then
//! the same panic. The first loop is that of a kernel without checks. LLVM unrolls it, joins its loads, and moves
//! invariant code out of it. The number of iterations is that of one exit of the loop; other exits may leave it
//! earlier. If the condition does not hold for an iteration that such an exit prevents, the thread takes the second
//! loop.
//!
//! Loops are not copied if threads wait for each other in them, because not all threads of a block take the same one.

use crate::llvm::{Module, OptLevel};

/// Hoists the checks of all functions, if the code may grow. `ballot` is an intrinsic that returns the lanes for
/// which a condition holds, on devices whose waves should not be divided between the two loops: the code would
/// compute masks for both. It is empty on other devices.
pub fn hoist_checks(module: &Module<'_>, level: OptLevel, ballot: &str) {
    if !matches!(level, OptLevel::O0 | OptLevel::Os | OptLevel::Oz) {
        module.definitions().for_each(|function| function.hoist_checks(ballot));
    }
}
