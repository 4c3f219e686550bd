//! Copies the attributes of each intrinsic to the declaration that represents it (`__offload_intrinsic.NAME`).

use crate::analysis::declared_intrinsics::declared_intrinsics;
use crate::analysis::intrinsic_signature::Signature;
use crate::llvm::{Attribute, Function, Module, Place};

/// The attributes of an intrinsic that also hold for its declaration.
const ATTRIBUTES: &[&str] = &["convergent", "nocallback", "nofree", "nosync", "nounwind", "willreturn"];

/// Adds LLVM's attributes of each intrinsic. An intrinsic that is unknown to LLVM may have any effect.
pub fn describe_intrinsics(module: &Module<'_>) {
    for (function, name) in declared_intrinsics(module) {
        // Calls that differ in a constant operand must not be merged into one call with a variable operand.
        for call in function.direct_calls() {
            call.mark("nomerge");
        }
        let described = module.look_at_intrinsic(&name, |intrinsic| describe(module, function, intrinsic));
        if described.is_err() {
            function.mark("convergent");
        }
    }
}

fn describe<'c>(module: &Module<'c>, function: Function<'c>, intrinsic: Function<'c>) {
    function.copy_attributes(Place::Function, intrinsic, Place::Function, ATTRIBUTES);
    let signature = Signature::of(module, function, intrinsic);
    if let Some(memory) = intrinsic.attribute_value(Place::Function, "memory")
        && signature.is_some_and(|s| !s.uses_memory())
    {
        function.add_attribute(Place::Function, &Attribute::Enum("memory", memory));
    }
}
