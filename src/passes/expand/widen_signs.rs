//! Widens numbers of one bit with a sign before they become floats.
//!
//! Such a number is 0 or -1. LLVM 22's SPIR-V back end selects between 0.0 and 1.0 for it (pull request 209232).

use crate::llvm::{Builder, Module, Opcode, Value};

/// The bits of the numbers that are converted.
const WIDER: u32 = 32;

/// Widens all such numbers of `module`.
pub fn widen_signs(module: &Module<'_>) {
    for function in module.definitions() {
        for converted in function.instructions().filter(|i| converts_sign(*i)).collect::<Vec<_>>() {
            let bit = converted.operand(0);
            let one = bit.ty().types().int(WIDER);
            let wider = bit.ty().vector_length().map_or(one, |length| one.vector(length));
            converted.set_operand(0, Builder::before(converted).cast(Opcode::SExt, bit, wider, ""));
        }
    }
}

fn converts_sign(instruction: Value<'_>) -> bool {
    instruction.is(Opcode::SIToFP) && instruction.operand(0).ty().scalar_width() == Some(1)
}
