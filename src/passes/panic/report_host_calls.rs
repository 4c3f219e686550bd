//! Gives kernels that run in the host's own process the panic of a call that would lead to the host's code.
//!
//! There a pointer to a function of the host's can be followed, whichever way it came: past the check of captures, through a
//! reference to the host's memory. The host's code knows nothing of the launch: its `thread::index_1d` is that of a program with one
//! thread, its allocator does not know the launch's memory. So the target lets each call through a pointer look where it
//! leads.

use super::report_stack::define_panic;
use crate::analysis::reach::Reach;
use crate::analysis::recursion::is_through_pointer;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, PanicTable};
use crate::contract::symbols::HOST_CALL;
use crate::llvm::Module;

/// Defines [`HOST_CALL`] where a kernel calls through a pointer; gives the names of those that do, in the kernels' order.
pub fn report_host_calls(
    module: &Module<'_>,
    kernels: &KernelSet,
    mode: DevicePanic,
    table: &mut PanicTable,
) -> Vec<String> {
    let calls = |name: &&String| {
        let reached = module.function(name).map(|kernel| Reach::new(&[kernel]).order).unwrap_or_default();
        reached.iter().any(|global| global.is_function() && global.instructions().any(is_through_pointer))
    };
    let calling: Vec<_> = kernels.iter().map(|kernel| &kernel.name).filter(calls).cloned().collect();
    if !calling.is_empty() {
        let text = "a call through a pointer leads to host code, which is not compiled for this device";
        define_panic(module, HOST_CALL, text, mode, table);
    }
    calling
}
