//! Ends loops over every n-th number by their index, instead of a counter in addition to the index.
//!
//! ```text
//! distance = end > start ? end - start : 0
//! i = start; left = distance / step + (distance % step != 0)        i = start; limit = max(end, step) - step
//! if left != 0 {                                              =>    if end > start {
//!     do { …; i += step; left -= 1 } while left != 0                    do { last = i; …; i += step } while last < limit
//! }                                                                 }
//! ```
//!
//! The left side is `for i in (start..end).step_by(step)`. Rust's library counts the iterations, because `i + step` may
//! wrap around after the last one. A GPU pays for the division in each thread, also where a thread has two or three
//! iterations; if the step is no constant, it is a division of 64 bits. If it is known that `end + step` does not wrap
//! around, `i` is compared with `end`, as in a loop that a user writes in C.
//!
//! In such a loop `i` is less than `end`, so comparisons of the two are known. The number of iterations would be
//! computed again if LLVM made several copies of the body, so it does not. On NVIDIA's GPUs these copies are faster.

use crate::llvm::Module;

/// Changes the loops of all functions.
pub fn drop_counters(module: &Module<'_>) {
    module.definitions().for_each(|function| function.drop_counters());
}
