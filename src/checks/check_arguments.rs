//! Reports kernels whose arguments are larger than a device allows.

use crate::contract::kernel::{Kernel, KernelSet};
use crate::diagnostics::{Code, Diagnostic};

/// Reports each kernel whose arguments have more than `limit` bytes.
pub fn check_arguments(kernels: &KernelSet, limit: u64) -> Vec<Diagnostic> {
    let end = |kernel: &Kernel| kernel.parameters.last().map_or(0, |p| u64::from(p.offset) + u64::from(p.size));
    let finding = |kernel: &Kernel| {
        let message =
            format!("kernel `{}` takes {} bytes of arguments, and the limit is {limit}", kernel.display, end(kernel));
        let help = "put them into device memory, and pass a pointer to it";
        Diagnostic::coded(Code::MemoryLimit, message).help(help)
    };
    kernels.iter().filter(|kernel| end(kernel) > limit).map(finding).collect()
}
