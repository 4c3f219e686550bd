//! Recursive functions, and the kernels that reach them.
//!
//! Recursion is known exactly only after calls through pointers have become direct calls, which depends on the target.
//! Here, such a call may lead to all functions that `callees.rs` finds.

use std::collections::HashSet;

use super::callees::AddressTaken;
use super::cycles::components as components_of;
use super::reach::Reach;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Function, Module, Opcode, Value};

/// The names of the kernels that may recurse, in the order of the kernels.
pub fn recursive_kernels(module: &Module<'_>, kernels: &KernelSet) -> Vec<String> {
    let addressed = AddressTaken::of(module);
    let recursive = recursive_functions(module, &addressed);
    let recurses = |name: &&String| {
        let kernel = module.function(name).filter(|_| !recursive.is_empty());
        kernel.is_some_and(|kernel| Reach::of_execution(kernel, &addressed).order.iter().any(|g| recursive.contains(g)))
    };
    kernels.iter().map(|kernel| &kernel.name).filter(recurses).cloned().collect()
}

/// The functions that may call themselves, directly or through others.
pub fn recursive_functions<'c>(module: &Module<'c>, addressed: &AddressTaken<'c>) -> HashSet<Value<'c>> {
    may_recurse(module, addressed).into_iter().flatten().map(Value::from).collect()
}

/// The components of functions that may call each other, also through pointers.
fn may_recurse<'c>(module: &Module<'c>, addressed: &AddressTaken<'c>) -> Vec<Vec<Function<'c>>> {
    let bodies: Vec<_> = module.definitions().collect();
    let callees = |function: Function<'c>| {
        let (through_pointers, calls): (Vec<_>, Vec<_>) =
            function.instructions().filter(|i| i.is(Opcode::Call)).partition(|call| call.is_indirect_call());
        let named = calls.into_iter().filter_map(|call| call.called_function());
        let all = named.chain(through_pointers.into_iter().flat_map(|call| addressed.callees(call).functions));
        all.filter(|f| !f.is_declaration()).collect()
    };
    cycles(&bodies, callees)
}

/// The strongly connected components of the call graph that are recursive, callees first. Other functions are in no
/// component.
pub fn components<'c>(module: &Module<'c>) -> Vec<Vec<Function<'c>>> {
    let bodies: Vec<_> = module.definitions().collect();
    let callees = |function: Function<'c>| -> Vec<Function<'c>> {
        let called = function.instructions().filter_map(|i| i.called_function().filter(|f| i.is_plain_call_of(*f)));
        called.filter(|f| !f.is_declaration()).collect()
    };
    cycles(&bodies, callees)
}

/// The strongly connected components of a graph that contain an edge, in reverse topological order.
fn cycles<'c>(nodes: &[Function<'c>], next: impl Fn(Function<'c>) -> Vec<Function<'c>>) -> Vec<Vec<Function<'c>>> {
    components_of(nodes, next).into_iter().filter(|(_, is_cycle)| *is_cycle).map(|(part, _)| part).collect()
}
