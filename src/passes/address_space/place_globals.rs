//! Moves statics from the generic address space to the address space of their role, and casts each use back to generic.
//!
//! The sections of the device contract have priority: workgroup memory, constant memory. Other statics are in global
//! memory, or in constant memory if the target places them there. Workgroup memory has no initial value on any target,
//! so its initialiser is removed. Before this pass, the target must check whether an initialiser may contain the
//! address of another static.

use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::contract::builtin::{CONSTANT_SECTION, SHARED_SECTION};
use crate::llvm::{Linkage, Module, Value};

/// Moves every static of `module`. `read_only` is the role of statics that are never written and have no section of the
/// contract.
pub fn place_globals(module: &Module<'_>, spaces: &AddressSpaceMap, read_only: Role) {
    for variable in module.variables() {
        let kept = variable.name().starts_with("llvm.") || variable.ty().address_space() != spaces.of(Role::Generic);
        if !kept {
            place(variable, spaces, role(variable, read_only));
        }
    }
}

/// The role of a static.
fn role(variable: Value<'_>, read_only: Role) -> Role {
    match variable.section().as_str() {
        SHARED_SECTION => Role::Shared,
        CONSTANT_SECTION => Role::Constant,
        _ if variable.is_constant_global() => read_only,
        _ => Role::Global,
    }
}

fn place(variable: Value<'_>, spaces: &AddressSpaceMap, role: Role) {
    // The sections are the host's. Device linkers have other names for theirs.
    variable.set_section("");
    if role == Role::Shared {
        variable.set_initializer(Some(variable.value_type().poison()));
        variable.set_linkage(Linkage::Internal);
        variable.set_constant_global(false);
    }
    variable.move_variable(spaces.of(role));
}
