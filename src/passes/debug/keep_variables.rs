//! Keeps the variables of the source in memory, where debuggers find them.
//!
//! All levels move variables to registers, because checks and mandatory inlining need that. In code that is not
//! optimised, a register is used again after the last use of a value, and on the CPU a thread that waits at a barrier
//! keeps only the values that it still needs. So each variable gets memory, to which each of its values is stored. If
//! no instruction computes a value of a variable any more, the variable keeps its records, which describe where it is
//! known.

use crate::llvm::{Module, OptLevel};

/// Keeps the variables of all functions in memory.
pub fn keep_variables(module: &Module<'_>) {
    for function in module.definitions() {
        function.keep_variables();
        function.point_to_variables();
    }
}

/// Whether the code of this level is for a debugger: nothing is optimised, and debug information has variables.
pub fn is_debugged(module: &Module<'_>, level: OptLevel) -> bool {
    level == OptLevel::O0 && module.definitions().any(|function| function.has_variables())
}
