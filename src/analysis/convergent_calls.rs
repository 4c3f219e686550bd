//! Calls of convergent operations: barriers, and operations between lanes.

use crate::contract::builtin::{Builtin, intrinsic_name};
use crate::llvm::{Function, Place, Value};

/// Whether an instruction is a cross-lane operation.
pub fn is_cross_lane_op(instruction: Value<'_>) -> bool {
    !is_barrier(instruction) && instruction.called_function().is_some_and(is_convergent_op)
}

/// Whether an instruction is a barrier or a cross-lane operation.
pub fn is_convergent(instruction: Value<'_>) -> bool {
    instruction.called_function().is_some_and(is_convergent_op)
}

/// Whether a function is a convergent builtin.
pub fn is_convergent_op(function: Function<'_>) -> bool {
    let name = function.name();
    let described = || intrinsic_name(&name).is_some() && function.has_attribute(Place::Function, "convergent");
    Builtin::named(&name).map_or_else(described, |b| b.convergent)
}

/// Whether an instruction is a barrier for the whole block.
pub fn is_barrier(instruction: Value<'_>) -> bool {
    Builtin::called_by(instruction).is_some_and(|b| b.barrier)
}
