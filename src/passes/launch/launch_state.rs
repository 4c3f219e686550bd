//! The launch's state: one hidden pointer that a launch gives its kernel beside the arguments, on every target.
//!
//! It leads to a `struct offload_launch_state` (`runtime-c/offloadrt.h`) in memory that the device reaches: the record of
//! the first panic, and whatever else a launch has of its own. Code asks for it with `__offload_launch_state()`. A kernel
//! that does not reach a call of it has no such pointer. On the processor it is a field of the block; elsewhere it is the
//! last parameter of an entry point, and here it is brought to the functions that the kernels call.

use std::collections::HashMap;

use crate::analysis::reach::Reach;
use crate::contract::builtin::LAUNCH_STATE;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Attribute, Builder, Linkage, Module, Place, Value};

/// The attribute of a kernel that takes the state; it travels through bitcode.
const ATTRIBUTE: &str = "offload-launch-state";

/// Marks the kernels that reach the state, and those of `others`; which they are, in the kernels' order.
pub fn mark_launch_state(module: &Module<'_>, kernels: &KernelSet, others: &[String]) -> Vec<bool> {
    let Some(state) = module.function(LAUNCH_STATE).filter(|f| f.is_used()) else { return vec![false; kernels.len()] };
    let takes = |kernel: &crate::contract::kernel::Kernel| {
        let function = module.function(&kernel.name);
        let is_other = others.contains(&kernel.name);
        let taking = function.filter(|f| is_other || Reach::new(&[*f]).order.contains(&state));
        if let Some(function) = taking {
            function.add_attribute(Place::Function, &Attribute::Text(ATTRIBUTE.to_owned(), String::new()));
        }
        taking.is_some()
    };
    kernels.iter().map(takes).collect()
}

/// Whether a kernel takes the state.
pub fn takes_launch_state(kernel: Value<'_>) -> bool {
    kernel.text_attribute(Place::Function, ATTRIBUTE).is_some()
}

/// Leaves calls of `__offload_launch_state` in kernels only. A function that is only called directly gets the state as its
/// last parameter; one whose address is taken reads it from a static in workgroup memory, where the kernels put it.
pub fn pass_launch_state(module: &Module<'_>, kernels: &KernelSet, shared: u32) {
    let Some(state) = module.function(LAUNCH_STATE) else { return };
    let entries: Vec<_> = kernels.iter().filter_map(|k| module.function(&k.name)).collect();
    let mut kept = None;
    let mut extended = HashMap::new();
    while let Some(call) = state.users().into_iter().find(|u| !entries.contains(&u.function())) {
        let function = call.function();
        if let Some(parameter) = extended.get(&function) {
            // It calls, through others, itself.
            call.replace_all_uses_with(*parameter);
            call.erase();
            continue;
        }
        let users = function.users();
        let value = if users.iter().all(|u| u.is_plain_call_of(function)) {
            let parameter = extend(function, users, state);
            extended.insert(parameter.function(), parameter);
            parameter
        } else {
            let kept = *kept.get_or_insert_with(|| keep_in_workgroup(module, &entries, state, shared));
            Builder::at_start(function.blocks()[0]).load(call.ty(), kept, 8, "")
        };
        replace_calls(state, value);
    }
}

/// Leaves calls of a function without parameters, which only kernels can answer, in kernels: other functions get the answer
/// as their last parameter. They are only called directly.
pub fn pass_down(module: &Module<'_>, kernels: &KernelSet, asked: &str) {
    let Some(asked) = module.function(asked) else { return };
    let entries: Vec<_> = kernels.iter().filter_map(|k| module.function(&k.name)).collect();
    while let Some(call) = asked.users().into_iter().find(|u| !entries.contains(&u.function())) {
        let parameter = extend(call.function(), call.function().users(), asked);
        replace_calls(asked, parameter);
    }
}

/// Puts a value in place of a function's calls in the function that has the value.
fn replace_calls<'c>(asked: Value<'c>, value: Value<'c>) {
    let calls: Vec<_> = asked.users().into_iter().filter(|u| u.function() == value.function()).collect();
    for call in calls {
        call.replace_all_uses_with(value);
        call.erase();
    }
}

/// Gives a function the state as a parameter, which its callers ask for; gives the parameter.
fn extend<'c>(function: Value<'c>, calls: Vec<Value<'c>>, state: Value<'c>) -> Value<'c> {
    let ty = function.function_type();
    let after = function.extend_signature(ty.result(), &[state.function_type().result()]);
    for call in calls {
        let asked = Builder::before(call).call(state, &[], "");
        call.append_arguments(after, &[asked]);
    }
    function.erase_global();
    after.parameters().pop().expect("the parameter was just added")
}

/// `static __shared__ struct offload_launch_state *state;`, which every thread of every kernel that takes the state sets.
fn keep_in_workgroup<'c>(module: &Module<'c>, entries: &[Value<'c>], state: Value<'c>, shared: u32) -> Value<'c> {
    let pointer = state.function_type().result();
    let variable = module.add_variable("offload.launch_state", pointer, shared);
    variable.set_initializer(Some(pointer.poison()));
    variable.set_linkage(Linkage::Internal);
    for entry in entries.iter().filter(|entry| takes_launch_state(**entry)) {
        let builder = Builder::at_start(entry.blocks()[0]);
        builder.store(builder.call(state, &[], ""), variable, 8);
    }
    variable
}
