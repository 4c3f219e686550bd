//! Removes fences with the scope of a single thread.

use crate::llvm::{Module, Value};

/// Removes fences that order the accesses of a thread only for that thread, as for a signal handler. Devices have no
/// signals.
pub fn drop_compiler_fences(module: &Module<'_>) {
    for function in module.functions() {
        function.instructions().filter(|i| i.is_compiler_fence()).for_each(Value::erase);
    }
}
