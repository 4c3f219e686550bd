//! Finds calls of the contract's atomics for which LLVM has no instruction.

use super::check_support::{Refusal, check_support};
use crate::analysis::declared_atomics::declared_atomics;
use crate::contract::atomic::AtomicBuiltin;
use crate::contract::kernel::KernelSet;
use crate::diagnostics::{Code, Diagnostic};
use crate::llvm::{Function, Module, Opcode, Value};

/// Reports these calls.
pub fn check_atomics(module: &Module<'_>, kernels: &KernelSet) -> Vec<Diagnostic> {
    if declared_atomics(module).is_empty() {
        return Vec::new();
    }
    check_support(module, kernels, &refuse)
}

fn refuse(instruction: Value<'_>) -> Option<Refusal> {
    let named = |f: &Function<'_>| AtomicBuiltin::named(&f.name());
    let mut used = instruction.operands().into_iter().filter_map(Value::as_function);
    let (used, builtin) = used.find_map(|f| Some((f, named(&f)?)))?;
    let refusal = |what, help| Some(Refusal { code: Code::UnsupportedAtomic, what, help });
    let name = used.name();
    if !instruction.is(Opcode::Call) || !instruction.is_plain_call_of(used) {
        return refusal(format!("takes the address of `{name}`"), "call it directly");
    }
    let numbers: Vec<_> = instruction.arguments()[builtin.values()..].iter().map(|a| a.as_u64()).collect();
    let text: Vec<_> = numbers.into_iter().map(|n| n.map_or("?".to_owned(), |n| n.to_string())).collect();
    refusal(
        format!("calls `{name}` with the orderings and scope {}, which are not valid for it", text.join(", ")),
        "the orderings are those of C's `memory_order`: 0 relaxed, 2 acquire, 3 release, 4 both, 5 sequentially consistent; a load cannot release, a store cannot acquire, a fence cannot be relaxed; the scopes are 0 system, 1 device, 2 block, \
         3 warp, 4 thread",
    )
}
