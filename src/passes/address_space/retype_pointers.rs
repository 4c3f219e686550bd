//! Turns every pointer in the host's single address space into a generic pointer, for targets where the number of that
//! address space means something else.
//!
//! LLVM's value mapper does this in place (`src/llvm/retype.cpp`) for signatures, bodies, constants, initialisers,
//! attributes with types, metadata and debug records; intrinsics are renamed for their new signatures. No function is
//! cloned, so debug information does not change. Afterwards allocas and statics are in the generic address space, which
//! contains no memory, so `place_allocas` and `place_globals` must follow.
//!
//! Before: no function's address is taken. The address space of functions does not change.

use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::llvm::Module;

/// The address space of every pointer in the neutral module.
const HOST: u32 = 0;

/// Retypes all of `module`, for a target whose generic address space has another number than the host's.
pub fn retype_pointers(module: &Module<'_>, spaces: &AddressSpaceMap) {
    module.retype_pointers(HOST, spaces.of(Role::Generic));
}
