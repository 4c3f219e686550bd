//! Reports branches and addresses that depend on values that nobody has written.
//!
//! Each value that may decide one of them has a shadow of the same size, in which the bits are set that nobody has
//! written. `shadows.rs` computes it. Only shadows that reach a branch or an address are computed.
//!
//! ```c
//! offloadrt_check_decision(shadow != 0, is_address, &place); // before the branch or the access
//! ```

mod shadows;

use super::check_accesses::places::Places;
use crate::analysis::objects::Objects;
use crate::contract::checker::{self, UNWRITTEN};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Builder, Function, Linkage, Module, Opcode, Value};
use shadows::Shadows;

/// Inserts the calls into all functions.
pub fn check_values(module: &Module<'_>, kernels: &KernelSet) {
    let objects = Objects::new(module, kernels);
    let mut places = Places::new(module, kernels);
    for function in module.definitions().collect::<Vec<_>>() {
        check_function(module, function, &objects, &mut places);
    }
    forget_unwritten(module);
}

/// Lets the optimiser replace values that nobody has written by zeros.
fn forget_unwritten(module: &Module<'_>) {
    let Some(unwritten) = module.variable(UNWRITTEN) else { return };
    unwritten.set_initializer(Some(unwritten.value_type().zero()));
    unwritten.set_constant_global(true);
    unwritten.set_linkage(Linkage::Internal);
}

fn check_function<'c>(
    module: &Module<'c>,
    function: Function<'c>,
    objects: &Objects<'_, 'c>,
    places: &mut Places<'_, 'c>,
) {
    let mut shadows = Shadows::new(module, objects);
    for instruction in function.instructions().collect::<Vec<_>>() {
        let Some((decisive, is_address)) = decisive(instruction) else { continue };
        let Some(shadow) = shadows.of(decisive) else { continue };
        let (builder, i32) = (Builder::before(instruction), module.types().i32());
        let is_unwritten = builder.cast(Opcode::ZExt, Shadows::is_any_set(&builder, shadow), i32, "");
        let arguments = [is_unwritten, i32.constant(is_address.into()), places.of(instruction)];
        builder.call(checker::function(module, "decision"), &arguments, "");
    }
}

/// The value that decides where an instruction leads, and whether it is an address.
fn decisive(instruction: Value<'_>) -> Option<(Value<'_>, bool)> {
    match instruction.opcode() {
        Opcode::Br | Opcode::Switch => Some((instruction.condition()?, false)),
        Opcode::Load | Opcode::AtomicRMW | Opcode::AtomicCmpXchg => Some((instruction.operand(0), true)),
        Opcode::Store => Some((instruction.operand(1), true)),
        _ => None,
    }
}
