//! Checks that the kernels of a module are those of their table, and that functions are called with their own types,
//! where the module is a text that was edited.

use crate::analysis::kernel_signature::{block_parameters, check_function, plain_parameters};
use crate::contract::kernel::{Form, Kernel, KernelSet, Parameter, ParameterKind};
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Function, Linkage, Module};

/// Reports each kernel of the table that is not a kernel of the module with the same parameters.
pub fn check_kernel_table(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    let refused = |kernel: &Kernel| {
        let what = difference(module, kernel)?;
        let message = format!("kernel `{}` of the table {what}", kernel.display);
        let help = "the names and parameters of kernels are fixed after the stage `kernels`; edit their bodies, or the \
            source";
        Some(Diagnostic::coded(Code::InvalidInput, message).help(help))
    };
    kernels.iter().filter_map(refused).collect()
}

/// Reports a call of a function of offloadc with another type; with `all`, also one of a function with a body. LLVM
/// accepts it, and passes rely on the arguments.
pub fn check_call_types(module: &Module<'_>, all: bool) -> Option<Diagnostic> {
    let is_own = |function: &Function<'_>| function.name().starts_with(PREFIX);
    let own = module.functions().into_iter().filter(|f| is_own(f) || all && !f.is_declaration());
    let is_wrong = |function: &Function<'_>| {
        function
            .users()
            .into_iter()
            .any(|user| user.is_call() && user.callee() == **function && user.called_type() != function.function_type())
    };
    let function = own.into_iter().find(is_wrong)?;
    let message = format!("`{}` is called with parameters that it does not have", function.name());
    let help = match is_own(&function) {
        true => "docs/contract.md has the types of these functions",
        false => "call it with the type of its definition",
    };
    Some(Diagnostic::coded(Code::InvalidInput, message).help(help))
}

/// The functions that kernels call and offloadc defines.
const PREFIX: &str = "__offload_";

/// How the kernel in the module differs from its row.
fn difference(module: &Module<'_>, kernel: &Kernel) -> Option<String> {
    let name = &kernel.name;
    let Some(function) = module.function(name).filter(|function| !function.is_declaration()) else {
        return Some(format!("has no function `{name}` with a body in the module"));
    };
    if function.linkage() != Linkage::External {
        return Some(format!("is function `{name}`, which is not external in the module"));
    }
    let parameters = check_function(function, name).and_then(|()| match kernel.form {
        Form::Plain => plain_parameters(module, function, name),
        Form::Block { size, align } => block_parameters(function, name, size, align),
    });
    let are_same = parameters.is_ok_and(|parameters| {
        parameters.len() == kernel.parameters.len()
            && parameters.iter().zip(&kernel.parameters).all(|(one, other)| passed(one) == passed(other))
    });
    (!are_same).then(|| format!("has other parameters than function `{name}` in the module"))
}

/// The properties of a parameter that decide how a launch passes it. The others are read from attributes, which passes
/// may remove.
fn passed(parameter: &Parameter) -> (u32, u32, bool) {
    (parameter.offset, parameter.size, parameter.kind == ParameterKind::Pointer)
}
