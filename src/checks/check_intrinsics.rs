//! Checks calls of `__offload_intrinsic.NAME`: LLVM must have the intrinsic, Rust's declaration must match its type,
//! and immediate operands must be constants. Targets check separately whether they have the intrinsic.

use super::check_support::{Refusal, check_support};
use crate::analysis::declared_intrinsics::declared_intrinsics;
use crate::analysis::intrinsic_signature::Signature;
use crate::contract::builtin::intrinsic_name;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Function, Module, NoIntrinsic, Opcode, Place, Value, ValueKind};

/// Why a declaration is wrong on all targets. The text follows the intrinsic's name.
pub fn fault<'c>(module: &Module<'c>, function: Function<'c>, name: &str) -> Option<String> {
    let compare = |intrinsic: Function<'c>| {
        let fits = Signature::of(module, function, intrinsic).is_some();
        let (given, wanted) = (function.function_type().text(), intrinsic.function_type().text());
        (!fits).then(|| format!("which is declared as `{given}`, but LLVM's type is `{wanted}`"))
    };
    match module.look_at_intrinsic(name, compare) {
        Ok(fault) => fault,
        Err(NoIntrinsic::Unknown) => Some("which is not an intrinsic of LLVM".to_owned()),
        Err(NoIntrinsic::Types(count)) => Some(wrong_types(count)),
    }
}

fn wrong_types(count: usize) -> String {
    let what = if count == 1 { "the type".to_owned() } else { format!("the {count} types") };
    format!("whose name must end with {what} it is overloaded on, as in `.i32`, `.v4f16` or `.p3`")
}

/// Findings about the calls that remain after simplification.
pub fn check_intrinsics(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    if declared_intrinsics(module).is_empty() {
        return Vec::new();
    }
    check_support(module, kernels, &|instruction| refuse(module, instruction))
}

fn refuse<'c>(module: &Module<'c>, instruction: Value<'c>) -> Option<Refusal> {
    let symbol_of = |f: Function<'_>| Some(f.name()).filter(|n| intrinsic_name(n).is_some());
    let mut used = instruction.operands().into_iter().filter_map(Value::as_function);
    let (symbol, used) = used.find_map(|f| Some((symbol_of(f)?, f)))?;
    let name = intrinsic_name(&symbol)?;
    let refusal = |what, help| Some(Refusal { code: Code::Intrinsic, what, help });
    if !instruction.is(Opcode::Call) || !instruction.is_plain_call_of(used) {
        return refusal(format!("takes the address of the intrinsic `{name}`"), "call it directly");
    }
    let index =
        module.look_at_intrinsic(name, |intrinsic| variable_operand(module, instruction, used, intrinsic)).ok()?;
    let what = format!("calls `{name}` with a variable as operand {}, which must be a constant", index?);
    refusal(what, "write the constant at the call, or take it from a `const` parameter")
}

/// The index of the first operand that must be a constant but is not.
fn variable_operand<'c>(
    module: &Module<'c>,
    call: Value<'c>,
    function: Function<'c>,
    intrinsic: Function<'c>,
) -> Option<usize> {
    let count = intrinsic.function_type().parameters().len();
    Signature::of(module, function, intrinsic)?;
    let arguments = call.arguments();
    let skipped = arguments.len() - count;
    let constant = [ValueKind::ConstantInt, ValueKind::ConstantFP];
    (0..count).find(|i| {
        let immediate = intrinsic.has_attribute(Place::Parameter(*i as u32), "immarg");
        immediate && !constant.contains(&arguments[skipped + i].kind())
    })
}
