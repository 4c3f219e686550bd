//! Constructs in the neutral module that SPIR-V kernels cannot contain, or that LLVM's back end cannot translate.

use super::composites::{MOST_WRITTEN, written_elements};
use super::gpu::{self, Abilities};
use super::types::MOST_PARAMETERS;
use crate::analysis::reach::edges;
use crate::checks::check_statics::{Relocations, check_statics};
use crate::checks::check_support::{Refusal, check_support};
use crate::contract::kernel::{Kernel, KernelSet};
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Function, Module, Opcode, Value};
use crate::rust_std::demangle::demangle;

/// OpenCL's library has functions that other devices lack.
static ABILITIES: Abilities = Abilities {
    math: |name, _| !matches!(name, "canonicalize" | "sincos" | "sincospi"),
    wide_conversions: false,
    intrinsics: "spv",
};

/// Intrinsics, without `llvm.` and their types, that the back end translates or `legal.rs` rewrites.
#[rustfmt::skip]
const INTRINSICS: &[&str] = &[
    "abs", "acos", "asin", "assume", "atan", "atan2", "bitreverse", "bswap", "ceil", "copysign", "cos", "cosh",
    "ctlz", "ctpop", "cttz", "dbg", "debugtrap", "donothing", "exp", "exp10", "exp2", "expect",
    "experimental.noalias.scope.decl", "fabs", "floor", "fma", "fmuladd", "fptosi.sat", "fptoui.sat", "fshl",
    "fshr", "invariant", "is.constant", "is.fpclass", "ldexp", "lifetime", "llrint", "llround", "log", "log10",
    "log2", "lrint", "lround", "masked", "maximumnum", "maxnum", "memcpy", "memmove", "memset", "minimumnum", "minnum",
    "modf", "nearbyint", "objectsize", "pow", "powi", "prefetch", "rint", "round", "roundeven", "sadd.sat",
    "sadd.with.overflow", "scmp", "sideeffect", "sin", "sinh", "smax", "smin", "smul.with.overflow", "sqrt",
    "sshl.sat", "ssub.sat", "ssub.with.overflow", "tan", "tanh", "trap", "trunc", "uadd.sat", "uadd.with.overflow",
    "ubsantrap", "ucmp", "umax", "umin", "umul.with.overflow", "ushl.sat", "usub.sat", "usub.with.overflow",
    "vector.reduce",
];

/// SPIR-V's own intrinsics that kernels can contain, without `llvm.spv.` and their types. The others are for shaders,
/// or for internal use in LLVM.
#[rustfmt::skip]
const OWN_INTRINSICS: &[&str] = &[
    "degrees", "fdot", "firstbitlow", "firstbitshigh", "firstbituhigh", "flattened.thread.id.in.group",
    "global.offset", "global.size", "group.id", "group.memory.barrier.with.group.sync", "isinf", "isnan", "lerp",
    "nclamp", "normalize", "num.subgroups", "num.workgroups", "radians", "rsqrt", "saturate", "sclamp", "sign",
    "smoothstep", "step", "subgroup.id", "subgroup.local.invocation.id", "subgroup.max.size", "subgroup.size",
    "thread.id", "uclamp", "wave.active.countbits", "wave.all", "wave.any", "wave.ballot", "wave.is.first.lane",
    "wave.readlane", "wave.reduce", "workgroup.size",
];

/// Whether kernels cannot contain one of SPIR-V's own intrinsics. `name` is its full name.
pub(super) fn lacks(name: &str) -> bool {
    let name = name.strip_prefix("llvm.spv.").unwrap_or(name);
    let is = |base: &&str| name.strip_prefix(*base).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    !OWN_INTRINSICS.iter().any(is)
}

/// Returns all findings.
pub(super) fn refuse(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    let mut found = check_support(module, kernels, &|instruction| {
        gpu::refuse(module, instruction, &ABILITIES).or_else(|| refuse_instruction(instruction))
    });
    found.extend(kernels.iter().filter_map(refuse_parameters));
    found.extend(check_statics(module, Relocations::Simple));
    found.extend(module.variables().into_iter().filter_map(refuse_static));
    found
}

