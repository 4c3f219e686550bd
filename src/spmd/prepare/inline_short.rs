//! Marks the short functions that kernels call, so that `inline_marked` inlines them.
//!
//! The vectoriser does not look into functions: eight threads would call a function one after another. LLVM weighs the
//! size that inlining adds to the code of one thread, and does not inline a function that calls `exp` if a kernel calls
//! it twice.

use std::collections::HashMap;

use crate::analysis::cycles::components;
use crate::contract::kernel::KernelSet;
use crate::contract::math;
use crate::llvm::{Function, Linkage, Module, Opcode, Place, Value};
use crate::spmd::tuning::{INLINED_BYTES, INLINED_COPIES, INLINED_IN_KERNEL, INLINED_INSTRUCTIONS};

/// Marks them. Recursive functions are left alone, and those that the program does not want to be inlined.
pub(crate) fn mark_inlined<'c>(module: &Module<'c>, kernels: &KernelSet) {
    let mut reached: Vec<Function<'c>> = kernels.functions(module).filter(|f| !f.is_declaration()).collect();
    let own = reached.len();
    let mut next = 0;
    while next < reached.len() {
        let new: Vec<_> = callees(reached[next]).filter(|callee| may_be_inlined(module, *callee)).collect();
        for callee in new {
            if !reached.contains(&callee) {
                reached.push(callee);
            }
        }
        next += 1;
    }
    let called = |function: Function<'c>| callees(function).filter(|callee| reached.contains(callee)).collect();
    // Callees come first, so that their sizes are known.
    let mut sizes: HashMap<Function<'c>, usize> = HashMap::new();
    for (functions, is_cycle) in components(&reached, called) {
        let [function] = functions[..] else { continue };
        if is_cycle || reached[..own].contains(&function) {
            continue;
        }
        let inlined = callees(function).filter_map(|callee| sizes.get(&callee)).sum::<usize>();
        let size = function.instructions().filter(|i| !i.is_lifetime_marker()).count() + inlined;
        if size <= INLINED_INSTRUCTIONS && size * function.calls().len() <= INLINED_COPIES {
            sizes.insert(function, size);
        }
    }
    for kernel in &reached[..own] {
        let added = callees(*kernel).filter_map(|callee| sizes.get(&callee)).sum::<usize>();
        if added > INLINED_IN_KERNEL {
            sizes.retain(|callee, _| !callees(*kernel).any(|called| called == *callee));
        }
    }
    reached
        .into_iter()
        .filter(|function| sizes.contains_key(function))
        .for_each(|function| function.mark("alwaysinline"));
}

/// The functions with a body that a function calls, one for each call.
fn callees<'c>(function: Function<'c>) -> impl Iterator<Item = Function<'c>> {
    let calls = function.instructions().filter_map(|i| i.called_function().filter(|f| i.is_plain_call_of(*f)));
    calls.filter(|callee| !callee.is_declaration())
}

/// Whether it is a function of the program that is called where threads usually go, and has no large arrays.
fn may_be_inlined<'c>(module: &Module<'c>, function: Function<'c>) -> bool {
    let bytes = |i: Value<'c>| i.operand(0).as_u64().map_or(u64::MAX, |n| n * i.allocated_type().alloc_size(module));
    let mut allocas = function.instructions().filter(|i| i.is(Opcode::Alloca));
    function.linkage() == Linkage::Internal
        && !math::is_symbol(&function.name())
        && !["noinline", "cold", "optnone", "noreturn"].iter().any(|name| function.has_attribute(Place::Function, name))
        && allocas.try_fold(0, |sum: u64, i| sum.checked_add(bytes(i))).is_some_and(|sum| sum <= INLINED_BYTES)
}
