//! Gives the declaration of each intrinsic by name the attributes of the intrinsic.

use crate::analysis::declared_intrinsics::declared_intrinsics;
use crate::analysis::intrinsic_signature::Signature;
use crate::llvm::{Attribute, Module, Place, Value};

/// What an intrinsic says of itself that is true of the declaration that means it.
const ATTRIBUTES: &[&str] = &["convergent", "nocallback", "nofree", "nosync", "nounwind", "willreturn"];

/// Tells the optimiser what LLVM knows of each intrinsic; of one that it does not know, the worst.
pub fn describe_intrinsics(module: &Module<'_>) {
    for (function, name) in declared_intrinsics(module) {
        // Ways that differ in a constant operand must not become one call with a variable.
        for call in function.users().into_iter().filter(|u| u.is_plain_call_of(function)) {
            call.mark("nomerge");
        }
        let described = module.look_at_intrinsic(&name, |intrinsic| describe(module, function, intrinsic));
        if described.is_err() {
            function.mark("convergent");
        }
    }
}

fn describe<'c>(module: &Module<'c>, function: Value<'c>, intrinsic: Value<'c>) {
    function.copy_attributes(Place::Function, intrinsic, Place::Function, ATTRIBUTES);
    let signature = Signature::of(module, function, intrinsic);
    if let Some(memory) = intrinsic.attribute_value(Place::Function, "memory")
        && signature.is_some_and(|s| !s.uses_memory())
    {
        function.add_attribute(Place::Function, &Attribute::Enum("memory", memory));
    }
}
