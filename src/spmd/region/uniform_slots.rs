//! Uniform slots: the memory for values that are the same in all threads of a block and live across a barrier.
//!
//! The counter of a loop with barriers in it is such a value. If the threads of a kernel always stop at the same
//! places, one element of memory is enough for all of them. A region receives the value as a parameter, which is loaded
//! before its loop over the threads, because the first thread may already store the next one. LLVM then knows that a
//! branch on the value has one direction in the whole loop.

use super::signature::RegionSignature;
use super::slots;
use crate::llvm::{Builder, Function, Opcode, Type, Value};

/// A value that is the same in all threads.
#[derive(Clone, Copy)]
pub(crate) struct UniformSlot<'c> {
    pub(crate) source: Source<'c>,
    pub(crate) ty: Type<'c>,
}

/// Where a uniform slot has its value from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'c> {
    /// The first element of the slot with this offset, in bytes per thread.
    Slot(u64),
    /// This function returns it. It has the parameters of the region, up to the uniform slots in slots.
    Computed(Function<'c>),
}

impl<'c> UniformSlot<'c> {
    pub(crate) fn in_slot(offset: u64, ty: Type<'c>) -> Self {
        UniformSlot { source: Source::Slot(offset), ty }
    }

    pub(crate) fn computed(function: Function<'c>) -> Self {
        UniformSlot { source: Source::Computed(function), ty: function.function_type().result() }
    }
}

/// Makes parameters of the uniform slots that a region reads. Returns its new function, and these uniform slots in the
/// order of the parameters, which are the last ones.
pub(crate) fn pass_uniform_slots<'c>(
    function: Function<'c>,
    uniform_slots: &[UniformSlot<'c>],
) -> (Function<'c>, Vec<UniformSlot<'c>>) {
    let signature = RegionSignature::of(function, 0);
    let is_read = |uniform_slot: &&UniformSlot<'c>| {
        accesses(function, signature, uniform_slot).iter().any(|access| access.is(Opcode::Load))
    };
    let read: Vec<_> = uniform_slots.iter().filter(is_read).copied().collect();
    let types: Vec<_> = read.iter().map(|uniform_slot| uniform_slot.ty).collect();
    let extended = function.extend_signature(function.function_type().result(), &types);
    function.erase_global();
    let (signature, parameters) = (RegionSignature::of(extended, types.len()), extended.parameters());
    let start = extended.blocks()[0].instructions().next().expect("a block has a terminator");
    for (uniform_slot, parameter) in read.iter().zip(&parameters[parameters.len() - types.len()..]) {
        let builder = Builder::before(start);
        let variable = builder.alloca(uniform_slot.ty, "");
        builder.store(*parameter, variable, 0);
        slots::keep_in(variable, accesses(extended, signature, uniform_slot));
    }
    (extended, read)
}

/// The loads and stores of a uniform slot.
fn accesses<'c>(
    function: Function<'c>,
    signature: RegionSignature<'c>,
    uniform_slot: &UniformSlot<'c>,
) -> Vec<Value<'c>> {
    let Source::Slot(own) = uniform_slot.source else { return Vec::new() };
    let slots = signature.slots();
    let is_own = |i: &Value<'c>| match i.opcode() {
        Opcode::Load => slots.uniform_slot_offset(i.operand(0)) == Some(own),
        Opcode::Store => slots.uniform_slot_offset(i.operand(1)) == Some(own),
        _ => false,
    };
    function.instructions().filter(is_own).collect()
}
