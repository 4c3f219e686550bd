//! Moves statics from the generic address space to the one of their role, with casts back to generic at each use.
//!
//! A section of the device contract decides first: workgroup memory, constant memory. What is left is global
//! memory, or constant memory too where the target says so. Workgroup memory has no initial value on any target, so
//! its initialiser is dropped. Whether an initialiser may hold the address of another static is the target's to
//! check, before.

use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::contract::builtin::{CONSTANT_SECTION, SHARED_SECTION};
use crate::llvm::{Linkage, Module, Value};

/// Moves every static of `module`; `read_only` is the role of those that nothing writes and no section claims.
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
    // Sections are the host's; device linkers have their own idea of where things go.
    variable.set_section("");
    if role == Role::Shared {
        variable.set_initializer(Some(variable.value_type().poison()));
        variable.set_linkage(Linkage::Internal);
        variable.set_constant_global(false);
    }
    let space = spaces.of(role);
    if space != variable.ty().address_space() {
        variable.move_variable(space);
    }
}
