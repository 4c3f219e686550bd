//! Implements reported panics: a thread writes a record into the launch state, and ends.
//!
//! Before: `__offload_panic` has no body, and its arguments are the values of the record (`resolve_panics.rs`). After:
//! each call of it is replaced by
//!
//! ```c
//! offload_record(__offload_launch_state(), message, place, operand[0], operand[1], operand[2]);
//! __offload_leave();
//! ```
//!
//! All panics call one cold function. Targets define the two builtins. The text of a message is never on the device.

use std::collections::HashSet;
use std::mem::offset_of;

use super::number_panics::Numbering;
use crate::contract::abi::{LaunchState, Panic};
use crate::contract::atomic::Scope;
use crate::contract::builtin::{Axis, DeviceBuiltin, LAUNCH_STATE, LEAVE, PANIC};
use crate::contract::panic_table::OPERANDS;
use crate::contract::symbols::RECORD;
use crate::llvm::{
    AtomicOperation, Attribute, Builder, Function, IntPredicate, Linkage, Module, Ordering, Place, Value,
};

/// The offset of the record in the state of a launch.
const RECORD_AT: usize = offset_of!(LaunchState, panic);

/// Replaces every reported panic.
pub fn report_panics(module: &Module<'_>, numbering: Numbering) {
    let Some(panic) = module.function(PANIC) else { return };
    // LLVM lists uses in reverse order.
    let calls: Vec<_> = panic.calls().into_iter().rev().collect();
    if !calls.is_empty() {
        drop_memory_attributes(calls.iter().map(|call| call.function()).collect());
        let parts = PanicFunctions::new(module);
        calls.into_iter().for_each(|call| parts.report(module, call, numbering));
    }
    panic.erase_global();
}

/// Removes the memory attributes of the functions that write a record, and of their callers.
fn drop_memory_attributes(mut functions: Vec<Function<'_>>) {
    let mut seen = HashSet::new();
    while let Some(function) = functions.pop() {
        if seen.insert(function) {
            let calls = function.calls();
            for each in calls.iter().copied().chain([*function]) {
                ["memory", "nosync"].into_iter().for_each(|name| each.remove_attribute(Place::Function, name));
            }
            functions.extend(calls.into_iter().map(Value::function));
        }
    }
}

/// The functions that a panic calls.
struct PanicFunctions<'c> {
    state: Function<'c>,
    record: Function<'c>,
    leave: Function<'c>,
}

impl<'c> PanicFunctions<'c> {
    fn new(module: &Module<'c>) -> Self {
        let types = module.types();
        let (void, pointer) = (types.void(), types.ptr(0));
        let state = module.declare(LAUNCH_STATE, pointer.function(&[]));
        ["nounwind", "willreturn"].into_iter().for_each(|name| state.mark(name));
        state.add_attribute(Place::Function, &Attribute::Enum("memory", 0));
        let leave = module.declare(LEAVE, void.function(&[]));
        ["cold", "noreturn", "nounwind"].into_iter().for_each(|name| leave.mark(name));
        PanicFunctions { state, record: define_record(module), leave }
    }

    fn report(&self, module: &Module<'c>, call: Value<'c>, numbering: Numbering) {
        let builder = Builder::before(call);
        let mut arguments = call.arguments();
        arguments[0] = numbering.message(module, &builder, arguments[0]);
        arguments[1] = numbering.place(module, &builder, arguments[1]);
        let state = builder.call(self.state, &[], "");
        builder.call(self.record, &[&[state], &arguments[..]].concat(), "");
        builder.call(self.leave, &[], "");
        call.erase();
    }
}

/// ```c
/// void offload_record(struct offload_launch_state *state, uint32_t message, uint32_t place, uint64_t a, uint64_t b,
///                     uint64_t c) {
///   struct offload_panic *panic = &state->panic;
///   if (atomic_exchange(&panic->claimed, 1) != 0)
///     return;
///   panic->message = message;
///   panic->place = place;
///   panic->operands = {a, b, c};
///   panic->block = {__offload_block_id_x(), ...};
///   panic->thread = {__offload_thread_id_x(), ...};
/// }
/// ```
fn define_record<'c>(module: &Module<'c>) -> Function<'c> {
    let types = module.types();
    let (void, i32, i64) = (types.void(), types.i32(), types.i64());
    let ty = void.function(&[types.ptr(0), i32, i32, i64, i64, i64]);
    let record = module.define(RECORD, ty, Linkage::Internal, |_, _| {});
    ["cold", "noinline", "nounwind"].into_iter().for_each(|name| record.mark(name));
    let (first, done) = (record.append_block("first"), record.append_block("done"));
    let builder = Builder::at_end(record.blocks()[0]);
    let parameters = record.parameters();
    let field = |offset: usize| builder.byte_offset(parameters[0], (RECORD_AT + offset) as u64, "");
    // The host reads the record after the launch, so device scope is sufficient.
    let (exchange, relaxed) = (AtomicOperation::Xchg, Ordering::Monotonic);
    let manner = (exchange, relaxed, Scope::Device.neutral());
    let claimed = builder.atomic_update(manner, field(offset_of!(Panic, claimed)), i32.constant(1));
    let is_first = builder.icmp(IntPredicate::Eq, claimed, i32.zero(), "");
    builder.cond_br(is_first, first, done);
    builder.move_to_end(first);
    let store = |offset: usize, value: Value<'c>| {
        builder.store(value, field(offset), 0);
    };
    store(offset_of!(Panic, message), parameters[1]);
    store(offset_of!(Panic, place), parameters[2]);
    for (at, operand) in parameters[3..3 + OPERANDS].iter().enumerate() {
        store(offset_of!(Panic, operands) + 8 * at, *operand);
    }
    let positions = [
        (DeviceBuiltin::BlockId as fn(Axis) -> DeviceBuiltin, offset_of!(Panic, block)),
        (DeviceBuiltin::ThreadId, offset_of!(Panic, thread)),
    ];
    for (builtin, offset) in positions {
        for axis in Axis::ALL {
            let position = module.declare(builtin(axis).symbol(), i32.function(&[]));
            store(offset + 4 * axis.number(), builder.call(position, &[], ""));
        }
    }
    builder.br(done);
    builder.move_to_end(done);
    builder.ret_void();
    record
}
