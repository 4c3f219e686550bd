//! Fuses products and sums that may round once.
//!
//! A driver's compiler may contract all operations of a kernel or none. The rules of the source can differ between the
//! functions of one kernel, so the pairs become fused operations here, and the driver contracts nothing.

use crate::llvm::{Builder, Module, Opcode, Value};

/// Fuses each product that only one sum or difference needs, in functions of any kernel.
pub(super) fn fuse_products(module: &Module<'_>) {
    for function in module.definitions() {
        let sums = |i: &Value<'_>| i.allows_contraction() && matches!(i.opcode(), Opcode::FAdd | Opcode::FSub);
        for sum in function.instructions().filter(sums).collect::<Vec<_>>() {
            fuse(module, sum);
        }
    }
}

/// `a * b + c`, `c + a * b`, `a * b - c`, `c - a * b`.
fn fuse<'c>(module: &Module<'c>, sum: Value<'c>) {
    let (operands, difference) = (sum.operands(), sum.is(Opcode::FSub));
    let fits = |value: &Value<'c>| value.is(Opcode::FMul) && value.allows_contraction() && value.users().len() == 1;
    let Some(at) = operands.iter().position(fits) else { return };
    let (product, other) = (operands[at], operands[1 - at]);
    let builder = Builder::before(sum);
    let negative = |value: Value<'c>| builder.negate(value);
    let (left, other) = match (difference, at) {
        (false, _) => (product.operand(0), other),
        (true, 0) => (product.operand(0), negative(other)),
        (true, _) => (negative(product.operand(0)), other),
    };
    let fused = builder.call(module.intrinsic("llvm.fma", &[sum.ty()]), &[left, product.operand(1), other], "");
    sum.replace_all_uses_with(fused);
    sum.erase();
    product.erase();
}
