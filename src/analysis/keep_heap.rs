//! Finds the kernels whose heap must outlive its launch.
//!
//! `Box::leak` returns a reference without a lifetime limit, and a writable static may keep it for a later launch of
//! any kernel. If a kernel allocates and reaches a static that may contain an address, its heap is therefore never
//! reused by another launch.

use super::callees::AddressTaken;
use super::reach::Reach;
use crate::contract::builtin::SHARED_SECTION;
use crate::contract::kernel::KernelSet;
use crate::llvm::{AtomicOperation, Module, Opcode, Value};

/// A smaller static contains no address. In bytes.
const POINTER_BYTES: u64 = 8;

/// Whether each kernel may keep its allocations after the launch, in the order of the kernels. `need_heap` has an entry
/// for each kernel: whether it allocates.
pub fn kernels_that_keep_heap(module: &Module<'_>, kernels: &KernelSet, need_heap: &[bool]) -> Vec<bool> {
    let addressed = AddressTaken::of(module);
    let keeps = |name: &str| {
        let kernel = module.function(name);
        let reached = kernel.map(|kernel| Reach::of_execution(kernel, &addressed).order).unwrap_or_default();
        reached.into_iter().any(|global| global.is_global_variable() && may_hold_address(module, global))
    };
    kernels.iter().zip(need_heap).map(|(kernel, needs)| *needs && keeps(&kernel.name)).collect()
}

/// Whether a kernel may store an address in a static. Shared memory ends with its block, and counters contain no
/// addresses.
fn may_hold_address<'c>(module: &Module<'c>, variable: Value<'c>) -> bool {
    let writable = !variable.is_constant_global() && variable.section() != SHARED_SECTION;
    let large = variable.value_type().alloc_size(module) >= POINTER_BYTES;
    writable && large && !variable.users().into_iter().all(|user| is_read_or_counted(user, variable))
}

/// Whether a use only reads the static, or is a read-modify-write operation such as an addition.
fn is_read_or_counted<'c>(user: Value<'c>, variable: Value<'c>) -> bool {
    match user.is_instruction().then(|| user.opcode()) {
        Some(Opcode::Load) => true,
        Some(Opcode::AtomicRMW) => user.operand(0) == variable && user.atomic_operation() != AtomicOperation::Xchg,
        _ => false,
    }
}
