//! The position of a thread in its block: the last four parameters of its function, and the values computed from them.
//!
//! The parameters are the block (`const struct offload_cpu_block *`) and the thread's x, y and z.

use std::mem::offset_of;

use crate::contract::abi::CpuBlock;
use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};

/// The name of the function whose calls are the number of a lane, until kernels are split.
pub(crate) const LANE: &str = "offload.lane";

/// The number of parameters for the position.
pub(crate) const PARAMETERS: usize = 4;

/// The types of those parameters.
pub(crate) fn parameter_types<'c>(module: &Module<'c>) -> [Type<'c>; PARAMETERS] {
    let types = module.types();
    let (pointer, i32) = (types.ptr(0), types.i32());
    [pointer, i32, i32, i32]
}

/// The parameters of `function` for the position: block, x, y, z. `appended` further parameters follow.
pub(crate) fn position<'c>(function: Function<'c>, appended: usize) -> [Value<'c>; PARAMETERS] {
    let parameters = function.parameters();
    let end = parameters.len() - appended;
    std::array::from_fn(|i| parameters[end - PARAMETERS + i])
}

/// Stores the position for thunks.
pub(crate) fn store_position<'c>(
    module: &Module<'c>,
    builder: &Builder<'c>,
    variable: Value<'c>,
    position: &[Value<'c>],
) {
    let ty = variable.value_type();
    for (field, value) in position.iter().enumerate() {
        let address = builder.byte_offset(variable, ty.field_offset(module, field as u32), "");
        builder.store(*value, address, 0);
    }
}

/// Loads a field of the block, which does not change while the entry runs.
pub(crate) fn load_block<'c>(builder: &Builder<'c>, block: Value<'c>, ty: Type<'c>, offset: usize) -> Value<'c> {
    let load = builder.load(ty, builder.byte_offset(block, offset as u64, ""), 0, "");
    load.mark_invariant();
    load
}

/// The offset in the block from which a value is loaded; none if it is not loaded from there.
pub(crate) fn loaded_field<'c>(value: Value<'c>, block: Value<'c>) -> Option<usize> {
    let address = value.is(Opcode::Load).then(|| value.operand(0))?;
    match address.is(Opcode::GetElementPtr).then(|| address.operands()).as_deref() {
        Some([base, at]) if *base == block && address.gep_source_type().int_width() == Some(8) => {
            at.as_u64().map(|at| at as usize)
        }
        _ => (address == block).then_some(0),
    }
}

/// Whether a value is loaded from an array of three numbers in the block, such as its dimensions, at this offset.
pub(crate) fn is_loaded_from<'c>(value: Value<'c>, block: Value<'c>, offset: usize) -> bool {
    loaded_field(value, block).is_some_and(|at| (offset..offset + size_of::<[u32; 3]>()).contains(&at))
}

/// Loads the dimensions of the block.
pub(crate) fn load_dimensions<'c>(builder: &Builder<'c>, block: Value<'c>) -> [Value<'c>; 3] {
    [0, 4, 8].map(|offset| load_block(builder, block, block.types().i32(), offset_of!(CpuBlock, block_dim) + offset))
}

/// Replaces the calls that are left in a kernel. In the regions of a warp, the slots of the threads are numbered lane
/// by lane, and those of a warp begin at a multiple of the lanes; `number` is that of the thread.
pub(crate) fn settle_lanes<'c>(module: &Module<'c>, kernel: Function<'c>, number: Option<Value<'c>>, lanes: u32) {
    let Some(function) = module.function(LANE) else { return };
    for call in function.calls().into_iter().filter(|call| call.function() == kernel) {
        let Some(number) = number else {
            compute(call, lanes);
            continue;
        };
        let builder = Builder::before(call);
        let number = builder.cast(Opcode::Trunc, number, call.ty(), "");
        let lane = builder.binary(Opcode::And, number, call.ty().constant((lanes - 1).into()), "lane");
        call.replace_all_uses_with(lane);
        call.erase();
    }
}

/// Replaces a call by the lane at its position.
pub(crate) fn compute(call: Value<'_>, lanes: u32) {
    call.replace_all_uses_with(lane(&Builder::before(call), &call.arguments(), lanes));
    call.erase();
}

/// `(x + block_dim.x * (y + block_dim.y * z)) % lanes`, a power of two.
fn lane<'c>(builder: &Builder<'c>, position: &[Value<'c>], lanes: u32) -> Value<'c> {
    let [block, x, y, z] = position[..PARAMETERS] else { unreachable!("a position has so many parts") };
    let [width, height] = [0, 4].map(|axis| load_block(builder, block, x.ty(), offset_of!(CpuBlock, block_dim) + axis));
    let row = builder.add(y, builder.mul(z, height, ""), "");
    let number = builder.add(x, builder.mul(row, width, ""), "");
    builder.binary(Opcode::And, number, x.ty().constant((lanes - 1).into()), "lane")
}
