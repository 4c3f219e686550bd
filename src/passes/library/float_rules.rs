//! Sets the fast-math flags of each floating-point operation: none, contraction, or all flags of `--fast-math`.
//!
//! Precondition: the math library is not linked yet. Its results have the same bits with all options.

use crate::llvm::{Builder, FastMath, Function, Module, Opcode, Place};

/// Marks the operations of `module` with `flags`, and splits `llvm.fmuladd` into its two unless the source may
/// contract.
pub fn float_rules(module: &Module<'_>, may_contract: bool, flags: Option<FastMath>) {
    if !may_contract {
        part_multiply_adds(module);
    }
    let Some(flags) = flags else { return };
    for function in module.functions() {
        function.instructions().for_each(|instruction| instruction.allow(flags));
    }
}

/// `a * b + c`
fn part_multiply_adds(module: &Module<'_>) {
    let fused = |f: &Function<'_>| f.is_intrinsic() && f.name().starts_with("llvm.fmuladd.");
    for intrinsic in module.functions().into_iter().filter(fused) {
        for call in intrinsic.direct_calls() {
            let (builder, arguments) = (Builder::before(call), call.arguments());
            let product = builder.binary(Opcode::FMul, arguments[0], arguments[1], "");
            call.replace_all_uses_with(builder.binary(Opcode::FAdd, product, arguments[2], ""));
            call.erase();
        }
    }
}

/// Allows every function to treat subnormal numbers of `f32` as zero.
pub fn flush_subnormals(module: &Module<'_>) {
    let rule = crate::llvm::Attribute::Text("denormal-fp-math-f32".into(), "preserve-sign,preserve-sign".into());
    for function in module.definitions() {
        function.add_attribute(Place::Function, &rule);
    }
}