/// A kernel with more parameters than a function can have, including the launch state and launch-sized shared memory.
fn refuse_parameters(kernel: &Kernel) -> Option<Diagnostic> {
    let (count, most) = (kernel.parameters.len(), MOST_PARAMETERS - 2);
    let message = format!("kernel `{}` takes {count} arguments, and the limit is {most}", kernel.display);
    let help = "put them into a struct, or into device memory with a pointer to it";
    (count > most).then(|| Diagnostic::coded(Code::MemoryLimit, message).help(help))
}

fn no_code(what: String, help: &'static str) -> Option<Refusal> {
    Some(Refusal { code: Code::NoDeviceCode, what, help })
}

fn refuse_instruction(instruction: Value<'_>) -> Option<Refusal> {
    if let Some(refusal) = address_of_function(instruction) {
        return Some(refusal);
    }
    match instruction.opcode() {
        Opcode::Call => refuse_call(instruction),
        Opcode::VAArg => no_code("reads a variable argument, which has no device code".into(), "pass a slice instead"),
        _ => None,
    }
}

fn refuse_call(call: Value<'_>) -> Option<Refusal> {
    if call.calls_inline_asm() {
        return None;
    }
    let Some(callee) = call.called_function() else {
        let what = "calls a function through a pointer, which this device does not support".to_owned();
        return Some(Refusal { code: Code::IndirectCall, what, help: "call the function by name, or use generics" });
    };
    if callee.is_intrinsic() {
        let full = callee.name();
        let name = full.strip_prefix("llvm.").unwrap_or(&full);
        let is = |base: &&str| name.strip_prefix(*base).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        // Functions with variable arguments are refused separately.
        let known = INTRINSICS.iter().any(is) || name.starts_with("va_");
        return if known { None } else { no_code(format!("calls `{full}`, which has no device code"), REWRITE) };
    }
    None
}

const REWRITE: &str = "write it another way in kernels";

/// The address of a function, in any use but a call.
fn address_of_function(instruction: Value<'_>) -> Option<Refusal> {
    // The function that a call names is an operand too, and no address.
    let values = if instruction.is_call() { instruction.arguments() } else { instruction.operands() };
    let function = values.into_iter().find_map(function_in)?;
    let what =
        format!("takes the address of `{}`, and this device has no pointers to functions", demangle(&function.name()));
    Some(Refusal { code: Code::IndirectCall, what, help: "call the function by name, or use generics" })
}

/// The function whose address a constant contains.
fn function_in(value: Value<'_>) -> Option<Function<'_>> {
    if let Some(function) = value.as_function() {
        return Some(function);
    }
    let inside = value.is_constant() && !value.is_global();
    if inside { value.operands().into_iter().find_map(function_in) } else { None }
}

/// A static whose initial value contains the address of a function, or is larger than the back end can write.
fn refuse_static(variable: Value<'_>) -> Option<Diagnostic> {
    let elements = variable.initializer().map_or(0, written_elements);
    if elements > MOST_WRITTEN {
        let name = demangle(&variable.name());
        let message = format!(
            "the initial value of static `{name}` has {elements} elements, and this device accepts {MOST_WRITTEN}"
        );
        let help = "fill device memory from the host, and pass a pointer to it";
        return Some(Diagnostic::coded(Code::StaticValue, message).help(help));
    }
    let (function, _) = edges(variable).into_iter().find(|(global, _)| global.is_function())?;
    let (holder, function) = (demangle(&variable.name()), demangle(&function.name()));
    let message = format!("the initial value of static `{holder}` contains the address of function `{function}`");
    let help = "this device has no pointers to functions: call them by name, or use generics instead of `dyn`";
    Some(Diagnostic::coded(Code::StaticValue, message).help(help))
}
