//! `--profile-lines`: locations in the user's own lines, and on the CPU also counters.

use crate::llvm::Module;

/// The function of the runtime that writes the counters of an object; `runtime-c/trace/profile.c` defines it.
pub const WRITE: &str = "offloadrt_profile_write";
/// The prefix of the names of the counters and of their table.
pub const CONSTANTS: &str = "offload.profile.";
/// The module flag of a module whose instructions are at the user's lines.
const FLAG: &str = "offload.profile-lines";

/// Marks a module as one whose lines are counted.
pub fn mark_profiled(module: &Module<'_>) {
    module.set_flag(FLAG, 1);
}

/// Whether the lines of a module are counted.
pub fn is_profiled(module: &Module<'_>) -> bool {
    module.flag(FLAG).is_some()
}
