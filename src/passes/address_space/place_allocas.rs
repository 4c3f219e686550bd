//! Moves every alloca into the address space that the target's data layout requires.
//!
//! A cast after each alloca returns a generic pointer, which the code uses as before; LLVM's own passes then infer
//! which accesses are private. Lifetime intrinsics and debug records must name the alloca itself, so they use the moved
//! one.

use crate::contract::address_space::{AddressSpaceMap, Role};
use crate::llvm::{Builder, Module, Opcode, Value};

/// Moves every alloca of `module` that is not in the alloca address space yet.
pub fn place_allocas(module: &Module<'_>, spaces: &AddressSpaceMap) {
    let space = spaces.of(Role::Alloca);
    for function in module.functions() {
        for alloca in function.instructions().filter(|i| i.is(Opcode::Alloca)).collect::<Vec<_>>() {
            if alloca.ty().address_space() != space {
                place(module, alloca, space);
            }
        }
    }
}

fn place<'c>(module: &Module<'c>, alloca: Value<'c>, space: u32) {
    let placed = alloca.move_alloca(space);
    let cast = placed.next().expect("the cast stands behind the moved alloca");
    for call in cast.users() {
        let Some(name) = lifetime_intrinsic(call) else { continue };
        let intrinsic = module.intrinsic(name, &[placed.ty()]);
        Builder::before(call).call(intrinsic, &[placed], "");
        call.erase();
    }
}

/// The base name of the lifetime intrinsic that `user` calls.
fn lifetime_intrinsic(user: Value<'_>) -> Option<&'static str> {
    let name = user.called_function()?.name();
    ["llvm.lifetime.start", "llvm.lifetime.end"].into_iter().find(|base| name.starts_with(base))
}
