//! Drops fences of one thread.

use crate::llvm::{Module, Value};

/// Drops fences that order a thread's accesses for that thread alone, as for a signal: devices have no signals.
pub fn drop_compiler_fences(module: &Module<'_>) {
    for function in module.functions() {
        function.instructions().filter(|i| i.is_compiler_fence()).for_each(Value::erase);
    }
}
