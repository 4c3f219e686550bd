//! Marks the loads through pointers for which a kernel promises that their memory is not written while it runs.
//!
//! Before: calls of `__offload_read_only` name the pointers, and the kernels' functions are inlined. After: the calls
//! are removed, and loads whose address certainly comes from such a pointer have the metadata `!invariant.load`. NVIDIA
//! reads such memory through the read-only cache (`ld.global.nc`), AMD with scalar loads where all lanes have the same
//! address, and LLVM moves the loads across stores and barriers.
//!
//! Small copies from such memory, as those of structs, become loads and stores, because a copy has no such metadata.
//!
//! An address comes from a pointer by additions, casts, and choices between addresses that all come from such pointers.
//! Addresses that went through memory or a call are not followed.

use std::collections::HashSet;

use crate::contract::builtin::READ_ONLY;
use crate::llvm::{Module, Opcode, Value};
use crate::passes::expand::split_copies::split_copy;

/// Marks the loads of all functions, and removes the promises.
pub fn mark_read_only_loads(module: &Module<'_>) {
    let Some(promise) = module.function(READ_ONLY) else { return };
    let calls = promise.direct_calls();
    for address in derived(calls.iter().map(|call| call.arguments()[0]).collect()) {
        let loads = address.users().into_iter().filter(|user| user.is(Opcode::Load));
        loads.filter(|load| !load.is_volatile() && !load.is_atomic()).for_each(Value::mark_invariant);
        let copies: Vec<_> = address.users().into_iter().filter(|user| is_small_copy_from(address, *user)).collect();
        for copy in copies {
            split_copy(copy, WIDEST).into_iter().for_each(Value::mark_invariant);
            copy.erase();
        }
    }
    calls.into_iter().for_each(Value::erase);
}

/// The bytes of the largest copy that becomes loads, and of its widest load.
const MOST_COPIED: u64 = 64;
const WIDEST: u64 = 8;

/// Whether an instruction copies a few bytes from an address to memory that does not overlap.
fn is_small_copy_from<'c>(address: Value<'c>, user: Value<'c>) -> bool {
    let is_small = |length: Value<'_>| length.as_u64().is_some_and(|bytes| (1..=MOST_COPIED).contains(&bytes));
    is_copy_from(address, user) && is_small(user.arguments()[2])
}

/// Whether an instruction copies bytes from an address to memory that does not overlap.
pub(super) fn is_copy_from<'c>(address: Value<'c>, user: Value<'c>) -> bool {
    let Some(callee) = user.called_intrinsic().filter(|callee| callee.name().starts_with("llvm.memcpy.p")) else {
        return false;
    };
    let [to, from, _, volatile] = user.arguments()[..] else { return false };
    callee.is_intrinsic() && from == address && to != address && volatile.as_u64() == Some(0)
}

/// All addresses that certainly come from one of the pointers.
fn derived(pointers: Vec<Value<'_>>) -> Vec<Value<'_>> {
    let mut known: HashSet<_> = pointers.iter().copied().collect();
    let mut reached = Vec::new();
    let mut work = pointers.clone();
    while let Some(value) = work.pop() {
        let users = value.users().into_iter().filter(|user| !sources(*user).is_empty() && known.insert(*user));
        let users: Vec<_> = users.collect();
        reached.extend(users.iter().copied());
        work.extend(users);
    }
    // A choice counts until one of its sources is found not to count, because a pointer that a loop moves on is a
    // source of itself.
    while let Some(at) = reached.iter().position(|value| !sources(*value).iter().all(|source| known.contains(source))) {
        let _ = known.remove(&reached.swap_remove(at));
    }
    [pointers, reached].concat()
}

/// The addresses that an instruction makes its own address of; none for other instructions.
pub(super) fn sources(value: Value<'_>) -> Vec<Value<'_>> {
    match value.is_instruction().then(|| value.opcode()) {
        Some(Opcode::GetElementPtr | Opcode::AddrSpaceCast | Opcode::BitCast | Opcode::Freeze) => {
            vec![value.operand(0)]
        }
        Some(Opcode::Select) => vec![value.operand(1), value.operand(2)],
        Some(Opcode::Phi) => value.incoming().into_iter().map(|(value, _)| value).collect(),
        _ => Vec::new(),
    }
}
