//! Implements the ordering of loads and stores with fences, for devices whose accesses have no ordering.

use crate::llvm::{Builder, Module, Opcode, Ordering, Value};

/// Makes every atomic load and store relaxed, and inserts fences before and after it that provide its ordering.
pub fn order_with_fences(module: &Module<'_>) {
    for function in module.functions() {
        for access in function.instructions().filter(is_atomic_access) {
            let ordering = access.ordering();
            if matches!(ordering, Ordering::Unordered | Ordering::Monotonic) {
                continue;
            }
            let sequential = ordering == Ordering::SequentiallyConsistent;
            if sequential || access.is(Opcode::Store) {
                Builder::before(access).fence_like(access, ordering);
            }
            if sequential || access.is(Opcode::Load) {
                let next = access.next().expect("a load or store is no terminator");
                Builder::before(next).fence_like(access, ordering);
            }
            access.set_ordering(Ordering::Monotonic);
        }
    }
}

fn is_atomic_access(instruction: &Value<'_>) -> bool {
    matches!(instruction.opcode(), Opcode::Load | Opcode::Store) && instruction.is_atomic()
}
