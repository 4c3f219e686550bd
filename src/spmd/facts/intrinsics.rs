//! Intrinsics of LLVM that have forms for vectors.

use crate::analysis::effects::{has_effect, is_hint};
use crate::llvm::Value;

/// Those whose vector form applies them to each element; all are overloaded on the type of their first operand alone.
const ELEMENTWISE: &[&str] = &[
    "abs",
    "bitreverse",
    "bswap",
    "canonicalize",
    "ceil",
    "copysign",
    "ctlz",
    "ctpop",
    "cttz",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fshl",
    "fshr",
    "is.fpclass",
    "maximum",
    "maxnum",
    "minimum",
    "minnum",
    "nearbyint",
    "rint",
    "round",
    "roundeven",
    "sadd.sat",
    "smax",
    "smin",
    "sqrt",
    "ssub.sat",
    "trunc",
    "uadd.sat",
    "umax",
    "umin",
    "usub.sat",
];

/// The same, overloaded on the type of their result and on that of their operand.
const CONVERSIONS: &[&str] = &["fptosi.sat", "fptoui.sat"];

/// The intrinsic without its types, such as `llvm.fma`, if it applies to each element.
pub(crate) fn elementwise(name: &str) -> Option<&str> {
    let base = name.rsplit_once('.')?.0;
    if ELEMENTWISE.contains(&base.strip_prefix("llvm.")?) {
        return Some(base);
    }
    let base = base.rsplit_once('.')?.0;
    is_conversion(base).then_some(base)
}

/// Whether an intrinsic is overloaded on the type of its result and on that of its operand.
pub(crate) fn is_conversion(base: &str) -> bool {
    base.strip_prefix("llvm.").is_some_and(|name| CONVERSIONS.contains(&name))
}

/// Whether an operand is not a vector in the vector form.
pub(crate) fn is_scalar_operand(base: &str, index: u32) -> bool {
    matches!(base, "llvm.abs" | "llvm.ctlz" | "llvm.cttz" | "llvm.is.fpclass") && index == 1
}

/// Whether the start of a function that may be executed twice ends before an instruction: the instruction has an effect
/// or is a terminator.
pub(crate) fn ends_repeatable(instruction: Value<'_>) -> bool {
    instruction.is_terminator() || (has_effect(instruction) && !is_hint(instruction))
}
