//! Merges all panics of a function into one block, so that a kernel has few exits.
//!
//! ```c
//! panic: __offload_panic(message, place, operand[0], operand[1], operand[2]);       // or: __builtin_trap();
//! ```
//!
//! is executed in one block only, with phis for its arguments. The reason is that the structurizer of a back end
//! creates masks and branches for each block that ends a thread, and each call costs the moves of its arguments. In a
//! function that synchronises threads, panics remain where they are, because the processor's code is split into regions
//! at its barriers. GPUs have no such regions: [`merge_reports`] merges these, too, when a panic is the call that
//! writes its record, and the end of the thread.

use crate::contract::builtin::{LAUNCH_STATE, LEAVE, PANIC};
use crate::contract::symbols::RECORD;
use crate::llvm::{Builder, Function, Module, Opcode, Place, Value};

/// Merges the panics of each function of `module`, both reported panics and traps.
pub fn merge_panics(module: &Module<'_>) {
    for name in [PANIC, "llvm.trap"] {
        let Some(panic) = module.function(name) else { continue };
        let mut sites: Vec<_> = panic.users().into_iter().rev().filter(|call| ends_a_thread(*call, panic)).collect();
        while let Some(first) = sites.first().copied() {
            let (here, elsewhere): (Vec<_>, Vec<_>) =
                sites.into_iter().partition(|call| call.function() == first.function());
            if here.len() > 1 && !synchronises(first.function()) {
                merge(panic, None, &here);
            }
            sites = elsewhere;
        }
    }
}

/// Merges the reported panics of each function, after `report_panics` and `pass_launch_state`, also those of functions
/// that synchronise threads. The function that writes a record becomes a part of its callers if it `is_inlined`.
pub fn merge_reports(module: &Module<'_>, is_inlined: bool) {
    let (Some(record), Some(leave)) = (module.function(RECORD), module.function(LEAVE)) else { return };
    let leaves = |call: &Value<'_>| call.next().is_some_and(|next| next.called_function() == Some(leave));
    let mut sites: Vec<_> = record.direct_calls().into_iter().rev().filter(leaves).collect();
    while let Some(first) = sites.first().copied() {
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            sites.into_iter().partition(|call| call.function() == first.function());
        if here.len() > 1 {
            merge(record, Some(leave), &here);
        }
        sites = elsewhere;
    }
    if is_inlined && !record.is_declaration() {
        record.make_inlined();
    }
}

fn ends_a_thread<'c>(call: Value<'c>, panic: Function<'c>) -> bool {
    call.called_function() == Some(panic) && call.next().is_some_and(|next| next.is(Opcode::Unreachable))
}

fn synchronises(function: Function<'_>) -> bool {
    let calls = function.instructions().filter(|i| i.is_call());
    calls.filter_map(Value::called_function).any(|callee| callee.has_attribute(Place::Function, "convergent"))
}

/// Replaces the calls at the ends of blocks by branches to one block. A call of `leave` may follow each of them.
fn merge<'c>(panic: Function<'c>, leave: Option<Function<'c>>, calls: &[Value<'c>]) {
    let block = calls[0].function().append_block("panic");
    let builder = Builder::at_end(block);
    let (mut arguments, mut states) = (calls[0].arguments(), Vec::new());
    for (at, argument) in arguments.iter_mut().enumerate() {
        let said: Vec<_> = calls.iter().map(|call| call.arguments()[at]).collect();
        if said.iter().all(|value| asks_for_state(*value)) {
            states.push((at, said));
        } else if said.iter().any(|value| value != argument || !value.is_constant()) {
            *argument = builder.phi(argument.ty(), "");
            said.iter().zip(calls).for_each(|(value, call)| argument.add_incoming(*value, call.block()));
        }
    }
    for (at, _) in &states {
        let state = arguments[*at].called_function().expect("it is a call");
        arguments[*at] = builder.call(state, &[], "");
    }
    builder.call(panic, &arguments, "");
    if let Some(leave) = leave {
        builder.call(leave, &[], "");
    }
    builder.unreachable();
    for call in calls {
        while let Some(end) = call.next() {
            end.erase();
        }
        Builder::before(*call).br(block);
        call.erase();
    }
    states.into_iter().flat_map(|(_, said)| said).filter(|state| !state.is_used()).for_each(Value::erase);
}

/// Whether a value is the launch state, which is the same everywhere in a kernel.
fn asks_for_state(value: Value<'_>) -> bool {
    value.called_function().is_some_and(|callee| callee.name() == LAUNCH_STATE)
}
