//! Defines the panic of a call that would execute host code, for kernels that run in the host's process.
//!
//! In such a kernel, a pointer to a host function can be called. It may have passed the check of captures, for example
//! through a reference to host memory. Host code is compiled without a launch: its `thread::index_1d` is that of a
//! program with one thread, and its allocator does not use the launch's heap. The target therefore checks the callee of
//! each call through a pointer.

use super::report_stack::define_panic;
use crate::analysis::reach::Reach;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, PanicTable};
use crate::contract::symbols::HOST_CALL;
use crate::llvm::{Module, Value};

/// Defines [`HOST_CALL`] if a kernel calls through a pointer. Returns the names of these kernels, in their
/// order.
pub fn report_host_calls(
    module: &Module<'_>,
    kernels: &KernelSet,
    mode: DevicePanic,
    table: &mut PanicTable,
) -> Vec<String> {
    let calls = |name: &&String| {
        let reached = module.function(name).map(|kernel| Reach::new(&[kernel]).order).unwrap_or_default();
        let mut functions = reached.into_iter().filter_map(Value::as_function);
        functions.any(|function| function.instructions().any(Value::is_indirect_call))
    };
    let calling: Vec<_> = kernels.iter().map(|kernel| &kernel.name).filter(calls).cloned().collect();
    if !calling.is_empty() {
        let text = "a call through a pointer leads to host code, which is not compiled for this device";
        define_panic(module, HOST_CALL, text, mode, table);
    }
    calling
}
