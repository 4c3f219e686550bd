//! Keeps the sign of zero of a product that is rounded to a float of 16 bits.
//!
//! LLVM 22's back end for AMD GPUs makes one instruction of `fptrunc (fmul a, b)`, which adds 0.0 to the product. The
//! sum of -0.0 and 0.0 is 0.0, so the sign is lost. `fma a, b, -0.0` has the bits of the product, and the back end
//! makes the same instruction of it, with the addend -0.0.

use crate::llvm::{Builder, Module, Opcode, Value};

/// Changes all such products of `module`.
pub fn keep_zero_signs(module: &Module<'_>) {
    for function in module.definitions() {
        let is_product = |i: &Value<'_>| i.is(Opcode::FMul) && is_of_32_bits(*i) && is_rounded(*i);
        for product in function.instructions().filter(is_product).collect::<Vec<_>>() {
            let zero = product.ty().real(-0.0);
            let operands = [product.operand(0), product.operand(1), zero];
            let fused = Builder::before(product).call(module.intrinsic("llvm.fma", &[product.ty()]), &operands, "");
            product.replace_all_uses_with(fused);
            product.erase();
        }
    }
}

/// Whether a number, or each number of a vector, is an `f32`.
fn is_of_32_bits(value: Value<'_>) -> bool {
    let (ty, float) = (value.ty(), value.ty().types().float());
    ty == float || ty.vector_length().is_some_and(|length| ty == float.vector(length))
}

/// Whether a conversion uses the product, or its negative, also as an element of a vector.
fn is_rounded(product: Value<'_>) -> bool {
    let (mut seen, mut next) = (vec![product], 0);
    while next < seen.len() {
        for user in seen[next].users() {
            match user.opcode() {
                Opcode::FPTrunc => return true,
                Opcode::Call if user.called_intrinsic().is_some_and(|f| f.name() == "llvm.convert.to.fp16.f32") => {
                    return true;
                }
                Opcode::FNeg | Opcode::ExtractElement | Opcode::InsertElement | Opcode::ShuffleVector
                    if !seen.contains(&user) =>
                {
                    seen.push(user);
                }
                _ => {}
            }
        }
        next += 1;
    }
    false
}
