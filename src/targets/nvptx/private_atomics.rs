//! Atomic accesses through generic pointers that may lead to private memory.
//!
//! PTX has atomic instructions for global and shared memory only. A generic address in private memory ends the launch
//! with an error. Such an address is known only at run time if a pointer to a local has been stored in memory, or has
//! been passed to a function that is called through a pointer. The code then branches on the kind of the address.

use super::ADDRESS_SPACES;
use crate::llvm::{Builder, Module, Opcode, Value};

/// Gives each atomic access through a generic pointer a copy for private memory, if a generic pointer in `module` may
/// lead there. `lower_private_atomics` then rewrites the copies.
pub(super) fn branch_to_private(module: &Module<'_>) {
    if !module.definitions().any(|function| function.instructions().any(makes_generic)) && !passes_copies(module) {
        return;
    }
    let generic = |i: &Value<'_>| {
        i.is_atomic_access() && i.operand(i.atomic_address()).ty().address_space() == ADDRESS_SPACES.generic
    };
    for function in module.definitions() {
        let accesses: Vec<_> = function.instructions().filter(generic).collect();
        accesses.into_iter().for_each(|access| branch(module, access));
    }
}

/// Whether an instruction makes a generic pointer to private memory. An alloca itself is a generic pointer.
fn makes_generic(instruction: Value<'_>) -> bool {
    let private = |value: Value<'_>| value.ty().is_pointer() && value.ty().address_space() == ADDRESS_SPACES.private;
    match instruction.opcode() {
        Opcode::Alloca => {
            let kept = |user: &Value<'_>| user.is(Opcode::AddrSpaceCast) || user.is_lifetime_marker();
            !instruction.users().iter().all(kept)
        }
        Opcode::AddrSpaceCast => private(instruction.operand(0)),
        _ => false,
    }
}

/// Whether a function receives a copy of an argument in its own memory.
fn passes_copies(module: &Module<'_>) -> bool {
    let internal = module.definitions().filter(|function| function.has_local_linkage());
    internal.into_iter().any(|f| (0..f.parameters().len()).any(|i| f.byval_type(i as u32).is_some()))
}

fn branch<'c>(module: &Module<'c>, access: Value<'c>) {
    let (address, before) = (access.operand(access.atomic_address()), access.block());
    let elsewhere = access.split_block("elsewhere");
    let after = access.next().expect("an access is no terminator").split_block("accessed");
    let private = after.insert_before("private");
    before.terminator().expect("the block was split").erase();
    let builder = Builder::at_end(before);
    let query = module.intrinsic("llvm.nvvm.isspacep.local", &[]);
    builder.cond_br(builder.call(query, &[address], ""), private, elsewhere);
    builder.move_to_end(private);
    let local = builder.address_space_cast(address, address.types().ptr(ADDRESS_SPACES.private), "");
    let copy = access.duplicate();
    builder.insert(copy);
    copy.set_operand(copy.atomic_address(), local);
    builder.br(after);
    let phi = access.is_used().then(|| Builder::at_start(after).phi(access.ty(), ""));
    if let Some(phi) = phi {
        access.replace_all_uses_with(phi);
        phi.add_incoming(access, elsewhere);
        phi.add_incoming(copy, private);
    }
}
