//! Turns every pointer of the host's one address space into a generic pointer, for targets where the host's number means
//! something else.
//!
//! LLVM's value mapper does it in place (`src/llvm/retype.cpp`): signatures, bodies, constants, initialisers, attributes
//! that name a type, metadata and debug records; intrinsics get the name of their new signature. Clones are not needed,
//! so debug information stays as it is. Allocas and statics stand in the generic space afterwards, where no memory is:
//! `place_allocas` and `place_globals` must follow.
//!
//! Before: nothing takes the address of a function. A function's address space is its own and does not change.

use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::llvm::Module;

/// The address space of every pointer in the neutral module.
const HOST: u32 = 0;

/// Retypes all of `module`; nothing where the target's generic pointers are the host's.
pub fn retype_pointers(module: &Module<'_>, spaces: &AddressSpaceMap) {
    let generic = spaces.of(Role::Generic);
    if generic != HOST {
        module.retype_pointers(HOST, generic);
    }
}
