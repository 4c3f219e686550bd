//! Sets the fast-math flags of each floating-point operation: none, contraction, or all flags of `--fast-math`.
//!
//! Precondition: the math library is not linked yet. Its results have the same bits with all options.

use super::take_float_rules::FloatRules;
use crate::contract::fast::FastFunction;
use crate::contract::math::{self, Width};
use crate::llvm::{Attribute, Builder, FastMath, Function, Module, Opcode, Place};

/// Marks the operations of `module` with `flags`, or with those of their function, and splits `llvm.fmuladd` into its
/// two unless the source may contract. In functions with all flags, calls of math functions become calls of the fast
/// ones.
pub fn float_rules(module: &Module<'_>, may_contract: bool, flags: Option<FastMath>) {
    part_multiply_adds(module, may_contract);
    for function in module.functions() {
        let own = FloatRules::of(function);
        if let Some(flags) = own.map_or(flags, FloatRules::flags) {
            function.instructions().for_each(|instruction| instruction.allow(flags));
        }
        if own == Some(FloatRules::Fast) {
            call_fast_functions(module, function);
        }
    }
}

/// `a * b + c`
fn part_multiply_adds(module: &Module<'_>, may_contract: bool) {
    let fused = |f: &Function<'_>| f.is_intrinsic() && f.name().starts_with("llvm.fmuladd.");
    for intrinsic in module.functions().into_iter().filter(fused) {
        for call in intrinsic.direct_calls() {
            if FloatRules::of(call.function()).map_or(may_contract, |own| own.flags().is_some()) {
                continue;
            }
            let (builder, arguments) = (Builder::before(call), call.arguments());
            let product = builder.binary(Opcode::FMul, arguments[0], arguments[1], "");
            call.replace_all_uses_with(builder.binary(Opcode::FAdd, product, arguments[2], ""));
            call.erase();
        }
    }
}

/// Replaces the calls of `f32` functions that have a fast one.
fn call_fast_functions<'c>(module: &Module<'c>, function: Function<'c>) {
    for call in function.instructions().filter(|i| i.is_call()).collect::<Vec<_>>() {
        let known = call.called_function().and_then(|f| math::of_symbol(&f.name()));
        let Some((exact, Width::Single)) = known else { continue };
        if let Some(fast) = FastFunction::instead_of(&exact.c_name(Width::Single)) {
            call.set_callee(module.declare(fast.symbol(), call.called_type()));
        }
    }
}

/// Allows every function to treat subnormal numbers of `f32` as zero.
pub fn flush_subnormals(module: &Module<'_>) {
    let rule = Attribute::flushing_subnormals();
    for function in module.definitions() {
        function.add_attribute(Place::Function, &rule);
    }
}
