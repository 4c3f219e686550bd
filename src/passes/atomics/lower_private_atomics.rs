//! Replaces atomic accesses to private memory, which only one thread can access, by accesses that are not atomic.
//!
//! An atomic in a local arises from a value with interior mutability, such as a counter that a function receives by
//! reference. Devices have no atomic instructions for private memory: PTX has none with this address space, and SPIR-V
//! leaves the result undefined. No other thread sees the accesses, so their ordering orders nothing.

use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::llvm::{Module, Value};

/// Rewrites the accesses of `module`, whose address spaces have been inferred.
pub fn lower_private_atomics(module: &Module<'_>, spaces: &AddressSpaceMap) {
    let private = spaces.of(Role::Private);
    let is_private =
        |i: &Value<'_>| i.is_atomic_access() && i.operand(i.atomic_address()).ty().address_space() == private;
    for function in module.definitions() {
        let accesses: Vec<_> = function.instructions().filter(is_private).collect();
        accesses.into_iter().for_each(Value::lower_private_atomic);
    }
}
