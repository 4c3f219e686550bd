//! Finds kernels whose stack is larger than the memory that a thread of a device has.

use crate::analysis::recursion::recursive_kernels;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::Module;

/// Reports each kernel that may recurse if its stack of `bytes` bytes fills the `limit` bytes of a thread, in which its
/// other locals are, too.
pub fn check_stack_size(module: &Module<'_>, kernels: &KernelSet, bytes: u32, limit: u32) -> Vec<Diagnostic> {
    if bytes < limit {
        return Vec::new();
    }
    let recursive = recursive_kernels(module, kernels);
    let refused = kernels.iter().filter(|kernel| recursive.contains(&kernel.name)).map(|kernel| {
        let message = format!(
            "kernel `{}` recurses with a stack of {bytes} bytes, and a thread has {limit} bytes for its stack and locals",
            kernel.display
        );
        Diagnostic::coded(Code::MemoryLimit, message).help("make the stack smaller with `--device-stack`")
    });
    refused.collect()
}
