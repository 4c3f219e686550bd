//! Notes which kernels recurse.

use super::call_chain::Chain;
use crate::analysis::reach::Reach;
use crate::analysis::recursion::components;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Function, Module, Value};
use crate::rust_std::demangle::demangle;

/// Returns a note for each kernel that reaches recursive functions, which have a stack of `bytes` bytes.
pub fn note_recursion(module: &Module<'_>, kernels: &KernelSet, bytes: u32) -> Vec<Diagnostic> {
    let components = components(module);
    let roots: Vec<_> = kernels.functions(module).collect();
    let reach = Reach::new(if components.is_empty() { &[] } else { &roots });
    let chain = Chain::new(&reach, kernels);
    let mut by_kernel: Vec<(Value<'_>, Vec<Function<'_>>)> = Vec::new();
    for component in &components {
        let Some(entered) = reach.order.iter().filter_map(|g| g.as_function()).find(|f| component.contains(f)) else {
            continue;
        };
        let kernel = reach.chain(*entered)[0];
        match by_kernel.iter_mut().find(|(known, _)| *known == kernel) {
            Some((_, functions)) => functions.push(entered),
            None => by_kernel.push((kernel, vec![entered])),
        }
    }
    let note = |(_, functions): &(Value<'_>, Vec<Function<'_>>)| {
        let (caller, call) = reach.from.get(&**functions.first()?).copied()?;
        let finding = chain.has(Code::Recursion, &recursive(functions), &[(caller, call?)]);
        let room = format!("each thread has a stack of {bytes} bytes; `--device-stack` makes it larger");
        Some(finding.help(room).diagnostic())
    };
    by_kernel.iter().filter_map(note).collect()
}

/// The names of the first functions, and the number of the others.
fn recursive(functions: &[Function<'_>]) -> String {
    let names: Vec<_> = functions.iter().take(3).map(|f| format!("`{}`", demangle(&f.name()))).collect();
    match functions.len() {
        1 => format!("calls {}, which is recursive", names[0]),
        few @ 2..=3 => format!("calls {} and {}, which are recursive", names[..few - 1].join(", "), names[few - 1]),
        many => format!("calls {} and {} more functions that are recursive", names.join(", "), many - 3),
    }
}
