//! Finds the kernels whose heap must outlive its launch.
//!
//! `Box::leak` gives a reference for ever, and a writable static keeps it for a later launch of any kernel. So the heap of a kernel
//! that allocates and reaches a static in which an address may stand is never given to another launch.

use super::reach::Reach;
use crate::contract::builtin::SHARED_SECTION;
use crate::contract::kernel::KernelSet;
use crate::llvm::{AtomicOperation, Module, Opcode, Value};

/// A static of fewer bytes holds no address.
const POINTER_BYTES: u64 = 8;

/// Which of the kernels that need a heap may keep what they allocate, in the kernels' order.
pub fn kernels_that_keep_heap(module: &Module<'_>, kernels: &KernelSet, need_heap: &[bool]) -> Vec<bool> {
    let keeps = |name: &str| {
        let reached = module.function(name).map(|kernel| Reach::new(&[kernel]).order).unwrap_or_default();
        reached.into_iter().any(|global| global.is_global_variable() && may_hold_address(module, global))
    };
    kernels.iter().zip(need_heap).map(|(kernel, needs)| *needs && keeps(&kernel.name)).collect()
}

/// Whether a kernel may leave an address in a static: shared memory ends with its block, and a counter holds none.
fn may_hold_address<'c>(module: &Module<'c>, variable: Value<'c>) -> bool {
    let writable = !variable.is_constant_global() && variable.section() != SHARED_SECTION;
    let large = variable.value_type().alloc_size(module) >= POINTER_BYTES;
    writable && large && !variable.users().into_iter().all(|user| is_read_or_counted(user, variable))
}

/// A use that reads the static, or adds to it and the like.
fn is_read_or_counted<'c>(user: Value<'c>, variable: Value<'c>) -> bool {
    match user.is_instruction().then(|| user.opcode()) {
        Some(Opcode::Load) => true,
        Some(Opcode::AtomicRMW) => user.operand(0) == variable && user.atomic_operation() != AtomicOperation::Xchg,
        _ => false,
    }
}
