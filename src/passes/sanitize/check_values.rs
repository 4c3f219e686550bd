//! Reports branches and addresses that depend on unwritten values.
//!
//! Each value that may decide one of them has a shadow of the same size, in which the unwritten bits are set.
//! `shadows.rs` computes it. Only shadows that reach a branch or an address are computed. If the optimiser has turned a
//! branch into a choice between two values, the report is at the store of the value: until then, another choice may
//! drop it.
//!
//! ```c
//! offloadrt_check_decision(shadow != 0, is_address, &place); // before the branch or the access
//! ```

mod shadows;

use super::check_accesses::places::Places;
use crate::analysis::objects::{Object, Objects};
use crate::contract::checker::{self, UNWRITTEN};
use crate::contract::kernel::KernelSet;
use crate::llvm::{Builder, Function, Linkage, Module, Opcode, Value};
use shadows::{Bits, Shadows};

/// Inserts the calls into all functions.
pub fn check_values(module: &Module<'_>, kernels: &KernelSet) {
    let objects = Objects::new(module, kernels);
    let mut places = Places::new(module, kernels);
    for function in module.definitions().collect::<Vec<_>>() {
        check_function(module, function, &objects, &mut places);
    }
    forget_unwritten(module);
}

/// Lets the optimiser replace unwritten values by zeros.
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
        for Decision { value, bits, is_address } in decisions(instruction, objects) {
            let shadow = shadows.with(bits, value).filter(|shadow| !Shadows::is_never_set(*shadow));
            let Some(shadow) = shadow else { continue };
            // The optimiser gives a choice the place of the branch.
            let is_choice = bits == Bits::Chosen && value.is_instruction() && value.is(Opcode::Select);
            let place = places.of(if is_choice { value } else { instruction });
            let (builder, i32) = (Builder::before(instruction), module.types().i32());
            let is_unwritten = builder.cast(Opcode::ZExt, Shadows::is_any_set(&builder, shadow), i32, "");
            let arguments = [is_unwritten, i32.constant(is_address.into()), place];
            builder.call(checker::function(module, "decision"), &arguments, "");
        }
    }
}

/// A value that must not have some bits.
struct Decision<'c> {
    value: Value<'c>,
    bits: Bits,
    is_address: bool,
}

/// The values that decide where an instruction leads, and the value that it stores for others.
fn decisions<'c>(instruction: Value<'c>, objects: &Objects<'_, 'c>) -> Vec<Decision<'c>> {
    let branch = |value| Decision { value, bits: Bits::Unwritten, is_address: false };
    let address = |index| Decision { value: instruction.operand(index), bits: Bits::Unwritten, is_address: true };
    let stored = |index| Decision { value: instruction.operand(index), bits: Bits::Chosen, is_address: false };
    match instruction.opcode() {
        Opcode::Br | Opcode::Switch => instruction.condition().map(branch).into_iter().collect(),
        Opcode::Load | Opcode::AtomicCmpXchg => vec![address(0)],
        Opcode::AtomicRMW => vec![address(0), stored(1)],
        Opcode::Store if matches!(objects.of(instruction.operand(1)), Object::Any) => vec![address(1), stored(0)],
        Opcode::Store => vec![address(1)],
        _ => Vec::new(),
    }
}
