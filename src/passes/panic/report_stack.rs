//! Says which kernels recurse, and gives devices without a stack the panic of one that is full.
//!
//! What recurses is only known for sure when calls through pointers are calls by name, which is a matter of each target: here
//! such a call may lead to every function whose address is taken.

use std::collections::HashSet;

use crate::analysis::reach::Reach;
use crate::checks::call_chain::Chain;
use crate::contract::builtin::PANIC;
use crate::contract::kernel::KernelSet;
use crate::contract::panic_table::{DevicePanic, PanicTable};
use crate::contract::symbols::STACK_FULL;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Builder, Linkage, Module, Opcode, Value};
use crate::passes::calls::lower_recursion::{components, cycles};
use crate::rust_std::demangle::demangle;

/// The names of the kernels that may recurse, in the kernels' order.
pub fn recursive_kernels(module: &Module<'_>, kernels: &KernelSet) -> Vec<String> {
    let recursive: HashSet<_> = may_recurse(module).into_iter().flatten().collect();
    let recurses = |name: &&String| {
        let kernel = module.function(name).filter(|_| !recursive.is_empty());
        kernel.is_some_and(|kernel| Reach::new(&[kernel]).order.iter().any(|global| recursive.contains(global)))
    };
    kernels.iter().map(|kernel| &kernel.name).filter(recurses).cloned().collect()
}

/// Whether how much stack kernels take is only known when they run: they call through pointers, if they do not recurse.
pub fn calls_through_pointers(module: &Module<'_>) -> bool {
    module.functions().into_iter().any(|function| function.instructions().any(is_through_pointer))
}

/// Whether a call's callee is only known when it runs.
pub fn is_through_pointer(call: Value<'_>) -> bool {
    call.is(Opcode::LLVMCall) && call.called_function().is_none() && !call.calls_inline_asm()
}

/// A note for each kernel that reaches functions which call themselves, or each other: `bytes` are there for them.
pub fn note_recursion(module: &Module<'_>, kernels: &KernelSet, bytes: u32) -> Vec<Diagnostic> {
    let components = components(module);
    let roots: Vec<_> = kernels.iter().filter_map(|k| module.function(&k.name)).collect();
    let reach = Reach::new(if components.is_empty() { &[] } else { &roots });
    let chain = Chain::new(&reach, kernels);
    let mut by_kernel: Vec<(Value<'_>, Vec<Value<'_>>)> = Vec::new();
    for component in &components {
        let Some(entered) = reach.order.iter().find(|global| component.contains(global)) else { continue };
        let kernel = reach.chain(*entered)[0];
        match by_kernel.iter_mut().find(|(known, _)| *known == kernel) {
            Some((_, functions)) => functions.push(*entered),
            None => by_kernel.push((kernel, vec![*entered])),
        }
    }
    let note = |(_, functions): &(Value<'_>, Vec<Value<'_>>)| {
        let (caller, call) = reach.from.get(functions.first()?).copied()?;
        let finding = chain.has(Code::Recursion, &recursive(functions), &[(caller, call?)]);
        let room = format!("each thread has a stack of {bytes} bytes; `--device-stack` makes it larger");
        Some(finding.help(room).diagnostic())
    };
    by_kernel.iter().filter_map(note).collect()
}

/// The first functions by name, the others by number.
fn recursive(functions: &[Value<'_>]) -> String {
    let names: Vec<_> = functions.iter().take(3).map(|f| format!("`{}`", demangle(&f.name()))).collect();
    match functions.len() {
        1 => format!("calls {}, which is recursive", names[0]),
        few @ 2..=3 => format!("calls {} and {}, which are recursive", names[..few - 1].join(", "), names[few - 1]),
        many => format!("calls {} and {} more functions that are recursive", names.join(", "), many - 3),
    }
}

/// Functions that may call each other.
fn may_recurse<'c>(module: &Module<'c>) -> Vec<Vec<Value<'c>>> {
    let bodies: Vec<_> = module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    let taken = |f: &Value<'c>| f.users().into_iter().any(|user| !user.is_plain_call_of(*f));
    let addressed: Vec<_> = bodies.iter().copied().filter(taken).collect();
    let callees = |function: Value<'c>| {
        let calls: Vec<_> = function.instructions().filter(|i| i.is(Opcode::LLVMCall)).collect();
        let through_pointer = calls.iter().any(|call| is_through_pointer(*call));
        let named = calls.iter().filter_map(|call| call.called_function()).filter(|f| !f.is_declaration());
        named.chain(addressed.iter().copied().filter(|_| through_pointer)).collect()
    };
    cycles(&bodies, callees)
}

/// Defines [`STACK_FULL`] for stacks of `bytes`.
pub fn report_stack(module: &Module<'_>, mode: DevicePanic, bytes: u32, table: &mut PanicTable) {
    let text = format!("stack overflow: recursion needs more than {bytes} bytes (`--device-stack`)");
    define_panic(module, STACK_FULL, &text, mode, table);
}

/// Defines a function that panics with `text`.
pub(super) fn define_panic(module: &Module<'_>, name: &str, text: &str, mode: DevicePanic, table: &mut PanicTable) {
    let ty = module.void().function(&[]);
    let function = module.define(name, ty, Linkage::LLVMInternalLinkage, |_, block| {
        let builder = Builder::at_end(block);
        if mode == DevicePanic::Report {
            let (i32, i64) = (module.void().int(32), module.void().int(64));
            let panic = module.declare(PANIC, module.void().function(&[i32, i32, i64, i64, i64]));
            let message = i32.constant(table.message(text).into());
            let _panic = builder.call(panic, &[message, i32.zero(), i64.zero(), i64.zero(), i64.zero()], "");
        } else {
            let _trap = builder.call(module.intrinsic("llvm.trap", &[]), &[], "");
        }
        let _end = builder.unreachable();
    });
    ["cold", "noreturn", "nounwind"].into_iter().for_each(|name| function.mark(name));
}
