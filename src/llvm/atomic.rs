//! Atomic instructions: building them, their orderings and scopes, and their replacements.

use inkwell::llvm_sys::core::*;

use super::{AtomicOperation, Builder, Opcode, Ordering, Type, Value};

const RELAXED: Ordering = Ordering::Monotonic;

impl<'c> Value<'c> {
    /// The number of a scope's name in the context. The scope of the system has the empty name and number 1.
    fn scope_number(self, name: &str) -> u32 {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.raw)));
        llvm!(LLVMGetSyncScopeID(context, name.as_ptr().cast(), name.len()))
    }

    /// Whether an atomic instruction has the synchronisation scope with this name.
    pub fn has_scope(self, name: &str) -> bool {
        assert!(self.is_synchronising());
        llvm!(LLVMGetAtomicSyncScopeID(self.raw) == self.scope_number(name))
    }

    /// Sets the synchronisation scope of an atomic instruction.
    pub fn set_scope(self, name: &str) {
        assert!(self.is_synchronising());
        llvm!(LLVMSetAtomicSyncScopeID(self.raw, self.scope_number(name)))
    }

    /// Whether an instruction has a synchronisation scope: an atomic access or a fence.
    pub fn is_synchronising(self) -> bool {
        match self.opcode() {
            Opcode::Fence => true,
            _ => self.is_atomic_access(),
        }
    }

    /// Whether an instruction accesses memory atomically.
    pub fn is_atomic_access(self) -> bool {
        match self.opcode() {
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg => true,
            Opcode::Load | Opcode::Store => self.is_atomic(),
            _ => false,
        }
    }

    /// The index of the operand that is the address of an atomic access.
    pub fn atomic_address(self) -> u32 {
        assert!(self.is_atomic_access());
        if self.is(Opcode::Store) { 1 } else { 0 }
    }

    /// Makes a compare-and-exchange relaxed.
    pub fn relax_exchange(self) {
        assert!(self.is(Opcode::AtomicCmpXchg));
        llvm!(LLVMSetCmpXchgFailureOrdering(self.raw, RELAXED.into()));
        llvm!(LLVMSetCmpXchgSuccessOrdering(self.raw, RELAXED.into()));
    }
}

impl<'c> Builder<'c> {
    /// `load atomic`.
    pub fn atomic_load(&self, ty: Type<'c>, at: Value<'c>, ordering: Ordering, scope: &str) -> Value<'c> {
        let load = self.load(ty, at, 0, "");
        llvm!(LLVMSetOrdering(load.raw, ordering.into()));
        load.set_scope(scope);
        load
    }

    /// `store atomic`.
    pub fn atomic_store(&self, value: Value<'c>, at: Value<'c>, ordering: Ordering, scope: &str) {
        let store = self.build_store(value, at, 0);
        llvm!(LLVMSetOrdering(store.raw, ordering.into()));
        store.set_scope(scope);
    }

    /// `atomicrmw`.
    pub fn atomic_update(
        &self,
        (operation, ordering, scope): (AtomicOperation, Ordering, &str),
        at: Value<'c>,
        value: Value<'c>,
    ) -> Value<'c> {
        let number = at.scope_number(scope);
        Value::new(llvm!(LLVMBuildAtomicRMWSyncScope(
            self.raw,
            operation.into(),
            at.raw,
            value.raw,
            ordering.into(),
            number
        )))
    }

    /// `cmpxchg`, with the orderings of success and failure; the result is `{ the previous value, whether it was
    /// exchanged }`.
    pub fn compare_exchange(
        &self,
        ([success, failure], scope): ([Ordering; 2], &str),
        at: Value<'c>,
        [expected, value]: [Value<'c>; 2],
    ) -> Value<'c> {
        let number = at.scope_number(scope);
        let (at, expected, value) = (at.raw, expected.raw, value.raw);
        Value::new(llvm!(LLVMBuildAtomicCmpXchgSyncScope(
            self.raw,
            at,
            expected,
            value,
            success.into(),
            failure.into(),
            number
        )))
    }

    /// `fence` with the scope of an atomic instruction.
    pub fn fence_like(&self, access: Value<'c>, ordering: Ordering) {
        assert!(access.is_synchronising());
        llvm!(LLVMBuildFenceSyncScope(self.raw, ordering.into(), LLVMGetAtomicSyncScopeID(access.raw), c"".as_ptr()));
    }
}
