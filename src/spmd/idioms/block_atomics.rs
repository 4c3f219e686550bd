//! For the rows "histogram" and "radix sort": atomic operations that only the threads of one block can see.
//!
//! A block never leaves its thread of the host, and this thread runs the block's threads one after another. An update
//! of shared memory, or one whose scope is the block, therefore needs no locked instruction. Loads and stores remain,
//! because they cost nothing and a loop that waits for one must not lose it.

use crate::contract::atomic::Scope;
use crate::contract::builtin::{DeviceBuiltin, SHARED_SECTION};
use crate::llvm::{Module, Opcode, Value};

/// Gives updates of shared memory the scope of a single thread. A scope of the block is already that.
pub(crate) fn mark_block_atomics(module: &Module<'_>) {
    for update in updates(module).into_iter().filter(|update| is_shared(update.operand(0))) {
        update.set_scope(Scope::Thread.neutral());
    }
}

/// Replaces updates with this scope by ones that are not atomic. Until then they show the vectoriser that threads use
/// the same memory.
pub(crate) fn relax_block_atomics(module: &Module<'_>) {
    let own = |update: &Value<'_>| update.has_scope(Scope::Thread.neutral());
    updates(module).into_iter().filter(own).for_each(Value::lower_private_atomic);
}

fn updates<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let is_update = |i: &Value<'c>| (i.is(Opcode::AtomicRMW) || i.is(Opcode::AtomicCmpXchg)) && !i.is_volatile();
    module.definitions().flat_map(|function| function.instructions().filter(is_update).collect::<Vec<_>>()).collect()
}

/// Whether an address is in the block's shared memory.
fn is_shared(mut address: Value<'_>) -> bool {
    loop {
        let opcode = if address.is_instruction() { Some(address.opcode()) } else { address.constant_opcode() };
        match opcode {
            Some(Opcode::GetElementPtr | Opcode::BitCast | Opcode::AddrSpaceCast) => address = address.operand(0),
            Some(Opcode::Call) => {
                let symbol = DeviceBuiltin::DynamicShared.symbol();
                return address.called_function().is_some_and(|function| function.name() == symbol);
            }
            _ => return address.is_global_variable() && address.section() == SHARED_SECTION,
        }
    }
}
