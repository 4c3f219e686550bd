//! The position of a thread: functions that need it have four additional parameters.
//!
//! The parameters are the block (`const struct offload_cpu_block *`) and the thread's x, y and z. They implement
//! position builtins, launch-sized shared memory and shared statics. A function whose address is taken keeps its type:
//! its address is replaced by that of a thunk, which reads the position from a thread-local variable that entries
//! write.

use std::collections::HashSet;
use std::mem::offset_of;

use super::shared::SharedLayout;
use crate::contract::abi::CpuBlock;
use crate::contract::builtin::{Axis, BUILTINS, Builtin, BuiltinId, DeviceBuiltin, LAUNCH_STATE, LEAVE};
use crate::contract::kernel::KernelSet;
use crate::error::{Error, Result};
use crate::llvm::{Attribute, Builder, Function, Linkage, Module, Place, Value};
use crate::spmd::position::{LANE, compute, load_block, parameter_types, position};
use crate::spmd::stops;

/// A function with additional parameters.
struct Extended<'c> {
    before: Function<'c>,
    after: Function<'c>,
    calls: Vec<Value<'c>>,
    address_taken: bool,
}

/// Passes the position to every function that needs it. Returns the thread-local variable that thunks read, if there
/// are thunks: `struct { const struct offload_cpu_block *block; uint32_t x, y, z; }`.
pub(super) fn pass_thread<'c>(
    module: &Module<'c>,
    kernels: &KernelSet,
    layout: &SharedLayout<'c>,
    lanes: u32,
) -> Result<Option<Value<'c>>> {
    for (variable, _) in &layout.variables {
        variable.expand_constant_users();
    }
    let needing = functions_in_need(module, kernels, layout, lanes);
    let extended: Vec<Extended<'c>> = needing.into_iter().map(|f| extend(module, f)).collect();
    for function in &extended {
        for call in &function.calls {
            let call = call.append_arguments(function.after, &position(call.function(), 0));
            call.remove_attribute(Place::Function, "memory");
        }
    }
    let mut variable = None;
    for function in &extended {
        if function.address_taken {
            let variable = *variable.get_or_insert_with(|| position_variable(module));
            function.before.replace_all_uses_with(*thunk(module, function, variable));
        }
        function.before.erase_global();
        let name = function.after.name();
        let state = (name == LAUNCH_STATE).then_some(PositionValue::Pointer(offset_of!(CpuBlock, state)));
        if name == LEAVE {
            define_leave(module, function.after);
        } else if let Some(of) = state.or_else(|| position_value_of(&name, lanes)) {
            match of {
                PositionValue::Lane => replace_lanes(module, kernels, function.after, lanes),
                _ => define_builtin(module, of, function.after),
            }
        }
    }
    place_shared(module, layout)?;
    Ok(variable)
}

/// A value that depends on the position of a thread.
#[derive(Clone, Copy)]
enum PositionValue {
    /// The number of the thread in its block.
    Thread(Axis),
    /// The number of the thread's lane in its warp.
    Lane,
    /// A number in the block, at this offset.
    Number(usize),
    /// A pointer in the block, at this offset.
    Pointer(usize),
}

/// The value of a builtin in warps with this number of lanes; none if it does not depend on the position.
fn position_value(builtin: DeviceBuiltin, lanes: u32) -> Option<PositionValue> {
    let of_axis = |offset: usize, axis: Axis| Some(PositionValue::Number(offset + 4 * axis.number()));
    match builtin {
        DeviceBuiltin::ThreadId(axis) => Some(PositionValue::Thread(axis)),
        DeviceBuiltin::BlockId(axis) => of_axis(offset_of!(CpuBlock, block_id), axis),
        DeviceBuiltin::BlockDim(axis) => of_axis(offset_of!(CpuBlock, block_dim), axis),
        DeviceBuiltin::GridDim(axis) => of_axis(offset_of!(CpuBlock, grid_dim), axis),
        DeviceBuiltin::DynamicShared => Some(PositionValue::Pointer(offset_of!(CpuBlock, dynamic_shared))),
        DeviceBuiltin::DynamicSharedSize => Some(PositionValue::Number(offset_of!(CpuBlock, dynamic_shared_bytes))),
        DeviceBuiltin::LaneId => (lanes > 1).then_some(PositionValue::Lane),
        DeviceBuiltin::LaneCount | DeviceBuiltin::SyncThreads | DeviceBuiltin::Fence(_) | DeviceBuiltin::Lanes(_) => {
            None
        }
    }
}

/// The same for a function, by its name.
fn position_value_of(name: &str, lanes: u32) -> Option<PositionValue> {
    match Builtin::named(name)?.id {
        BuiltinId::Device(builtin) => position_value(builtin, lanes),
        _ => None,
    }
}

/// Kernels, position builtins, users of shared statics, and the functions that call one of these, in the order of the
/// module.
fn functions_in_need<'c>(
    module: &Module<'c>,
    kernels: &KernelSet,
    layout: &SharedLayout<'c>,
    lanes: u32,
) -> Vec<Function<'c>> {
    let mut work: Vec<_> = kernels.functions(module).collect();
    work.extend(
        BUILTINS.iter().filter(|b| position_value_of(b.name, lanes).is_some()).filter_map(|b| module.function(b.name)),
    );
    work.extend([LAUNCH_STATE, LEAVE].into_iter().filter_map(|name| module.function(name)));
    let users = layout.variables.iter().flat_map(|(v, _)| v.users());
    work.extend(users.filter(|u| u.is_instruction()).map(|u| u.function()));
    let mut seen: HashSet<_> = work.iter().copied().collect();
    while let Some(function) = work.pop() {
        let callers = function.calls().into_iter().map(Value::function);
        work.extend(callers.filter(|caller| seen.insert(*caller)));
    }
    module.functions().into_iter().filter(|f| seen.contains(f)).collect()
}

