//! The launch state: a hidden pointer that a launch passes to its kernel in addition to the arguments, on every target.
//!
//! It leads to a `struct offload_launch_state` (`runtime-c/offloadrt.h`) in memory that the device can access. The
//! struct contains the record of the first panic, and other data of a launch. Code reads the pointer with
//! `__offload_launch_state()`. A kernel that does not reach such a call has no such pointer. On the CPU, it is a field
//! of the block. On other devices, it is the last parameter of an entry point, and this file passes it to the functions
//! that the kernels call.

use std::collections::HashMap;

use crate::analysis::callees::AddressTaken;
use crate::analysis::reach::Reach;
use crate::contract::builtin::LAUNCH_STATE;
use crate::contract::kernel::KernelSet;
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Place, Value};

/// The attribute of a kernel that takes the state; it is stored in bitcode.
const ATTRIBUTE: &str = "offload-launch-state";

/// Marks the kernels that may execute a call of `__offload_launch_state`, and those of `others`. Returns whether each
/// kernel is marked, in the order of the kernels.
pub fn mark_launch_state(module: &Module<'_>, kernels: &KernelSet, others: &[String]) -> Vec<bool> {
    let Some(state) = module.function(LAUNCH_STATE).filter(|f| f.is_used()) else { return vec![false; kernels.len()] };
    let addressed = AddressTaken::of(module);
    let takes = |kernel: &crate::contract::kernel::Kernel| {
        let function = module.function(&kernel.name);
        let is_other = others.contains(&kernel.name);
        let taking = function.filter(|f| is_other || Reach::of_execution(*f, &addressed).order.contains(&*state));
        if let Some(function) = taking {
            function.add_attribute(Place::Function, &Attribute::Text(ATTRIBUTE.to_owned(), String::new()));
        }
        taking.is_some()
    };
    kernels.iter().map(takes).collect()
}

/// Whether a kernel takes the state.
pub fn takes_launch_state(kernel: Function<'_>) -> bool {
    kernel.text_attribute(Place::Function, ATTRIBUTE).is_some()
}

/// Removes calls of `__offload_launch_state` from all functions but kernels. A function that is only called directly
/// receives the state as its last parameter. A function whose address is taken reads it from a static in workgroup
/// memory, which the kernels write.
pub fn pass_launch_state(module: &Module<'_>, kernels: &KernelSet, shared: u32) {
    let Some(state) = module.function(LAUNCH_STATE) else { return };
    let entries: Vec<_> = kernels.functions(module).collect();
    let mut kept = None;
    let mut extended = HashMap::new();
    while let Some(call) = state.users().into_iter().find(|u| !entries.contains(&u.function())) {
        let function = call.function();
        if let Some(parameter) = extended.get(&function) {
            // The function is recursive, directly or through others.
            call.replace_all_uses_with(*parameter);
            call.erase();
            continue;
        }
        let value = if function.is_only_called() {
            let parameter = extend(function, function.users(), state);
            extended.insert(parameter.function(), parameter);
            parameter
        } else {
            let kept = *kept.get_or_insert_with(|| keep_in_workgroup(module, &entries, state, shared));
            Builder::at_start(function.blocks()[0]).load(call.ty(), kept, 8, "")
        };
        replace_calls(state, value);
    }
}

/// Removes calls of `asked`, a function without parameters that only kernels can evaluate, from all other functions.
/// They receive its result as their last parameter. They are only called directly.
pub fn pass_down(module: &Module<'_>, kernels: &KernelSet, asked: &str) {
    let Some(asked) = module.function(asked) else { return };
    let entries: Vec<_> = kernels.functions(module).collect();
    while let Some(call) = asked.users().into_iter().find(|u| !entries.contains(&u.function())) {
        let parameter = extend(call.function(), call.function().users(), asked);
        replace_calls(asked, parameter);
    }
}

/// Replaces calls of `asked` by a value, in the function that defines the value.
fn replace_calls<'c>(asked: Function<'c>, value: Value<'c>) {
    let calls: Vec<_> = asked.users().into_iter().filter(|u| u.function() == value.function()).collect();
    for call in calls {
        call.replace_all_uses_with(value);
        call.erase();
    }
}

/// Appends the state to a function's parameters and calls. Returns the parameter.
fn extend<'c>(function: Function<'c>, calls: Vec<Value<'c>>, state: Function<'c>) -> Value<'c> {
    let ty = function.function_type();
    let after = function.extend_signature(ty.result(), &[state.function_type().result()]);
    for call in calls {
        let asked = Builder::before(call).call(state, &[], "");
        call.append_arguments(after, &[asked]);
    }
    function.erase_global();
    after.parameters().pop().expect("the parameter was just added")
}

/// `static __shared__ struct offload_launch_state *state;`, which every thread of every kernel that takes the state
/// writes.
fn keep_in_workgroup<'c>(module: &Module<'c>, entries: &[Function<'c>], state: Function<'c>, shared: u32) -> Value<'c> {
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
