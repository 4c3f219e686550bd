//! Aligns arrays of a thread and of a block to 16 bytes, so that LLVM's back ends join neighbouring accesses.
//!
//! LLVM raises the alignment of an array in its own memory to 4 bytes at most, and that of shared memory not at all.
//! Smaller objects and those that are aligned better stay as they are. Shared memory also stays as it is if a module
//! has so much of it that the gaps could exceed a block's limit.

use crate::contract::address_space::AddressSpaceMap;
use crate::llvm::{Module, Opcode, Value};

/// The size of the widest access in bytes.
const WIDEST: u32 = 16;

/// The most shared memory of a module whose arrays are aligned; each device has more for a block.
const MOST_SHARED: u64 = 32 << 10;

/// Aligns all definitions of a module that are large enough: shared memory, and with `locals` the arrays of a thread.
pub fn align_memory<'c>(module: &Module<'c>, address_spaces: &AddressSpaceMap, locals: bool) {
    for function in module.definitions().filter(|_| locals) {
        for local in function.instructions().filter(|i| i.is(Opcode::Alloca) && i.is_fixed_alloca()) {
            let bytes = local.allocated_type().alloc_size(module) * local.operand(0).as_u64().unwrap_or(1);
            if bytes >= WIDEST.into() && local.alignment() < WIDEST {
                local.set_alignment(WIDEST);
            }
        }
    }
    let is_shared = |v: &Value<'c>| v.ty().address_space() == address_spaces.shared && !v.is_declaration();
    let shared: Vec<_> = module.variables().into_iter().filter(is_shared).collect();
    let bytes = |variable: &Value<'c>| variable.value_type().alloc_size(module);
    let with_gaps: u64 = shared.iter().map(|variable| bytes(variable).next_multiple_of(WIDEST.into())).sum();
    if with_gaps > MOST_SHARED {
        return;
    }
    for variable in shared {
        if bytes(&variable) >= WIDEST.into() && variable.alignment() < WIDEST {
            variable.set_alignment(WIDEST);
        }
    }
}