fn extend<'c>(module: &Module<'c>, before: Function<'c>) -> Extended<'c> {
    let users = before.users();
    let mut calls: Vec<Value<'c>> = Vec::new();
    for user in users.iter().filter(|u| u.called_function() == Some(before)) {
        if !calls.contains(user) {
            calls.push(*user);
        }
    }
    let address_taken = users.len() > calls.len();
    let after = before.extend_signature(before.function_type().result(), &parameter_types(module));
    // Attributes of a constant do not hold for a load from the block.
    after.remove_attribute(Place::Function, "memory");
    Extended { before, after, calls, address_taken }
}

fn position_variable<'c>(module: &Module<'c>) -> Value<'c> {
    let ty = module.types().structure(&parameter_types(module));
    let variable = module.add_variable("offload.thread", ty, 0);
    variable.set_initializer(Some(ty.zero()));
    variable.set_linkage(Linkage::Internal);
    variable.set_thread_local();
    variable
}

/// A function with the old type that calls the extended function with the position of the running thread.
fn thunk<'c>(module: &Module<'c>, function: &Extended<'c>, variable: Value<'c>) -> Function<'c> {
    let ty = function.before.function_type();
    let name = format!("{}.indirect", function.after.name());
    let fill = |thunk: Function<'c>, block| {
        let builder = Builder::at_end(block);
        let mut arguments = thunk.parameters();
        for (field, ty) in parameter_types(module).into_iter().enumerate() {
            let offset = variable.value_type().field_offset(module, field as u32);
            arguments.push(builder.load(ty, builder.byte_offset(variable, offset, ""), 0, ""));
        }
        let result = builder.call(function.after, &arguments, "");
        builder.ret_result(Some(result));
    };
    module.define(&name, ty, Linkage::Internal, fill)
}

/// Replaces calls for the number of a lane. In a kernel with cross-lane operations, they stay until it is split.
fn replace_lanes(module: &Module<'_>, kernels: &KernelSet, function: Function<'_>, lanes: u32) {
    let split: Vec<_> = kernels.functions(module).filter(|kernel| stops::is_in_function(*kernel)).collect();
    function.calls().into_iter().filter(|call| !split.contains(&call.function())).for_each(|call| compute(call, lanes));
    if !function.is_used() {
        function.erase_global();
        return;
    }
    function.set_name(LANE);
    function.add_attribute(Place::Function, &Attribute::Enum("memory", 0));
    ["nounwind", "willreturn", "speculatable"].into_iter().for_each(|name| function.mark(name));
}

fn define_builtin<'c>(module: &Module<'c>, of: PositionValue, function: Function<'c>) {
    let builder = Builder::at_end(function.append_block("entry"));
    let parameters = function.parameters();
    let (i32, pointer) = (module.types().i32(), module.types().ptr(0));
    let value = match of {
        PositionValue::Thread(axis) => parameters[1 + axis.number()],
        PositionValue::Lane => unreachable!("its calls are replaced"),
        PositionValue::Number(offset) => load_block(&builder, parameters[0], i32, offset),
        PositionValue::Pointer(offset) => load_block(&builder, parameters[0], pointer, offset),
    };
    builder.ret(value);
    // Another name, because LLVM must not recognise it as the builtin.
    make_inlined(function, "offload.position");
}

/// `block->leave(block);`, which does not return: the scheduler continues with the next block.
fn define_leave<'c>(module: &Module<'c>, function: Function<'c>) {
    let builder = Builder::at_end(function.append_block("entry"));
    let (block, pointer) = (function.parameters()[0], module.types().ptr(0));
    let leave = load_block(&builder, block, pointer, offset_of!(CpuBlock, leave));
    let call = builder.call_typed(module.types().void().function(&[pointer]), leave, &[block], "");
    ["noreturn", "nounwind"].into_iter().for_each(|name| call.mark(name));
    builder.unreachable();
    make_inlined(function, "offload.leave");
}

fn make_inlined(function: Function<'_>, name: &str) {
    function.set_name(name);
    function.make_inlined();
}

/// Replaces shared statics by addresses in the block's shared memory.
fn place_shared<'c>(module: &Module<'c>, layout: &SharedLayout<'c>) -> Result<()> {
    for function in module.definitions() {
        let uses = |v: Value<'c>| v.users().into_iter().filter(move |u| u.is_instruction() && u.function() == function);
        let used: Vec<_> = layout.variables.iter().filter(|(v, _)| uses(*v).next().is_some()).collect();
        if used.is_empty() {
            continue;
        }
        let builder = Builder::at_start(function.blocks()[0]);
        let [block, ..] = position(function, 0);
        let base = load_block(&builder, block, module.types().ptr(0), offset_of!(CpuBlock, shared));
        for (variable, offset) in used {
            let address = builder.byte_offset(base, *offset, "");
            for user in uses(*variable).collect::<Vec<_>>() {
                replace_operand(user, *variable, address);
            }
        }
    }
    for (variable, _) in &layout.variables {
        if variable.users().iter().any(|u| *u != *variable) {
            return Err(Error::internal(format!("shared static `{}` is still used", variable.name())));
        }
        variable.erase_global();
    }
    Ok(())
}

fn replace_operand<'c>(user: Value<'c>, from: Value<'c>, to: Value<'c>) {
    for index in 0..user.operand_count() {
        if user.operand(index) == from {
            user.set_operand(index, to);
        }
    }
}
