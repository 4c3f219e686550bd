//! Checks calls of `__offload_intrinsic.NAME`: that LLVM has the intrinsic, with a type that Rust's declaration fits, and
//! that operands which become part of an instruction are constants. Which target has which is the targets' to say.

use super::check_support::{Refusal, check_support};
use crate::analysis::intrinsic_signature::Signature;
use crate::contract::builtin::intrinsic_name;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Attribute, Module, NoIntrinsic, Opcode, Place, Value, ValueKind};

/// What an intrinsic says of itself that is true of the declaration that means it.
const ATTRIBUTES: &[&str] = &["convergent", "nocallback", "nofree", "nosync", "nounwind", "willreturn"];

/// The intrinsics that a module declares under their symbols.
fn declared<'c>(module: &Module<'c>) -> Vec<(Value<'c>, String)> {
    let name = |f: Value<'c>| Some((f, intrinsic_name(&f.name())?.to_owned()));
    module.functions().into_iter().filter_map(name).collect()
}

/// Tells the optimiser what LLVM knows of each intrinsic; of one that it does not know, the worst.
pub fn describe_intrinsics(module: &Module<'_>) {
    for (function, name) in declared(module) {
        // Ways that differ in a constant operand must not become one call with a variable.
        for call in function.users().into_iter().filter(|u| u.is_plain_call_of(function)) {
            call.mark("nomerge");
        }
        let Ok(intrinsic) = module.intrinsic_of_name(&name) else {
            function.mark("convergent");
            continue;
        };
        function.copy_attributes(Place::Function, intrinsic, Place::Function, ATTRIBUTES);
        let signature = Signature::of(module, function, intrinsic);
        if let Some(memory) = intrinsic.attribute_value(Place::Function, "memory")
            && signature.is_some_and(|s| !s.uses_memory())
        {
            function.add_attribute(Place::Function, &Attribute::Known("memory", memory));
        }
        forget(intrinsic);
    }
}

/// What is wrong with a declaration, whatever the target; the words follow the intrinsic's name.
pub fn fault<'c>(module: &Module<'c>, function: Value<'c>, name: &str) -> Option<String> {
    let intrinsic = match module.intrinsic_of_name(name) {
        Ok(intrinsic) => intrinsic,
        Err(NoIntrinsic::Unknown) => return Some("which is no intrinsic of LLVM".to_owned()),
        Err(NoIntrinsic::Types(count)) => return Some(wrong_types(count)),
    };
    let fits = Signature::of(module, function, intrinsic).is_some();
    let (given, wanted) = (function.function_type().text(), intrinsic.function_type().text());
    forget(intrinsic);
    (!fits).then(|| format!("which is declared as `{given}`, and LLVM's type is `{wanted}`"))
}

fn wrong_types(count: usize) -> String {
    let what = if count == 1 { "the type".to_owned() } else { format!("the {count} types") };
    format!("whose name must end with {what} it is overloaded on, as in `.i32`, `.v4f16` or `.p3`")
}

/// Takes back a declaration that was only looked at.
fn forget(intrinsic: Value<'_>) {
    if !intrinsic.is_used() {
        intrinsic.erase_global();
    }
}

/// Findings about the calls that are left after simplification.
pub fn check_intrinsics(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    if declared(module).is_empty() {
        return Vec::new();
    }
    check_support(module, kernels, &|instruction| refuse(module, instruction))
}

fn refuse<'c>(module: &Module<'c>, instruction: Value<'c>) -> Option<Refusal> {
    let symbol_of = |v: Value<'_>| v.is_function().then(|| v.name()).filter(|n| intrinsic_name(n).is_some());
    let (symbol, used) = instruction.operands().into_iter().find_map(|v| Some((symbol_of(v)?, v)))?;
    let name = intrinsic_name(&symbol)?;
    let refusal = |what, help| Some(Refusal { code: Code::Intrinsic, what, help });
    if !instruction.is(Opcode::LLVMCall) || !instruction.is_plain_call_of(used) {
        return refusal(format!("takes the address of the intrinsic `{name}`"), "call it directly");
    }
    let intrinsic = module.intrinsic_of_name(name).ok()?;
    let index = variable_operand(module, instruction, used, intrinsic);
    forget(intrinsic);
    let what = format!("calls `{name}` with a variable as operand {}, which must be a constant", index?);
    refusal(what, "write the constant at the call, or take it from a `const` parameter")
}

/// The index of the first operand that must be a constant and is none.
fn variable_operand<'c>(
    module: &Module<'c>,
    call: Value<'c>,
    function: Value<'c>,
    intrinsic: Value<'c>,
) -> Option<usize> {
    let count = intrinsic.function_type().parameters().len();
    let _fits = Signature::of(module, function, intrinsic)?;
    let arguments = call.arguments();
    let skipped = arguments.len() - count;
    let constant = [ValueKind::LLVMConstantIntValueKind, ValueKind::LLVMConstantFPValueKind];
    (0..count).find(|i| {
        let immediate = intrinsic.has_attribute(Place::Parameter(*i as u32), "immarg");
        immediate && !constant.contains(&arguments[skipped + i].kind())
    })
}
