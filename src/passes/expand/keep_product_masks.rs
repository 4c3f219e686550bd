//! Keeps the masks of narrow factors on AMD GPUs.
//!
//! LLVM 22 multiplies numbers of at most 24 bits by instructions that read 24 bits, and drops the masks of the factors,
//! which these instructions do not need. A sum of 64 bits with such a product then becomes `v_mad_u64_u32`, which reads
//! all 32 bits of each factor (pull request 198729).
//!
//! `llvm.expect` hides the known bits of one factor, so that the product is one of 32 bits from the beginning.

use crate::llvm::{Builder, Module, Opcode, Value};

/// The bits that the narrow instructions read.
const NARROW: u32 = 24;
/// The bits of the factors of the wide instruction.
const FACTOR: u32 = 32;
/// The bits of its result.
const WIDEST: u32 = 64;

/// Hides a factor of each such product of `module`.
pub fn keep_product_masks(module: &Module<'_>) {
    for function in module.definitions() {
        for product in function.instructions().filter(|i| is_narrow(*i)).collect::<Vec<_>>() {
            let at = u32::from(product.operand(0).is_constant());
            let factor = product.operand(at);
            let expect = module.intrinsic("llvm.expect", &[factor.ty()]);
            let hidden = Builder::before(product).call(expect, &[factor, factor.ty().zero()], "");
            product.set_operand(at, hidden);
        }
    }
}

/// Whether an instruction is a product of more than 32 bits whose factors have at most 24.
fn is_narrow(instruction: Value<'_>) -> bool {
    instruction.is(Opcode::Mul)
        && instruction.ty().int_width().is_some_and(|width| width > FACTOR && width <= WIDEST)
        && (0..2).all(|at| instruction.operand(at).unsigned_bits(instruction) <= NARROW)
        && (0..2).any(|at| may_lose_bits(instruction.operand(at)))
}

/// Whether a number is computed in a way that the back end may simplify where 24 bits of it are needed.
fn may_lose_bits(number: Value<'_>) -> bool {
    if !number.is_instruction() {
        return false;
    }
    match number.opcode() {
        Opcode::ZExt => may_lose_bits(number.operand(0)),
        Opcode::Call => number.called_intrinsic().is_some() && !number.arguments().is_empty(),
        Opcode::Load | Opcode::Phi => false,
        _ => true,
    }
}
